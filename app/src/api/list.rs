//! Lists, paged by cursor.

use serde::{Deserialize, Serialize};

/// Which part of a list is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::IntoParams))]
pub struct Page {
    /// 1 to 1,000 items; 100 when absent.
    #[serde(default = "default_limit")]
    pub limit: u32,
    /// The `next` of the page before.
    #[serde(default)]
    pub after: Option<String>,
}

fn default_limit() -> u32 {
    100
}

impl Default for Page {
    fn default() -> Self {
        Self {
            limit: default_limit(),
            after: None,
        }
    }
}

/// A page of things, in the order of their names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct List<T> {
    pub items: Vec<T>,
    /// Give it as `after` for the items that follow; null on the last page.
    pub next: Option<String>,
}
