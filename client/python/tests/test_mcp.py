"""Tests the MCP server as a process that an MCP client calls."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from reports import EVIDENCE, GUESS, PROCEED_REPORT, REPLAN_REPORT

import gsar
import gsar.mcp
from gsar.server import Server

LONG = "1," * (1 << 20)
"""A report that a test server cannot evaluate within the time limit of a test."""


@asynccontextmanager
async def connect(endpoint: str, *options: str) -> AsyncGenerator[Client]:
    command = StdioServerParameters(command=sys.executable, args=["-m", "gsar.mcp", "--endpoint", endpoint, *options])
    async with Client(command) as mcp_client:
        yield mcp_client


async def call(mcp_client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await mcp_client.call_tool(name, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def test_tools_for_reports_return_results(server: Server, client: gsar.Client) -> None:
    client.put_evidence("mcp", EVIDENCE)
    async with connect(server.endpoint) as mcp_client:
        tool_list = await mcp_client.list_tools()
        assert {tool.name for tool in tool_list.tools} == {tool.__name__ for tool in gsar.mcp.TOOLS}
        assert all("context" not in tool.input_schema["properties"] for tool in tool_list.tools)

        answer = await call(mcp_client, "evaluate", report=PROCEED_REPORT, evidence=EVIDENCE)
        assert answer["tier"] == "proceed"
        assert client.get_evaluation(answer["evaluation_id"]).report.synthesis == PROCEED_REPORT
        answer = await call(mcp_client, "evaluate", report=REPLAN_REPORT, corpus_id="mcp")
        assert answer["tier"] == "replan"
        assert [claim["text"] for claim in answer["claims_at_fault"]] == [GUESS.rstrip(".")]

        assert (await call(mcp_client, "score", grounded=["tool_match"]))["tier"] == "proceed"
        assert (await call(mcp_client, "search", corpus_id="mcp", query="OOMKilled"))["hits"]
        evidence = [
            {"tool": tool, "verdict": "supports", "lane": "logs", "summary": "OOMKilled"} for tool in ("logs", "events")
        ]
        hypothesis = {"id": "oom", "statement": "memory", "evidence": evidence}
        assert (await call(mcp_client, "gate", hypotheses=[hypothesis]))["root_cause"] == "oom"

        failed = await mcp_client.call_tool("search", {"corpus_id": "none", "query": "x"})
        assert failed.is_error
        assert "UNKNOWN_RESOURCE" in str(failed.content)


async def test_redacts_secrets_in_evaluations_unless_unredacted(server: Server, client: gsar.Client) -> None:
    report = "The pool is reached at postgres://shop:hunter22@db/orders."
    for options, is_hidden in [((), True), (("--unredacted",), False)]:
        async with connect(server.endpoint, *options) as mcp_client:
            answer = await call(mcp_client, "evaluate", report=report, evidence=EVIDENCE)
        assert ("hunter22" not in str(answer)) == is_hidden
        assert "hunter22" in client.get_evaluation(answer["evaluation_id"]).report.synthesis


async def test_unreachable_sidecar_is_a_tool_error(tmp_path: Path) -> None:
    async with connect(f"unix://{tmp_path}/gsar.sock") as mcp_client:
        result = await mcp_client.call_tool("evaluate", {"report": PROCEED_REPORT})
        assert result.is_error
        assert "no sidecar is responding" in str(result.content)


async def test_server_continues_after_a_cancelled_call(server: Server) -> None:
    async with connect(server.endpoint) as mcp_client:
        for _ in range(50):
            with anyio.move_on_after(0.02) as scope:
                await mcp_client.call_tool("evaluate", {"report": LONG})
            assert scope.cancelled_caught
        answer = await call(mcp_client, "evaluate", report=PROCEED_REPORT, evidence=EVIDENCE)
        assert answer["tier"] == "proceed"


async def test_overdue_report_abstains(server: Server) -> None:
    async with connect(server.endpoint, "--deadline", "0.2") as mcp_client:
        answer = await call(mcp_client, "evaluate", report=LONG)
        assert (answer["tier"], answer["reasons"][0]["code"]) == ("abstain", "DEADLINE_EXCEEDED")


async def test_reports_progress_if_requested(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    notifications: list[tuple[float, float | None]] = []

    async def record_progress(progress: float, total: float | None, message: str | None) -> None:
        assert message == "waiting for the sidecar"
        notifications.append((progress, total))

    monkeypatch.setattr(gsar.mcp, "PROGRESS", 0.1)
    async with Client(gsar.mcp.server(server.endpoint, 0.55)) as mcp_client:
        await mcp_client.call_tool("evaluate", {"report": LONG}, progress_callback=record_progress)
    assert len(notifications) >= 2
    assert all(total == 0.55 for _, total in notifications)
    assert notifications == sorted(notifications)


async def test_tools_for_investigations_and_stored_evidence_return_results(server: Server) -> None:
    async with connect(server.endpoint) as mcp_client:
        started = await call(mcp_client, "start_investigation", investigation_id="mcp-1")
        assert started["investigation_id"] == "mcp-1"
        result = {"id": "log", "lane": "EVIDENCE_LANE_LOGS", "kind": "EVIDENCE_KIND_TOOL_OUTPUT", "text": "one\ntwo\n"}
        turn = {
            "investigation_id": "mcp-1",
            "step": started["step"],
            "tool_calls": [{"tool": "kubectl logs", "arguments": "cart-1", "result": result}],
        }
        assert (await call(mcp_client, "record_turn", turn=turn))["investigation_id"] == "mcp-1"
        current = await call(mcp_client, "get_investigation", investigation_id="mcp-1")
        assert current["investigation"]["investigation_id"] == "mcp-1"
        await call(mcp_client, "store", corpus_id="mcp-kept", evidence={"log": "one\ntwo\nthree\n"})
        assert "two" in str(
            await call(mcp_client, "snapshot", corpus_id="mcp-kept", evidence_id="log", first_line=2, last_line=2)
        )
        failed = await mcp_client.call_tool("record_turn", {"turn": {"no_such_field": 1}})
        assert failed.is_error
        assert "no_such_field" in str(failed.content)
