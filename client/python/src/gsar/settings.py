"""Connection settings, deadlines and retries for both transports."""

import time
from collections.abc import Sequence

import grpc
import grpc.aio

from gsar.endpoint import Endpoint, find
from gsar.errors import Error, SidecarUnreachable, from_status, read
from gsar.tls import TlsFiles

DEFAULT_DEADLINE = 60.0
MAX_ATTEMPTS = 4
MAX_RESPONSE_BYTES = 256 * 1024 * 1024

Option = tuple[str, str | int]


def connection(
    given: str, files: TlsFiles, *, must_run: bool, options: Sequence[Option]
) -> tuple[Endpoint, TlsFiles, list[Option]]:
    """Returns the endpoint, the TLS files and the grpcio options of a connection."""
    endpoint = find(given, must_run=must_run)
    if endpoint.scheme != "grpcs" and files != TlsFiles():
        raise ValueError(
            f"tls_ca, tls_certificate and tls_key require TLS, but {endpoint} does not use it; "
            "write grpcs://host:port, or omit them"
        )
    settings: list[Option] = [
        ("grpc.max_receive_message_length", MAX_RESPONSE_BYTES),
        ("grpc.max_send_message_length", -1),
        # These values reconnect quickly to a restarted sidecar.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2000),
    ]
    if endpoint.scheme == "unix":
        # By default, grpcio sends the socket path as the authority, which HTTP/2 servers reject.
        settings.append(("grpc.default_authority", "localhost"))
    return endpoint, files.with_environment(), [*settings, *options]


class Attempts:
    """The attempts that remain for a call."""

    def __init__(self, method: str, endpoint: Endpoint, *, idempotent: bool, timeout: float) -> None:
        self.method = method
        self.endpoint = endpoint
        self.remaining = MAX_ATTEMPTS if idempotent else 1
        self.deadline = time.monotonic() + timeout

    @property
    def timeout(self) -> float:
        """The seconds until the deadline."""
        return max(0.0, self.deadline - time.monotonic())

    def error(self, error: grpc.RpcError) -> Error:
        """Converts a grpcio error to an exception."""
        return from_rpc_error(self.method, self.endpoint, error)

    def wait_after(self, error: Error) -> float:
        """Returns the delay before the next attempt, or raises the error if there is no next attempt."""
        self.remaining -= 1
        delay = error.retry_after
        if self.remaining == 0 or delay is None or delay >= self.timeout:
            raise error
        return delay


def from_rpc_error(method: str, endpoint: Endpoint, error: grpc.RpcError) -> Error:
    """Converts a blocking or asyncio grpcio error to an exception."""
    # `RpcError` itself does not declare code, details and metadata.
    if isinstance(error, grpc.Call | grpc.aio.AioRpcError):
        trailers: Sequence[tuple[str, str | bytes]] = tuple(error.trailing_metadata() or ())  # pyright: ignore[reportAssignmentType]
        return from_status(method, endpoint, error.code(), error.details() or "", read(trailers))
    return SidecarUnreachable(f"no sidecar is responding at {endpoint}: {error}", method=method)
