"""Investigations with a real sidecar."""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta

import pytest
from reports import EVIDENCE, GUESS, PROCEEDS, REGENERATED, REPLANNED

import gsar
import gsar.aio
from gsar import v1
from gsar.callbacks import PlanInstruction, WriteInstruction


class Orchestrator:
    """Writes an unsupported report, rewrites it, and investigates again. Records the instructions."""

    def __init__(self, first: str) -> None:
        self.first = first
        self.asked: list[str] = []

    def plan(self, due: PlanInstruction, state: v1.Investigation) -> Iterator[v1.RecordTurnRequest]:
        self.asked.append("plan")
        if state.plan == 0:
            yield gsar.turn(EVIDENCE)
        else:
            yield gsar.turn({"events": "pod checkout-7b84 BackOff restarting failed container"})

    def write(self, due: WriteInstruction, state: v1.Investigation) -> str:
        self.asked.append(type(due).__name__)
        if isinstance(due, v1.Synthesize):
            return self.first
        assert not isinstance(due, v1.GatherEvidence)
        assert [fault.claim.text for fault in due.faults] == [GUESS.rstrip(".")]
        return PROCEEDS


@pytest.mark.parametrize(
    ("first", "asked", "tiers"),
    [
        (REGENERATED, ["plan", "Synthesize", "Regenerate"], [v1.TIER_REGENERATE, v1.TIER_PROCEED]),
        (REPLANNED, ["plan", "Synthesize", "plan", "Replan"], [v1.TIER_REPLAN, v1.TIER_PROCEED]),
    ],
)
def test_report_is_rewritten_until_it_proceeds(
    client: gsar.Client, first: str, asked: list[str], tiers: list[v1.Tier.ValueType]
) -> None:
    orchestrator = Orchestrator(first)
    name = f"loop-{asked[-1]}"
    ending = gsar.Investigation(orchestrator.write, orchestrator.plan).run(client, name)
    assert orchestrator.asked == asked
    assert ending.proceeded
    assert ending.cause == "PROCEED"
    assert [judged.tier for judged in ending.trajectory] == tiers
    assert ending.report is not None
    assert ending.report.synthesis == PROCEEDS
    assert ending.last == ending.best

    again = gsar.Investigation(orchestrator.write, orchestrator.plan).run(client, name)
    assert again.report == ending.report
    assert orchestrator.asked == asked, "an investigation that is over asks for nothing"


def test_investigation_without_progress_ends_degraded(client: gsar.Client) -> None:
    attempts = iter(range(100))

    def stubborn(_due: WriteInstruction, _state: v1.Investigation) -> str:
        return f"{REPLANNED} This is attempt {next(attempts)}."

    ending = gsar.Investigation(stubborn).run(client, "stubborn")
    assert not ending.proceeded
    assert ending.finished.degraded
    assert ending.cause == "REPLANS_SPENT"
    assert ending.best is not None
    assert ending.last is not None


def test_resumes_an_interrupted_investigation(client: gsar.Client) -> None:
    orchestrator = Orchestrator(REGENERATED)

    def broken(due: WriteInstruction, state: v1.Investigation) -> str:
        if isinstance(due, v1.Regenerate):
            raise ConnectionError("the model is away")
        return orchestrator.write(due, state)

    with pytest.raises(ConnectionError):
        gsar.Investigation(broken, orchestrator.plan).run(client, "resumed")
    ending = gsar.Investigation(orchestrator.write, orchestrator.plan).run(client, "resumed")
    assert ending.proceeded
    assert orchestrator.asked == ["plan", "Synthesize", "Regenerate"]


def test_closed_gate_ends_the_turns(client: gsar.Client) -> None:
    taken: list[int] = []

    def plan(_due: PlanInstruction, _state: v1.Investigation) -> Iterator[v1.RecordTurnRequest]:
        for number in range(1000):
            taken.append(number)
            yield gsar.turn(EVIDENCE)

    def write(due: WriteInstruction, _state: v1.Investigation) -> str:
        assert isinstance(due, v1.Synthesize)
        assert due.reasons
        return PROCEEDS

    assert gsar.Investigation(write, plan).run(client, "turns").proceeded
    assert len(taken) < 20


def test_planner_continues_after_finishing_without_evidence(client: gsar.Client) -> None:
    reasons: list[str] = []

    def plan(_due: PlanInstruction, state: v1.Investigation) -> Iterator[v1.RecordTurnRequest]:
        yield v1.RecordTurnRequest(wants_to_finish=True)
        current = client.get_investigation(state.investigation_id).investigation
        reasons.extend(reason.code for reason in current.instruction.synthesize.reasons)
        yield gsar.turn(EVIDENCE)

    def write(_due: WriteInstruction, _state: v1.Investigation) -> str:
        return PROCEEDS

    assert gsar.Investigation(write, plan).run(client, "early-end").proceeded
    assert reasons == ["FINISHED_WITHOUT_EVIDENCE"]


ONSET = datetime(2026, 3, 12, 14)


@pytest.mark.parametrize(("minutes", "cited"), [(None, ""), (9, ""), (10, "deploy-31")])
def test_change_is_cited_within_the_window_before_the_onset(
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
    ending = investigation.run(client, f"within-{minutes}")
    assert ending.best is not None
    assert ending.best.evaluation.chain.change.id == cited


def test_graph_corpus_and_options_are_sent(client: gsar.Client) -> None:
    investigation = gsar.Investigation(
        lambda _due, _state: PROCEEDS,
        corpus_id="shared",
        graph=v1.Graph(entities=["checkout"], alerts=["checkout"]),
        options=v1.EvaluateOptions(explain=True),
    )
    client.put_evidence("shared", EVIDENCE)
    ending = investigation.run(client, "settings")
    assert ending.investigation.corpus_id == "shared"
    assert [look.entity for look in ending.investigation.graph.due] == ["checkout"]
    assert ending.last is not None
    assert ending.last.evaluation.decision.HasField("margins")


async def test_asyncio_accepts_both_kinds_of_callbacks(aio_client: gsar.aio.Client) -> None:
    orchestrator = Orchestrator(REGENERATED)

    async def plan(due: PlanInstruction, state: v1.Investigation) -> AsyncIterator[v1.RecordTurnRequest]:
        for turn in orchestrator.plan(due, state):
            yield turn

    async def write(due: WriteInstruction, state: v1.Investigation) -> str:
        return orchestrator.write(due, state)

    async def plan_at_once(due: PlanInstruction, state: v1.Investigation) -> list[v1.RecordTurnRequest]:
        return list(orchestrator.plan(due, state))

    assert (await gsar.aio.Investigation(write, plan).run(aio_client, "aio-1")).proceeded
    assert (await gsar.aio.Investigation(write, plan_at_once).run(aio_client, "aio-2")).proceeded
    assert (await gsar.aio.Investigation(orchestrator.write, orchestrator.plan).run(aio_client, "aio-3")).proceeded
