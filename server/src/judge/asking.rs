//! Putting a question to a judge, away from the threads that serve where it computes long.

use std::sync::Arc;

use futures_util::FutureExt as _;

use super::{Judge, JudgeError, Judgement, Question};

/// Bytes of text beyond which a computation may take longer than a hop to another thread is worth.
const LONG: usize = 64 << 10;

/// Asks. A local judge reads long texts on a thread for long computations, which goes on to its end, and keeps the
/// question, even when nobody waits any more.
///
/// # Errors
/// The judge's.
pub async fn ask(
    judge: &Arc<dyn Judge>,
    question: &Arc<Question>,
) -> Result<Judgement, JudgeError> {
    if !judge.is_local() || question.bytes() <= LONG {
        return judge.judge(question).await;
    }
    let (judge, question) = (Arc::clone(judge), Arc::clone(question));
    let (span, runtime) = (tracing::Span::current(), tokio::runtime::Handle::current());
    let ended = tokio::task::spawn_blocking(move || {
        // A local judge computes without waiting, so this returns at the first poll.
        span.in_scope(|| match judge.judge(&question).now_or_never() {
            Some(answer) => answer,
            None => runtime.block_on(judge.judge(&question)),
        })
    });
    match ended.await {
        Ok(answer) => answer,
        // A panic goes on to admission, which answers it; nobody cancels these tasks.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
