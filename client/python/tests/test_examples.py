"""Checks the output and the length of the examples."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from gsar.server import Server

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        (
            "sync",
            [],
            ["REPLAN   score 0.", "correct or drop: The memory limit of checkout-7b84 is 1 GiB"],
        ),
        ("aio", [], ["proceed Pod checkout-7b84 was OOMKilled", "replan The memory limit"]),
        ("raw_stubs", ["ENDPOINT"], ["TIER_PROCEED "]),
        ("investigation", ["example"], ["PROCEED ['TIER_REPLAN', 'TIER_PROCEED']", "Pod checkout-7b84 was OOMKilled"]),
        ("graph", [], ["proceed after 2 reports: Pod checkout-7b84 was OOMKilled"]),
    ],
)
def test_examples_print_the_expected_output(
    name: str, arguments: list[str], expected: list[str], server: Server
) -> None:
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text().splitlines()) < 30
    resolved = [server.endpoint if argument == "ENDPOINT" else argument for argument in arguments]
    environment = os.environ | {"GSAR_ENDPOINT": server.endpoint}
    process = subprocess.run([sys.executable, str(path), *resolved], capture_output=True, text=True, env=environment)
    assert process.returncode == 0, process.stderr
    for line in expected:
        assert line in process.stdout


async def test_mcp_config_starts_the_mcp_server(server: Server) -> None:
    config = json.loads((EXAMPLES / "mcp.json").read_text())["mcpServers"]["gsar"]
    environment = dict(config["env"], GSAR_ENDPOINT=server.endpoint)
    command = StdioServerParameters(command=sys.executable, args=config["args"], env=environment)
    async with Client(command) as mcp_client:
        result = await mcp_client.call_tool("score", {"grounded": ["tool_match"]})
        assert not result.is_error


def test_every_example_has_a_test() -> None:
    tested = {"sync", "aio", "raw_stubs", "investigation", "graph", "mcp"}
    assert {path.stem for path in EXAMPLES.iterdir() if path.is_file()} == tested
