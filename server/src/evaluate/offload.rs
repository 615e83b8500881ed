//! Keeping long computations off the threads that serve other calls.

use crate::api::admission::Call;

/// Bytes of text beyond which a computation may take longer than a hop to another thread is worth.
const LONG: usize = 64 << 10;

/// Runs `compute` here when `bytes` of text are few, on a thread for long computations otherwise. The call
/// keeps its permit until it ends, even when its caller has gone.
pub(super) async fn offload<T: Send + 'static>(
    call: &Call,
    bytes: usize,
    compute: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= LONG {
        return compute();
    }
    offload_long(call, compute).await
}

/// Runs what computes long or waits for the disk on a thread for such; the call keeps its permit as above.
pub(super) async fn offload_long<T: Send + 'static>(
    call: &Call,
    compute: impl FnOnce() -> T + Send + 'static,
) -> T {
    let call = call.clone();
    let (span, ran) = (tracing::Span::current(), tokio::task::spawn_blocking);
    let ended = ran(move || {
        let _call = call;
        span.in_scope(compute)
    });
    match ended.await {
        Ok(value) => value,
        // A panic goes on to admission, which answers it; nobody cancels these tasks.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
