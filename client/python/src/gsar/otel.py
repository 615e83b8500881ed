"""Traces calls as client spans and sends the W3C trace context (`traceparent`).

    client = gsar.otel.instrument(gsar.Client())

The server logs the caller's trace id with each evaluation. Needs `gsar[otel]`. A program that calls
`GrpcInstrumentorClient().instrument()` does not need this module.
"""

from __future__ import annotations

from typing import Any, TypeVar

try:
    from opentelemetry.instrumentation import grpc as instrumentation
    from opentelemetry.instrumentation.grpc import grpcext
    from opentelemetry.trace import TracerProvider
except ImportError as missing:
    raise ImportError(
        f"gsar.otel needs opentelemetry-instrumentation-grpc: install gsar[otel] ({missing})"
    ) from missing

import gsar.aio
from gsar.client import Client

Instrumented = TypeVar("Instrumented", Client, gsar.aio.Client)

# Neither package is typed.
_instrumentation: Any = instrumentation
_grpcext: Any = grpcext


def instrument(client: Instrumented, tracer_provider: TracerProvider | None = None) -> Instrumented:
    """Instruments a client before its first call and returns it. The provider defaults to the global one."""
    if isinstance(client, Client):
        interceptor = _instrumentation.client_interceptor(tracer_provider=tracer_provider)
        client.transport.channel = _grpcext.intercept_channel(client.transport.channel, interceptor)
        return client
    if "channel" in vars(client.transport):
        raise ValueError("client: already made a call; instrument it before its first call")
    interceptors = _instrumentation.aio_client_interceptors(tracer_provider=tracer_provider)
    client.transport.interceptors.extend(interceptors)
    return client
