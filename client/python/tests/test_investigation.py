"""Tests investigations against a real sidecar."""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta

import pytest
from reports import EVIDENCE, GUESS, PROCEED_REPORT, REGENERATE_REPORT, REPLAN_REPORT

import gsar
import gsar.aio
from gsar import v1
from gsar.callbacks import PlanInstruction, WriteInstruction


class Orchestrator:
    """Writes an unsupported report first, and a supported one when asked again. Records the instructions."""

    def __init__(self, first: str) -> None:
        self.first = first
        self.calls: list[str] = []

    def plan(self, due: PlanInstruction, state: v1.Investigation) -> Iterator[v1.RecordTurnRequest]:
        self.calls.append("plan")
        if state.plan == 0:
            yield gsar.turn(EVIDENCE)
        else:
            yield gsar.turn({"events": "pod checkout-7b84 BackOff restarting failed container"})

    def write(self, due: WriteInstruction, state: v1.Investigation) -> str:
        self.calls.append(type(due).__name__)
        if isinstance(due, v1.Synthesize):
            return self.first
        assert not isinstance(due, v1.GatherEvidence)
        assert [fault.claim.text for fault in due.faults] == [GUESS.rstrip(".")]
        return PROCEED_REPORT


@pytest.mark.parametrize(
    ("first", "calls", "tiers"),
    [
        (REGENERATE_REPORT, ["plan", "Synthesize", "Regenerate"], [v1.TIER_REGENERATE, v1.TIER_PROCEED]),
        (REPLAN_REPORT, ["plan", "Synthesize", "plan", "Replan"], [v1.TIER_REPLAN, v1.TIER_PROCEED]),
    ],
)
def test_rewrites_the_report_until_it_proceeds(
    client: gsar.Client, first: str, calls: list[str], tiers: list[v1.Tier.ValueType]
) -> None:
    orchestrator = Orchestrator(first)
    name = f"loop-{calls[-1]}"
    outcome = gsar.Investigation(orchestrator.write, orchestrator.plan).run(client, name)
    assert orchestrator.calls == calls
    assert outcome.proceeded
    assert outcome.cause == "PROCEED"
    assert [judged.tier for judged in outcome.trajectory] == tiers
    assert outcome.report is not None
    assert outcome.report.synthesis == PROCEED_REPORT
    assert outcome.last == outcome.best

    again = gsar.Investigation(orchestrator.write, orchestrator.plan).run(client, name)
    assert again.report == outcome.report
    assert orchestrator.calls == calls, "a finished investigation calls nothing"


def test_investigation_without_progress_ends_degraded(client: gsar.Client) -> None:
    attempts = iter(range(100))

    def stubborn(_due: WriteInstruction, _state: v1.Investigation) -> str:
        return f"{REPLAN_REPORT} This is attempt {next(attempts)}."

    outcome = gsar.Investigation(stubborn).run(client, "stubborn")
    assert not outcome.proceeded
    assert outcome.finished.degraded
    assert outcome.cause == "REPLANS_SPENT"
    assert outcome.best is not None
    assert outcome.last is not None


def test_resumes_an_interrupted_investigation(client: gsar.Client) -> None:
    orchestrator = Orchestrator(REGENERATE_REPORT)

    def failing(due: WriteInstruction, state: v1.Investigation) -> str:
        if isinstance(due, v1.Regenerate):
            raise ConnectionError("the model is unreachable")
        return orchestrator.write(due, state)

    with pytest.raises(ConnectionError):
        gsar.Investigation(failing, orchestrator.plan).run(client, "resumed")
    outcome = gsar.Investigation(orchestrator.write, orchestrator.plan).run(client, "resumed")
    assert outcome.proceeded
    assert orchestrator.calls == ["plan", "Synthesize", "Regenerate"]


