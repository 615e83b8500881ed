"""Makes asyncio calls with deadlines and retries. Idempotent calls are retried if the server allows it."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

import grpc
import grpc.aio

from gsar import v1
from gsar.requests import evaluate_messages, evaluate_messages_async
from gsar.settings import Attempts, Option, connection, from_rpc_error
from gsar.tls import TlsFiles, credentials
from gsar.token import TokenFile
from gsar.transport import Answer, Request

Interceptor: TypeAlias = grpc.aio.ClientInterceptor


class Transport:
    """A connection, which is bound to the event loop of its first call."""

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
        self.endpoint, files, self.options = connection(endpoint, files, must_run=must_run, options=options)
        self.credentials = credentials(files) if self.endpoint.scheme == "grpcs" else None
        self.interceptors = list(interceptors)

    @cached_property
    def channel(self) -> grpc.aio.Channel:
        """The channel, bound to the event loop that creates it."""
        target = self.endpoint.target
        if self.credentials is None:
            return grpc.aio.insecure_channel(target, self.options, interceptors=self.interceptors)
        return grpc.aio.secure_channel(target, self.credentials, self.options, interceptors=self.interceptors)

    async def call(
        self,
        name: str,
        method: "grpc.aio.UnaryUnaryMultiCallable[Request, Answer]",
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
                return await answer_of(method(request, timeout=attempts.timeout, metadata=self.token.metadata()))
            except grpc.RpcError as error:
                failure = attempts.error(error)
            await asyncio.sleep(attempts.wait_after(failure))

    async def send(
        self,
        name: str,
        method: "grpc.aio.StreamUnaryMultiCallable[Request, Answer]",
        requests: Iterable[Request],
        *,
        timeout: float | None,
    ) -> Answer:
        """Sends a stream of messages and returns the response. The call is never retried."""
        try:
            call = method(
                iter(requests),
                timeout=self.deadline if timeout is None else timeout,
                metadata=self.token.metadata(),
            )
            return await answer_of(call)
        except grpc.RpcError as error:
            raise from_rpc_error(name, self.endpoint, error) from None

    async def stream(
        self,
        name: str,
        call: "grpc.aio.UnaryStreamCall[Request, Answer] | grpc.aio.StreamStreamCall[Request, Answer]",
    ) -> AsyncIterator[Answer]:
        """Yields the responses of a call. Cancels the call if the caller stops reading."""
        try:
            async for answer in call:
                yield answer
        except grpc.RpcError as error:
            raise from_rpc_error(name, self.endpoint, error) from None
        finally:
            call.cancel()

    async def close(self) -> None:
        """Closes the connection and cancels all calls on it."""
        if "channel" in self.__dict__:
            await self.channel.close(None)


async def answer_of(call: Awaitable[Answer]) -> Answer:
    """Returns the response of a call. If the caller is cancelled, cancels the call.

    Awaits the call in a task of its own, because grpcio replaces the caller's `CancelledError` with a new one, in which
    anyio (used by MCP, FastAPI and Starlette) does not find its cancel scope.
    """
    task = asyncio.ensure_future(call)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        raise


def stream_requests(
    requests: Iterable[tuple[str, v1.EvaluateRequest]] | AsyncIterable[tuple[str, v1.EvaluateRequest]],
) -> Iterator[v1.EvaluateStreamRequest] | AsyncIterator[v1.EvaluateStreamRequest]:
    """Returns the messages to send in an EvaluateStream call."""
    if isinstance(requests, AsyncIterable):
        return evaluate_messages_async(requests)
    return evaluate_messages(requests)
