//! Against the outcomes computed in exact fractions.

use serde_json::Value;

use super::*;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../vectors/affinity_vs_load.json")).unwrap()
}

fn rows(vectors: &Value, name: &str) -> Vec<Value> {
    vectors[name].as_array().unwrap().clone()
}

fn number(row: &Value, name: &str) -> u32 {
    row[name].as_u64().unwrap().try_into().unwrap()
}

/// How often the owner gets the request in 2,000 draws of the ticket.
fn owner_wins(balance: &Balance, owner_inflight: u32) -> usize {
    let draws = 2_000;
    (0..draws)
        .filter(|draw| {
            // The golden ratio's multiples fill [0, 1) evenly and in no order.
            let ticket = (f64::from(*draw) * 0.618_033_988_749_895).fract();
            balance.ranked_by(owner_inflight, ticket).choice() == Some(balance.owner)
        })
        .count()
}

#[test]
fn every_row_at_default_weights_holds() {
    let vectors = vectors();
    let rows = rows(&vectors, "default_weights");
    assert_eq!(rows.len(), 91);
    for row in rows {
        let balance = Balance::new(number(&row, "candidates"), 1.0, 1.0).unwrap();
        let inflight = number(&row, "owner_inflight");
        let (expected, wins) = match row["outcome"].as_str().unwrap() {
            "hold" => (Outcome::Hold, 2_000..=2_000),
            "flip" => (Outcome::Flip, 0..=0),
            "tie" => (Outcome::Tie, 950..=1_050),
            other => panic!("{other}"),
        };
        assert_eq!(balance.outcome(inflight), expected, "{row}");
        assert!(wins.contains(&owner_wins(&balance, inflight)), "{row}");
    }
}

#[test]
fn every_exact_tie_goes_either_way_half_of_the_time() {
    let vectors = vectors();
    let rows = rows(&vectors, "exact_ties");
    assert_eq!(rows.len(), 102);
    for row in rows {
        let weight = |name: &str| row[name].as_f64().unwrap();
        let balance = Balance::new(
            number(&row, "candidates"),
            weight("affinity_weight"),
            weight("least_inflight_weight"),
        )
        .unwrap();
        let inflight = number(&row, "owner_inflight");
        assert_eq!(balance.outcome(inflight), Outcome::Tie, "{row}");
        let wins = owner_wins(&balance, inflight);
        assert!((950..=1_050).contains(&wins), "{wins} {row}");
    }
}

#[test]
fn every_threshold_holds_and_only_the_ratio_counts() {
    let vectors = vectors();
    let rows = rows(&vectors, "flip_threshold");
    assert_eq!(rows.len(), 21);
    for row in rows {
        let ratio = match row["least_inflight_to_affinity"].as_str().unwrap() {
            "1" => 1.0,
            "3/2" => 1.5,
            "2" => 2.0,
            other => panic!("{other}"),
        };
        let candidates = number(&row, "candidates");
        let expected = row["owner_inflight"].as_u64().map(|at| at as u32);
        for scale in [1.0, 0.1, 0.3, 7.0, 1_000.0] {
            let balance = Balance::new(candidates, scale, scale * ratio).unwrap();
            assert_eq!(balance.moves_at(), expected, "{scale} {row}");
        }
    }
}

#[test]
fn above_a_weight_a_session_moves_and_below_it_never_does() {
    for candidates in 2..=12 {
        let least = Balance::new(candidates, 1.0, 1.0)
            .unwrap()
            .moves_above()
            .unwrap();
        let moves_at = |weight| Balance::new(candidates, 1.0, weight).unwrap().moves_at();
        assert_eq!(moves_at(least * 0.999), None, "{candidates}");
        assert!(moves_at(least * 1.001).is_some(), "{candidates}");
    }
    // Five candidates, equal weights: 0.25 / (1 − 1/32) · 4.
    let least = Balance::new(5, 1.0, 1.0).unwrap().moves_above().unwrap();
    assert!((least - 32.0 / 31.0).abs() < 1e-12, "{least}");
}

#[test]
fn a_lone_candidate_keeps_its_sessions() {
    let alone = Balance::new(1, 1.0, 1_000.0).unwrap();
    assert_eq!((alone.moves_at(), alone.moves_above()), (None, None));
    assert_eq!(alone.outcome(u32::MAX), Outcome::Hold);
}

#[test]
fn what_cannot_be_is_not_computed() {
    for (candidates, affinity, inflight) in [
        (0, 1.0, 1.0),
        (257, 1.0, 1.0),
        (2, 0.0, 1.0),
        (2, 1.0, -1.0),
        (2, f64::NAN, 1.0),
        (2, 1.0, f64::INFINITY),
    ] {
        assert!(Balance::new(candidates, affinity, inflight).is_none());
    }
}
