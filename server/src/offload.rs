//! This module keeps what waits for the disk off the threads that serve other calls.

/// Runs what waits for the disk on a thread for such. What is `held`, such as the call with its permit, is held until it
/// ends, even when the caller has gone.
pub(crate) async fn offload<T: Send + 'static>(
    held: &(impl Clone + Send + 'static),
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let held = held.clone();
    let span = tracing::Span::current();
    let ended = tokio::task::spawn_blocking(move || {
        let _held = held;
        span.in_scope(work)
    });
    match ended.await {
        Ok(value) => value,
        // A panic goes on to admission, which answers it; nobody cancels these tasks.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
