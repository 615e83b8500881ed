"""Converts rows of a frame to requests, and answers to rows. docs/PYTHON.md lists the columns."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from google.protobuf import json_format

from gsar import v1
from gsar.answers import class_of, tier
from gsar.errors import Details, Error, InvalidArgument, Violation
from gsar.items import items

READ = ("id", "synthesis", "claims", "evidence", "corpus_id", "policy", "investigation_id")
"""The input columns. All except `id` can be missing or null."""

WRITTEN = (
    "id",
    "evaluation_id",
    "outcome",
    "tier",
    "score",
    "exact_score",
    "reasons",
    "claims",
    "judge",
    "input_tokens",
    "output_tokens",
    "cost_micros",
    "error_code",
    "error_reason",
    "error",
)
"""The output columns, in order."""

OUTCOMES = {v1.OUTCOME_SCORED: "scored", v1.OUTCOME_ABSTAINED: "abstained"}


@dataclass(frozen=True)
class Report:
    """A valid row."""

    at: int
    """The index of the row in its frame."""
    request: v1.EvaluateRequest
    """The request. Its idempotency key is derived from the job and the row."""

    @property
    def key(self) -> str:
        """The idempotency key, which is the same for every sidecar and attempt."""
        return self.request.idempotency_key


def read(at: int, row: Mapping[str, Any], job: str) -> Report | Error:
    """Converts a row to a request, or to an error."""
    violations: list[Violation] = []

    def of(column: str, parse: Any, nothing: Any) -> Any:
        value = row.get(column)
        if _is_null(value):
            return nothing
        try:
            return parse(value)
        except (ValueError, TypeError, json_format.ParseError) as error:
            violations.append(Violation(column, str(error)))
            return nothing

    name = name_of(row)
    if name is None:
        violations.append(Violation("id", "missing; expected a unique name of 1 to 256 bytes"))
    request = v1.EvaluateRequest(
        report=v1.Report(id=name or "", synthesis=of("synthesis", _text, ""), claims=of("claims", _claims, [])),
        evidence=of("evidence", _evidence, []),
        policy=of("policy", _text, ""),
        corpus_id=of("corpus_id", _text, ""),
        investigation_id=of("investigation_id", _text, ""),
    )
    if violations:
        return InvalidArgument(
            "the row is not a valid report", code="INVALID_ARGUMENT", details=Details("INVALID_FIELDS", violations)
        )
    digest = hashlib.sha256(request.SerializeToString(deterministic=True)).hexdigest()
    request.idempotency_key = f"{job}/{digest}"
    return Report(at, request)


def name_of(row: Mapping[str, Any]) -> str | None:
    """Returns the id of a row as a string, or `None`."""
    value = row.get("id")
    return None if _is_null(value) or value == "" else str(value)


def verdict(name: str | None, answer: v1.EvaluateResponse | Error) -> dict[str, Any]:
    """Converts an answer or an error to an output row."""
    row: dict[str, Any] = dict.fromkeys(WRITTEN)
    row["id"] = name
    if isinstance(answer, Error):
        return row | {"error_code": answer.code, "error_reason": answer.reason or None, "error": str(answer)}
    calls = [call for link in answer.provenance.judges for call in link.calls]
    row |= {
        "evaluation_id": answer.evaluation_id,
        "outcome": OUTCOMES.get(answer.outcome, "failed"),
        "tier": tier(answer),
        "reasons": [reason.code for reason in answer.decision.reasons],
        "claims": [
            {
                "id": claim.id,
                "text": claim.text,
                "class": class_of(claim),
                "note": claim.note,
            }
            for claim in answer.claims
        ],
        "judge": answer.provenance.judges[-1].judge if answer.provenance.judges else None,
        "input_tokens": sum(call.input_tokens for call in calls),
        "output_tokens": sum(call.output_tokens for call in calls),
    }
    if all(call.HasField("cost_micros") for call in calls):
        row["cost_micros"] = sum(call.cost_micros for call in calls)
    if answer.HasField("guarded_score"):
        score = answer.guarded_score
        row |= {"score": score.value, "exact_score": f"{score.numerator}/{score.denominator}"}
    return row


def _is_null(value: Any) -> bool:
    """Returns `True` for `None`, NaN and `pandas.NA`."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"wrong type {type(value).__name__}; expected a string")
    return value


def _document(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(f"invalid JSON: {error}") from error


def _claims(value: Any) -> list[v1.Claim]:
    """Parses a list of texts or claims, or the same as a JSON document."""
    given = _document(value) if isinstance(value, str) else value
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise TypeError('not a list; expected ["...", "..."]')
    return [
        v1.Claim(id=f"c{number}", text=each) if isinstance(each, str) else json_format.ParseDict(each, v1.Claim())
        for number, each in enumerate(cast("Iterable[Any]", given), 1)
    ]


def _evidence(value: Any) -> list[v1.EvidenceItem]:
    """Parses a map of contents by id or a list of items, or the same as a JSON document."""
    given = _document(value) if isinstance(value, str) else value
    if isinstance(given, Mapping):
        return items(cast("Mapping[str, object]", given))
    if not isinstance(given, Iterable):
        raise TypeError('not a map; expected {"log": "..."} or a list of items')
    return [json_format.ParseDict(each, v1.EvidenceItem()) for each in cast("Iterable[Any]", given)]
