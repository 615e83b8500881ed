"""Blocking calls, each with a deadline, retried only if the server allows it and the call is idempotent."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

import grpc

from gsar import v1
from gsar.requests import correlated
from gsar.settings import Attempts, Option, connection, of_rpc_error
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
    """One connection. Safe to share between threads."""

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
        repeat: bool,
        timeout: float | None,
    ) -> Answer:
        """Sends a request and retries until it is answered or rejected, or the deadline expires."""
        attempts = Attempts(name, self.endpoint, repeat=repeat, timeout=self.deadline if timeout is None else timeout)
        while True:
            try:
                return method(request, timeout=attempts.timeout, metadata=self.token.metadata())
            except grpc.RpcError as error:
                refusal = attempts.error(error)
            time.sleep(attempts.wait_after(refusal))

    def send(
        self,
        name: str,
        method: "grpc.StreamUnaryMultiCallable[Request, Answer]",
        requests: Iterable[Request],
        *,
        timeout: float | None,
    ) -> Answer:
        """Sends a stream of messages and returns the response; never retried."""
        try:
            return method(
                iter(requests),
                timeout=self.deadline if timeout is None else timeout,
                metadata=self.token.metadata(),
            )
        except grpc.RpcError as error:
            raise of_rpc_error(name, self.endpoint, error) from None

    def stream(self, name: str, call: Iterable[Answer]) -> Iterator[Answer]:
        """Yields the responses of a call, and cancels it if they are not read to the end."""
        try:
            yield from call
        except grpc.RpcError as error:
            raise of_rpc_error(name, self.endpoint, error) from None
        finally:
            # An instrumented call is a generator without `cancel`.
            end = getattr(call, "cancel", None) or getattr(call, "close", lambda: None)
            end()

    def close(self) -> None:
        """Closes the connection and cancels all calls on it."""
        self.channel.close()


def stream_requests(
    requests: Iterable[tuple[str, v1.EvaluateRequest]],
) -> Iterator[v1.EvaluateStreamRequest]:
    """Returns the messages of EvaluateStream."""
    return correlated(requests)
