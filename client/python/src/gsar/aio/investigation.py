"""The asyncio driver for investigations, which executes the sidecar's instructions with callbacks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from gsar import v1
from gsar.aio.client import Client
from gsar.aio.loop import Planner, Synthesizer, report_of, turns_of
from gsar.callbacks import InvestigationOutcome, PlanInstruction, due, takes_turns
from gsar.requests import report_of as message_of


class Investigation:
    """Runs an investigation from start to finish, as the sidecar instructs.

    `planner` investigates, and `synthesizer` writes the reports. Both receive the instruction (`v1.Synthesize`,
    `v1.Regenerate`, `v1.Replan`, `v1.GatherEvidence`) and the state of the investigation.

    `onset` is the time at which the incident began, in UTC if it has no time zone. A change may have caused the
    incident if it took effect at most `changes_within` before the onset. Without `onset`, no change is ever cited, so a
    root cause is at best partially grounded. `budget` limits the chat model calls, tokens, money and time that the
    investigation may use. `options` apply to every evaluation.
    """

    def __init__(
        self,
        synthesizer: Synthesizer,
        planner: Planner | None = None,
        *,
        policy: str = "",
        budget: v1.InvestigationBudget | None = None,
        corpus_id: str = "",
        onset: datetime | None = None,
        changes_within: timedelta = timedelta(hours=1),
        graph: v1.Graph | None = None,
        checks: Iterable[v1.CheckDeclaration] = (),
        options: v1.EvaluateOptions | None = None,
    ) -> None:
        self._synthesizer = synthesizer
        self._planner = planner
        self._start = v1.StartInvestigationRequest(
            policy=policy, budget=budget, corpus_id=corpus_id, graph=graph, checks=checks, options=options
        )
        if onset is not None:
            self._start.onset.FromDatetime(onset)
            self._start.onset_window.start.FromDatetime(onset - changes_within)
            self._start.onset_window.end.FromDatetime(onset)

    async def run(self, client: Client, investigation_id: str) -> InvestigationOutcome:
        """Runs the investigation, or resumes it if it has been started before."""
        start = v1.StartInvestigationRequest()
        start.CopyFrom(self._start)
        start.investigation_id = investigation_id
        state = await client.start_investigation(start)
        while instruction := due(state):
            if self._planner and not isinstance(instruction, v1.Regenerate) and takes_turns(instruction):
                state = await self._investigate(client, instruction, state)
                instruction = due(state)
            if instruction is None:
                break
            report = message_of(await report_of(self._synthesizer(instruction, state)))
            request = v1.SubmitReportRequest(investigation_id=investigation_id, step=state.step, report=report)
            state = (await client.submit_report(request)).investigation
        finished = state.instruction.finished
        best = await client.get_evaluation(finished.best) if finished.best else None
        last_is_best = finished.last == finished.best
        last = best if last_is_best else await client.get_evaluation(finished.last) if finished.last else None
        return InvestigationOutcome(state, best, last)

    async def _investigate(
        self, client: Client, instruction: PlanInstruction, state: v1.Investigation
    ) -> v1.Investigation:
        """Records turns until the planner yields no more turns, the gate closes, or the instruction changes."""
        assert self._planner is not None
        kind = state.instruction.WhichOneof("due")
        async for turn in turns_of(self._planner(instruction, state)):
            request = v1.RecordTurnRequest()
            request.CopyFrom(turn)
            request.investigation_id = state.investigation_id
            request.step = state.step
            state = await client.record_turn(request)
            if state.instruction.WhichOneof("due") != kind or not takes_turns(due(state)):
                break
        return state
