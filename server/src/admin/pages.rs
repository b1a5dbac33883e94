//! Pages of a list, as the API asks for them and as the store reads them.

use app::api::list::{List, Page};
use app::error::ApiError;
use uuid::Uuid;

use super::fields::Fields;
use crate::store::{Cursor, Slice};

const MOST: u32 = 1_000;

/// The slice to read for a page: one item more than it shows, to know whether another page follows.
pub(super) fn slice(page: &Page) -> Result<Slice, ApiError> {
    let mut fields = Fields::default();
    if !(1..=MOST).contains(&page.limit) {
        fields.refuse("limit", format!("Ask for 1 to {MOST} items at a time."));
    }
    let after = match page.after.as_deref() {
        None => Cursor::default(),
        Some(text) => Cursor::parse(text).unwrap_or_else(|| {
            fields.refuse(
                "after",
                "This is no cursor; take the `next` of the page before, or leave it out.",
            );
            Cursor::default()
        }),
    };
    fields.finish()?;
    Ok(Slice {
        after,
        limit: page.limit + 1,
    })
}

/// The page of what was read by its slice.
pub(super) fn list<R, T>(
    page: &Page,
    mut records: Vec<R>,
    name_and_id: impl Fn(&R) -> (&str, Uuid),
    show: impl FnMut(R) -> T,
) -> List<T> {
    let most = page.limit as usize;
    let more = records.len() > most;
    records.truncate(most);
    let next = records.last().filter(|_| more).map(|last| {
        let (name, id) = name_and_id(last);
        Cursor::new(name, id).to_text()
    });
    List {
        items: records.into_iter().map(show).collect(),
        next,
    }
}
