//! This module weighs the bytes of a request while they arrive, so that no message is kept for which there is no room, and
//! ends a request whose message does not arrive. It decodes nothing.

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
use crate::memory::Arrived;

/// The body of a request, whose bytes are weighed.
#[derive(Debug)]
pub(crate) struct WeighedBody<B> {
    inner: B,
    arrived: Arc<Arrived>,
    /// How long it may wait for bytes; without an end where it is a stream of messages.
    patience: Option<Duration>,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<B> WeighedBody<B> {
    /// A body that ends with an error where there is no room.
    pub(crate) const fn of(inner: B, arrived: Arc<Arrived>) -> Self {
        Self { inner, arrived, patience: None, waiting: None }
    }

    /// The same, which ends with an error as well where no bytes come for that long.
    pub(crate) fn within(self, patience: Duration) -> Self {
        Self { patience: Some(patience), ..self }
    }

    /// Whether bytes have been waited for too long.
    fn poll_late(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(patience) = self.patience else { return Poll::Pending };
        self.waiting.get_or_insert_with(|| Box::pin(sleep(patience))).as_mut().poll(cx)
    }
}

impl<B> Body for WeighedBody<B>
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
            let late = |()| Some(Err(errors::deadline_exceeded(Step::Read.name())));
            return self.poll_late(cx).map(late);
        };
        self.waiting = None;
        let frame = frame.map(|frame| frame.map_err(|error| Status::from_error(error.into())));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
            && let Err(bound) = self.arrived.add(data.len())
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
    async fn a_message_that_does_not_come_ends_and_a_stream_waits() {
        let arrived = Arc::new(Arrived::nothing(&Memory::new(1 << 20)));
        let silent = || StreamBody::new(futures_util::stream::pending::<Result<_, Status>>());
        let soon = Duration::from_millis(1);
        let mut message = WeighedBody::of(silent(), Arc::clone(&arrived)).within(soon);
        let ended = message.frame().await.unwrap().unwrap_err();
        assert_eq!(ended.code(), Code::DeadlineExceeded);
        let mut stream = WeighedBody::of(silent(), arrived);
        assert!(tokio::time::timeout(60 * soon, stream.frame()).await.is_err());
    }
}
