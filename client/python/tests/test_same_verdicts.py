"""Checks that verdicts from this package and from the command line are the same."""

import json
import subprocess
from pathlib import Path

import pytest
from conftest import BINARY, ROOT
from google.protobuf.json_format import MessageToJson, Parse

import gsar
import gsar.aio
from gsar import v1
from gsar.server import Server

COMMAND = Path(BINARY).with_name("gsar")
CASES = sorted((ROOT / "datasets" / "cases").glob("*.json"))
REPORTS = sorted((ROOT / "datasets" / "incidents").glob("*/reports/*.md"))

pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason=f"{COMMAND} does not exist")


def run_command(server: Server, *arguments: str) -> str:
    command = [str(COMMAND), *arguments, "--output", "json", "--endpoint", server.endpoint]
    return subprocess.run(command, capture_output=True, text=True).stdout


def verdict(answer: v1.EvaluateResponse | v1.ScoreResponse) -> list[str]:
    """Returns the decision, the scores and the claims in a response."""
    parts = [answer.decision, answer.score, answer.guarded_score, answer.gate, answer.cap]
    return [MessageToJson(part) for part in [*parts, *answer.claims, *answer.corrections]]


def request_of(case: Path) -> str:
    return json.dumps(json.loads(case.read_text())["request"])


def test_scores_match_the_command_line(server: Server, client: gsar.Client, tmp_path: Path) -> None:
    requests = [request_of(case) for case in CASES]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(requests))
    answers = run_command(server, "score", "--request", str(file)).splitlines()
    assert len(answers) == len(CASES) > 0
    for case, request, answer in zip(CASES, requests, answers, strict=True):
        response = client.score(Parse(request, v1.ScoreRequest()))
        assert verdict(response) == verdict(Parse(answer, v1.ScoreResponse())), case.name


@pytest.mark.asyncio
async def test_verdicts_match_the_command_line(
    server: Server, client: gsar.Client, aio_client: gsar.aio.Client
) -> None:
    assert REPORTS
    for report in REPORTS:
        evidence = str(report.parent.parent / "evidence")
        answer = Parse(run_command(server, "evaluate", str(report), "--evidence", evidence), v1.EvaluateResponse())
        recorded = client.get_evaluation(answer.evaluation_id)
        items = [client.get_evaluation_evidence(answer.evaluation_id, item.id) for item in recorded.evidence]
        request = v1.EvaluateRequest(report=recorded.report, evidence=items)
        assert verdict(client.evaluate(request)) == verdict(answer), report
        assert verdict(await aio_client.evaluate(request)) == verdict(answer), report
        (streamed,) = client.evaluate_stream([("one", request)])
        assert verdict(streamed.evaluation) == verdict(answer), report
