"""The exceptions that calls raise, one for each gRPC code."""

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
    """An invalid field of a request."""

    field: str
    """The path of the field, such as `report.claims[0].text`."""
    description: str
    """The given value, the allowed values and the fix."""


@dataclass
class Details:
    """The details of an error."""

    reason: str = ""
    violations: list[Violation] = field(default_factory=list[Violation])
    limits: list[str] = field(default_factory=list[str])
    resource: tuple[str, str] | None = None
    retry_after: float | None = None
    request_id: str = ""
    links: list[str] = field(default_factory=list[str])
    metadata: dict[str, str] = field(default_factory=dict[str, str])


class Error(Exception):
    """A failed call. Treat the report as not evaluated."""

    def __init__(self, message: str, *, method: str = "", code: str = "", details: Details | None = None) -> None:
        details = details or Details()
        self.method = method
        """The name of the method. Empty if no method was called."""
        self.code = code
        """The gRPC code, such as `INVALID_ARGUMENT`. Empty if the server was not called."""
        self.message = message
        self.reason = details.reason
        """A stable identifier of the cause (`gsar.v1.ErrorReason`). Empty if the peer is not a GSAR server."""
        self.violations = details.violations
        """All invalid fields."""
        self.limits = details.limits
        """The exceeded limits and failed preconditions, each with its fix."""
        self.resource = details.resource
        """The type and the name of the unknown resource."""
        self.retry_after = details.retry_after
        """The delay before a retry in seconds, or `None` if retrying does not help."""
        self.request_id = details.request_id
        """The id of the request in the server's log."""
        self.metadata = details.metadata
        self.links = details.links
        super().__init__(message)

    def __str__(self) -> str:
        """Returns a summary, followed by one line per field, limit or fix."""
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
    """No server is responding at the endpoint."""


class SidecarNotTrusted(Error):
    """The server at the endpoint has no trusted certificate or does not use TLS."""


class InvalidArgument(Error):
    """The request has invalid fields, which `violations` lists."""


class NotFound(Error):
    """`resource` does not exist."""


class FailedPrecondition(Error):
    """The configuration does not allow the call, or a step of an investigation is not due."""


class Aborted(Error):
    """The idempotency key was already used with a different request."""


class ResourceExhausted(Error):
    """A limit was exceeded; `limits` names it."""


class DeadlineExceeded(Error):
    """The call exceeded its deadline."""


class Unavailable(Error):
    """The server is starting or stopping, or cannot write the record."""


class PermissionDenied(Error):
    """The caller lacks the right to make this call."""


class Unauthenticated(Error):
    """The credentials are missing or invalid."""


class Internal(Error):
    """A bug in the server. The server's log contains `request_id`."""


class Unimplemented(Error):
    """The server is older than this client, or it is not a GSAR server."""


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
    """Parses the details in a call's trailing metadata."""
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
        # A proxy can send details in another format.
        pass
    return details


def from_status(method: str, endpoint: object, code: grpc.StatusCode, message: str, details: Details) -> Error:
    """Returns the exception for the status of a call."""
    if code is grpc.StatusCode.UNAVAILABLE and not details.reason:
        if any(word in message.lower() for word in ("ssl", "tls", "certificate", "handshake")):
            fix = "check tls_ca, tls_certificate and tls_key (GSAR_TLS_CA, GSAR_TLS_CERTIFICATE, GSAR_TLS_KEY)"
            text = f"the server at {endpoint} is not trusted: {message}\n  {fix}"
            return SidecarNotTrusted(text, method=method, code=code.name)
        fix = "start gsar-server there, or set endpoint= or GSAR_ENDPOINT"
        reason = message or "the connection is broken"
        return SidecarUnreachable(
            f"no sidecar is responding at {endpoint}: {reason}\n  {fix}", method=method, code=code.name
        )
    if "http2 header with status" in message and not details.reason:
        message = (
            f"the peer at {endpoint} is an HTTP server without gRPC, such as the gateway or the admin port; "
            f"use one of the addresses in `listen` ({message})"
        )
    if code is grpc.StatusCode.DEADLINE_EXCEEDED and not details.reason:
        message = "deadline exceeded; increase timeout= or deadline="
    return CLASSES.get(code.name, Error)(
        message or f"the server returned {code.name}", method=method, code=code.name, details=details
    )


def error_from(error: v1.CallError, method: str = "") -> Error:
    """Returns the exception for a failed report in a stream, or for a failed candidate."""
    details = Details(
        reason=error.reason,
        violations=[Violation(each.field, each.description) for each in error.field_violations],
        retry_after=error.retry_after.ToTimedelta().total_seconds() if error.HasField("retry_after") else None,
    )
    name = error.code_name
    return CLASSES.get(name, Error)(error.message, method=method, code=name, details=details)
