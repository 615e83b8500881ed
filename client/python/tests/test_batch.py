"""Tests batches against real sidecars."""

import json
import pickle
import queue
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pandas as pd
import pytest
from conftest import BINARY, ROOT, RULES
from reports import EVIDENCE, GUESS, PROCEED_REPORT, REPLAN_REPORT

import gsar
from gsar import v1
from gsar.batch import READ, WRITTEN, Evaluator, ReportFailed, fleet, rows
from gsar.server import Server

LOG = EVIDENCE["log"]


@pytest.fixture(scope="module")
def two_servers() -> Iterator[list[Server]]:
    with Server(RULES, binary=BINARY) as one, Server(RULES, binary=BINARY) as other:
        yield [one, other]


def report_frame(count: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": [f"r{number}" for number in range(count)],
            "synthesis": [PROCEED_REPORT] * count,
            "evidence": [json.dumps(EVIDENCE)] * count,
        }
    )


def select_rows(frame: pd.DataFrame, positions: Iterable[int]) -> pd.DataFrame:
    """Returns the rows at these positions, in this order."""
    untyped: Any = frame
    return untyped.iloc[list(positions)]


def recorded_report_ids(server: Server) -> list[str]:
    with gsar.Client(server.endpoint) as client:
        return [evaluation.report_id for evaluation in client.list_evaluations(page_size=1000)]


def values(frame: pd.DataFrame, column: str) -> list[object]:
    return frame[column].to_list()


def test_returns_one_verdict_per_row(server: Server) -> None:
    reports = pd.DataFrame(
        {"id": ["a", "b"], "synthesis": [PROCEED_REPORT, REPLAN_REPORT], "evidence": [EVIDENCE] * 2, "n": [7, 8]}
    )
    verdicts = Evaluator([server.endpoint], keep=["n"])(reports)
    assert list(verdicts.columns) == [*WRITTEN, "n"]
    assert values(verdicts, "id") == ["a", "b"]
    assert values(verdicts, "outcome") == ["scored", "scored"]
    assert values(verdicts, "tier") == ["proceed", "replan"]
    assert values(verdicts, "exact_score") == ["1/1", "1/2"]
    assert values(verdicts, "score") == [1.0, 0.5]
    assert values(verdicts, "judge") == ["rules/2", "rules/2"]
    assert values(verdicts, "cost_micros") == [0, 0]
    assert values(verdicts, "error") == [None, None]
    assert values(verdicts, "n") == [7, 8]
    (claim,) = verdicts["claims"][0]
    assert claim == {"id": claim["id"], "text": PROCEED_REPORT.rstrip("."), "class": "grounded"} | {
        "note": claim["note"]
    }
    assert verdicts["reasons"][1] == ["SCORE_BELOW_REGENERATE", "GUARDED_SCORE", "CONTRADICTED_CLAIMS"]


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("claims", [PROCEED_REPORT, GUESS], [v1.Claim(id="c1", text=PROCEED_REPORT), v1.Claim(id="c2", text=GUESS)]),
        ("claims", '["a"]', [v1.Claim(id="c1", text="a")]),
        ("claims", [{"id": "x", "text": "a"}], [v1.Claim(id="x", text="a")]),
        ("evidence", {"log": LOG}, [gsar.text("log", LOG)]),
        ("evidence", '{"pods": {"restarts": 3}}', [gsar.json("pods", '{"restarts": 3}')]),
        (
            "evidence",
            '[{"id": "log", "kind": "EVIDENCE_KIND_CHANGE", "lane": "EVIDENCE_LANE_CHANGE", "text": "t"}]',
            [gsar.text("log", "t", kind="change", lane="change")],
        ),
    ],
)
def test_accepts_several_forms_of_claims_and_evidence(column: str, value: object, expected: list[object]) -> None:
    row = rows.read(0, {"id": "a", column: value}, "job")
    assert isinstance(row, rows.Report)
    request = row.request
    assert list(request.report.claims if column == "claims" else request.evidence) == expected


