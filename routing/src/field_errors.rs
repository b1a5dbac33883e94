//! All that is wrong with a draft, by field.

use std::collections::{BTreeMap, btree_map};
use std::fmt;

use crate::problem::Problem;

/// Field path, such as `targets[1].weight`, to what is wrong there. Lists count from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldErrors(BTreeMap<String, Problem>);

impl FieldErrors {
    /// Notes a problem. A field keeps its first: what comes after often follows from it.
    pub fn insert(&mut self, path: impl Into<String>, problem: Problem) {
        self.0.entry(path.into()).or_insert(problem);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, path: &str) -> Option<&Problem> {
        self.0.get(path)
    }

    /// By path, in the order of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Problem)> {
        self.0
            .iter()
            .map(|(path, problem)| (path.as_str(), problem))
    }

    /// Field path to an English sentence.
    pub fn into_messages(self) -> BTreeMap<String, String> {
        self.into_iter()
            .map(|(path, problem)| (path, problem.to_string()))
            .collect()
    }
}

impl IntoIterator for FieldErrors {
    type Item = (String, Problem);
    type IntoIter = btree_map::IntoIter<String, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (path, problem)) in self.iter().enumerate() {
            let gap = if position == 0 { "" } else { " " };
            write!(f, "{gap}{path}: {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for FieldErrors {}
