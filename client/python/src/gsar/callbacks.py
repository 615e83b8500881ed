"""What the loop of an investigation asks of its caller, and what it gives back. The loop itself is `Investigation`."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Iterator
from dataclasses import dataclass
from inspect import isawaitable
from typing import Protocol, TypeAlias

from gsar import v1
from gsar.requests import ReportText

Plan: TypeAlias = "v1.Synthesize | v1.Replan | v1.GatherEvidence"
"""An instruction to investigate."""

Write: TypeAlias = "Plan | v1.Regenerate"
"""An instruction to write a report; `Regenerate` has the claims at fault."""


class Synthesizer(Protocol):
    """Writes the report that is due. It may be asked again for the same step after a crash."""

    def __call__(self, due: Write, standing: v1.Investigation, /) -> ReportText | Awaitable[ReportText]:
        """The report, or its text."""
        ...


class Planner(Protocol):
    """Investigates before a report is written: turns with tool calls and what they returned (`gsar.turn`).

    Each turn is recorded as it is given; once the gate has closed, no further one is asked for.
    """

    def __call__(
        self, due: Plan, standing: v1.Investigation, /
    ) -> (
        Iterable[v1.RecordTurnRequest] | AsyncIterable[v1.RecordTurnRequest] | Awaitable[Iterable[v1.RecordTurnRequest]]
    ):
        """The turns; a generator may make them one by one."""
        ...


class BlockingSynthesizer(Protocol):
    """Writes the report that is due. It may be asked again for the same step after a crash."""

    def __call__(self, due: Write, standing: v1.Investigation, /) -> ReportText:
        """The report, or its text."""
        ...


class BlockingPlanner(Protocol):
    """Investigates before a report is written: turns with tool calls and what they returned (`gsar.turn`).

    Each turn is recorded as it is given; once the gate has closed, no further one is asked for.
    """

    def __call__(self, due: Plan, standing: v1.Investigation, /) -> Iterable[v1.RecordTurnRequest]:
        """The turns; a generator may make them one by one."""
        ...


@dataclass(frozen=True)
class Ending:
    """How an investigation ended."""

    investigation: v1.Investigation
    """Where it stands: every judged report, the gate, what was spent."""
    best: v1.GetEvaluationResponse | None
    """The report that proceeds, else the best-scoring one, with its evaluation; `None` where none was judged."""
    last: v1.GetEvaluationResponse | None
    """The last judged report with its evaluation."""

    @property
    def proceeded(self) -> bool:
        """Whether the best report may go out. One that is degraded may, under a banner that says so."""
        return self.cause == "PROCEED" and not self.finished.degraded

    @property
    def finished(self) -> v1.Finished:
        """The end as the sidecar gives it."""
        return self.investigation.instruction.finished

    @property
    def cause(self) -> str:
        """PROCEED, or why it is degraded: REPLANS_SPENT, JUDGE_FAILED, TIME_SPENT and others of `v1.Finished`."""
        return self.finished.cause

    @property
    def report(self) -> v1.Report | None:
        """The best report."""
        return self.best.report if self.best else None

    @property
    def trajectory(self) -> list[v1.JudgedReport]:
        """Every judged report, in order."""
        return list(self.investigation.trajectory)


def due(standing: v1.Investigation) -> Write | None:
    """The instruction; `None` where the investigation is over, or says what this version does not know."""
    instruction = standing.instruction
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


def takes_turns(instruction: Write | None) -> bool:
    """Whether turns may go on: not once the gate has closed, nor for a rewrite."""
    if isinstance(instruction, v1.Synthesize):
        return not instruction.reasons
    return isinstance(instruction, v1.Replan | v1.GatherEvidence)


def report_of(given: ReportText) -> ReportText:
    """What a synthesizer gave."""
    return given


def turns_of(given: Iterable[v1.RecordTurnRequest]) -> Iterator[v1.RecordTurnRequest]:
    """The turns that a planner gave."""
    return iter(given)


async def report_of_async(given: ReportText | Awaitable[ReportText]) -> ReportText:
    """What a synthesizer gave, now or later."""
    return await given if isawaitable(given) else given


async def turns_of_async(
    given: Iterable[v1.RecordTurnRequest]
    | AsyncIterable[v1.RecordTurnRequest]
    | Awaitable[Iterable[v1.RecordTurnRequest]],
) -> AsyncIterator[v1.RecordTurnRequest]:
    """The turns that a planner gave, in any of its forms."""
    if isinstance(given, AsyncIterable):
        async for turn in given:
            yield turn
        return
    for turn in await given if isawaitable(given) else given:
        yield turn
