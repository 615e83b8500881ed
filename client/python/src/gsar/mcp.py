"""MCP over standard input and output: the tools evaluate, score, gate and search of a sidecar.

    python -m gsar.mcp [--endpoint unix:///run/gsar/gsar.sock]

Needs `gsar[mcp]`. The sidecar is found as by `gsar.Client()`; where none answers, a tool ends with an error.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Literal

from google.protobuf.json_format import MessageToDict

try:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from pydantic import BaseModel, Field
except ImportError as missing:
    raise ImportError(f"gsar.mcp needs the package mcp, 2.0 or later: install gsar[mcp] ({missing})") from missing

import gsar
from gsar import aio, v1
from gsar.items import Lane
from gsar.requests import EvidenceType


class Sidecar:
    """The sidecar; it is looked for whenever a tool is called, until one is found."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._client: aio.Client | None = None

    def client(self) -> aio.Client:
        """A client of it."""
        self._client = self._client or aio.Client(self._endpoint)
        return self._client

    async def close(self) -> None:
        """Ends the connection."""
        if self._client:
            await self._client.close()


ToolContext = Context[Sidecar, Any]


@contextmanager
def sidecar_of(context: ToolContext) -> Generator[aio.Client]:
    """The client of a tool's call; its errors reach the model, with the fix."""
    try:
        yield context.request_context.lifespan_context.client()
    except (gsar.Error, ValueError) as error:
        raise ToolError(str(error)) from error


class HypothesisEvidence(BaseModel):
    """One tool result for or against a hypothesis."""

    tool: str
    verdict: Literal["supports", "refutes", "inconclusive"]
    lane: Lane
    summary: str = ""


class Hypothesis(BaseModel):
    """A suspected cause with its evidence."""

    id: str
    statement: str
    target: str = ""
    evidence: list[HypothesisEvidence] = Field(default_factory=list[HypothesisEvidence])


def plain(message: Any) -> dict[str, Any]:
    """A message as the contract writes it in JSON."""
    return MessageToDict(message, preserving_proto_field_name=True)


def items(evidence: dict[str, str]) -> list[v1.EvidenceItem]:
    """Contents by id; one that is a JSON object or array is an item of JSON."""
    found: list[v1.EvidenceItem] = []
    for name, content in evidence.items():
        try:
            structured = isinstance(json.loads(content), dict | list)
        except ValueError:
            structured = False
        found.append(gsar.json(name, content) if structured else gsar.text(name, content))
    return found


async def evaluate(
    context: ToolContext, report: str, evidence: dict[str, str] | None = None, policy: str = "", corpus_id: str = ""
) -> dict[str, Any]:
    """Decide whether an incident report may go out.

    Gives the tier (proceed, regenerate, replan, abstain), its reasons, the claims at fault and those that no judge
    decided. Evidence is what tools returned, by a name of your choice; corpus_id names stored evidence.
    """
    with sidecar_of(context) as client:
        answer = await client.evaluate(report, items(evidence or {}), policy=policy, corpus_id=corpus_id)
    return {
        "tier": gsar.tier(answer),
        "summary": gsar.describe(answer),
        "evaluation_id": answer.evaluation_id,
        "reasons": [plain(reason) for reason in answer.decision.reasons],
        "claims_at_fault": [plain(claim) for claim in gsar.claims_at_fault(answer)],
        "undecided_claims": [plain(claim) for claim in answer.claims if gsar.class_of(claim) == "undecided"],
    }


async def score(
    context: ToolContext,
    grounded: list[EvidenceType] | None = None,
    ungrounded: list[EvidenceType] | None = None,
    contradicted: list[EvidenceType] | None = None,
    complementary: list[EvidenceType] | None = None,
    policy: str = "",
) -> dict[str, Any]:
    """Score claims that are classified already: for each class the evidence types of its claims."""
    partition = gsar.counts(
        grounded=grounded or (),
        ungrounded=ungrounded or (),
        contradicted=contradicted or (),
        complementary=complementary or (),
    )
    with sidecar_of(context) as client:
        answer = await client.score(partition, policy=policy)
    return {"tier": gsar.tier(answer)} | plain(answer)


async def gate(
    context: ToolContext,
    hypotheses: list[Hypothesis],
    turns_used: int = 0,
    wants_to_finish: bool = False,
    policy: str = "",
) -> dict[str, Any]:
    """Decide whether an investigation has found its cause, must stop, or goes on."""
    inputs = v1.GateInputs(turns_used=turns_used, wants_to_finish=wants_to_finish)
    for given in hypotheses:
        hypothesis = inputs.hypotheses.add(id=given.id, statement=given.statement, target=given.target)
        for each in given.evidence:
            hypothesis.evidence.add(
                tool=each.tool,
                summary=each.summary,
                verdict=v1.Verdict.Value(f"VERDICT_{each.verdict.upper()}"),
                lane=v1.EvidenceLane.Value(f"EVIDENCE_LANE_{each.lane.upper()}"),
            )
    with sidecar_of(context) as client:
        answer = await client.evaluate_gate(inputs, policy=policy)
    return plain(answer.gate)


async def search(context: ToolContext, corpus_id: str, query: str, most: int = 10) -> dict[str, Any]:
    """Find the passages of stored evidence that bear on a query in plain words."""
    with sidecar_of(context) as client:
        answer = await client.search(corpus_id, query, most=most)
    return {"hits": [plain(hit) for hit in answer.hits], "degraded": answer.degraded}


def server(endpoint: str = "") -> MCPServer[Sidecar]:
    """The MCP server; it connects to the sidecar when a tool is first called."""

    @asynccontextmanager
    async def connected(_: MCPServer[Sidecar]) -> AsyncGenerator[Sidecar]:
        sidecar = Sidecar(endpoint)
        try:
            yield sidecar
        finally:
            await sidecar.close()

    made = MCPServer[Sidecar](
        "gsar",
        version=gsar.__version__,
        instructions="GSAR decides whether an incident report may go out: evaluate it before anybody sees it.",
        lifespan=connected,
    )
    for tool in (evaluate, score, gate, search):
        made.tool()(tool)
    return made


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gsar.mcp", description=__doc__)
    parser.add_argument("--endpoint", default="", help="unix:///path, grpc://host:port or grpcs://host:port")
    server(parser.parse_args().endpoint).run()


if __name__ == "__main__":
    main()
