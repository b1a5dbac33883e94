//! Asking instances by themselves whether they are well, where their provider says how.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Method};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::gateway::upstream::Failure;
use crate::snapshot::{CompiledInstance, CompiledProvider, Snapshots};

/// How often it is looked for who is due.
const LOOK: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(5);
const AT_ONCE: usize = 32;

/// When each instance is asked next, by its provider's id and its URL.
type Due = HashMap<(Uuid, Arc<str>), Instant>;

/// Asks until the stop.
pub async fn run(snapshots: Arc<Snapshots>, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let checks = TaskTracker::new();
    let mut due = Due::new();
    while stop
        .run_until_cancelled(tokio::time::sleep(LOOK))
        .await
        .is_some()
    {
        let mut next = Due::new();
        let now = Instant::now();
        for provider in &snapshots.load().providers {
            let Some(check) = provider.health_check.as_ref().filter(|_| provider.enabled) else {
                continue;
            };
            let interval = Duration::from_secs(check.interval_s.into());
            for (index, instance) in provider.instances.iter().enumerate() {
                let who = (provider.id, Arc::clone(&instance.url));
                let at = due.get(&who).copied().unwrap_or(now).min(now + interval);
                if at > now {
                    next.insert(who, at);
                    continue;
                }
                next.insert(who, now + interval);
                let (provider, places) = (Arc::clone(provider), Arc::clone(&places));
                let (path, stop) = (check.path.clone(), stop.clone());
                checks.spawn(async move {
                    let Ok(_place) = places.acquire().await else {
                        return;
                    };
                    if let Some(instance) = provider.instances.get(index) {
                        let asking = ask(&provider, instance, &path, interval);
                        stop.run_until_cancelled(asking).await;
                    }
                });
            }
        }
        due = next;
    }
    checks.close();
    checks.wait().await;
}

/// Asks one instance. Only 2xx is well.
async fn ask(
    provider: &CompiledProvider,
    instance: &CompiledInstance,
    path: &str,
    interval: Duration,
) {
    let mut headers = HeaderMap::new();
    provider.dress_with(&mut headers, provider.credentials.first());
    let mut request = reqwest::Request::new(Method::GET, instance.base.at_host(path));
    *request.headers_mut() = headers;
    let answer = tokio::time::timeout(TIMEOUT, provider.clients.beside.execute(request)).await;
    let problem = match answer {
        Ok(Ok(answer)) if answer.status().is_success() => {
            instance.load.health.answered();
            return;
        }
        Ok(Ok(answer)) => format!("answered {} to its health check", answer.status().as_u16()),
        Ok(Err(error)) => format!("{} for its health check", Failure::from(&error).in_words()),
        Err(_) => format!(
            "did not answer its health check within {} s",
            TIMEOUT.as_secs()
        ),
    };
    tracing::debug!(provider = provider.name, instance = %instance.base, problem, "not well");
    instance.load.failed(&problem);
    // It stays away until the next check has had its say.
    instance.load.health.failed_for(interval + TIMEOUT + LOOK);
}
