"""The loop of an investigation for blocking calls: the sidecar says what is due, callbacks do it.

Generated from `aio/investigation.py` by scripts/generate.py.
"""

from __future__ import annotations

from gsar import v1
from gsar.callbacks import Ending, Plan, due, takes_turns
from gsar.client import Client
from gsar.loop import Planner, Synthesizer, report_of, turns_of
from gsar.requests import report_of as message_of


class Investigation:
    """Investigates, writes, has the report judged, rewrites or investigates again, until the sidecar says it is over.

    `planner` investigates where a new plan is due, `synthesizer` writes every report. Both get the instruction
    (`v1.Synthesize`, `v1.Regenerate`, `v1.Replan`, `v1.GatherEvidence`) and where the investigation stands.
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

    def run(self, client: Client, investigation_id: str) -> Ending:
        """Drives the investigation to its end; one that was begun before goes on where it stood."""
        standing = client.start_investigation(
            v1.StartInvestigationRequest(
                investigation_id=investigation_id,
                policy=self._policy,
                budget=self._budget,
                corpus_id=self._corpus_id,
            )
        )
        while instruction := due(standing):
            if self._planner and not isinstance(instruction, v1.Regenerate) and takes_turns(instruction):
                standing = self._investigate(client, instruction, standing)
                instruction = due(standing)
            if instruction is None:
                break
            report = message_of(report_of(self._synthesizer(instruction, standing)))
            request = v1.SubmitReportRequest(investigation_id=investigation_id, step=standing.step, report=report)
            standing = (client.submit_report(request)).investigation
        finished = standing.instruction.finished
        best = client.get_evaluation(finished.best) if finished.best else None
        same = finished.last == finished.best
        last = best if same else client.get_evaluation(finished.last) if finished.last else None
        return Ending(standing, best, last)

    def _investigate(self, client: Client, instruction: Plan, standing: v1.Investigation) -> v1.Investigation:
        """Records turns until there is no further one, the gate has closed, or something else is due."""
        assert self._planner is not None
        kind = standing.instruction.WhichOneof("due")
        for turn in turns_of(self._planner(instruction, standing)):
            request = v1.RecordTurnRequest()
            request.CopyFrom(turn)
            request.investigation_id = standing.investigation_id
            request.step = standing.step
            standing = client.record_turn(request)
            if standing.instruction.WhichOneof("due") != kind or not takes_turns(due(standing)):
                break
        return standing
