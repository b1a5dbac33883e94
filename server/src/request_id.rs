//! The name of a request, which its answer and all its log lines carry.

use std::future::Future;

use tokio::task::futures::TaskLocalFuture;
use tracing::Span;
use uuid::Uuid;

tokio::task_local! {
    static HERE: Uuid;
}

/// Does the work of the request of that name.
pub fn within<F: Future>(id: Uuid, work: F) -> TaskLocalFuture<Uuid, F> {
    HERE.scope(id, work)
}

/// The request that this task works for; a new name where it works for none.
pub fn here() -> Uuid {
    HERE.try_with(|id| *id).unwrap_or_else(|_| Uuid::now_v7())
}

/// What log lines of this task's request stand in. A span for every request would cost it about a microsecond,
/// so on the gateway's way one is made only by those who have something to log.
pub fn span() -> Span {
    let present = Span::current();
    match HERE.try_with(|id| *id) {
        Ok(id) if present.is_none() => tracing::info_span!("request", %id),
        _ => present,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_knows_whose_it_is() {
        let id = Uuid::now_v7();
        assert_eq!(within(id, async { here() }).await, id);
        assert_ne!(here(), id);
    }
}
