//! Least Inflight Request: rates 1 / (1 + inflight + penalty).
//!
//! In flight are the requests under way at the candidate, without the one that is being placed. The
//! penalty is 0 except while an instance recovers. The signal is never missing: an instance that nobody
//! has used is idle, and so it never abstains.

use super::Ratings;
use crate::candidate::Candidate;

pub(super) fn rate(live: &[&Candidate<'_>]) -> Ratings {
    let rate = |candidate: &&Candidate<'_>| {
        let load = &candidate.load;
        1.0 / (1.0 + f64::from(load.inflight) + load.penalty)
    };
    Ratings::sure(live.iter().map(rate).collect())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::candidate::{CandidateKey, Load};

    #[test]
    fn the_busier_the_lower() {
        let key = CandidateKey::new(Uuid::nil(), "http://h/v1", "m");
        let candidates =
            [(0, 0.0), (1, 0.0), (3, 0.0), (0, 3.0), (1, 2.0)].map(|(inflight, penalty)| {
                Candidate {
                    target: 0,
                    key: &key,
                    load: Load {
                        inflight,
                        penalty,
                        full: false,
                    },
                    left_out: None,
                }
            });
        let rated = rate(&candidates.iter().collect::<Vec<_>>());
        assert_eq!(rated.values, [1.0, 0.5, 0.25, 0.25, 0.25]);
    }
}
