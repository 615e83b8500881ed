"""Tests evidence from files and folders, and compares it with the evidence that the command line reads."""

import gzip
import logging
import os
import subprocess
from pathlib import Path

import pytest
from conftest import BINARY

import gsar
from gsar import v1
from gsar.server import Server

INCIDENTS = Path(__file__).parents[3] / "datasets" / "incidents"


def properties(items: list[v1.EvidenceItem]) -> list[tuple[str, str, str, str, bool, bool]]:
    return [
        (
            item.id,
            v1.EvidenceKind.Name(item.kind),
            v1.EvidenceLane.Name(item.lane),
            item.tool,
            item.exhaustive,
            item.HasField("json"),
        )
        for item in items
    ]


def recorded_items(client: gsar.Client, evaluation_id: str) -> list[v1.EvidenceItem]:
    known = client.get_evaluation(evaluation_id).evidence
    return [client.get_evaluation_evidence(evaluation_id, item.id) for item in known]


@pytest.mark.parametrize("with_manifest", [True, False])
@pytest.mark.parametrize("incident", ["checkout-oom", "payments-bad-deploy"])
def test_reads_folders_as_the_command_line_does(
    client: gsar.Client, server: Server, tmp_path: Path, incident: str, with_manifest: bool
) -> None:
    folder = tmp_path / "evidence"
    folder.mkdir()
    for file in (INCIDENTS / incident / "evidence").iterdir():
        if with_manifest or file.name != "evidence.toml":
            (folder / file.name).write_bytes(file.read_bytes())
    report = tmp_path / "report.md"
    report.write_text("The pod was restarted.")
    command = [BINARY.replace("gsar-server", "gsar"), "evaluate", report, "--evidence", folder, "--output", "json"]
    process = subprocess.run(
        command, env={**os.environ, "GSAR_ENDPOINT": server.endpoint}, capture_output=True, check=False
    )
    cli_items = recorded_items(client, v1.EvaluateResponse.FromString(to_bytes(process.stdout)).evaluation_id)
    answer = client.evaluate("The pod was restarted.", gsar.evidence_from(folder))
    assert properties(recorded_items(client, answer.evaluation_id)) == properties(cli_items)
    assert cli_items


def to_bytes(document: bytes) -> bytes:
    from google.protobuf.json_format import Parse

    return Parse(document, v1.EvaluateResponse(), ignore_unknown_fields=True).SerializeToString()


def test_detects_the_content_type_and_encoding_of_files(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.json").write_text('{"kind": "PodList"}')
    (tmp_path / "b.jsonl").write_text('{"a": 1}\n{"b": 2}\n')
    (tmp_path / "c.log.gz").write_bytes(gzip.compress(b"one\ntwo\n"))
    (tmp_path / "d.txt").write_bytes("grün".encode("utf-16"))
    (tmp_path / ".hidden").write_text("no")
    (tmp_path / "out").symlink_to("/etc/hostname")
    with caplog.at_level(logging.WARNING, "gsar"):
        items = gsar.evidence_from(tmp_path)
    assert [(item.id, item.WhichOneof("content")) for item in items] == [
        ("a.json", "json"),
        ("b.jsonl", "text"),
        ("c.log.gz", "text"),
        ("d.txt", "text"),
    ]
    assert (items[2].text, items[3].text) == ("one\ntwo\n", "grün")
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path}/out is a link out of the directory and was skipped"
    ]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.log", b"ok\n\xff", "a.log:2: not valid UTF-8"),
        ("a.log", b"ok\n\0", "a.log:2: contains a zero byte"),
        ("a.json", b'{"a": }', "a.json: invalid JSON"),
        ("evidence.toml", b'[[item]]\nfile = "../x"\n', "is not below this directory"),
        ("evidence.toml", b'[[item]]\nfile = "x"\nsort = "y"\n', "unknown field `sort`"),
        ("evidence.toml", b"[[file]]\n", "unknown key `file`"),
    ],
)
def test_rejects_unreadable_files_and_names_the_fix(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=expected):
        gsar.evidence_from(tmp_path)


def test_server_detects_kind_and_lane(client: gsar.Client) -> None:
    items = [
        v1.EvidenceItem(id="x", tool="kubectl logs cart-1", text="it failed"),
        v1.EvidenceItem(id="alerts", text="it fires"),
        v1.EvidenceItem(id="y", lane=v1.EVIDENCE_LANE_TRACES, text="a span"),
    ]
    answer = client.evaluate("It failed.", items)
    assert [(kind, lane) for _, kind, lane, *_ in properties(recorded_items(client, answer.evaluation_id))] == [
        ("EVIDENCE_KIND_TOOL_OUTPUT", "EVIDENCE_LANE_LOGS"),
        ("EVIDENCE_KIND_SIGNAL", "EVIDENCE_LANE_METRICS"),
        ("EVIDENCE_KIND_TOOL_OUTPUT", "EVIDENCE_LANE_TRACES"),
    ]
