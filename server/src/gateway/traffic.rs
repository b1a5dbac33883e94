//! What went through routes and targets within the last ten minutes, in memory.
//!
//! The log's task counts each request once, so that it costs the request nothing; whoever looks adds up.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foldhash::HashMap;
use tokio::time::Instant;
use uuid::Uuid;

use super::record::Record;

const STEP: Duration = Duration::from_secs(10);
/// Ten minutes.
pub const STEPS: usize = 60;
const STEPS_A_MINUTE: usize = 6;
/// Latest times to the first byte of each, which is enough to tell 95 of 100.
const SAMPLES: usize = 128;

#[derive(Debug)]
pub struct Traffic {
    begun: Instant,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    routes: HashMap<Uuid, Route>,
    /// Of the latest step in which those that had ended were let go.
    tidied: u64,
}

#[derive(Debug, Default)]
struct Route {
    all: Window,
    targets: HashMap<Arc<str>, Window>,
}

/// How a request ended.
#[derive(Clone, Copy, Debug)]
struct Ended {
    is_error: bool,
    first_byte: Option<Duration>,
}

/// The last ten minutes of one.
#[derive(Debug, Default)]
struct Window {
    /// The latest first, without those in which nothing ended.
    steps: VecDeque<Step>,
    samples: VecDeque<Sample>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    number: u64,
    requests: u32,
    errors: u32,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    step: u64,
    first_byte_ms: u32,
}

/// A window, added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub per_minute: u32,
    pub errors_per_minute: u32,
    pub p50_ms: Option<u32>,
    pub p95_ms: Option<u32>,
    /// The oldest first.
    pub steps: Vec<u32>,
}

/// One route's traffic, and that of each target.
#[derive(Clone, Debug, Default)]
pub struct RouteSum {
    pub all: Sum,
    pub targets: HashMap<Arc<str>, Sum>,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            seen: Mutex::default(),
        }
    }
}

impl Traffic {
    /// Counts a request that has ended.
    pub fn ended(&self, record: &Record) {
        if let Some(route) = &record.route {
            let target = record.attempts.last().map(|last| &last.target);
            let ended = Ended {
                is_error: record.is_error(),
                first_byte: record.first_byte,
            };
            self.count(route.id, target, ended);
        }
    }

    fn count(&self, route: Uuid, target: Option<&Arc<str>>, ended: Ended) {
        let now = self.step();
        let mut seen = self.seen();
        seen.tidy(now);
        let route = seen.routes.entry(route).or_default();
        route.all.count(now, ended);
        if let Some(target) = target {
            let target = route.targets.entry(Arc::clone(target)).or_default();
            target.count(now, ended);
        }
    }

    /// Those that had any within the last ten minutes.
    pub fn sums(&self) -> HashMap<Uuid, RouteSum> {
        let now = self.step();
        let mut seen = self.seen();
        seen.tidy(now);
        let sum = |(id, route): (&Uuid, &Route)| {
            let targets = route.targets.iter();
            let sum = RouteSum {
                all: route.all.sum(now),
                targets: targets
                    .map(|(target, window)| (Arc::clone(target), window.sum(now)))
                    .collect(),
            };
            (*id, sum)
        };
        seen.routes.iter().map(sum).collect()
    }

    fn step(&self) -> u64 {
        self.begun.elapsed().as_secs() / STEP.as_secs()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Lets go of what is over, once a step.
    fn tidy(&mut self, now: u64) {
        if self.tidied == now {
            return;
        }
        self.tidied = now;
        self.routes.retain(|_, route| {
            route.targets.retain(|_, window| window.is_recent(now));
            route.all.is_recent(now)
        });
    }
}

impl Window {
    fn count(&mut self, now: u64, ended: Ended) {
        if self.steps.front().is_none_or(|step| step.number != now) {
            self.steps.push_front(Step {
                number: now,
                requests: 0,
                errors: 0,
            });
            self.steps.truncate(STEPS);
        }
        if let Some(step) = self.steps.front_mut() {
            step.requests += 1;
            step.errors += u32::from(ended.is_error);
        }
        if let Some(first_byte) = ended.first_byte {
            self.samples.truncate(SAMPLES - 1);
            self.samples.push_front(Sample {
                step: now,
                first_byte_ms: u32::try_from(first_byte.as_millis()).unwrap_or(u32::MAX),
            });
        }
    }

