//! Session Affinity: the k-th candidate of a session rates 2^-k, for k = 1 … N.
//!
//! The order is a rendezvous hash: each candidate draws the number
//!
//! ```text
//! XXH64(session key ‖ 0xFF ‖ candidate key, seed 0)
//! ```
//!
//! and the highest comes first. So every gateway that knows the same candidates agrees on the order
//! without having to remember it, and a candidate that goes leaves the order of the others as it was:
//! only its own sessions move. Neither key holds the byte 0xFF, which is in no UTF-8 text. The hash is
//! pinned by the tests below: another would move every session there is.
//!
//! Without a session key it abstains.

use smallvec::SmallVec;
use xxhash_rust::xxh64::Xxh64;

use super::{FEW, Ratings};
use crate::candidate::Candidate;
use crate::facts::{Abstention, Facts};

const SEED: u64 = 0;

pub(super) fn rate(live: &[&Candidate<'_>], facts: &Facts<'_>) -> Result<Ratings, Abstention> {
    let session = facts.session.ok_or(Abstention::NoSessionKey)?;
    let mut of_session = Xxh64::new(SEED);
    of_session.update(session.as_bytes());
    of_session.update(&[0xFF]);
    let mut drawn: SmallVec<[(u64, &str, usize); FEW]> = live
        .iter()
        .enumerate()
        .map(|(index, candidate)| {
            let key = candidate.key.as_str();
            let mut hash = of_session.clone();
            hash.update(key.as_bytes());
            (hash.digest(), key, index)
        })
        .collect();
    // Two equal numbers are next to impossible; the keys then decide, the same way everywhere.
    drawn.sort_unstable_by(|a, b| b.cmp(a));
    let mut ratings = vec![0.0; live.len()];
    let mut rating = 0.5;
    for (_, _, index) in drawn {
        if let Some(slot) = ratings.get_mut(index) {
            *slot = rating;
        }
        rating /= 2.0;
    }
    Ok(Ratings::sure(ratings))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::candidate::{CandidateKey, Load};

    fn keys(count: u128) -> Vec<CandidateKey> {
        (1..=count)
            .map(|id| CandidateKey::new(Uuid::from_u128(id), "http://127.0.0.1:8000/v1", "qwen3"))
            .collect()
    }

    fn ratings(session: &str, keys: &[CandidateKey]) -> Vec<f64> {
        let candidates: Vec<Candidate<'_>> = keys
            .iter()
            .map(|key| Candidate {
                target: 0,
                key,
                load: Load::default(),
                left_out: None,
            })
            .collect();
        let facts = Facts {
            session: Some(session),
            ..Facts::default()
        };
        rate(&candidates.iter().collect::<Vec<_>>(), &facts)
            .unwrap()
            .values
    }

    #[test]
    fn the_hash_is_xxh64() {
        let hash = |text: &[u8]| {
            let mut hash = Xxh64::new(SEED);
            hash.update(text);
            hash.digest()
        };
        // From the reference implementation.
        assert_eq!(hash(b""), 0xEF46_DB37_51D8_E999);
        assert_eq!(hash(b"abc"), 0x44BC_2CF5_AD77_0999);
    }

    /// These never change: an upgrade or a second replica must not move a session.
    #[test]
    fn sessions_stay_where_they_are_over_upgrades() {
        let keys = keys(4);
        for (session, expected) in PINNED {
            assert_eq!(ratings(session, &keys), expected, "{session}");
        }
    }

    #[test]
    fn the_kth_rates_two_to_the_minus_k_however_many_there_are() {
        for count in [1, 2, 5, 2_000] {
            let mut rated = ratings("demo-session", &keys(count));
            rated.sort_unstable_by(|a, b| b.total_cmp(a));
            for (power, rating) in (1..).zip(rated) {
                assert_eq!(rating, 0.5_f64.powi(power));
            }
        }
    }

    #[test]
    fn sessions_spread_evenly() {
        let keys = keys(4);
        let mut owned = [0; 4];
        for number in 0..4_000 {
            let rated = ratings(&format!("session-{number}"), &keys);
            let owner = rated.iter().position(|rating| *rating == 0.5).unwrap();
            owned[owner] += 1;
        }
        assert!(
            owned.iter().all(|count| (900..=1_100).contains(count)),
            "{owned:?}"
        );
    }

    #[test]
    fn without_a_session_key_it_abstains() {
        assert_eq!(rate(&[], &Facts::default()), Err(Abstention::NoSessionKey));
    }

    /// Computed by another implementation of XXH64.
    const PINNED: [(&str, [f64; 4]); 4] = [
        ("demo-session", [0.25, 0.5, 0.125, 0.0625]),
        (
            "7f9c2ba4-e88f-4ab1-8d3c-000000000001",
            [0.5, 0.0625, 0.125, 0.25],
        ),
        ("会话", [0.5, 0.0625, 0.25, 0.125]),
        ("x", [0.25, 0.0625, 0.125, 0.5]),
    ];
}
