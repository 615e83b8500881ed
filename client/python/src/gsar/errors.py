"""What a call raises: one exception for each gRPC code, with everything that the server said about it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

if TYPE_CHECKING:
    from gsar import v1

DETAILS = "grpc-status-details-bin"


class Violation(NamedTuple):
    """A field of a request that is wrong."""

    field: str
    """The field as a path in the request, such as `report.claims[0].text`."""
    description: str
    """What was given, what is allowed and the fix."""


@dataclass
class Details:
    """What a server says beside code and message."""

    reason: str = ""
    violations: list[Violation] = field(default_factory=list[Violation])
    limits: list[str] = field(default_factory=list[str])
    resource: tuple[str, str] | None = None
    retry_after: float | None = None
    request_id: str = ""
    links: list[str] = field(default_factory=list[str])
    metadata: dict[str, str] = field(default_factory=dict[str, str])


class Error(Exception):
    """A call gave no answer. Nothing may go out on it."""

    def __init__(self, message: str, *, method: str = "", code: str = "", details: Details | None = None) -> None:
        details = details or Details()
        self.method = method
        """The method that was called; empty where none was."""
        self.code = code
        """The gRPC code, such as `INVALID_ARGUMENT`; empty where the server was not asked."""
        self.message = message
        self.reason = details.reason
        """The stable reason in UPPER_SNAKE_CASE (`gsar.v1.ErrorReason`); empty when it is not of a GSAR server."""
        self.violations = details.violations
        """Every field that is wrong."""
        self.limits = details.limits
        """The limits that were reached and the preconditions that do not hold, each with its fix."""
        self.resource = details.resource
        """The resource that is unknown, as type and name."""
        self.retry_after = details.retry_after
        """Seconds after which the call may be repeated; `None` when it should not be."""
        self.request_id = details.request_id
        """The id under which the server's log has more."""
        self.metadata = details.metadata
        self.links = details.links
        super().__init__(message)

    def __str__(self) -> str:
        """What is wrong, then a line for each field, limit or fix."""
        count = len(self.violations)
        summary = f"the server rejected {count} field{'s' if count > 1 else ''}" if count else self.message
        lines = [f"{self.method}: {summary}" if self.method else summary]
        lines += [f"{name}: {description}" for name, description in self.violations]
        lines += [limit for limit in self.limits if limit not in summary]
        if self.resource and self.resource[1] not in self.message:
            lines.append(f"{self.resource[0]} `{self.resource[1]}`")
        lines += [f"{name}: {value}" for name, value in sorted(self.metadata.items())]
        lines += self.links
        if self.retry_after is not None:
            lines.append(f"retry in {max(1, math.ceil(self.retry_after))} s")
        if self.request_id:
            lines.append(f"see request {self.request_id} in the server's log")
        if self.reason:
            lines.append(f"reason {self.reason}")
        return "\n  ".join(lines)


class SidecarUnreachable(Error):
    """Nobody answers at the endpoint: nothing was decided, so nothing may go out."""


class SidecarNotTrusted(Error):
    """Somebody answers at the endpoint who is not known to be the sidecar, or speaks no TLS: nothing may go out."""


class InvalidArgument(Error):
    """Fields of the request are wrong; `violations` has all of them."""


class NotFound(Error):
    """`resource` is not there."""


class FailedPrecondition(Error):
    """The configuration does not allow it, or a step of an investigation is not due."""


class Aborted(Error):
    """The idempotency key was used with another request."""


class ResourceExhausted(Error):
    """A limit is reached; `limits` names it, `retry_after` says when to come back, where that helps."""


class DeadlineExceeded(Error):
    """No answer before the deadline."""


class Unavailable(Error):
    """The server starts, stops, or cannot take the record; `retry_after` says when to come back."""


class PermissionDenied(Error):
    """The server does not let this caller in."""


class Unauthenticated(Error):
    """The server does not know this caller."""


class Internal(Error):
    """A defect of the server; `request_id` is in its log."""


class Unimplemented(Error):
    """The server is older than this client, or is no GSAR server."""