    fn is_recent(&self, now: u64) -> bool {
        self.steps
            .front()
            .is_some_and(|step| place(step.number, now).is_some())
    }

    fn sum(&self, now: u64) -> Sum {
        let mut sum = Sum {
            steps: vec![0; STEPS],
            ..Sum::default()
        };
        for step in &self.steps {
            let Some(ago) = place(step.number, now) else {
                break;
            };
            if let Some(slot) = sum.steps.get_mut(STEPS - 1 - ago) {
                *slot = step.requests;
            }
            if ago < STEPS_A_MINUTE {
                sum.per_minute += step.requests;
                sum.errors_per_minute += step.errors;
            }
        }
        let recent = self.samples.iter();
        let recent = recent.take_while(|sample| place(sample.step, now).is_some());
        let mut times: Vec<u32> = recent.map(|sample| sample.first_byte_ms).collect();
        times.sort_unstable();
        sum.p50_ms = percentile(&times, 50);
        sum.p95_ms = percentile(&times, 95);
        sum
    }
}

/// How many steps ago one was, if not too many.
fn place(step: u64, now: u64) -> Option<usize> {
    let ago = usize::try_from(now.saturating_sub(step)).ok()?;
    (ago < STEPS).then_some(ago)
}

/// The least time that so many of a hundred did not exceed.
fn percentile(sorted: &[u32], percent: usize) -> Option<u32> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(traffic: &Traffic, status: u16, first_byte_ms: u64) {
        let ended = Ended {
            is_error: status >= 400,
            first_byte: Some(Duration::from_millis(first_byte_ms)),
        };
        traffic.count(Uuid::nil(), Some(&"local/m".into()), ended);
    }

    #[tokio::test(start_paused = true)]
    async fn a_minute_and_ten_minutes_are_what_they_say() {
        let traffic = Traffic::default();
        let sums = || traffic.sums().into_values().next();
        assert!(sums().is_none());
        for ms in 1..=100 {
            ended(&traffic, 200, ms);
        }
        ended(&traffic, 503, 1_000);
        let sum = sums().unwrap();
        assert_eq!((sum.all.per_minute, sum.all.errors_per_minute), (101, 1));
        assert_eq!((sum.all.p50_ms, sum.all.p95_ms), (Some(51), Some(96)));
        assert_eq!(sum.all.steps.last(), Some(&101));
        assert_eq!(sum.targets.values().next(), Some(&sum.all));

        tokio::time::advance(Duration::from_secs(60)).await;
        ended(&traffic, 200, 5);
        let all = sums().unwrap().all;
        assert_eq!((all.per_minute, all.errors_per_minute), (1, 0));
        assert_eq!(
            (all.steps.get(53), all.steps.get(59)),
            (Some(&101), Some(&1))
        );

        tokio::time::advance(Duration::from_secs(9 * 60)).await;
        let all = sums().unwrap().all;
        assert_eq!((all.per_minute, all.steps.iter().sum::<u32>()), (0, 1));
        assert_eq!(
            all.p95_ms,
            Some(5),
            "what is older than ten minutes does not count"
        );
        tokio::time::advance(Duration::from_secs(60)).await;
        assert!(sums().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded() {
        let traffic = Traffic::default();
        for _ in 0..200 {
            for _ in 0..10 {
                ended(&traffic, 200, 1);
            }
            tokio::time::advance(STEP).await;
        }
        let seen = traffic.seen();
        let window = &seen.routes.values().next().unwrap().all;
        assert_eq!((window.steps.len(), window.samples.len()), (STEPS, SAMPLES));
    }

    #[test]
    fn percentiles_are_of_what_there_is() {
        assert_eq!(percentile(&[], 50), None);
        assert_eq!(percentile(&[7], 50), Some(7));
        assert_eq!(percentile(&[7], 95), Some(7));
        assert_eq!(percentile(&[1, 2, 3, 4], 50), Some(2));
    }
}
