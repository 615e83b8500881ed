//! Runs blocking work off the threads that serve calls.

use tonic::Status;

use crate::call::Call;
use crate::evidence::StoreError;

/// Runs work on a blocking thread. `keep_alive` is dropped when the work ends, even if the client
/// disconnects earlier.
pub(crate) async fn offload<T: Send + 'static>(
    keep_alive: &(impl Clone + Send + 'static),
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let keep_alive = keep_alive.clone();
    let span = tracing::Span::current();
    let task = tokio::task::spawn_blocking(move || {
        let _keep_alive = keep_alive;
        span.in_scope(work)
    });
    match task.await {
        Ok(value) => value,
        // Admission catches the panic. These tasks are never cancelled.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Runs work on the evidence store. The call's permit is released when the work ends.
pub(crate) async fn offload_store<T: Send + 'static>(
    call: &Call,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Status> {
    Ok(offload(call, work).await?)
}
