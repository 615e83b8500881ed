//! Streams the response of `LedgerService.Export`. An incomplete export always ends with an error.

use std::future::ready;

use futures_util::StreamExt as _;
use futures_util::stream::{BoxStream, once};
use gsar_proto::v1;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout_at;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::admission::stream_refused;
use crate::call::Call;
use crate::errors;
use crate::export::Export;
use crate::server_phase::{Phase, PhaseCell};

const METHOD: &str = "LedgerService/Export";
/// The name of the step in deadline errors.
const STEP: &str = "export";

type ResponseSender = mpsc::Sender<Result<v1::ExportResponse, Status>>;

/// Streams an export until it is complete, the client disconnects or the server drains. The deadline
/// applies to each page and each response separately.
pub(super) fn stream(
    export: Export,
    call: Call,
    phase: PhaseCell,
) -> BoxStream<'static, Result<v1::ExportResponse, Status>> {
    let (responses, receiver) = mpsc::channel(1);
    let (end, result) = oneshot::channel();
    tokio::spawn(async move {
        let _receiver_is_gone = end.send(run(export, &call, &responses, &phase).await);
    });
    let end = once(result).filter_map(|result| {
        ready(match result {
            Ok(Ok(())) => None,
            Ok(Err(status)) => Some(Err(status)),
            Err(_) => {
                tracing::error!("an export task panicked");
                Some(Err(errors::internal(STEP)))
            }
        })
    });
    ReceiverStream::new(receiver).chain(end).boxed()
}

async fn run(
    mut export: Export,
    call: &Call,
    responses: &ResponseSender,
    phase: &PhaseCell,
) -> Result<(), Status> {
    let to_timeout_error = |_| errors::deadline_exceeded(STEP);
    let deadline = || match call.for_next_message() {
        Ok(call) => Ok(call.deadline.into()),
        Err(error) => Err(stream_refused(METHOD, &error)),
    };
    loop {
        let page = tokio::select! {
            biased;
            () = phase.wait_for(Phase::Draining) => return Err(errors::not_serving("draining")),
            () = responses.closed() => return Ok(()),
            page = timeout_at(deadline()?, export.next()) => page.map_err(to_timeout_error)??,
        };
        let Some(page) = page else { return Ok(()) };
        for response in page {
            let send_result = tokio::select! {
                biased;
                () = phase.wait_for(Phase::Draining) => return Err(errors::not_serving("draining")),
                send_result = timeout_at(deadline()?, responses.send(Ok(response))) => send_result.map_err(to_timeout_error)?,
            };
            if send_result.is_err() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tonic::Code;

    use super::*;
    use crate::ledger::{Ledger, Options, SqliteLedger};

    #[tokio::test(flavor = "multi_thread")]
    async fn an_incomplete_export_ends_with_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let ledger: Arc<dyn Ledger> =
            Arc::new(SqliteLedger::open(Options::new(folder.path())).unwrap());
        let request = || v1::ExportRequest { kinds: vec![1], ..v1::ExportRequest::default() };
        let export = || Export::new(ledger.clone(), request()).unwrap();
        let phase = PhaseCell::default();
        phase.advance(Phase::Ready);
        let call = Call::internal(Duration::from_secs(60));
        let answers: Vec<_> = stream(export(), call.clone(), phase.clone()).collect().await;
        assert!(answers.is_empty(), "{answers:?}");

        phase.advance(Phase::Draining);
        let mut answers = stream(export(), call, phase);
        let error = answers.next().await.unwrap().unwrap_err();
        assert_eq!(error.code(), Code::Unavailable);
        assert!(answers.next().await.is_none());
    }
}
