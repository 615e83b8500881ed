"""The MCP server as a process, asked by the MCP client of the same package."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from reports import EVIDENCE, GUESS, PROCEEDS, REPLANNED

import gsar
from gsar.server import Server


@asynccontextmanager
async def tools(endpoint: str) -> AsyncGenerator[Client]:
    command = StdioServerParameters(command=sys.executable, args=["-m", "gsar.mcp", "--endpoint", endpoint])
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
        assert {tool.name for tool in listed.tools} == {"evaluate", "score", "gate", "search"}
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


async def test_an_absent_sidecar_is_an_error_of_the_tool(tmp_path: Path) -> None:
    async with tools(f"unix://{tmp_path}/gsar.sock") as connected:
        result = await connected.call_tool("evaluate", {"report": PROCEEDS})
        assert result.is_error
        assert "no sidecar answers" in str(result.content)
