"""The callbacks and the outcome of an `Investigation`."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Iterator
from dataclasses import dataclass
from inspect import isawaitable
from typing import Protocol, TypeAlias

from gsar import v1
from gsar.requests import ReportText

PlanInstruction: TypeAlias = "v1.Synthesize | v1.Replan | v1.GatherEvidence"
"""An instruction to investigate."""

WriteInstruction: TypeAlias = "PlanInstruction | v1.Regenerate"
"""An instruction to write a report. `Regenerate` contains the faulty claims."""


class Synthesizer(Protocol):
    """Writes a report. It can be called again for the same step after a crash."""

    def __call__(self, due: WriteInstruction, state: v1.Investigation, /) -> ReportText | Awaitable[ReportText]:
        """Returns the report or its text."""
        ...


class Planner(Protocol):
    """Investigates before a report is written, and yields turns (`gsar.turn`), each of which is recorded immediately.

    No turn is requested after the gate has closed.
    """

    def __call__(
        self, due: PlanInstruction, state: v1.Investigation, /
    ) -> (
        Iterable[v1.RecordTurnRequest] | AsyncIterable[v1.RecordTurnRequest] | Awaitable[Iterable[v1.RecordTurnRequest]]
    ):
        """Returns the turns, for example as a generator."""
        ...


class BlockingSynthesizer(Protocol):
    """Writes a report. It can be called again for the same step after a crash."""

    def __call__(self, due: WriteInstruction, state: v1.Investigation, /) -> ReportText:
        """Returns the report or its text."""
        ...


class BlockingPlanner(Protocol):
    """Investigates before a report is written, and yields turns (`gsar.turn`), each of which is recorded immediately.

    No turn is requested after the gate has closed.
    """

    def __call__(self, due: PlanInstruction, state: v1.Investigation, /) -> Iterable[v1.RecordTurnRequest]:
        """Returns the turns, for example as a generator."""
        ...


@dataclass(frozen=True)
class InvestigationOutcome:
    """The outcome of an investigation."""

    investigation: v1.Investigation
    """The final state, with every judged report, the gate and the cost."""
    best: v1.GetEvaluationResponse | None
    """The evaluation of the report that proceeds, or else of the report with the highest score."""
    last: v1.GetEvaluationResponse | None
    """The evaluation of the last report."""

    @property
    def proceeded(self) -> bool:
        """`True` if the best report may be sent without a banner."""
        return self.cause == "PROCEED" and not self.finished.degraded

    @property
    def finished(self) -> v1.Finished:
        """The sidecar's last instruction."""
        return self.investigation.instruction.finished

    @property
    def cause(self) -> str:
        """PROCEED, or the cause of a degraded outcome, such as REPLANS_SPENT or JUDGE_FAILED."""
        return self.finished.cause

    @property
    def report(self) -> v1.Report | None:
        """The best report."""
        return self.best.report if self.best else None

    @property
    def trajectory(self) -> list[v1.JudgedReport]:
        """All judged reports, in order."""
        return list(self.investigation.trajectory)


def due(state: v1.Investigation) -> WriteInstruction | None:
    """Returns the due instruction, or `None` if the investigation has ended or the instruction is unknown."""
    instruction = state.instruction
    match instruction.WhichOneof("due"):
        case "synthesize":
            return instruction.synthesize
        case "regenerate":
            return instruction.regenerate
        case "replan":
            return instruction.replan
        case "gather_evidence":
            return instruction.gather_evidence
        case _:
            return None


def takes_turns(instruction: WriteInstruction | None) -> bool:
    """Returns `True` if the agent may take turns. It may not for a rewrite, or after the gate has closed."""
    if isinstance(instruction, v1.Synthesize):
        # If the agent tried to finish without evidence, it may continue to investigate.
        return all(reason.code == "FINISHED_WITHOUT_EVIDENCE" for reason in instruction.reasons)
    return isinstance(instruction, v1.Replan | v1.GatherEvidence)


def report_of(given: ReportText) -> ReportText:
    """Returns the report from a synthesizer."""
    return given


def turns_of(given: Iterable[v1.RecordTurnRequest]) -> Iterator[v1.RecordTurnRequest]:
    """Returns the turns from a planner."""
    return iter(given)


async def report_of_async(given: ReportText | Awaitable[ReportText]) -> ReportText:
    """Returns the report from a blocking or async synthesizer."""
    return await given if isawaitable(given) else given


async def turns_of_async(
    given: Iterable[v1.RecordTurnRequest]
    | AsyncIterable[v1.RecordTurnRequest]
    | Awaitable[Iterable[v1.RecordTurnRequest]],
) -> AsyncIterator[v1.RecordTurnRequest]:
    """Yields the turns from a planner of any kind: blocking, async, or an async generator."""
    if isinstance(given, AsyncIterable):
        async for turn in given:
            yield turn
        return
    for turn in await given if isawaitable(given) else given:
        yield turn
