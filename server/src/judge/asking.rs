//! This module puts a question to a judge, away from the threads that serve where it computes long.

use std::sync::Arc;

use futures_util::FutureExt as _;

use super::{Judge, JudgeError, Judgement, Question};
use crate::offload::{is_long, offload_long};

/// Asks. A local judge reads long texts on a thread for long computations, which goes on to its end, and keeps the
/// question, even when nobody waits any more.
///
/// # Errors
/// The judge's.
pub async fn ask(
    judge: &Arc<dyn Judge>,
    question: &Arc<Question>,
) -> Result<Judgement, JudgeError> {
    if !judge.is_local() || !is_long(question.bytes()) {
        return judge.judge(question).await;
    }
    let (judge, asked) = (Arc::clone(judge), Arc::clone(question));
    let runtime = tokio::runtime::Handle::current();
    offload_long(question, move || {
        // A local judge computes without waiting, so this returns at the first poll.
        match judge.judge(&asked).now_or_never() {
            Some(answer) => answer,
            None => runtime.block_on(judge.judge(&asked)),
        }
    })
    .await
}
