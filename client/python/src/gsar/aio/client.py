"""The asyncio client, with a method for each call in the contract."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from types import TracebackType

from gsar import answers, requests, v1
from gsar.aio.transport import Interceptor, Transport, stream_requests
from gsar.errors import SidecarUnreachable
from gsar.health import SERVING, health_check
from gsar.items import Evidence
from gsar.requests import ReportText
from gsar.settings import DEFAULT_DEADLINE, Option
from gsar.tls import TlsFiles
from gsar.token import TokenFile


class Client:
    """A connection to the sidecar at `endpoint`, which defaults to `GSAR_ENDPOINT` or else to the default socket.

    `deadline` is the time limit for a call in seconds, including retries. The `timeout` argument of a method overrides
    it. If no sidecar responds, calls raise `gsar.SidecarUnreachable`. If `open_if_unreachable` is set, `evaluate` logs
    a warning in this case and returns the tier proceed, with the reason `SIDECAR_UNREACHABLE` and no evaluation id.
    """

    def __init__(
        self,
        endpoint: str = "",
        *,
        deadline: float = DEFAULT_DEADLINE,
        tls_ca: str = "",
        tls_certificate: str = "",
        tls_key: str = "",
        token_file: str = "",
        open_if_unreachable: bool = False,
        interceptors: Sequence[Interceptor] = (),
        options: Sequence[Option] = (),
    ) -> None:
        self._open_if_unreachable = open_if_unreachable
        self.transport = Transport(
            endpoint,
            files=TlsFiles(tls_ca, tls_certificate, tls_key),
            token=TokenFile(token_file),
            must_run=not open_if_unreachable,
            deadline=deadline,
            interceptors=interceptors,
            options=options,
        )
        """The underlying connection, which instrumentation uses."""

    @property
    def endpoint(self) -> str:
        """The endpoint of the sidecar."""
        return str(self.transport.endpoint)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection and cancels all calls on it."""
        await self.transport.close()

    @cached_property
    def _grounding(self):
        return v1.GroundingServiceStub(self.transport.channel)

    @cached_property
    def _gate(self):
        return v1.GateServiceStub(self.transport.channel)

    @cached_property
    def _evidence(self):
        return v1.EvidenceServiceStub(self.transport.channel)

    @cached_property
    def _investigations(self):
        return v1.InvestigationServiceStub(self.transport.channel)

    @cached_property
    def _ledger(self):
        return v1.LedgerServiceStub(self.transport.channel)

    @cached_property
    def _policies(self):
        return v1.PolicyServiceStub(self.transport.channel)

    async def is_serving(self, *, timeout: float | None = None) -> bool:
        """Returns `True` if the sidecar is ready. Raises `SidecarUnreachable` if no sidecar responds."""
        method = health_check(self.transport.channel)
        return await self.transport.call("Check", method, b"", idempotent=True, timeout=timeout) == SERVING

    # Reports.

    async def evaluate(
        self,
        report: ReportText | v1.EvaluateRequest,
        evidence: Evidence = (),
        *,
        policy: str = "",
        corpus_id: str = "",
        investigation_id: str = "",
        idempotency_key: str = "",
        gate: v1.GateInputs | None = None,
        overrides: v1.PolicyOverrides | None = None,
        options: v1.EvaluateOptions | None = None,
        explain: bool = False,
        timeout: float | None = None,
    ) -> v1.EvaluateResponse:
        """Evaluates a report. If the judge fails, the tier is abstain and no exception is raised.

        `evidence` is a list of items (`gsar.text`, `gsar.json`, `gsar.file`), or a dict from ids to contents. If
        `report` is a complete `v1.EvaluateRequest`, all other arguments except `timeout` are ignored. The call is
        retried only if it has an idempotency key and the server allows a retry.
        """
        request = requests.evaluation(
            report,
            evidence,
            policy=policy,
            corpus_id=corpus_id,
            investigation_id=investigation_id,
            idempotency_key=idempotency_key,
            gate=gate,
            overrides=overrides,
            options=options,
            explain=explain,
        )
        idempotent = bool(request.idempotency_key)
        try:
            return await self.transport.call(
                "Evaluate", self._grounding.Evaluate, request, idempotent=idempotent, timeout=timeout
            )
        except SidecarUnreachable as error:
            if not self._open_if_unreachable:
                raise
            return answers.proceed_without_verdict(error)

    async def evaluate_stream(
        self,
        reports: AsyncIterable[tuple[str, v1.EvaluateRequest]] | Iterable[tuple[str, v1.EvaluateRequest]],
    ) -> AsyncIterator[v1.EvaluateStreamResponse]:
        """Evaluates many reports over one call. Yields each response, with the id of its report, once it is complete.

        Use `gsar.evaluation` to build the requests. If the evaluation of a report fails, its response contains an
        `error`, which `gsar.error_from` converts to an exception. The client's deadline does not apply.
        """
        call = self._grounding.EvaluateStream(stream_requests(reports), metadata=self.transport.token.metadata())
        async for answer in self.transport.stream("EvaluateStream", call):
            yield answer

    async def score(
        self,
        partition: v1.PartitionCounts | v1.JudgedPartition | v1.ScoreRequest,
        *,
        policy: str = "",
        gate: v1.GateInputs | None = None,
        overrides: v1.PolicyOverrides | None = None,
        explain: bool = False,
        timeout: float | None = None,
    ) -> v1.ScoreResponse:
        """Scores claims that the caller has judged, such as `gsar.counts(grounded=["tool_match"])`, and decides."""
        request = requests.score(partition, policy=policy, gate=gate, overrides=overrides, explain=explain)
        return await self.transport.call("Score", self._grounding.Score, request, idempotent=True, timeout=timeout)

    async def select_best(
        self,
        candidates: Iterable[ReportText] | v1.SelectBestRequest,
        evidence: Evidence = (),
        *,
        policy: str = "",
        corpus_id: str = "",
        investigation_id: str = "",
        timeout: float | None = None,
    ) -> v1.SelectBestResponse:
        """Evaluates 1 to 16 reports against the same evidence and ranks them, best first. The call is never retried."""
        request = requests.selection(
            candidates, evidence, policy=policy, corpus_id=corpus_id, investigation_id=investigation_id
        )
        method = self._grounding.SelectBest
        return await self.transport.call("SelectBest", method, request, idempotent=False, timeout=timeout)

    async def rescore(
        self,
        evaluation_id: str,
        *,
        policy: str = "",
        overrides: v1.PolicyOverrides | None = None,
        explain: bool = False,
        timeout: float | None = None,
    ) -> v1.RescoreResponse:
        """Applies another policy to a recorded evaluation, without judging or recording anything."""
        request = v1.RescoreRequest(
            evaluation_id=evaluation_id, policy=policy, policy_overrides=overrides, explain=explain
        )
        return await self.transport.call("Rescore", self._grounding.Rescore, request, idempotent=True, timeout=timeout)

    async def try_judges(self, judge: str = "", *, timeout: float | None = None) -> v1.TryJudgesResponse:
        """Tests the judges on a small report that should proceed. This calls the chat models, which costs money."""
        request = v1.TryJudgesRequest(judge=judge)
        method = self._grounding.TryJudges
        return await self.transport.call("TryJudges", method, request, idempotent=True, timeout=timeout)

    # The gate.

    async def evaluate_gate(
        self, gate: v1.GateInputs, *, policy: str = "", timeout: float | None = None
    ) -> v1.EvaluateGateResponse:
        """Decides whether an investigation may end."""
        request = v1.EvaluateGateRequest(gate=gate, policy=policy)
        method = self._gate.EvaluateGate
        return await self.transport.call("EvaluateGate", method, request, idempotent=True, timeout=timeout)

    async def classify_verdict(
        self,
        text: str = "",
        *,
        json: str = "",
        signal: str = "",
        threshold: float | None = None,
        timeout: float | None = None,
    ) -> v1.ClassifyVerdictResponse:
        """Classifies whether a tool result, given as text or as a JSON document, supports or refutes a fault."""
        request = v1.ClassifyVerdictRequest(signal=signal, threshold=threshold)
        if json:
            request.json = json
        else:
            request.text = text
        method = self._gate.ClassifyVerdict
        return await self.transport.call("ClassifyVerdict", method, request, idempotent=True, timeout=timeout)

    async def assemble_chain(
        self,
        gate: v1.GateInputs,
        *,
        hypothesis_id: str = "",
        policy: str = "",
        timeout: float | None = None,
    ) -> v1.AssembleChainResponse:
        """Assembles the evidence chain for a root cause."""
        request = v1.AssembleChainRequest(gate=gate, hypothesis_id=hypothesis_id, policy=policy)
        method = self._gate.AssembleChain
        return await self.transport.call("AssembleChain", method, request, idempotent=True, timeout=timeout)

    async def cap_confidence(
        self,
        confidence: float,
        strength: v1.GroundingStrength.ValueType,
        *,
        policy: str = "",
        timeout: float | None = None,
    ) -> v1.CapConfidenceResponse:
        """Caps a self-rated confidence according to the grounding of its evidence chain."""
        request = v1.CapConfidenceRequest(confidence=confidence, strength=strength, policy=policy)
        method = self._gate.CapConfidence
        return await self.transport.call("CapConfidence", method, request, idempotent=True, timeout=timeout)

    # Stored evidence.

    async def put_evidence(
        self,
        corpus_id: str,
        evidence: Evidence,
        *,
        time_to_live: float | None = None,
        timeout: float | None = None,
    ) -> v1.PutEvidenceResponse:
        """Stores items in a corpus, which is created if necessary. The call is idempotent."""
        messages = requests.put_evidence_messages(corpus_id, evidence, time_to_live)
        return await self.transport.send("PutEvidence", self._evidence.PutEvidence, messages, timeout=timeout)

    async def search(
        self,
        corpus_id: str,
        query: str,
        *,
        most: int = 0,
        filter: v1.SearchFilter | None = None,  # noqa: A002
        method: v1.SearchMethod.ValueType = v1.SEARCH_METHOD_UNSPECIFIED,
        timeout: float | None = None,
    ) -> v1.SearchResponse:
        """Returns up to `most` (10 by default) passages that are relevant to a query, best first."""
        request = v1.SearchRequest(corpus_id=corpus_id, query=query, most=most, filter=filter, method=method)
        return await self.transport.call("Search", self._evidence.Search, request, idempotent=True, timeout=timeout)

    async def get_evidence(
        self,
        corpus_id: str,
        evidence_id: str = "",
        *,
        key: str = "",
        bytes: tuple[int, int] | None = None,  # noqa: A002
        lines: tuple[int, int] | None = None,
        timeout: float | None = None,
    ) -> v1.GetSnapshotResponse:
        """Returns part of a stored item: `bytes` (start, end), `lines` (first, last), or else the beginning."""
        request = v1.GetSnapshotRequest(corpus_id=corpus_id)
        if key:
            request.key = key
        else:
            request.evidence_id = evidence_id
        if bytes is not None:
            request.bytes.CopyFrom(v1.ByteRange(start=bytes[0], end=bytes[1]))
        elif lines is not None:
            request.lines.CopyFrom(v1.LineRange(first=lines[0], last=lines[1]))
        method = self._evidence.GetSnapshot
        return await self.transport.call("GetSnapshot", method, request, idempotent=True, timeout=timeout)

    async def list_corpora(
        self, *, page_size: int = 0, timeout: float | None = None
    ) -> AsyncIterator[v1.CorpusSummary]:
        """Lists the corpora, sorted by name. Fetches pages lazily."""
        request = v1.ListCorporaRequest(page_size=page_size)
        method = self._evidence.ListCorpora
        while True:
            page = await self.transport.call("ListCorpora", method, request, idempotent=True, timeout=timeout)
            for corpus in page.corpora:
                yield corpus
            request.page_token = page.next_page_token
            if not request.page_token:
                return

    async def delete_corpus(self, corpus_id: str, *, timeout: float | None = None) -> v1.DeleteCorpusResponse:
        """Deletes a corpus and everything in it."""
        request = v1.DeleteCorpusRequest(corpus_id=corpus_id)
        method = self._evidence.DeleteCorpus
        return await self.transport.call("DeleteCorpus", method, request, idempotent=False, timeout=timeout)

    # Recorded evaluations.

    async def list_evaluations(
        self,
        *,
        tier: v1.Tier.ValueType = v1.TIER_UNSPECIFIED,
        report_id: str = "",
        investigation_id: str = "",
        graded: v1.GradedFilter.ValueType = v1.GRADED_FILTER_UNSPECIFIED,
        policy: str = "",
        judge: str = "",
        principal: str = "",
        evaluated_from: datetime | None = None,
        evaluated_before: datetime | None = None,
        unproven_only: bool = False,
        page_size: int = 0,
        timeout: float | None = None,
    ) -> AsyncIterator[v1.EvaluationSummary]:
        """Lists recorded evaluations, newest first. Fetches pages lazily."""
        request = v1.ListEvaluationsRequest(
            tier=tier,
            report_id=report_id,
            investigation_id=investigation_id,
            graded=graded,
            policy=policy,
            judge=judge,
            principal=principal,
            unproven_only=unproven_only,
            page_size=page_size,
        )
        if evaluated_from is not None:
            request.evaluated_from.FromDatetime(evaluated_from)
        if evaluated_before is not None:
            request.evaluated_before.FromDatetime(evaluated_before)
        method = self._ledger.ListEvaluations
        while True:
            page = await self.transport.call("ListEvaluations", method, request, idempotent=True, timeout=timeout)
            for evaluation in page.evaluations:
                yield evaluation
            request.page_token = page.next_page_token
            if not request.page_token:
                return

    async def count_evaluations(
        self,
        evaluations: v1.EvaluationFilter | None = None,
        *,
        interval: timedelta | None = None,
        timeout: float | None = None,
    ) -> v1.CountEvaluationsResponse:
        """Counts recorded evaluations by time interval and decision."""
        request = v1.CountEvaluationsRequest(evaluations=evaluations)
        if interval is not None:
            request.interval.FromTimedelta(interval)
        method = self._ledger.CountEvaluations
        return await self.transport.call("CountEvaluations", method, request, idempotent=True, timeout=timeout)

    async def rescore_evaluations(
        self,
        evaluations: v1.EvaluationFilter | None = None,
        *,
        policy: str = "",
        overrides: v1.PolicyOverrides | None = None,
        limit: int = 0,
        timeout: float | None = None,
    ) -> v1.RescoreEvaluationsResponse:
        """Applies another policy to many recorded evaluations, without judging or recording anything."""
        request = v1.RescoreEvaluationsRequest(
            evaluations=evaluations, policy=policy, policy_overrides=overrides, limit=limit
        )
        method = self._ledger.RescoreEvaluations
        return await self.transport.call("RescoreEvaluations", method, request, idempotent=True, timeout=timeout)

    async def get_evaluation(self, evaluation_id: str, *, timeout: float | None = None) -> v1.GetEvaluationResponse:
        """Returns a recorded evaluation with its grades."""
        request = v1.GetEvaluationRequest(evaluation_id=evaluation_id)
        method = self._ledger.GetEvaluation
        return await self.transport.call("GetEvaluation", method, request, idempotent=True, timeout=timeout)

    async def get_evaluation_evidence(
        self, evaluation_id: str, evidence_id: str, *, timeout: float | None = None
    ) -> v1.EvidenceItem:
        """Returns an evidence item of a recorded evaluation exactly as it was sent."""
        request = v1.GetEvaluationEvidenceRequest(evaluation_id=evaluation_id, evidence_id=evidence_id)
        method = self._ledger.GetEvaluationEvidence
        answer = await self.transport.call("GetEvaluationEvidence", method, request, idempotent=True, timeout=timeout)
        return answer.item

    async def delete_evaluation(
        self, evaluation_id: str, *, timeout: float | None = None
    ) -> v1.DeleteEvaluationResponse:
        """Deletes an evaluation, its grades, and the evidence that no other evaluation uses."""
        request = v1.DeleteEvaluationRequest(evaluation_id=evaluation_id)
        method = self._ledger.DeleteEvaluation
        return await self.transport.call("DeleteEvaluation", method, request, idempotent=False, timeout=timeout)

    async def grade(
        self, evaluation_id: str, grades: Iterable[v1.Grade], *, grader: str, timeout: float | None = None
    ) -> v1.GradeResponse:
        """Records the grades of an evaluation (`gsar.grade_report`, `gsar.grade_claim`): either all of them or none."""
        request = v1.GradeRequest(evaluation_id=evaluation_id, grader=grader, grades=grades)
        return await self.transport.call("Grade", self._ledger.Grade, request, idempotent=True, timeout=timeout)

    async def export(self, request: v1.ExportRequest) -> AsyncIterator[v1.ExportResponse]:
        """Exports records as a stream. To resume an export, pass the `after` value of the last response.

        The client's deadline does not apply.
        """
        call = self._ledger.Export(request, metadata=self.transport.token.metadata())
        async for answer in self.transport.stream("Export", call):
            yield answer

    # Policies.

    async def list_policies(self, *, timeout: float | None = None) -> Sequence[v1.PolicySummary]:
        """Lists the server's policies."""
        method = self._policies.ListPolicies
        request = v1.ListPoliciesRequest()
        answer = await self.transport.call("ListPolicies", method, request, idempotent=True, timeout=timeout)
        return answer.policies

    async def get_policy(self, name: str = "", *, timeout: float | None = None) -> v1.GetPolicyResponse:
        """Returns a policy as a policy file. An empty name selects the server's default."""
        request = v1.GetPolicyRequest(name=name)
        return await self.transport.call(
            "GetPolicy", self._policies.GetPolicy, request, idempotent=True, timeout=timeout
        )

    async def check_policy(self, toml: str, *, timeout: float | None = None) -> v1.CheckPolicyResponse:
        """Checks a policy file. The response lists every problem in it."""
        request = v1.CheckPolicyRequest(toml=toml)
        method = self._policies.CheckPolicy
        return await self.transport.call("CheckPolicy", method, request, idempotent=True, timeout=timeout)

    # The steps of an investigation. `Investigation` runs all of them.

    async def start_investigation(
        self, request: v1.StartInvestigationRequest, *, timeout: float | None = None
    ) -> v1.Investigation:
        """Starts or resumes an investigation and returns its state."""
        method = self._investigations.StartInvestigation
        answer = await self.transport.call("StartInvestigation", method, request, idempotent=True, timeout=timeout)
        return answer.investigation

    async def record_turn(self, request: v1.RecordTurnRequest, *, timeout: float | None = None) -> v1.Investigation:
        """Records an agent's turn and returns the state of the investigation."""
        method = self._investigations.RecordTurn
        answer = await self.transport.call("RecordTurn", method, request, idempotent=True, timeout=timeout)
        return answer.investigation

    async def submit_report(
        self, request: v1.SubmitReportRequest, *, timeout: float | None = None
    ) -> v1.SubmitReportResponse:
        """Submits a report for evaluation."""
        method = self._investigations.SubmitReport
        return await self.transport.call("SubmitReport", method, request, idempotent=True, timeout=timeout)

    async def get_investigation(
        self, investigation_id: str, *, with_events: bool = False, timeout: float | None = None
    ) -> v1.GetInvestigationResponse:
        """Returns the state of an investigation and, if requested, its events."""
        request = v1.GetInvestigationRequest(investigation_id=investigation_id, with_events=with_events)
        method = self._investigations.GetInvestigation
        return await self.transport.call("GetInvestigation", method, request, idempotent=True, timeout=timeout)

    async def look_at_entity(
        self,
        investigation_id: str,
        entity: str,
        *,
        max_bytes: int = 0,
        ask_model: bool = False,
        timeout: float | None = None,
    ) -> v1.LookAtEntityResponse:
        """Returns the stored evidence about a due entity and, if requested, a model's belief about the entity."""
        request = v1.LookAtEntityRequest(
            investigation_id=investigation_id, entity=entity, max_bytes=max_bytes, ask_model=ask_model
        )
        method = self._investigations.LookAtEntity
        return await self.transport.call("LookAtEntity", method, request, idempotent=True, timeout=timeout)

    async def cancel_investigation(self, investigation_id: str, *, timeout: float | None = None) -> v1.Investigation:
        """Cancels an investigation. It finishes as degraded, with its best report."""
        request = v1.CancelInvestigationRequest(investigation_id=investigation_id)
        method = self._investigations.CancelInvestigation
        answer = await self.transport.call("CancelInvestigation", method, request, idempotent=True, timeout=timeout)
        return answer.investigation
