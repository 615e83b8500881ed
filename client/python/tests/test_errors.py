"""Tests the exceptions that calls raise."""

import logging
import socket
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from reports import EVIDENCE, PROCEED_REPORT

import gsar
import gsar.aio
from gsar import endpoint, v1
from gsar.server import Server, ServerError


def test_lists_all_invalid_fields(client: gsar.Client) -> None:
    items = [gsar.text("log", "a"), gsar.text("log", "b")]
    with pytest.raises(gsar.InvalidArgument) as exc_info:
        client.evaluate(v1.Report(id="x" * 300, synthesis="Yes."), items)
    error = exc_info.value
    assert (error.method, error.code, error.reason) == ("Evaluate", "INVALID_ARGUMENT", "INVALID_FIELDS")
    assert {violation.field for violation in error.violations} == {"report.id", "evidence[1].id"}
    shown = str(error)
    assert shown.startswith("Evaluate: the server rejected 2 fields\n  report.id: ")
    assert shown.endswith("\n  reason INVALID_FIELDS")


def test_reports_an_unknown_resource(client: gsar.Client) -> None:
    with pytest.raises(gsar.NotFound) as exc_info:
        client.get_policy("night-shift")
    assert exc_info.value.resource is not None
    assert exc_info.value.resource[1] == "night-shift"


def test_rejects_a_step_that_is_not_due(client: gsar.Client) -> None:
    client.start_investigation(v1.StartInvestigationRequest(investigation_id="not-due"))
    request = v1.SubmitReportRequest(investigation_id="not-due", step=7, report=v1.Report(synthesis=PROCEED_REPORT))
    with pytest.raises(gsar.FailedPrecondition) as exc_info:
        client.submit_report(request)
    assert exc_info.value.reason == "NOT_DUE"
    assert exc_info.value.limits


def test_call_fails_at_its_deadline(client: gsar.Client) -> None:
    with pytest.raises(gsar.DeadlineExceeded):
        client.evaluate(PROCEED_REPORT, EVIDENCE, timeout=0.0)


def test_raises_if_the_socket_is_unreachable(tmp_path: Path) -> None:
    with (
        gsar.Client(f"unix://{tmp_path}/gsar.sock") as client,
        pytest.raises(gsar.SidecarUnreachable) as exc_info,
    ):
        client.evaluate(PROCEED_REPORT, EVIDENCE)
    assert f"no sidecar is responding at unix://{tmp_path}/gsar.sock" in str(exc_info.value)
    assert "start gsar-server" in str(exc_info.value)


async def test_asyncio_client_raises_if_the_socket_is_unreachable(tmp_path: Path) -> None:
    async with gsar.aio.Client(f"unix://{tmp_path}/gsar.sock") as client:
        with pytest.raises(gsar.SidecarUnreachable):
            await client.evaluate(PROCEED_REPORT, EVIDENCE)


def test_open_if_unreachable_lets_the_report_proceed_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        gsar.Client(f"unix://{tmp_path}/gsar.sock", open_if_unreachable=True) as client,
        caplog.at_level(logging.WARNING, "gsar"),
    ):
        answer = client.evaluate(PROCEED_REPORT, EVIDENCE)
        assert gsar.may_proceed(answer)
        assert [reason.code for reason in answer.decision.reasons] == ["SIDECAR_UNREACHABLE"]
        assert not answer.evaluation_id
        assert "not evaluated" in caplog.text
        with pytest.raises(gsar.SidecarUnreachable):
            client.score(gsar.counts(grounded=["tool_match"]))


