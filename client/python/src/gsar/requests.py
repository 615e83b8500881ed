"""Builds requests from convenient arguments."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Literal, TypeAlias

from gsar import v1
from gsar.items import Evidence, items

ReportText: TypeAlias = "str | v1.Report"
"""A report, or just its text."""

EvidenceType: TypeAlias = Literal[
    "tool_match",
    "specific_data",
    "signal_match",
    "complementary_finding",
    "synthesis",
    "neg_evidence",
    "inference",
    "domain",
]

MAX_MESSAGE_CHARACTERS = 256 * 1024
"""The maximum length of a text in a PutEvidence message, in characters."""


def report_of(report: ReportText) -> v1.Report:
    """Returns the report as a message."""
    return v1.Report(synthesis=report) if isinstance(report, str) else report


def evaluation(
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
) -> v1.EvaluateRequest:
    """Builds an EvaluateRequest."""
    if isinstance(report, v1.EvaluateRequest):
        return report
    if explain:
        options = options or v1.EvaluateOptions()
        options.explain = True
    return v1.EvaluateRequest(
        report=report_of(report),
        evidence=items(evidence),
        policy=policy,
        corpus_id=corpus_id,
        investigation_id=investigation_id,
        idempotency_key=idempotency_key,
        gate=gate,
        policy_overrides=overrides,
        options=options,
    )


def counts(
    *,
    grounded: Iterable[EvidenceType] = (),
    ungrounded: Iterable[EvidenceType] = (),
    contradicted: Iterable[EvidenceType] = (),
    complementary: Iterable[EvidenceType] = (),
) -> v1.PartitionCounts:
    """Builds a partition. Each argument lists the evidence types of the claims in one class, one per claim."""
    totals: dict[tuple[v1.ClaimClass.ValueType, v1.EvidenceType.ValueType], int] = {}
    classes = [
        (v1.CLAIM_CLASS_GROUNDED, grounded),
        (v1.CLAIM_CLASS_UNGROUNDED, ungrounded),
        (v1.CLAIM_CLASS_CONTRADICTED, contradicted),
        (v1.CLAIM_CLASS_COMPLEMENTARY, complementary),
    ]
    for claim_class, names in classes:
        for name in names:
            key = (claim_class, v1.EvidenceType.Value(f"EVIDENCE_TYPE_{name.upper()}"))
            totals[key] = totals.get(key, 0) + 1
    partition = v1.PartitionCounts()
    for (claim_class, evidence_type), count in totals.items():
        # `class` is a keyword in Python.
        setattr(partition.counts.add(type=evidence_type, count=count), "class", claim_class)
    return partition


def score(
    partition: v1.PartitionCounts | v1.JudgedPartition | v1.ScoreRequest,
    *,
    policy: str = "",
    gate: v1.GateInputs | None = None,
    overrides: v1.PolicyOverrides | None = None,
    explain: bool = False,
) -> v1.ScoreRequest:
    """Builds a ScoreRequest."""
    if isinstance(partition, v1.ScoreRequest):
        return partition
    request = v1.ScoreRequest(policy=policy, gate=gate, policy_overrides=overrides, explain=explain)
    if isinstance(partition, v1.PartitionCounts):
        request.counts.CopyFrom(partition)
    else:
        request.judged.CopyFrom(partition)
    return request


def selection(
    candidates: Iterable[ReportText] | v1.SelectBestRequest,
    evidence: Evidence = (),
    *,
    policy: str = "",
    corpus_id: str = "",
    investigation_id: str = "",
) -> v1.SelectBestRequest:
    """Builds a SelectBestRequest."""
    if isinstance(candidates, v1.SelectBestRequest):
        return candidates
    return v1.SelectBestRequest(
        candidates=[report_of(candidate) for candidate in candidates],
        evidence=items(evidence),
        policy=policy,
        corpus_id=corpus_id,
        investigation_id=investigation_id,
    )


def turn(
    evidence: Evidence = (),
    *,
    hypotheses: Iterable[v1.TestedHypothesis] = (),
    changes: Iterable[v1.ChangeRecord] = (),
    path: Iterable[str] = (),
    wants_to_finish: bool = False,
) -> v1.RecordTurnRequest:
    """Builds an agent's turn. Each item is the result of a call to its `tool`, or else to a tool named after its id."""
    return v1.RecordTurnRequest(
        tool_calls=[
            v1.ToolCall(tool=item.tool or item.id, arguments=item.query or item.id, result=item)
            for item in items(evidence)
        ],
        hypotheses=hypotheses,
        changes=changes,
        path=path,
        wants_to_finish=wants_to_finish,
    )


def put_evidence_messages(
    corpus_id: str, evidence: Evidence, time_to_live: float | None
) -> Iterator[v1.PutEvidenceRequest]:
    """Yields the messages to send in a PutEvidence call, and splits long texts."""
    head = v1.CorpusHead(corpus_id=corpus_id)
    if time_to_live is not None:
        head.time_to_live.FromNanoseconds(round(time_to_live * 1e9))
    yield v1.PutEvidenceRequest(corpus=head)
    for item in items(evidence):
        if len(item.text) <= MAX_MESSAGE_CHARACTERS:
            yield v1.PutEvidenceRequest(item=item)
            continue
        first_part = v1.EvidenceItem()
        first_part.CopyFrom(item)
        first_part.text = item.text[:MAX_MESSAGE_CHARACTERS]
        yield v1.PutEvidenceRequest(item=first_part)
        for at in range(MAX_MESSAGE_CHARACTERS, len(item.text), MAX_MESSAGE_CHARACTERS):
            yield v1.PutEvidenceRequest(more=item.text[at : at + MAX_MESSAGE_CHARACTERS].encode())


def evaluate_messages(
    requests: Iterable[tuple[str, v1.EvaluateRequest]],
) -> Iterator[v1.EvaluateStreamRequest]:
    """Yields the messages to send in an EvaluateStream call."""
    for correlation_id, request in requests:
        yield v1.EvaluateStreamRequest(correlation_id=correlation_id, request=request)


async def evaluate_messages_async(
    requests: AsyncIterable[tuple[str, v1.EvaluateRequest]],
) -> AsyncIterator[v1.EvaluateStreamRequest]:
    """Yields the messages to send in an EvaluateStream call."""
    async for correlation_id, request in requests:
        yield v1.EvaluateStreamRequest(correlation_id=correlation_id, request=request)
