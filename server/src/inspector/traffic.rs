//! What goes through routes and targets just now.

use app::api::instance::Health;
use app::api::traffic::{Flow, RouteTraffic, TargetTraffic, Traffic};

use super::Inspector;
use crate::gateway::traffic::{RouteSum, STEPS, Sum};
use crate::snapshot::CompiledRoute;

impl Inspector {
    pub fn traffic(&self) -> Traffic {
        let snapshot = self.snapshots.load();
        let mut sums = self.traffic.sums();
        let routes = snapshot.routes.iter().filter_map(|route| {
            let sum = sums.remove(&route.id);
            let is_busy = sum.is_some() || inflight(route, None) > 0;
            is_busy.then(|| of_route(route, sum.unwrap_or_default()))
        });
        let mut instances = self.instances().items;
        instances
            .retain(|one| one.inflight > 0 || one.health != Health::Ok || one.last_error.is_some());
        Traffic {
            routes: routes.collect(),
            instances,
        }
    }
}

fn of_route(route: &CompiledRoute, mut sum: RouteSum) -> RouteTraffic {
    let count = |sum: &Sum| sum.steps.iter().map(|step| f64::from(*step)).sum::<f64>();
    let all = count(&sum.all);
    let targets = route.targets().map(|target| {
        let sum = sum.targets.remove(&target.name).unwrap_or_default();
        TargetTraffic {
            target: target.name.to_string(),
            share: if all > 0.0 { count(&sum) / all } else { 0.0 },
            flow: flow(sum, inflight(route, Some(&target.name))),
        }
    });
    let targets = targets.collect();
    RouteTraffic {
        route: route.id,
        all: flow(sum.all, inflight(route, None)),
        targets,
    }
}

/// Under way at a route's candidates, or at those of one target.
fn inflight(route: &CompiledRoute, target: Option<&str>) -> u32 {
    route
        .candidates()
        .filter(|choice| target.is_none_or(|name| *choice.target.name == *name))
        .map(|choice| choice.inflight())
        .sum()
}

fn flow(sum: Sum, inflight: u32) -> Flow {
    let mut steps = sum.steps;
    steps.resize(STEPS, 0);
    Flow {
        per_minute: sum.per_minute,
        errors_per_minute: sum.errors_per_minute,
        inflight,
        p50_ms: sum.p50_ms,
        p95_ms: sum.p95_ms,
        steps,
    }
}
