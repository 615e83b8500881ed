"""An MCP server over stdio, with tools for reports, investigations and stored evidence.

    python -m gsar.mcp [--endpoint unix:///run/gsar/gsar.sock] [--deadline 50] [--unredacted]

Needs `gsar[mcp]`. The endpoint defaults to that of `gsar.Client()`. If no sidecar responds, tools return an error. The
default deadline is shorter than the timeout of most MCP clients. If a report is not decided by the deadline, the tier
is abstain. In the result of `evaluate`, secrets and personal data are replaced with placeholders. Other tools return
them unchanged.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

try:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from pydantic import BaseModel, Field
except ImportError as missing:
    raise ImportError(
        f"gsar.mcp needs version 2.0 or later of the package mcp: install gsar[mcp] ({missing})"
    ) from missing

import gsar
from gsar import aio, v1
from gsar.items import Lane
from gsar.requests import EvidenceType

DEADLINE = 50.0
"""The default deadline of a tool call, in seconds. MCP clients usually wait for 60 s."""
PROGRESS = 5.0
"""The interval between progress notifications, in seconds."""


class Sidecar:
    """The connection to the sidecar, which the first tool call opens."""

    def __init__(self, endpoint: str, deadline: float, redact: bool) -> None:
        self._endpoint = endpoint
        self.deadline = deadline
        self.redact = redact
        self._client: aio.Client | None = None

    def client(self) -> aio.Client:
        """Returns the client, connecting it if necessary."""
        self._client = self._client or aio.Client(self._endpoint, deadline=self.deadline)
        return self._client

    async def close(self) -> None:
        """Closes the connection."""
        if self._client:
            await self._client.close()


ToolContext = Context[Sidecar, Any]


@asynccontextmanager
async def sidecar_of(context: ToolContext) -> AsyncGenerator[aio.Client]:
    """Yields the client for a tool call, reports progress, and converts errors to tool errors."""
    sidecar = context.request_context.lifespan_context
    progress = asyncio.create_task(report_progress(context, sidecar.deadline))
    try:
        yield sidecar.client()
    except (gsar.Error, ParseError, ValueError) as error:
        raise ToolError(str(error)) from error
    finally:
        progress.cancel()


async def report_progress(context: ToolContext, deadline: float) -> None:
    """Reports the elapsed seconds as progress, if the caller requested it."""
    waited = PROGRESS
    while waited < deadline:
        await asyncio.sleep(PROGRESS)
        await context.report_progress(waited, deadline, "waiting for the sidecar")
        waited += PROGRESS


class HypothesisEvidence(BaseModel):
    """A tool result for or against a hypothesis."""

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
    """Returns a message as a JSON object."""
    return MessageToDict(message, preserving_proto_field_name=True)


def state_of(investigation: v1.Investigation) -> dict[str, Any]:
    """Returns the state of an investigation as a JSON object, which includes `step` even if it is 0."""
    return {"step": 0} | plain(investigation)


def items(evidence: dict[str, str]) -> list[v1.EvidenceItem]:
    """Converts contents, by id, to evidence items. A JSON object or array becomes a JSON item."""
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
    """Decide whether an incident report may be sent.

    Returns the tier (proceed, regenerate, replan, abstain), its reasons, the faulty claims and the undecided claims.
    evidence maps a name of your choice to the output of a tool; corpus_id names stored evidence.
    """
    options = v1.EvaluateOptions(redact=context.request_context.lifespan_context.redact)
    async with sidecar_of(context) as client:
        try:
            answer = await client.evaluate(
                report, items(evidence or {}), policy=policy, corpus_id=corpus_id, options=options
            )
        except gsar.DeadlineExceeded as late:
            return overdue_result(late)
    return result_of(answer)


def overdue_result(late: gsar.DeadlineExceeded) -> dict[str, Any]:
    """Returns the result for a report that was not decided in time: its tier is abstain."""
    reason = {"code": "DEADLINE_EXCEEDED", "sentence": f"no verdict in time: {late.message}"}
    return {
        "tier": "abstain",
        "summary": f"ABSTAIN\n  {reason['code']}: {reason['sentence']}",
        "evaluation_id": "",
        "reasons": [reason],
        "claims_at_fault": [],
        "undecided_claims": [],
    }


def result_of(answer: v1.EvaluateResponse) -> dict[str, Any]:
    """Converts a response to a result, without the parts that repeat the request."""
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
    """Score claims that are already classified. Each argument lists the evidence types of one class of claims."""
    partition = gsar.counts(
        grounded=grounded or (),
        ungrounded=ungrounded or (),
        contradicted=contradicted or (),
        complementary=complementary or (),
    )
    async with sidecar_of(context) as client:
        answer = await client.score(partition, policy=policy)
    return {"tier": gsar.tier(answer)} | plain(answer)


async def gate(
    context: ToolContext,
    hypotheses: list[Hypothesis],
    turns_used: int = 0,
    wants_to_finish: bool = False,
    policy: str = "",
) -> dict[str, Any]:
    """Decide whether an investigation has found its root cause, must stop, or should continue."""
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
    async with sidecar_of(context) as client:
        answer = await client.evaluate_gate(inputs, policy=policy)
    return plain(answer.gate)


async def search(context: ToolContext, corpus_id: str, query: str, most: int = 10) -> dict[str, Any]:
    """Find the passages of stored evidence that are relevant to a query in plain words."""
    async with sidecar_of(context) as client:
        answer = await client.search(corpus_id, query, most=most)
    return {"hits": [plain(hit) for hit in answer.hits], "degraded": answer.degraded}


async def store(context: ToolContext, corpus_id: str, evidence: dict[str, str]) -> dict[str, Any]:
    """Store the output of tools, under names of your choice, for later reports and searches."""
    async with sidecar_of(context) as client:
        answer = await client.put_evidence(corpus_id, items(evidence))
    return plain(answer)


async def snapshot(
    context: ToolContext, corpus_id: str, evidence_id: str, first_line: int = 0, last_line: int = 0
) -> dict[str, Any]:
    """Read stored evidence: the beginning of an item, or a range of lines."""
    lines = (first_line, last_line) if first_line else None
    async with sidecar_of(context) as client:
        answer = await client.get_evidence(corpus_id, evidence_id, lines=lines)
    return plain(answer)


async def start_investigation(
    context: ToolContext, investigation_id: str, corpus_id: str = "", policy: str = ""
) -> dict[str, Any]:
    """Start an investigation driven by the sidecar; `due` in the result is the next instruction."""
    request = v1.StartInvestigationRequest(investigation_id=investigation_id, corpus_id=corpus_id, policy=policy)
    async with sidecar_of(context) as client:
        return state_of(await client.start_investigation(request))


async def record_turn(context: ToolContext, turn: dict[str, Any]) -> dict[str, Any]:
    """Record a turn of an investigation: tool calls with their results, hypotheses, changes, wants_to_finish.

    turn is a RecordTurnRequest in JSON: {"investigation_id": "i1", "step": 1, "tool_calls": [{"tool":
    "kubectl logs", "arguments": "cart-1", "result": {"id": "log", "text": "..."}}], "wants_to_finish": true}.
    """
    async with sidecar_of(context) as client:
        return state_of(await client.record_turn(ParseDict(turn, v1.RecordTurnRequest())))


async def submit_report(context: ToolContext, investigation_id: str, step: int, report: str) -> dict[str, Any]:
    """Submit the report of an investigation for a decision; step is the step in the last result."""
    written = v1.Report(synthesis=report)
    request = v1.SubmitReportRequest(investigation_id=investigation_id, step=step, report=written)
    async with sidecar_of(context) as client:
        return plain(await client.submit_report(request))


async def get_investigation(context: ToolContext, investigation_id: str) -> dict[str, Any]:
    """Return the state of an investigation, including the instruction that is due."""
    async with sidecar_of(context) as client:
        return plain(await client.get_investigation(investigation_id))


TOOLS = (
    evaluate,
    score,
    gate,
    search,
    store,
    snapshot,
    start_investigation,
    record_turn,
    submit_report,
    get_investigation,
)


def server(endpoint: str = "", deadline: float = DEADLINE, *, redact: bool = True) -> MCPServer[Sidecar]:
    """Returns the MCP server. The first tool call connects it to the sidecar."""

    @asynccontextmanager
    async def lifespan(_: MCPServer[Sidecar]) -> AsyncGenerator[Sidecar]:
        sidecar = Sidecar(endpoint, deadline, redact)
        try:
            yield sidecar
        finally:
            await sidecar.close()

    mcp_server = MCPServer[Sidecar](
        "gsar",
        version=gsar.__version__,
        instructions="GSAR decides whether an incident report may be sent: evaluate it before you show or send it.",
        lifespan=lifespan,
    )
    for tool in TOOLS:
        mcp_server.tool()(tool)
    return mcp_server


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m gsar.mcp", description=__doc__)
    parser.add_argument("--endpoint", default="", help="unix:///path, grpc://host:port or grpcs://host:port")
    parser.add_argument(
        "--deadline", type=float, default=DEADLINE, help="deadline for a tool call in seconds (default: 50)"
    )
    parser.add_argument("--unredacted", action="store_true", help="do not replace secrets and personal data in results")
    given = parser.parse_args()
    server(given.endpoint, given.deadline, redact=not given.unredacted).run()


if __name__ == "__main__":
    main()
