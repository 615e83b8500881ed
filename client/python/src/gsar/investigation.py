"""Investigations for blocking calls, which execute the sidecar's instructions with callbacks.

Generated from `aio/investigation.py` by scripts/generate.py.
"""

from __future__ import annotations

from gsar import v1
from gsar.callbacks import InvestigationOutcome, PlanInstruction, due, takes_turns
from gsar.client import Client
from gsar.loop import Planner, Synthesizer, report_of, turns_of
from gsar.requests import report_of as message_of


class Investigation:
    """Runs an investigation to its end, as the sidecar instructs.

    `planner` investigates, `synthesizer` writes the reports. Both receive the instruction (`v1.Synthesize`,
    `v1.Regenerate`, `v1.Replan`, `v1.GatherEvidence`) and the state of the investigation.
    """

    def __init__(
        self,
        synthesizer: Synthesizer,
        planner: Planner | None = None,
        *,
        policy: str = "",
        budget: v1.InvestigationBudget | None = None,
        corpus_id: str = "",
    ) -> None:
        self._synthesizer = synthesizer
        self._planner = planner
        self._policy = policy
        self._budget = budget
        self._corpus_id = corpus_id

    def run(self, client: Client, investigation_id: str) -> InvestigationOutcome:
        """Runs the investigation, or resumes one that was started before."""
        state = client.start_investigation(
            v1.StartInvestigationRequest(
                investigation_id=investigation_id,
                policy=self._policy,
                budget=self._budget,
                corpus_id=self._corpus_id,
            )
        )
        while instruction := due(state):
            if self._planner and not isinstance(instruction, v1.Regenerate) and takes_turns(instruction):
                state = self._investigate(client, instruction, state)
                instruction = due(state)
            if instruction is None:
                break
            report = message_of(report_of(self._synthesizer(instruction, state)))
            request = v1.SubmitReportRequest(investigation_id=investigation_id, step=state.step, report=report)
            state = (client.submit_report(request)).investigation
        finished = state.instruction.finished
        best = client.get_evaluation(finished.best) if finished.best else None
        same = finished.last == finished.best
        last = best if same else client.get_evaluation(finished.last) if finished.last else None
        return InvestigationOutcome(state, best, last)

    def _investigate(self, client: Client, instruction: PlanInstruction, state: v1.Investigation) -> v1.Investigation:
        """Records turns until the planner has no more, the gate has closed, or the instruction changes."""
        assert self._planner is not None
        kind = state.instruction.WhichOneof("due")
        for turn in turns_of(self._planner(instruction, state)):
            request = v1.RecordTurnRequest()
            request.CopyFrom(turn)
            request.investigation_id = state.investigation_id
            request.step = state.step
            state = client.record_turn(request)
            if state.instruction.WhichOneof("due") != kind or not takes_turns(due(state)):
                break
        return state