def test_requests_no_turns_after_the_gate_has_closed(client: gsar.Client) -> None:
    turns: list[int] = []

    def plan(_due: PlanInstruction, _state: v1.Investigation) -> Iterator[v1.RecordTurnRequest]:
        for number in range(1000):
            turns.append(number)
            yield gsar.turn(EVIDENCE)

    def write(due: WriteInstruction, _state: v1.Investigation) -> str:
        assert isinstance(due, v1.Synthesize)
        assert due.reasons
        return PROCEED_REPORT

    assert gsar.Investigation(write, plan).run(client, "turns").proceeded
    assert len(turns) < 20


def test_planner_continues_after_finishing_without_evidence(client: gsar.Client) -> None:
    reasons: list[str] = []

    def plan(_due: PlanInstruction, state: v1.Investigation) -> Iterator[v1.RecordTurnRequest]:
        yield v1.RecordTurnRequest(wants_to_finish=True)
        current = client.get_investigation(state.investigation_id).investigation
        reasons.extend(reason.code for reason in current.instruction.synthesize.reasons)
        yield gsar.turn(EVIDENCE)

    def write(_due: WriteInstruction, _state: v1.Investigation) -> str:
        return PROCEED_REPORT

    assert gsar.Investigation(write, plan).run(client, "early-end").proceeded
    assert reasons == ["FINISHED_WITHOUT_EVIDENCE"]


ONSET = datetime(2026, 3, 12, 14)


@pytest.mark.parametrize(("minutes", "cited"), [(None, ""), (9, ""), (10, "deploy-31")])
def test_cites_a_change_only_within_the_window_before_the_onset(
    client: gsar.Client, minutes: int | None, cited: str
) -> None:
    change = v1.ChangeRecord(id="deploy-31", target="checkout")
    change.at.FromDatetime(ONSET - timedelta(minutes=10))
    hypothesis = v1.TestedHypothesis(id="pool", target="checkout", tests=[v1.HypothesisTest(evidence_id="errors")])
    errors = gsar.text("errors", "checkout_connection_errors 512", lane="metrics")

    def plan(_due: PlanInstruction, _state: v1.Investigation) -> list[v1.RecordTurnRequest]:
        return [gsar.turn([errors], hypotheses=[hypothesis], changes=[change])]

    investigation = gsar.Investigation(
        lambda _due, _state: "checkout has 512 connection errors.",
        plan,
        onset=None if minutes is None else ONSET,
        changes_within=timedelta(minutes=minutes or 0),
    )
    outcome = investigation.run(client, f"within-{minutes}")
    assert outcome.best is not None
    assert outcome.best.evaluation.chain.change.id == cited


def test_sends_the_graph_the_corpus_and_the_options(client: gsar.Client) -> None:
    investigation = gsar.Investigation(
        lambda _due, _state: PROCEED_REPORT,
        corpus_id="shared",
        graph=v1.Graph(entities=["checkout"], alerts=["checkout"]),
        options=v1.EvaluateOptions(explain=True),
    )
    client.put_evidence("shared", EVIDENCE)
    outcome = investigation.run(client, "settings")
    assert outcome.investigation.corpus_id == "shared"
    assert [look.entity for look in outcome.investigation.graph.due] == ["checkout"]
    assert outcome.last is not None
    assert outcome.last.evaluation.decision.HasField("margins")


async def test_asyncio_investigation_accepts_blocking_and_async_callbacks(aio_client: gsar.aio.Client) -> None:
    orchestrator = Orchestrator(REGENERATE_REPORT)

    async def plan(due: PlanInstruction, state: v1.Investigation) -> AsyncIterator[v1.RecordTurnRequest]:
        for turn in orchestrator.plan(due, state):
            yield turn

    async def write(due: WriteInstruction, state: v1.Investigation) -> str:
        return orchestrator.write(due, state)

    async def plan_as_list(due: PlanInstruction, state: v1.Investigation) -> list[v1.RecordTurnRequest]:
        return list(orchestrator.plan(due, state))

    assert (await gsar.aio.Investigation(write, plan).run(aio_client, "aio-1")).proceeded
    assert (await gsar.aio.Investigation(write, plan_as_list).run(aio_client, "aio-2")).proceeded
    assert (await gsar.aio.Investigation(orchestrator.write, orchestrator.plan).run(aio_client, "aio-3")).proceeded