def test_key_depends_on_job_and_content() -> None:
    def key(job: str = "job", **row: object) -> str:
        read = rows.read(3, {"id": "a", "synthesis": PROCEED_REPORT} | row, job)
        assert isinstance(read, rows.Report)
        return read.key

    assert key() == key(policy=None, evidence=float("nan"))
    assert key() == rows.read(9, {"synthesis": PROCEED_REPORT, "id": "a"}, "job").key  # pyright: ignore[reportAttributeAccessIssue]
    changed = [key("other"), key(id="b"), key(synthesis=GUESS), key(policy="strict"), key(corpus_id="c")]
    assert len({key(), *changed}) == 6
    assert len(key("j" * 128)) <= 256


def test_each_invalid_row_gets_its_own_error(server: Server) -> None:
    reports = pd.DataFrame(
        {
            "id": ["right", "", "json", "items", "policy", "nothing"],
            "synthesis": [PROCEED_REPORT] * 5 + [None],
            "evidence": [json.dumps(EVIDENCE), None, "{", '[{"kind": "none-such"}]', None, None],
            "policy": [None, None, None, None, "none-such", None],
        }
    )
    evaluator = Evaluator([server.endpoint])
    verdicts = evaluator(reports)
    assert values(verdicts, "tier") == ["proceed", None, None, None, None, None]
    invalid = ["INVALID_ARGUMENT"] * 3
    assert values(verdicts, "error_code") == [None, *invalid, "NOT_FOUND", "INVALID_ARGUMENT"]
    invalid = ["INVALID_FIELDS"] * 3
    assert values(verdicts, "error_reason") == [None, *invalid, "UNKNOWN_RESOURCE", "INVALID_FIELDS"]
    columns = ["id: missing", "evidence: invalid JSON", "evidence: ", "", "report"]
    for error, column in zip(values(verdicts, "error")[1:], columns, strict=True):
        assert f"  {column}" in str(error)
    assert verdicts["id"][1] is None
    with pytest.raises(ReportFailed, match="report json: the server rejected 1 field"):
        Evaluator([server.endpoint], on_error="raise")(select_rows(reports, [2, 3, 4, 5]))


def test_oversized_report_does_not_fail_the_others(server: Server) -> None:
    reports = report_frame(60)
    reports.loc[20, "synthesis"] = "x" * (17 * 1024 * 1024)
    verdicts = Evaluator([server.endpoint])(reports)
    assert values(verdicts, "error_reason").count("MESSAGE_TOO_LARGE") == 1
    assert values(verdicts, "error_reason")[20] == "MESSAGE_TOO_LARGE"
    assert values(verdicts, "tier").count("proceed") == 59


def test_repeated_job_returns_the_same_verdicts(two_servers: list[Server]) -> None:
    evaluator = Evaluator([server.endpoint for server in two_servers], job="again")
    first = evaluator(report_frame(200))
    second = pickle.loads(pickle.dumps(evaluator))(select_rows(report_frame(200), range(199, -1, -1)))  # noqa: S301
    assert sorted(values(second, "evaluation_id"), key=str) == sorted(values(first, "evaluation_id"), key=str)
    parts = [set(recorded_report_ids(server)) for server in two_servers]
    assert sum(map(len, parts)) == 200
    assert min(map(len, parts)) > 50
    other = Evaluator(evaluator.endpoints, job="other")(report_frame(1))
    assert other["evaluation_id"][0] not in values(first, "evaluation_id")


def test_large_frames_are_split_and_empty_frames_have_all_columns(server: Server) -> None:
    evaluator = Evaluator([server.endpoint])
    assert [len(part) for part in evaluator.frames([report_frame(1), report_frame(1500)])] == [1, 1000, 500]
    assert evaluator(report_frame(0)).dtypes.to_dict() == evaluator(report_frame(1)).dtypes.to_dict()


