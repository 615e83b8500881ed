"""Makes blocking calls with deadlines and retries. Idempotent calls are retried if the server allows it."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

import grpc

from gsar import v1
from gsar.requests import evaluate_messages
from gsar.settings import Attempts, Option, connection, from_rpc_error
from gsar.tls import TlsFiles, credentials
from gsar.token import TokenFile

Request = TypeVar("Request")
Answer = TypeVar("Answer")

Interceptor: TypeAlias = (
    grpc.UnaryUnaryClientInterceptor
    | grpc.UnaryStreamClientInterceptor
    | grpc.StreamUnaryClientInterceptor
    | grpc.StreamStreamClientInterceptor
)


class Transport:
    """A connection, which threads can share."""

    def __init__(
        self,
        endpoint: str,
        *,
        files: TlsFiles,
        token: TokenFile,
        must_run: bool,
        deadline: float,
        interceptors: Sequence[Interceptor],
        options: Sequence[Option],
    ) -> None:
        self.deadline = deadline
        self.token = token
        self.endpoint, files, options = connection(endpoint, files, must_run=must_run, options=options)
        target = self.endpoint.target
        if self.endpoint.scheme == "grpcs":
            channel = grpc.secure_channel(target, credentials(files), options)
        else:
            channel = grpc.insecure_channel(target, options)
        self.channel = grpc.intercept_channel(channel, *interceptors) if interceptors else channel

    def call(
        self,
        name: str,
        method: "grpc.UnaryUnaryMultiCallable[Request, Answer]",
        request: Request,
        *,
        idempotent: bool,
        timeout: float | None,
    ) -> Answer:
        """Sends a request and retries it until it succeeds, fails permanently, or exceeds the deadline."""
        attempts = Attempts(
            name, self.endpoint, idempotent=idempotent, timeout=self.deadline if timeout is None else timeout
        )
        while True:
            try:
                return method(request, timeout=attempts.timeout, metadata=self.token.metadata())
            except grpc.RpcError as error:
                failure = attempts.error(error)
            time.sleep(attempts.wait_after(failure))

    def send(
        self,
        name: str,
        method: "grpc.StreamUnaryMultiCallable[Request, Answer]",
        requests: Iterable[Request],
        *,
        timeout: float | None,
    ) -> Answer:
        """Sends a stream of messages and returns the response. The call is never retried."""
        try:
            return method(
                iter(requests),
                timeout=self.deadline if timeout is None else timeout,
                metadata=self.token.metadata(),
            )
        except grpc.RpcError as error:
            raise from_rpc_error(name, self.endpoint, error) from None

    def stream(self, name: str, call: Iterable[Answer]) -> Iterator[Answer]:
        """Yields the responses of a call. Cancels the call if the caller stops reading."""
        try:
            yield from call
        except grpc.RpcError as error:
            raise from_rpc_error(name, self.endpoint, error) from None
        finally:
            # An instrumented call is a generator, which has no `cancel` method.
            cancel = getattr(call, "cancel", None) or getattr(call, "close", lambda: None)
            cancel()

    def close(self) -> None:
        """Closes the connection and cancels all calls on it."""
        self.channel.close()


def stream_requests(
    requests: Iterable[tuple[str, v1.EvaluateRequest]],
) -> Iterator[v1.EvaluateStreamRequest]:
    """Returns the messages to send in an EvaluateStream call."""
    return evaluate_messages(requests)
