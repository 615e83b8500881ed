//! This module keeps long computations off the threads that serve other calls. Whether one is long is decided here alone.

/// The bytes of text beyond which a computation may take longer than a hop to another thread.
const LONG: usize = 64 << 10;

/// Whether computing over `bytes` bytes of text is worth a hop to another thread.
pub(crate) const fn is_long(bytes: usize) -> bool {
    bytes > LONG
}

/// Runs `compute` here when `bytes` of text are few, on a thread for long computations otherwise. What is `held`, such as
/// the call with its permit, is held until it ends, even when the caller has gone.
pub(crate) async fn offload<T: Send + 'static>(
    held: &(impl Clone + Send + 'static),
    bytes: usize,
    compute: impl FnOnce() -> T + Send + 'static,
) -> T {
    if is_long(bytes) { offload_long(held, compute).await } else { compute() }
}

/// Runs what computes long or waits for the disk on a thread for such, holding what is `held` as above.
pub(crate) async fn offload_long<T: Send + 'static>(
    held: &(impl Clone + Send + 'static),
    compute: impl FnOnce() -> T + Send + 'static,
) -> T {
    let held = held.clone();
    let span = tracing::Span::current();
    let ended = tokio::task::spawn_blocking(move || {
        let _held = held;
        span.in_scope(compute)
    });
    match ended.await {
        Ok(value) => value,
        // A panic goes on to admission, which answers it; nobody cancels these tasks.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
