//! What people read when the database fails: clear, and that nothing was saved.

use super::*;
use crate::store::tests::hampered;

async fn nothing_can_be_saved(bench: &Bench, reason: &str) {
    let published = bench.published();
    let listed = bench
        .admin
        .list_providers(Default::default())
        .await
        .unwrap();
    let existing = &listed.items[0];
    let mut large = provider("large");
    large.models = (0..300)
        .map(|n| read(json!({"name": format!("model-{n:0>200}")})))
        .collect();
    let mut grown: ProviderDraft = put(existing);
    grown.models.extend(large.models.clone());
    let outcomes = [
        bench.admin.create_provider(large).await.map(drop),
        bench
            .admin
            .update_provider(existing.id, grown)
            .await
            .map(drop),
    ];
    for outcome in outcomes {
        let error = refused(outcome, ErrorCode::Unavailable);
        assert!(error.message.contains(reason), "{error:?}");
        assert!(
            error
                .message
                .ends_with("Nothing was saved; routes go on serving as before."),
            "{error:?}"
        );
    }
    assert_eq!(bench.published(), published);
    assert_eq!(
        bench
            .admin
            .list_providers(Default::default())
            .await
            .unwrap(),
        listed
    );
}

#[tokio::test]
async fn a_full_disk_under_sqlite() {
    let database = TestDatabase::sqlite();
    Bench::new(&database).await.provider("p").await;
    let bench = Bench::on(hampered(&database, "max_page_count", "1").await).await;
    nothing_can_be_saved(&bench, "disk that holds the database is full").await;
}

#[tokio::test]
async fn a_read_only_sqlite() {
    let database = TestDatabase::sqlite();
    Bench::new(&database).await.provider("p").await;
    let bench = Bench::on(hampered(&database, "query_only", "ON").await).await;
    nothing_can_be_saved(&bench, "read-only").await;
    let error = refused(
        bench.admin.create_key(key("k")).await.map(drop),
        ErrorCode::Unavailable,
    );
    assert!(error.message.contains("read-only"), "{error:?}");
}

#[tokio::test]
async fn a_read_only_postgres() {
    let database = TestDatabase::postgres().await;
    let bench = Bench::new(&database).await;
    bench.provider("p").await;
    database
        .run(
            "DO $$ BEGIN EXECUTE format(
                 'ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$",
        )
        .await;
    database.cut_connections().await;
    nothing_can_be_saved(&bench, "read-only").await;
}

#[tokio::test]
async fn a_database_that_is_gone() {
    let bench = Bench::on(Store::connect("sqlite::memory:").await.unwrap()).await;
    bench.store.close().await;
    let error = refused(
        bench.admin.list_routes(Default::default()).await,
        ErrorCode::Unavailable,
    );
    assert!(
        error.message.ends_with("Routes go on serving as before."),
        "{error:?}"
    );
    let error = refused(
        bench.admin.create_provider(provider("p")).await,
        ErrorCode::Unavailable,
    );
    assert!(error.message.contains("Nothing was saved"), "{error:?}");
}
