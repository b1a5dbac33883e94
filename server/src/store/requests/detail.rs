//! What a record holds beside what it is filtered by, packed into few bytes.
//!
//! The first byte says which shape follows. A shape that was written once is never changed: one that
//! needs more gets the next number, and the old one stays readable.

use routing::{LeftOut, RouteBy, ScorerName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

const SHAPE: u8 = 1;
/// What most take up, so that room is made once.
const USUAL_BYTES: usize = 256;

/// Texts that repeat are meant by their number among the names, 0 for none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestDetail {
    /// Where it differs from the name of the path.
    pub path: Option<String>,
    /// Of the answer, or of the last attempt.
    pub instance: i32,
    pub route_by: Option<RouteBy>,
    pub session: Option<SessionSource>,
    pub bytes: u64,
    pub read_ms: u32,
    pub decide_ms: u32,
    pub cached: Option<u64>,
    pub reasoning: Option<u64>,
    /// In millionths.
    pub cost: Option<u64>,
    pub error: Option<String>,
    pub attempts: Vec<AttemptDetail>,
    pub candidates: Vec<CandidateDetail>,
    /// Places among the candidates, the best first; those that are left out are not in it.
    pub order: Vec<u32>,
    pub scored: Vec<ScoredDetail>,
    pub abstained: Vec<(ScorerName, String)>,
    pub tied: u32,
    pub ticket: f64,
    pub decision: Option<DecisionDetail>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SessionSource {
    Header(String),
    Body(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptDetail {
    pub target: i32,
    pub instance: i32,
    pub is_fallback: bool,
    /// The status, or why there was none.
    pub outcome: Result<u16, String>,
    pub ms: u32,
    pub refused: Vec<RefusedDetail>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedDetail {
    pub hint: String,
    pub status: u16,
    pub ms: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateDetail {
    pub provider: Uuid,
    pub target: i32,
    pub instance: i32,
    pub inflight: u32,
    /// While it recovers.
    pub penalty: Option<f64>,
    pub is_full: bool,
    pub left_out: Option<LeftOut>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoredDetail {
    pub scorer: ScorerName,
    /// As set, times the scorer's confidence.
    pub weight: f64,
    /// One a candidate.
    pub shares: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionDetail {
    pub model: Option<String>,
    pub probabilities: Vec<(String, f64)>,
    pub confidence: f64,
    pub latency_ms: u32,
}

impl RequestDetail {
    pub fn pack(&self) -> Vec<u8> {
        let mut packed = Vec::with_capacity(USUAL_BYTES);
        packed.push(SHAPE);
        // It fails for types that cannot be written at all; there are none in it.
        postcard::to_extend(self, packed).unwrap_or_default()
    }

    /// Nothing for what another version wrote.
    pub fn unpack(packed: &[u8]) -> Option<Self> {
        let packed = packed.strip_prefix(&[SHAPE])?;
        postcard::from_bytes(packed).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detail() -> RequestDetail {
        let candidate = |instance| CandidateDetail {
            provider: Uuid::from_u128(7),
            target: 2,
            instance,
            inflight: 1,
            penalty: None,
            is_full: false,
            left_out: None,
        };
        RequestDetail {
            instance: 3,
            route_by: Some(RouteBy::Policy),
            session: Some(SessionSource::Header("session-id".to_owned())),
            bytes: 512,
            attempts: vec![AttemptDetail {
                target: 2,
                instance: 3,
                is_fallback: false,
                outcome: Ok(200),
                ms: 12,
                refused: Vec::new(),
            }],
            candidates: (3..7).map(candidate).collect(),
            order: vec![0, 1, 2, 3],
            scored: [ScorerName::SessionAffinity, ScorerName::LeastInflight]
                .map(|scorer| ScoredDetail {
                    scorer,
                    weight: 1.0,
                    shares: vec![0.25; 4],
                })
                .to_vec(),
            tied: 1,
            ticket: 0.123,
            ..RequestDetail::default()
        }
    }

    #[test]
    fn it_reads_back_and_is_small() {
        let packed = detail().pack();
        assert_eq!(RequestDetail::unpack(&packed), Some(detail()));
        assert!(packed.len() < 256, "{} bytes", packed.len());
        assert_eq!(RequestDetail::unpack(&[]), None);
        assert_eq!(RequestDetail::unpack(&[9, 1, 2]), None);
        assert_eq!(RequestDetail::unpack(packed.get(..20).unwrap()), None);
    }

    /// What was written stays readable.
    #[test]
    fn the_first_shape_is_pinned() {
        let packed = RequestDetail {
            error: Some("the client left".to_owned()),
            abstained: vec![(ScorerName::DecisionService, "why".to_owned())],
            candidates: vec![CandidateDetail {
                provider: Uuid::nil(),
                target: 1,
                instance: -1,
                inflight: 300,
                penalty: Some(0.5),
                is_full: true,
                left_out: Some(LeftOut::Ejected),
            }],
            ..RequestDetail::default()
        }
        .pack();
        let hex: String = packed.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, PINNED);
    }

    const PINNED: &str = "0100000000000000000000010f74686520636c69656e74206c656674000110000000000000000000000000000000000201ac0201000000000000e03f010103000001020377687900000000000000000000";
}