def test_threads_share_one_connection(server: Server) -> None:
    evaluator = Evaluator([server.endpoint])
    tiers: list[object] = []
    threads = [
        threading.Thread(target=lambda: tiers.extend(values(evaluator(report_frame(20)), "tier"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tiers == ["proceed"] * 80
    connections = fleet.Connections((server.endpoint,))
    assert fleet.of_this_process(connections) is fleet.of_this_process(fleet.Connections((server.endpoint,)))


def test_adding_a_sidecar_keeps_most_assignments() -> None:
    names = [f"grpc://127.0.0.1:{port}" for port in (1, 2, 3)]
    three = fleet.Fleet(fleet.Connections(tuple(names)))
    pair = fleet.Fleet(fleet.Connections(tuple(reversed(names[:2]))))
    homes = {key: str(three.order(key)[0].client.endpoint) for key in map(str, range(300))}
    assert set(homes.values()) == set(names)
    for key, home in homes.items():
        assert home in (names[2], pair.order(key)[0].client.endpoint)


def test_retries_an_unreachable_sidecar_until_patience_runs_out(server: Server) -> None:
    unreachable = "unix:///nonexistent/gsar.sock"
    without_failover = Evaluator([server.endpoint, unreachable], patience=0.3)(report_frame(40))
    assert set(values(without_failover, "error_code")) == {None, "UNAVAILABLE"}
    assert all("no sidecar is responding" in str(error) for error in values(without_failover, "error") if error)
    with_failover = Evaluator([server.endpoint, unreachable], patience=0.3, failover=True)(report_frame(40))
    assert values(with_failover, "tier") == ["proceed"] * 40


def test_overdue_reports_get_an_error() -> None:
    with Server(RULES, binary=BINARY) as suspended:
        evaluator = Evaluator([suspended.endpoint], deadline=0.2, in_flight=8)
        assert values(evaluator(report_frame(1)), "tier") == ["proceed"]
        suspended.process.send_signal(19)
        while Path(f"/proc/{suspended.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "T":
            pass
        late = evaluator(report_frame(20))
        suspended.process.send_signal(18)
    assert values(late, "error_code") == ["DEADLINE_EXCEEDED"] * 20


class CountingServer:
    """A server that responds only after it has received as many reports as the client sends, and counts them."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.max = 0

    def evaluate_stream(self, requests: Iterator[bytes], _: object) -> Iterator[bytes]:
        """Implements EvaluateStream."""
        received: queue.Queue[str | None] = queue.Queue()
        unanswered: list[str] = []
        threading.Thread(target=self._read, args=(requests, received), daemon=True).start()
        ended = False
        while not ended or unanswered:
            while not ended and (len(unanswered) < self.expected or not received.empty()):
                name = received.get()
                ended = name is None
                unanswered += [] if name is None else [name]
            self.max = max(self.max, len(unanswered))
            if unanswered:
                answer = v1.EvaluateStreamResponse(correlation_id=unanswered.pop(), evaluation=v1.EvaluateResponse())
                yield answer.SerializeToString()

    @staticmethod
    def _read(requests: Iterator[bytes], received: queue.Queue[str | None]) -> None:
        for request in requests:
            received.put(v1.EvaluateStreamRequest.FromString(request).correlation_id)
        received.put(None)


def test_limits_reports_in_flight(tmp_path: Path) -> None:
    counting = CountingServer(expected=5)
    untyped: Any = grpc
    stream = untyped.stream_stream_rpc_method_handler(counting.evaluate_stream)
    service = untyped.method_handlers_generic_handler("gsar.v1.GroundingService", {"EvaluateStream": stream})
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((service,))
    server.add_insecure_port(f"unix://{tmp_path}/s")
    server.start()
    try:
        verdicts = Evaluator([f"unix://{tmp_path}/s"], in_flight=5)(report_frame(200))
    finally:
        server.stop(None).wait()
    assert values(verdicts, "tier") == ["abstain"] * 200
    assert counting.max == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"endpoints": "grpc://a:1"}, "endpoints: not a list"),
        ({"endpoints": []}, "endpoints: not a list"),
        ({"endpoints": ["a"]}, "endpoints: invalid endpoint `a`"),
        ({"job": ""}, "job: "),
        ({"job": "ä"}, "job: "),
        ({"in_flight": 0}, "in_flight: 0"),
        ({"on_error": "ignore"}, "on_error: unknown value `ignore`"),
        ({"keep": ["tier"]}, "keep: `tier`"),
    ],
)
def test_rejects_invalid_settings_on_creation(settings: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"endpoints": ["grpc://a:1"]} | settings
    with pytest.raises(ValueError, match=message):
        Evaluator(**arguments)  # pyright: ignore[reportArgumentType]


def test_every_column_is_documented() -> None:
    page = (ROOT / "docs" / "PYTHON.md").read_text()
    for column in {*READ, *WRITTEN}:
        assert f"`{column}`" in page
