"""Tests the spans of calls, and the trace id in the sidecar's log."""

import json

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from reports import EVIDENCE, PROCEED_REPORT

import gsar
import gsar.aio
import gsar.otel
from gsar.server import Server


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter: InMemorySpanExporter) -> TracerProvider:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider


def logged_trace_id(server: Server, evaluation_id: str) -> str:
    lines = [json.loads(line) for line in server.log().splitlines() if evaluation_id in line]
    return lines[0]["span"]["trace_id"]


def assert_span_is_logged(exporter: InMemorySpanExporter, server: Server, evaluation_id: str) -> None:
    spans = {span.name: span for span in exporter.get_finished_spans()}
    call, parent = spans["/gsar.v1.GroundingService/Evaluate"], spans["agent"]
    assert call.parent
    assert call.context
    assert parent.context
    assert call.parent.span_id == parent.context.span_id
    assert f"{call.context.trace_id:032x}" == logged_trace_id(server, evaluation_id)


def test_calls_create_spans_and_the_server_logs_the_trace(
    server: Server, provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    with gsar.otel.instrument(gsar.Client(server.endpoint), provider) as client:
        with provider.get_tracer("test").start_as_current_span("agent"):
            answer = client.evaluate(PROCEED_REPORT, EVIDENCE)
        assert_span_is_logged(exporter, server, answer.evaluation_id)
        streamed = client.evaluate_stream([("r", gsar.evaluation(PROCEED_REPORT, EVIDENCE))])
        assert [each.correlation_id for each in streamed] == ["r"]
        with pytest.raises(gsar.InvalidArgument) as exc_info:
            client.evaluate("")
        assert exc_info.value.violations


async def test_asyncio_calls_create_spans(
    server: Server, provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    async with gsar.otel.instrument(gsar.aio.Client(server.endpoint), provider) as client:
        with provider.get_tracer("test").start_as_current_span("agent"):
            answer = await client.evaluate(PROCEED_REPORT, EVIDENCE)
        assert_span_is_logged(exporter, server, answer.evaluation_id)
        with pytest.raises(ValueError, match="already made a call"):
            gsar.otel.instrument(client, provider)
