"""What the blocking transport and the one for asyncio share: settings of a connection, deadlines, repetition."""

import time
from collections.abc import Sequence

import grpc
import grpc.aio

from gsar.endpoint import Endpoint, find
from gsar.errors import Error, SidecarUnreachable, of_status, read
from gsar.tls import TlsFiles

DEFAULT_DEADLINE = 60.0
MAX_ATTEMPTS = 4
MAX_ANSWER_BYTES = 256 * 1024 * 1024

Option = tuple[str, str | int]


def connection(
    given: str, files: TlsFiles, *, must_run: bool, options: Sequence[Option]
) -> tuple[Endpoint, TlsFiles, list[Option]]:
    """Where to connect to, with which files and which options of grpcio."""
    endpoint = find(given, must_run=must_run)
    if endpoint.scheme != "grpcs" and files != TlsFiles():
        raise ValueError(
            f"tls_ca, tls_certificate and tls_key are for a server with TLS, and {endpoint} is none; "
            "write grpcs://host:port, or omit them"
        )
    settings: list[Option] = [
        ("grpc.max_receive_message_length", MAX_ANSWER_BYTES),
        ("grpc.max_send_message_length", -1),
        # A sidecar that comes back is found again at once.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2000),
    ]
    if endpoint.scheme == "unix":
        # grpcio would send the path of the socket as authority, which HTTP/2 servers refuse.
        settings.append(("grpc.default_authority", "localhost"))
    return endpoint, files.with_environment(), [*settings, *options]


class Attempts:
    """The attempts of one call: how long each may take, and whether there is another one."""

    def __init__(self, method: str, endpoint: Endpoint, *, repeat: bool, timeout: float) -> None:
        self.method = method
        self.endpoint = endpoint
        self.left = MAX_ATTEMPTS if repeat else 1
        self.ends = time.monotonic() + timeout

    @property
    def timeout(self) -> float:
        """What is left of the deadline, in seconds."""
        return max(0.0, self.ends - time.monotonic())

    def error(self, error: grpc.RpcError) -> Error:
        """How the call ended."""
        return of_rpc_error(self.method, self.endpoint, error)

    def wait_after(self, error: Error) -> float:
        """Seconds until the next attempt; raises the error where the server names none or there is no time."""
        self.left -= 1
        delay = error.retry_after
        if self.left == 0 or delay is None or delay >= self.timeout:
            raise error
        return delay


def of_rpc_error(method: str, endpoint: Endpoint, error: grpc.RpcError) -> Error:
    """The exception for what grpcio raised, of the blocking kind or that of asyncio."""
    # Both kinds have these three; `RpcError` itself promises none of them.
    if isinstance(error, grpc.Call | grpc.aio.AioRpcError):
        trailers: Sequence[tuple[str, str | bytes]] = tuple(error.trailing_metadata() or ())  # pyright: ignore[reportAssignmentType]
        return of_status(method, endpoint, error.code(), error.details() or "", read(trailers))
    return SidecarUnreachable(f"no sidecar answers at {endpoint}: {error}", method=method)
