"""Client for GSAR, the gRPC sidecar that decides whether an incident report may be sent.

    import gsar

    with gsar.Client() as client:
        answer = client.evaluate("Pod web-1 was OOMKilled.", {"log": "pod web-1 was OOMKilled, exit code 137"})
        print(gsar.tier(answer), [reason.sentence for reason in answer.decision.reasons])

`gsar.aio` contains the asyncio client, and `gsar.v1` contains the messages of the contract.
"""

from gsar import v1
from gsar.answers import claims_at_fault, class_of, describe, may_proceed, tier
from gsar.callbacks import InvestigationOutcome
from gsar.client import Client
from gsar.errors import (
    Aborted,
    DeadlineExceeded,
    Error,
    FailedPrecondition,
    Internal,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    SidecarNotTrusted,
    SidecarUnreachable,
    Unauthenticated,
    Unavailable,
    Unimplemented,
    Violation,
    error_from,
)
from gsar.evidence import evidence_from
from gsar.grades import grade_claim, grade_report
from gsar.investigation import Investigation
from gsar.items import Evidence, file, json, text
from gsar.requests import ReportText, counts, evaluation, turn
from gsar.version import __version__

__all__ = [
    "Aborted",
    "Client",
    "DeadlineExceeded",
    "Error",
    "Evidence",
    "FailedPrecondition",
    "Internal",
    "InvalidArgument",
    "Investigation",
    "InvestigationOutcome",
    "NotFound",
    "PermissionDenied",
    "ReportText",
    "ResourceExhausted",
    "SidecarNotTrusted",
    "SidecarUnreachable",
    "Unauthenticated",
    "Unavailable",
    "Unimplemented",
    "Violation",
    "__version__",
    "claims_at_fault",
    "class_of",
    "counts",
    "describe",
    "error_from",
    "evaluation",
    "evidence_from",
    "file",
    "grade_claim",
    "grade_report",
    "json",
    "may_proceed",
    "text",
    "tier",
    "turn",
    "v1",
]
