//! What made a request's first choice the first, in a word.

use routing::DecidedBy;

use crate::i18n::{Locale, text};

pub(crate) fn decided_by_name(locale: Locale, decided_by: DecidedBy) -> &'static str {
    match decided_by {
        DecidedBy::RoundRobin => text!(locale, decided_by.round_robin),
        DecidedBy::TargetWeight => text!(locale, route_by.target_weight),
        DecidedBy::SessionAffinity => text!(locale, policy.session_affinity),
        DecidedBy::LeastInflight => text!(locale, policy.least_inflight),
        DecidedBy::DecisionService => text!(locale, policy.decision_service),
        DecidedBy::Chance => text!(locale, decided_by.chance),
        DecidedBy::Capacity => text!(locale, decided_by.capacity),
        DecidedBy::OnlyCandidate => text!(locale, decided_by.only_candidate),
    }
}

/// As JSON and addresses name it.
pub(crate) fn decided_by_key(decided_by: DecidedBy) -> &'static str {
    match decided_by {
        DecidedBy::RoundRobin => "round_robin",
        DecidedBy::TargetWeight => "target_weight",
        DecidedBy::SessionAffinity => "session_affinity",
        DecidedBy::LeastInflight => "least_inflight",
        DecidedBy::DecisionService => "decision_service",
        DecidedBy::Chance => "chance",
        DecidedBy::Capacity => "capacity",
        DecidedBy::OnlyCandidate => "only_candidate",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_json() {
        for decided_by in DecidedBy::ALL {
            let json = serde_json::to_value(decided_by).unwrap();
            assert_eq!(json, decided_by_key(decided_by));
        }
    }
}
