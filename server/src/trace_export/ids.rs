//! The ids in a request's trace, made from the request's own id: the same request always has the same.

use blake3::OutputReader;

use super::otlp::{SpanId, TraceId};
use crate::gateway::record::Record;

#[derive(Debug)]
pub(super) struct Ids {
    pub trace: TraceId,
    /// The client's span, where it said one.
    pub parent: Option<SpanId>,
    drawn: OutputReader,
}

impl Ids {
    /// A trace that begins here is named as the request is.
    pub(super) fn of(record: &Record) -> Self {
        let parent = record.trace_parent;
        Self {
            trace: TraceId(parent.map_or(record.id.as_u128(), |parent| parent.trace)),
            parent: parent.map(|parent| SpanId(parent.span)),
            drawn: draw(record, b"spans"),
        }
    }

    pub(super) fn next_span(&mut self) -> SpanId {
        SpanId(number(&mut self.drawn))
    }
}

/// Whether a request's trace is kept: as the client decided where it is the client's, else one by chance.
pub(super) fn is_kept(record: &Record, share: f64) -> bool {
    if let Some(parent) = record.trace_parent {
        return parent.is_sampled;
    }
    // As many bits as a fraction holds exactly.
    const BITS: u32 = f64::MANTISSA_DIGITS;
    let chance = number(&mut draw(record, b"sample")) >> (u64::BITS - BITS);
    (chance as f64) / ((1_u64 << BITS) as f64) < share
}

fn draw(record: &Record, what_for: &[u8]) -> OutputReader {
    let mut hasher = blake3::Hasher::new();
    hasher.update(record.id.as_bytes()).update(what_for);
    hasher.finalize_xof()
}

fn number(drawn: &mut OutputReader) -> u64 {
    let mut bytes = [0; 8];
    drawn.fill(&mut bytes);
    // Zero would mean that there is none.
    u64::from_le_bytes(bytes).max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use uuid::Uuid;

    use super::*;
    use crate::gateway::trace_parent::TraceParent;
    use crate::snapshot::CompiledKey;

    fn records(count: usize) -> impl Iterator<Item = Record> {
        let key = Arc::new(CompiledKey::for_tests());
        (0..count).map(move |_| Record::new(Uuid::now_v7(), "/v1/x", &key))
    }

    #[test]
    fn every_span_has_an_id_of_its_own_and_keeps_it() {
        let mut seen = HashSet::new();
        for record in records(100) {
            let (mut ids, mut again) = (Ids::of(&record), Ids::of(&record));
            assert_eq!(ids.trace.0, record.id.as_u128());
            for _ in 0..10 {
                let span = ids.next_span();
                assert_eq!(span, again.next_span());
                assert!(seen.insert(span.0));
            }
        }
    }

    #[test]
    fn the_share_is_kept_of_what_begins_here() {
        let records: Vec<Record> = records(10_000).collect();
        let kept = |share| records.iter().filter(|one| is_kept(one, share)).count();
        assert_eq!((kept(0.0), kept(1.0)), (0, 10_000));
        let tenth = kept(0.1);
        assert!((800..1_200).contains(&tenth), "{tenth}");
    }

    #[test]
    fn a_clients_trace_is_kept_as_the_client_keeps_it() {
        for mut record in records(2) {
            for is_sampled in [true, false] {
                record.trace_parent = Some(TraceParent {
                    trace: 7,
                    span: 8,
                    is_sampled,
                });
                assert_eq!(is_kept(&record, 0.5), is_sampled);
                let ids = Ids::of(&record);
                assert_eq!((ids.trace, ids.parent), (TraceId(7), Some(SpanId(8))));
            }
        }
    }
}
