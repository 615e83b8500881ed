"""The standard health check (`grpc.health.v1`), without the package that contains its stubs.

The request is an empty message. The response has one field, the status. The status 1 means SERVING.
"""

from __future__ import annotations

from typing import Any, overload

import grpc
import grpc.aio

SERVING = b"\x08\x01"


@overload
def health_check(channel: grpc.Channel) -> grpc.UnaryUnaryMultiCallable[bytes, bytes]: ...
@overload
def health_check(channel: grpc.aio.Channel) -> grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]: ...
def health_check(channel: Any) -> Any:
    """Returns the method `Check`, whose messages are bytes."""
    return channel.unary_unary("/grpc.health.v1.Health/Check", bytes, bytes)


def health_watch(channel: grpc.Channel) -> grpc.UnaryStreamMultiCallable[bytes, bytes]:
    """Returns the method `Watch`, whose messages are bytes."""
    untyped: Any = channel
    return untyped.unary_stream("/grpc.health.v1.Health/Watch", bytes, bytes)
