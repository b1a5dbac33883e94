//! What a policy answers: the candidates in the order in which they are tried.

use crate::candidate::LeftOut;

/// Every candidate once, named by its index in the slice that was ranked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// The live ones, best first. The first is the choice, the others are where retries go.
    pub live: Vec<Ranked>,
    /// The rest, in the order of the slice, and why each took no part.
    pub left_out: Vec<(usize, LeftOut)>,
}

/// A live candidate at its place in the ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    pub candidate: usize,
}
