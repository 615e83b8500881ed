"""Tests tokens against a real sidecar."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest
from conftest import BINARY, RULES
from reports import EVIDENCE, PROCEED_REPORT

import gsar
import gsar.aio
from gsar import v1
from gsar.batch import Evaluator
from gsar.server import Server

TOKEN = "secret-of-the-agent"  # noqa: S105


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[str]:
    digest = sha256(TOKEN.encode()).hexdigest()
    principals = tmp_path / "principals.toml"
    principals.write_text(
        f'[agent]\ntokens = ["sha256:{digest}"]\nmay = ["evaluate", "read", "grade", "store", "search", "delete"]\n'
    )
    with Server(f'{RULES}[security]\nprincipals = "{principals}"\n', binary=BINARY) as server:
        yield server.endpoint


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text(f"{TOKEN}\n")
    return path


REPORTS = [("a", gsar.evaluation(PROCEED_REPORT, EVIDENCE))]
EXPORT = v1.ExportRequest(kinds=[v1.EXPORT_KIND_PARTITIONS])


async def test_every_kind_of_call_sends_the_token(
    endpoint: str, token_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with gsar.Client(endpoint, token_file=str(token_file)) as client:
        assert gsar.may_proceed(client.evaluate(PROCEED_REPORT, EVIDENCE))
        assert all(answer.HasField("evaluation") for answer in client.evaluate_stream(REPORTS))
        assert client.put_evidence("inc-7", EVIDENCE).corpus.items
        assert list(client.export(EXPORT))
    monkeypatch.setenv("GSAR_TOKEN_FILE", str(token_file))
    async with gsar.aio.Client(endpoint) as client:
        assert gsar.may_proceed(await client.evaluate(PROCEED_REPORT, EVIDENCE))
        answers = [answer async for answer in client.evaluate_stream(REPORTS)]
        assert all(answer.HasField("evaluation") for answer in answers)
        assert (await client.put_evidence("inc-8", EVIDENCE)).corpus.items
        assert [answer async for answer in client.export(EXPORT)]


def test_reads_the_token_file_for_each_call(endpoint: str, token_file: Path) -> None:
    with gsar.Client(endpoint, token_file=str(token_file)) as client:
        token_file.write_text("another")
        with pytest.raises(gsar.Error, match="unknown token"):
            client.evaluate(PROCEED_REPORT, EVIDENCE)
        token_file.write_text(TOKEN)
        client.evaluate(PROCEED_REPORT, EVIDENCE)
        token_file.unlink()
        client.evaluate(PROCEED_REPORT, EVIDENCE)
    with gsar.Client(endpoint) as client, pytest.raises(gsar.Error, match="is not a principal of this server"):
        client.evaluate(PROCEED_REPORT, EVIDENCE)


def test_rejects_a_file_without_a_token(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="token_file: /nowhere cannot be read: No such file or directory"):
        gsar.Client(token_file="/nowhere")  # noqa: S106
    empty = tmp_path / "empty"
    empty.write_text(" \n")
    with pytest.raises(ValueError, match="contains no token"):
        gsar.Client(token_file=str(empty))


def test_batches_send_the_token(endpoint: str, token_file: Path) -> None:
    reports = pd.DataFrame({"id": ["a", "b"], "synthesis": [PROCEED_REPORT] * 2, "evidence": [EVIDENCE] * 2})
    verdicts = Evaluator([endpoint], token_file=str(token_file))(reports)
    assert verdicts["tier"].to_list() == ["proceed", "proceed"]
    without_token = Evaluator([endpoint])(reports)
    assert without_token["error_code"].to_list() == ["UNAUTHENTICATED", "UNAUTHENTICATED"]