CLASSES: dict[str, type[Error]] = {
    "INVALID_ARGUMENT": InvalidArgument,
    "NOT_FOUND": NotFound,
    "FAILED_PRECONDITION": FailedPrecondition,
    "ABORTED": Aborted,
    "RESOURCE_EXHAUSTED": ResourceExhausted,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
    "UNAVAILABLE": Unavailable,
    "PERMISSION_DENIED": PermissionDenied,
    "UNAUTHENTICATED": Unauthenticated,
    "INTERNAL": Internal,
    "UNIMPLEMENTED": Unimplemented,
}


def read(trailers: Iterable[tuple[str, str | bytes]]) -> Details:
    """The details in the trailing metadata of a call."""
    details = Details()
    status = status_pb2.Status()
    try:
        for name, value in trailers:
            if name == DETAILS and isinstance(value, bytes):
                status.ParseFromString(value)
        for packed in status.details:
            info = error_details_pb2.ErrorInfo()
            fields = error_details_pb2.BadRequest()
            quota = error_details_pb2.QuotaFailure()
            precondition = error_details_pb2.PreconditionFailure()
            resource = error_details_pb2.ResourceInfo()
            retry = error_details_pb2.RetryInfo()
            request = error_details_pb2.RequestInfo()
            links = error_details_pb2.Help()
            if packed.Unpack(info):
                details.reason = info.reason
                details.metadata = dict(info.metadata)
            elif packed.Unpack(fields):
                details.violations = [Violation(each.field, each.description) for each in fields.field_violations]
            elif packed.Unpack(quota):
                details.limits += [f"{each.subject}: {each.description}" for each in quota.violations]
            elif packed.Unpack(precondition):
                details.limits += [f"{each.subject}: {each.description}" for each in precondition.violations]
            elif packed.Unpack(resource):
                details.resource = (resource.resource_type, resource.resource_name)
            elif packed.Unpack(retry):
                details.retry_after = retry.retry_delay.ToTimedelta().total_seconds()
            elif packed.Unpack(request):
                details.request_id = request.request_id
            elif packed.Unpack(links):
                details.links = [f"{link.description}: {link.url}" for link in links.links]
    except DecodeError:
        # Details of a proxy in between, in a format of its own: code and message say enough.
        pass
    return details


def of_status(method: str, endpoint: object, code: grpc.StatusCode, message: str, details: Details) -> Error:
    """The exception for how a call ended."""
    if code is grpc.StatusCode.UNAVAILABLE and not details.reason:
        if any(word in message.lower() for word in ("ssl", "tls", "certificate", "handshake")):
            fix = "check tls_ca, tls_certificate and tls_key (GSAR_TLS_CA, GSAR_TLS_CERTIFICATE, GSAR_TLS_KEY)"
            said = f"what answers at {endpoint} is not trusted: {message}\n  {fix}"
            return SidecarNotTrusted(said, method=method, code=code.name)
        fix = "start gsar-server there, or name a running one with endpoint= or GSAR_ENDPOINT"
        reason = message or "the connection is broken"
        return SidecarUnreachable(f"no sidecar answers at {endpoint}: {reason}\n  {fix}", method=method, code=code.name)
    if "http2 header with status" in message and not details.reason:
        message = (
            f"the peer at {endpoint} is an HTTP server without gRPC, such as the gateway or the admin port; "
            f"use an address of `listen` ({message})"
        )
    if code is grpc.StatusCode.DEADLINE_EXCEEDED and not details.reason:
        message = "deadline exceeded; allow more with timeout= or deadline="
    return CLASSES.get(code.name, Error)(
        message or f"the server returned {code.name}", method=method, code=code.name, details=details
    )


def of_call_error(error: v1.CallError, method: str = "") -> Error:
    """The exception for an error of one part of a call, as answers of a stream and candidates carry it."""
    details = Details(
        reason=error.reason,
        violations=[Violation(each.field, each.description) for each in error.field_violations],
        retry_after=error.retry_after.ToTimedelta().total_seconds() if error.HasField("retry_after") else None,
    )
    name = error.code_name
    return CLASSES.get(name, Error)(error.message, method=method, code=name, details=details)
