//! A list in a form: rows that are added, moved and removed, each with an identity of its own.

use leptos::prelude::*;

/// A list that rows are added to and taken from while it is shown.
pub(crate) struct Rows<T: Send + Sync + 'static> {
    pub list: RwSignal<Vec<Row<T>>>,
    next_key: StoredValue<u32>,
    owner: StoredValue<Owner>,
}

#[derive(Clone, Copy)]
pub(crate) struct Row<T> {
    /// Its identity while it is edited.
    pub key: u32,
    pub of: T,
}

impl<T: Send + Sync + 'static> Clone for Rows<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Rows<T> {}

impl<T: Clone + Send + Sync + 'static> Rows<T> {
    pub(crate) fn new() -> Self {
        Self {
            list: RwSignal::new(Vec::new()),
            next_key: StoredValue::new(0),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
        }
    }

    /// Answers with the new row's key.
    pub(crate) fn add(self, make: impl FnOnce() -> T) -> u32 {
        let key = self.next_key.get_value();
        self.extend([make]);
        key
    }

    pub(crate) fn extend<F: FnOnce() -> T>(self, rows: impl IntoIterator<Item = F>) {
        let owner = self.owner.get_value();
        self.list.update(|list| {
            for make in rows {
                let key = self.next_key.get_value();
                self.next_key.set_value(key.wrapping_add(1));
                list.push(Row {
                    key,
                    of: owner.with(make),
                });
            }
        });
    }

    pub(crate) fn remove(self, key: u32) {
        self.list.update(|list| list.retain(|row| row.key != key));
    }

    /// Exchanges a row with the one before or after it; at the ends nothing happens.
    pub(crate) fn step(self, key: u32, down: bool) {
        self.list.update(|list| {
            let Some(from) = list.iter().position(|row| row.key == key) else {
                return;
            };
            let to = if down { from + 1 } else { from.wrapping_sub(1) };
            if to < list.len() {
                list.swap(from, to);
            }
        });
    }

    /// Where the row stands, counted from 0.
    pub(crate) fn index(self, key: u32) -> Memo<usize> {
        Memo::new(move |_| {
            let list = self.list.read();
            list.iter()
                .position(|row| row.key == key)
                .unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_keys_while_they_move() {
        Owner::new().with(|| {
            let rows = Rows::new();
            let [a, b, c] = ["a", "b", "c"].map(|of| rows.add(|| of));
            let order = || {
                let list = rows.list.read_untracked();
                list.iter().map(|row| row.of).collect::<String>()
            };
            rows.step(a, true);
            assert_eq!(order(), "bac");
            rows.step(b, false);
            rows.step(c, true);
            assert_eq!(order(), "bac", "the ends are the ends");
            rows.remove(a);
            assert_eq!(order(), "bc");
            assert_eq!(rows.index(c).get_untracked(), 1);
            assert_ne!(rows.add(|| "d"), a, "no key comes twice");
        });
    }
}
