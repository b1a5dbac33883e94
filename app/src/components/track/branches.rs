//! From targets to branches: who is lit, and who gets what share.

use routing::{Share, Stake, TargetDraft, expected_shares};

use crate::summary::Upstream;

/// One target, as the diagram needs it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Branch {
    pub provider: String,
    pub model: String,
    pub share: Share,
    /// Dark when it takes no traffic.
    pub lit: bool,
    /// Their URLs.
    pub instances: Vec<String>,
}

/// Nothing while the weights make no sense together.
pub(crate) fn branches(
    route_enabled: bool,
    targets: &[TargetDraft],
    upstreams: &[Upstream],
) -> Option<Vec<Branch>> {
    let found: Vec<Option<&Upstream>> = targets
        .iter()
        .map(|target| {
            upstreams
                .iter()
                .find(|upstream| upstream.provider == target.provider)
        })
        .collect();
    let stakes: Vec<Stake> = targets
        .iter()
        .zip(&found)
        .map(|(target, upstream)| Stake {
            weight: target.weight,
            enabled: route_enabled
                && target.enabled
                && upstream.is_some_and(|upstream| upstream.enabled),
            instances: upstream.map_or(0, |upstream| upstream.instances.len() as u32),
        })
        .collect();
    let shares = expected_shares(&stakes)?;
    let branches = targets.iter().zip(&stakes).zip(found).zip(shares).map(
        |(((target, stake), upstream), share)| Branch {
            provider: target.provider.clone(),
            model: target.model.clone(),
            share,
            lit: stake.enabled && stake.instances > 0,
            instances: upstream
                .map(|upstream| upstream.instances.clone())
                .unwrap_or_default(),
        },
    );
    Some(branches.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(provider: &str, weight: Option<f64>) -> TargetDraft {
        TargetDraft {
            id: None,
            provider: provider.into(),
            model: "m".into(),
            weight,
            enabled: true,
        }
    }

    fn upstream(provider: &str, instances: &[&str]) -> Upstream {
        Upstream {
            id: uuid::Uuid::nil(),
            provider: provider.into(),
            enabled: true,
            instances: instances.iter().map(|url| (*url).to_owned()).collect(),
        }
    }

    #[test]
    fn a_targets_weight_is_shared_by_its_instances() {
        let upstreams = [upstream("a", &["u"]), upstream("b", &["v", "w"])];
        let targets = [target("a", Some(100.0)), target("b", Some(300.0))];
        let branches = branches(true, &targets, &upstreams).unwrap();
        assert_eq!(
            branches[0].share,
            Share {
                target: 0.25,
                instance: 0.25
            }
        );
        assert_eq!(
            branches[1].share,
            Share {
                target: 0.75,
                instance: 0.375
            }
        );
    }

    #[test]
    fn what_takes_no_traffic_is_dark() {
        let upstreams = [upstream("a", &["u"])];
        let targets = [target("a", None), target("unknown", None)];
        let branches = branches(true, &targets, &upstreams).unwrap();
        assert!(branches[0].lit && branches[0].share.target == 1.0);
        assert!(!branches[1].lit && branches[1].share.target == 0.0);

        let off = super::branches(false, &targets, &upstreams).unwrap();
        assert!(off.iter().all(|branch| !branch.lit));
    }
}
