//! Runs blocking work off the threads that serve calls.

/// Runs work on a blocking thread. `keep_alive` is dropped when the work ends, even if the client
/// disconnects.
pub(crate) async fn offload<T: Send + 'static>(
    keep_alive: &(impl Clone + Send + 'static),
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let keep_alive = keep_alive.clone();
    let span = tracing::Span::current();
    let joined = tokio::task::spawn_blocking(move || {
        let _keep_alive = keep_alive;
        span.in_scope(work)
    });
    match joined.await {
        Ok(value) => value,
        // Admission catches the panic. These tasks are never cancelled.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
