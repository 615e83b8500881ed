"""Converts the rows of a frame to requests, and responses to rows. docs/PYTHON.md lists the columns."""

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
    """A valid input row."""

    at: int
    """The index of the row in its frame."""
    request: v1.EvaluateRequest
    """The request. Its idempotency key is derived from the job and the row."""

    @property
    def key(self) -> str:
        """The idempotency key, which is the same for every sidecar and attempt."""
        return self.request.idempotency_key


def read(at: int, row: Mapping[str, Any], job: str) -> Report | Error:
    """Converts a row to a request, or to an error if the row is invalid."""
    violations: list[Violation] = []

    def parse_column(column: str, parse: Any, default: Any) -> Any:
        value = row.get(column)
        if _is_null(value):
            return default
        try:
            return parse(value)
        except (ValueError, TypeError, json_format.ParseError) as error:
            violations.append(Violation(column, str(error)))
            return default

    name = name_of(row)
    if name is None:
        violations.append(Violation("id", "missing; expected a unique name of 1 to 256 bytes"))
    request = v1.EvaluateRequest(
        report=v1.Report(
            id=name or "", synthesis=parse_column("synthesis", _text, ""), claims=parse_column("claims", _claims, [])
        ),
        evidence=parse_column("evidence", _evidence, []),
        policy=parse_column("policy", _text, ""),
        corpus_id=parse_column("corpus_id", _text, ""),
        investigation_id=parse_column("investigation_id", _text, ""),
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
    """Converts a response or an error to an output row."""
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
    """Parses a list of texts or claims, or a JSON document that contains such a list."""
    content = _document(value) if isinstance(value, str) else value
    if isinstance(content, Mapping) or not isinstance(content, Iterable):
        raise TypeError('not a list; expected ["...", "..."]')
    return [
        v1.Claim(id=f"c{number}", text=each) if isinstance(each, str) else json_format.ParseDict(each, v1.Claim())
        for number, each in enumerate(cast("Iterable[Any]", content), 1)
    ]


def _evidence(value: Any) -> list[v1.EvidenceItem]:
    """Parses a map from ids to contents or a list of items, or a JSON document that contains one of them."""
    content = _document(value) if isinstance(value, str) else value
    if isinstance(content, Mapping):
        return items(cast("Mapping[str, object]", content))
    if not isinstance(content, Iterable):
        raise TypeError('not a map; expected {"log": "..."} or a list of items')
    return [json_format.ParseDict(each, v1.EvidenceItem()) for each in cast("Iterable[Any]", content)]
