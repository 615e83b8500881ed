"""The callbacks and the result of the loop of an investigation (`Investigation`)."""

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
"""An instruction to write a report; `Regenerate` contains the faulty claims."""


class Synthesizer(Protocol):
    """Writes the report that is due. It may be called again for the same step after a crash."""

    def __call__(self, due: Write, state: v1.Investigation, /) -> ReportText | Awaitable[ReportText]:
        """Returns the report or its text."""
        ...


class Planner(Protocol):
    """Investigates before a report is written, in turns of tool calls with their results (`gsar.turn`).

    Each turn is recorded as it is yielded; no further one is requested after the gate has closed.
    """

    def __call__(
        self, due: Plan, state: v1.Investigation, /
    ) -> (
        Iterable[v1.RecordTurnRequest] | AsyncIterable[v1.RecordTurnRequest] | Awaitable[Iterable[v1.RecordTurnRequest]]
    ):
        """Returns the turns, for example as a generator."""
        ...


class BlockingSynthesizer(Protocol):
    """Writes the report that is due. It may be called again for the same step after a crash."""

    def __call__(self, due: Write, state: v1.Investigation, /) -> ReportText:
        """Returns the report or its text."""
        ...


class BlockingPlanner(Protocol):
    """Investigates before a report is written, in turns of tool calls with their results (`gsar.turn`).

    Each turn is recorded as it is yielded; no further one is requested after the gate has closed.
    """

    def __call__(self, due: Plan, state: v1.Investigation, /) -> Iterable[v1.RecordTurnRequest]:
        """Returns the turns, for example as a generator."""
        ...


@dataclass(frozen=True)
class Ending:
    """The result of an investigation."""

    investigation: v1.Investigation
    """The final state: every judged report, the gate, the cost."""
    best: v1.GetEvaluationResponse | None
    """The report that proceeds, otherwise the one with the highest score, with its evaluation; `None` without one."""
    last: v1.GetEvaluationResponse | None
    """The last judged report with its evaluation."""

    @property
    def proceeded(self) -> bool:
        """`True` if the best report may be sent without a warning banner."""
        return self.cause == "PROCEED" and not self.finished.degraded

    @property
    def finished(self) -> v1.Finished:
        """The end as reported by the sidecar."""
        return self.investigation.instruction.finished

    @property
    def cause(self) -> str:
        """PROCEED, or the cause of a degraded end: REPLANS_SPENT, JUDGE_FAILED and others of `v1.Finished`."""
        return self.finished.cause

    @property
    def report(self) -> v1.Report | None:
        """The best report."""
        return self.best.report if self.best else None

    @property
    def trajectory(self) -> list[v1.JudgedReport]:
        """Every judged report, in order."""
        return list(self.investigation.trajectory)


def due(state: v1.Investigation) -> Write | None:
    """Returns the instruction; `None` if the investigation has ended or the instruction is unknown."""
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


def takes_turns(instruction: Write | None) -> bool:
    """Returns `True` if turns may continue: not after the gate has closed, nor for a rewrite."""
    if isinstance(instruction, v1.Synthesize):
        return not instruction.reasons
    return isinstance(instruction, v1.Replan | v1.GatherEvidence)


def report_of(given: ReportText) -> ReportText:
    """Returns the report of a synthesizer."""
    return given


def turns_of(given: Iterable[v1.RecordTurnRequest]) -> Iterator[v1.RecordTurnRequest]:
    """Returns the turns of a planner."""
    return iter(given)


async def report_of_async(given: ReportText | Awaitable[ReportText]) -> ReportText:
    """Returns the report of a blocking or an async synthesizer."""
    return await given if isawaitable(given) else given


async def turns_of_async(
    given: Iterable[v1.RecordTurnRequest]
    | AsyncIterable[v1.RecordTurnRequest]
    | Awaitable[Iterable[v1.RecordTurnRequest]],
) -> AsyncIterator[v1.RecordTurnRequest]:
    """Yields the turns of a planner in any of its forms."""
    if isinstance(given, AsyncIterable):
        async for turn in given:
            yield turn
        return
    for turn in await given if isawaitable(given) else given:
        yield turn
