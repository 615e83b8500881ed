//! A request body that counts its bytes against the memory limit and can time out.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};
use tonic::Status;

use crate::call::Step;
use crate::errors;
use crate::memory::ReceivedBytes;

#[derive(Debug)]
pub(crate) struct MeteredBody<B> {
    inner: B,
    received: Arc<ReceivedBytes>,
    /// The maximum time to wait for more bytes; `None` for streams of messages.
    timeout: Option<Duration>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<B> MeteredBody<B> {
    /// Creates a body that fails if the memory limit is reached.
    pub(crate) const fn new(inner: B, received: Arc<ReceivedBytes>) -> Self {
        Self { inner, received, timeout: None, timer: None }
    }

    /// Makes the body fail if no bytes arrive for `timeout`.
    pub(crate) fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Resolves when the wait for bytes has timed out.
    fn poll_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(timeout) = self.timeout else { return Poll::Pending };
        self.timer.get_or_insert_with(|| Box::pin(sleep(timeout))).as_mut().poll(cx)
    }
}

impl<B> Body for MeteredBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(cx) else {
            let to_timeout_error = |()| Some(Err(errors::deadline_exceeded(Step::Read.name())));
            return self.poll_timeout(cx).map(to_timeout_error);
        };
        self.timer = None;
        let frame = frame.map(|frame| frame.map_err(|error| Status::from_error(error.into())));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
            && let Err(bound) = self.received.add(data.len())
        {
            return Poll::Ready(Some(Err(errors::too_much_memory(bound))));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, StreamBody};
    use tonic::Code;

    use super::*;
    use crate::memory::Memory;

    #[tokio::test]
    async fn a_message_times_out_and_a_stream_waits() {
        let received = Arc::new(ReceivedBytes::new(&Memory::new(1 << 20)));
        let silent_stream =
            || StreamBody::new(futures_util::stream::pending::<Result<_, Status>>());
        let timeout = Duration::from_millis(1);
        let mut message =
            MeteredBody::new(silent_stream(), Arc::clone(&received)).with_timeout(timeout);
        let error = message.frame().await.unwrap().unwrap_err();
        assert_eq!(error.code(), Code::DeadlineExceeded);
        let mut stream = MeteredBody::new(silent_stream(), received);
        assert!(tokio::time::timeout(60 * timeout, stream.frame()).await.is_err());
    }
}
