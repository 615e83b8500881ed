"""Traces: a client span for each call, and the W3C trace context (`traceparent`) in its metadata.

    client = gsar.otel.instrument(gsar.Client())

The server logs the trace id of its caller with each evaluation. Needs `gsar[otel]`; the spans are those of
opentelemetry-instrumentation-grpc, here for one client. A program that calls `GrpcInstrumentorClient().instrument()`
has all of this already, for every channel.
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

# Neither is typed.
_instrumentation: Any = instrumentation
_grpcext: Any = grpcext


def instrument(client: Instrumented, tracer_provider: TracerProvider | None = None) -> Instrumented:
    """Instruments a client before its first call and gives it back; without a provider for that of the process."""
    if isinstance(client, Client):
        interceptor = _instrumentation.client_interceptor(tracer_provider=tracer_provider)
        client.transport.channel = _grpcext.intercept_channel(client.transport.channel, interceptor)
        return client
    if "channel" in vars(client.transport):
        raise ValueError("client: has made a call already; instrument it before its first one")
    interceptors = _instrumentation.aio_client_interceptors(tracer_provider=tracer_provider)
    client.transport.interceptors.extend(interceptors)
    return client