def test_finds_the_endpoint_as_the_command_line_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GSAR_ENDPOINT", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(endpoint, "default_sockets", lambda: [tmp_path / "gsar" / "gsar.sock"])
    with pytest.raises(gsar.SidecarUnreachable, match="no sidecar found; tried "):
        gsar.Client()
    (tmp_path / "gsar").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "gsar" / "gsar.sock"))
        with pytest.raises(gsar.SidecarUnreachable):
            gsar.Client()
        listener.listen()
        with gsar.Client() as client:
            assert client.endpoint == f"unix://{tmp_path}/gsar/gsar.sock"
    monkeypatch.setenv("GSAR_ENDPOINT", "grpc://gsar:1")
    with gsar.Client() as client:
        assert client.endpoint == "grpc://gsar:1"
    with gsar.Client("grpc://[::1]:2/") as client:
        assert client.endpoint == "grpc://[::1]:2"
    monkeypatch.setenv("GSAR_ENDPOINT", "localhost")
    with pytest.raises(ValueError, match="GSAR_ENDPOINT: invalid endpoint `localhost`: missing scheme"):
        gsar.Client()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("localhost:50051", "missing scheme"),
        ("http://localhost:50051", "unknown scheme"),
        ("unix://gsar.sock", "the socket path is not absolute"),
        ("grpcs://localhost", "missing or invalid port"),
        ("grpc://localhost:0", "missing or invalid port"),
        ("grpc://localhost:99999", "missing or invalid port"),
        ("grpc://:50051", "missing or invalid host"),
        ("grpc://::1", "missing or invalid host"),
        ("grpc://a/b:1", "missing or invalid host"),
    ],
)
def test_rejects_invalid_endpoints(given: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        endpoint.parse(given)


def test_error_for_a_failed_start_includes_the_log() -> None:
    from conftest import BINARY

    with (
        pytest.raises(ServerError, match=r"exited with status 2\n(?s:.*)nothing"),
        Server("nothing = 1", binary=BINARY),
    ):
        pass
    with pytest.raises(ServerError, match="failed to start"), Server(binary="/nowhere/gsar-server"):
        pass


class BusyServicer:
    """A servicer that rejects a number of calls because it is busy."""

    def __init__(self) -> None:
        self.calls = 0
        self.rejected_calls = 0

    def evaluate(self, _: v1.EvaluateRequest, context: grpc.ServicerContext) -> v1.EvaluateResponse:
        self.calls += 1
        if self.calls <= self.rejected_calls:
            details: list[Message] = [
                error_details_pb2.ErrorInfo(reason="TOO_MANY_CALLS", domain="gsar.dev"),
                error_details_pb2.RetryInfo(retry_delay=Duration(nanos=1_000_000)),
                error_details_pb2.RequestInfo(request_id="0198"),
                error_details_pb2.Help(links=[error_details_pb2.Help.Link(description="limits", url="docs")]),
            ]
            status = status_pb2.Status(code=8, message="busy")
            for detail in details:
                status.details.add().Pack(detail)
            context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "busy")
        return v1.EvaluateResponse(evaluation_id=str(self.calls))


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[tuple[BusyServicer, str]]:
    servicer = BusyServicer()
    untyped: Any = grpc
    method = untyped.unary_unary_rpc_method_handler(
        servicer.evaluate, v1.EvaluateRequest.FromString, v1.EvaluateResponse.SerializeToString
    )
    server = grpc.server(futures.ThreadPoolExecutor(1))
    service = untyped.method_handlers_generic_handler("gsar.v1.GroundingService", {"Evaluate": method})
    server.add_generic_rpc_handlers((service,))
    server.add_insecure_port(f"unix://{tmp_path}/busy.sock")
    server.start()
    yield servicer, f"unix://{tmp_path}/busy.sock"
    server.stop(None).wait()


async def test_retries_idempotent_calls_when_the_server_allows_it(busy: tuple[BusyServicer, str]) -> None:
    servicer, address = busy
    with gsar.Client(address) as client:
        servicer.rejected_calls = 3
        assert client.evaluate(PROCEED_REPORT, idempotency_key="k").evaluation_id == "4"
        servicer.calls, servicer.rejected_calls = 0, 9
        with pytest.raises(gsar.ResourceExhausted) as exc_info:
            client.evaluate(PROCEED_REPORT, idempotency_key="k")
        assert servicer.calls == 4
        assert exc_info.value.retry_after == 0.001
        assert str(exc_info.value) == (
            "Evaluate: busy\n  limits: docs\n  retry in 1 s\n"
            "  see request 0198 in the server's log\n  reason TOO_MANY_CALLS"
        )
        servicer.calls = 0
        with pytest.raises(gsar.ResourceExhausted):
            client.evaluate(PROCEED_REPORT)
        assert servicer.calls == 1
    async with gsar.aio.Client(address) as aio:
        servicer.calls, servicer.rejected_calls = 0, 3
        assert (await aio.evaluate(PROCEED_REPORT, idempotency_key="k")).evaluation_id == "4"


def test_error_recognizes_an_http_server_without_grpc() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (
        Server(f'admin = "127.0.0.1:{port}"\n'),
        gsar.Client(f"grpc://127.0.0.1:{port}", deadline=20) as client,
        pytest.raises(gsar.Error, match="an HTTP server without gRPC, such as the gateway or the admin port"),
    ):
        client.evaluate("The pod was restarted.")
