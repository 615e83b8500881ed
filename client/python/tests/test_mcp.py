"""The MCP server as a process, called by an MCP client."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from reports import EVIDENCE, GUESS, PROCEEDS, REPLANNED

import gsar
import gsar.mcp
from gsar.server import Server

LONG = "1," * (1 << 20)
"""A report that a test server cannot evaluate within the time limit of a test."""


@asynccontextmanager
async def tools(endpoint: str, *options: str) -> AsyncGenerator[Client]:
    command = StdioServerParameters(command=sys.executable, args=["-m", "gsar.mcp", "--endpoint", endpoint, *options])
    async with Client(command) as connected:
        yield connected


async def call(connected: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await connected.call_tool(name, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def test_every_tool_answers(server: Server, client: gsar.Client) -> None:
    client.put_evidence("mcp", EVIDENCE)
    async with tools(server.endpoint) as connected:
        listed = await connected.list_tools()
        assert {tool.name for tool in listed.tools} == {tool.__name__ for tool in gsar.mcp.TOOLS}
        assert all("context" not in tool.input_schema["properties"] for tool in listed.tools)

        answer = await call(connected, "evaluate", report=PROCEEDS, evidence=EVIDENCE)
        assert answer["tier"] == "proceed"
        assert client.get_evaluation(answer["evaluation_id"]).report.synthesis == PROCEEDS
        answer = await call(connected, "evaluate", report=REPLANNED, corpus_id="mcp")
        assert answer["tier"] == "replan"
        assert [claim["text"] for claim in answer["claims_at_fault"]] == [GUESS.rstrip(".")]

        assert (await call(connected, "score", grounded=["tool_match"]))["tier"] == "proceed"
        assert (await call(connected, "search", corpus_id="mcp", query="OOMKilled"))["hits"]
        evidence = [
            {"tool": tool, "verdict": "supports", "lane": "logs", "summary": "OOMKilled"} for tool in ("logs", "events")
        ]
        hypothesis = {"id": "oom", "statement": "memory", "evidence": evidence}
        assert (await call(connected, "gate", hypotheses=[hypothesis]))["root_cause"] == "oom"

        refused = await connected.call_tool("search", {"corpus_id": "none", "query": "x"})
        assert refused.is_error
        assert "UNKNOWN_RESOURCE" in str(refused.content)


async def test_redacts_secrets_in_an_evaluation(server: Server, client: gsar.Client) -> None:
    report = "The pool is reached at postgres://shop:hunter22@db/orders."
    for options, is_hidden in [((), True), (("--unredacted",), False)]:
        async with tools(server.endpoint, *options) as connected:
            answer = await call(connected, "evaluate", report=report, evidence=EVIDENCE)
        assert ("hunter22" not in str(answer)) == is_hidden
        assert "hunter22" in client.get_evaluation(answer["evaluation_id"]).report.synthesis


async def test_unreachable_sidecar_is_a_tool_error(tmp_path: Path) -> None:
    async with tools(f"unix://{tmp_path}/gsar.sock") as connected:
        result = await connected.call_tool("evaluate", {"report": PROCEEDS})
        assert result.is_error
        assert "no sidecar answers" in str(result.content)


async def test_server_continues_after_a_cancelled_call(server: Server) -> None:
    async with tools(server.endpoint) as connected:
        for _ in range(50):
            with anyio.move_on_after(0.02) as scope:
                await connected.call_tool("evaluate", {"report": LONG})
            assert scope.cancelled_caught
        answer = await call(connected, "evaluate", report=PROCEEDS, evidence=EVIDENCE)
        assert answer["tier"] == "proceed"


async def test_overdue_report_abstains(server: Server) -> None:
    async with tools(server.endpoint, "--deadline", "0.2") as connected:
        answer = await call(connected, "evaluate", report=LONG)
        assert (answer["tier"], answer["reasons"][0]["code"]) == ("abstain", "DEADLINE_EXCEEDED")


async def test_reports_progress_if_requested(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    notified: list[tuple[float, float | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        assert message == "waiting for the sidecar"
        notified.append((progress, total))

    monkeypatch.setattr(gsar.mcp, "PROGRESS", 0.1)
    async with Client(gsar.mcp.server(server.endpoint, 0.55)) as connected:
        await connected.call_tool("evaluate", {"report": LONG}, progress_callback=tell)
    assert len(notified) >= 2
    assert all(total == 0.55 for _, total in notified)
    assert notified == sorted(notified)


async def test_investigation_and_stored_evidence(server: Server) -> None:
    async with tools(server.endpoint) as connected:
        begun = await call(connected, "start_investigation", investigation_id="mcp-1")
        assert begun["investigation_id"] == "mcp-1"
        result = {"id": "log", "lane": "EVIDENCE_LANE_LOGS", "kind": "EVIDENCE_KIND_TOOL_OUTPUT", "text": "one\ntwo\n"}
        turn = {
            "investigation_id": "mcp-1",
            "step": begun["step"],
            "tool_calls": [{"tool": "kubectl logs", "arguments": "cart-1", "result": result}],
        }
        assert (await call(connected, "record_turn", turn=turn))["investigation_id"] == "mcp-1"
        shown = await call(connected, "get_investigation", investigation_id="mcp-1")
        assert shown["investigation"]["investigation_id"] == "mcp-1"
        await call(connected, "store", corpus_id="mcp-kept", evidence={"log": "one\ntwo\nthree\n"})
        assert "two" in str(
            await call(connected, "snapshot", corpus_id="mcp-kept", evidence_id="log", first_line=2, last_line=2)
        )
        refused = await connected.call_tool("record_turn", {"turn": {"no_such_field": 1}})
        assert refused.is_error
        assert "no_such_field" in str(refused.content)
