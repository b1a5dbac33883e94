//! Whether requests go to an instance.
//!
//! Three failures to reach it in a row eject an instance for a while. Then it comes back, eased in: for
//! as long again it counts as busier than it is, by a penalty that falls to nothing, and a single failure
//! ejects it anew. An answer of any status shows that it can be reached.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::time::Instant;

/// So many failures in a row eject.
const FAILURES: u32 = 3;
const EJECTION: Duration = Duration::from_secs(10);
const RECOVERY: Duration = Duration::from_secs(10);

/// The health of one instance.
#[derive(Debug, Default)]
pub struct Health {
    /// Whether there is anything in `course` to look at; most of the time there is not.
    troubled: AtomicBool,
    course: Mutex<Course>,
}

#[derive(Debug, Default)]
struct Course {
    /// In a row.
    failures: u32,
    /// It is left alone until then, and recovers afterwards.
    ejected_until: Option<Instant>,
}

/// What health says at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    Ok,
    /// `left` falls from 1 to 0 while it recovers.
    Recovering {
        left: f64,
    },
    Ejected {
        until: Instant,
    },
}

impl Health {
    pub fn condition(&self) -> Condition {
        if !self.troubled.load(Ordering::Relaxed) {
            return Condition::Ok;
        }
        let mut course = self.course();
        let condition = course.condition(Instant::now());
        if course.ejected_until.is_some() && condition == Condition::Ok {
            *course = Course::default();
            self.troubled.store(false, Ordering::Relaxed);
        }
        condition
    }

    /// It could not be reached.
    pub fn failed(&self) {
        self.failed_for(EJECTION);
    }

    /// It could not be reached, and should this eject it, it is left alone for so long or longer.
    pub fn failed_for(&self, ejection: Duration) {
        let now = Instant::now();
        let mut course = self.course();
        let well = course.condition(now) == Condition::Ok;
        if well && course.ejected_until.take().is_some() {
            course.failures = 0;
        }
        course.failures += 1;
        if !well || course.failures >= FAILURES {
            course.ejected_until = Some(now + ejection.max(EJECTION));
        }
        self.troubled.store(true, Ordering::Relaxed);
    }

    /// It answered.
    pub fn answered(&self) {
        if !self.troubled.load(Ordering::Relaxed) {
            return;
        }
        let now = Instant::now();
        let mut course = self.course();
        course.failures = 0;
        match course.condition(now) {
            // Asked because all others were ejected too: its recovery begins now.
            Condition::Ejected { .. } => course.ejected_until = Some(now),
            Condition::Recovering { .. } => {}
            Condition::Ok => {
                course.ejected_until = None;
                self.troubled.store(false, Ordering::Relaxed);
            }
        }
    }

    fn course(&self) -> MutexGuard<'_, Course> {
        self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Course {
    fn condition(&self, now: Instant) -> Condition {
        let Some(until) = self.ejected_until else {
            return Condition::Ok;
        };
        if now < until {
            return Condition::Ejected { until };
        }
        let passed = now.duration_since(until).as_secs_f64() / RECOVERY.as_secs_f64();
        match passed < 1.0 {
            true => Condition::Recovering { left: 1.0 - passed },
            false => Condition::Ok,
        }
    }
}

/// A moment to come, by the calendar.
pub fn by_calendar(until: Instant) -> DateTime<Utc> {
    Utc::now() + until.saturating_duration_since(Instant::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn pass(seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
    }

    fn is_ejected(health: &Health) -> bool {
        matches!(health.condition(), Condition::Ejected { .. })
    }

    #[tokio::test(start_paused = true)]
    async fn three_failures_in_a_row_eject_for_ten_seconds() {
        let health = Health::default();
        for _ in 0..5 {
            health.failed();
            health.failed();
            assert_eq!(health.condition(), Condition::Ok);
            health.answered();
        }
        health.failed();
        health.failed();
        health.failed();
        assert!(is_ejected(&health));
        pass(9).await;
        assert!(is_ejected(&health));
        pass(1).await;
        assert_eq!(health.condition(), Condition::Recovering { left: 1.0 });
    }

    #[tokio::test(start_paused = true)]
    async fn a_returning_instance_is_eased_in_over_ten_seconds() {
        let health = Health::default();
        for _ in 0..3 {
            health.failed();
        }
        pass(10).await;
        for left in [1.0, 0.75, 0.5, 0.25] {
            assert_eq!(health.condition(), Condition::Recovering { left });
            health.answered();
            tokio::time::advance(Duration::from_millis(2_500)).await;
        }
        assert_eq!(health.condition(), Condition::Ok);
        health.failed();
        health.failed();
        assert_eq!(health.condition(), Condition::Ok, "all is forgotten");
    }

    #[tokio::test(start_paused = true)]
    async fn one_failure_ejects_a_recovering_instance_again() {
        let health = Health::default();
        for _ in 0..3 {
            health.failed();
        }
        pass(12).await;
        health.failed();
        assert!(is_ejected(&health));
        pass(10).await;
        assert_eq!(health.condition(), Condition::Recovering { left: 1.0 });
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_of_an_ejected_instance_begins_its_recovery() {
        let health = Health::default();
        for _ in 0..3 {
            health.failed();
        }
        health.answered();
        assert_eq!(health.condition(), Condition::Recovering { left: 1.0 });
    }

    /// Long after it recovered, without anybody having looked in between.
    #[tokio::test(start_paused = true)]
    async fn old_trouble_does_not_count() {
        let health = Health::default();
        for _ in 0..3 {
            health.failed();
        }
        pass(60).await;
        health.failed();
        assert_eq!(health.condition(), Condition::Ok);
    }
}
