//! Who made which response of the Responses API, so that what follows on it goes there again.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::dispatch::On;
use super::error::StoreError;
use super::{Store, is_text};

/// As long as fits an index row of Postgres with room to spare; known ids have less than a hundred.
const LONGEST_ID: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseRecord {
    /// As the upstream named it.
    pub id: String,
    pub key_id: Uuid,
    pub route_id: Uuid,
    pub provider_id: Uuid,
    /// The instance's base URL in its normal form.
    pub instance: String,
    pub model: String,
    pub created_at: DateTime<Utc>,
}

from_row!(
    ResponseRecord: id, key_id, route_id, provider_id, instance, model, created_at
);

impl Store {
    /// Keeps them, all or none; an id that is there already is overwritten. Upstreams make the ids up,
    /// and what cannot be kept as one is passed over. No change that a gateway must see, so the version
    /// stays.
    pub async fn note_responses(&self, responses: &[ResponseRecord]) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        for response in responses.iter().filter(|response| is_id(&response.id)) {
            execute!(
                &mut transaction,
                "INSERT INTO responses (id, key_id, route_id, provider_id, instance, model, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)
                 ON CONFLICT (id) DO UPDATE
                    SET key_id = excluded.key_id, route_id = excluded.route_id,
                        provider_id = excluded.provider_id, instance = excluded.instance,
                        model = excluded.model, created_at = excluded.created_at",
                &response.id,
                response.key_id,
                response.route_id,
                response.provider_id,
                &response.instance,
                &response.model,
                response.created_at,
            )?;
        }
        transaction.commit().await
    }

    pub async fn response(&self, id: &str) -> Result<Option<ResponseRecord>, StoreError> {
        if !is_id(id) {
            return Ok(None);
        }
        let mut db = self.connection().await?;
        fetch_optional!(
            &mut db,
            ResponseRecord,
            "SELECT id, key_id, route_id, provider_id, instance, model, created_at
               FROM responses WHERE id = $1",
            id,
        )
    }

    /// Forgets it, if it is known.
    pub async fn forget_response(&self, id: &str) -> Result<(), StoreError> {
        if !is_id(id) {
            return Ok(());
        }
        let mut db = self.connection().await?;
        execute!(&mut db, "DELETE FROM responses WHERE id = $1", id).map(drop)
    }

    /// Forgets those from before a moment, and of the others all but the newest `keep`; answers how
    /// many. In steps, so that nobody who wants to write waits long.
    pub async fn prune_responses(
        &self,
        keep: u32,
        older_than: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let mut db = self.connection().await?;
        let mut pruned = 0;
        loop {
            let old = execute!(
                &mut db,
                "DELETE FROM responses WHERE id IN
                     (SELECT id FROM responses WHERE created_at < $1 LIMIT 1000)",
                older_than,
            )?;
            let too_many = execute!(
                &mut db,
                "DELETE FROM responses WHERE id IN
                     (SELECT id FROM responses ORDER BY created_at DESC LIMIT 1000 OFFSET $1)",
                i64::from(keep),
            )?;
            pruned += old + too_many;
            if old + too_many == 0 {
                return Ok(pruned);
            }
        }
    }
}

fn is_id(text: &str) -> bool {
    text.len() <= LONGEST_ID && is_text(text)
}
