"""Sends reports over streams, with retries and deadlines.

Reports are sent in rounds. In each round, a sidecar receives its reports over one EvaluateStream call. Reports that
have no final response yet are sent again in the next round, with the same idempotency key.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeAlias

import grpc

from gsar import v1
from gsar.batch.fleet import Fleet, Sidecar
from gsar.batch.rows import Report
from gsar.errors import (
    DeadlineExceeded,
    Error,
    PermissionDenied,
    SidecarNotTrusted,
    SidecarUnreachable,
    Unauthenticated,
    Unavailable,
    Unimplemented,
    error_from,
)
from gsar.settings import from_rpc_error

METHOD = "EvaluateStream"
FIRST_PAUSE_SECONDS = 0.1
MAX_PAUSE_SECONDS = 2.0
CHECK_SECONDS = 0.5
"""The interval between checks for overdue reports, in seconds."""

CALLER_ERRORS = (SidecarNotTrusted, Unauthenticated, PermissionDenied, Unimplemented)
"""Errors that do not depend on the report."""

Answer: TypeAlias = v1.EvaluateResponse | Error


@dataclass(frozen=True)
class SendOptions:
    """Options for sending reports."""

    in_flight: int
    """The maximum number of unanswered reports per sidecar."""
    deadline: float
    """The time limit for a report, in seconds."""
    patience: float
    """How long to retry a report if sidecars are unreachable or busy, in seconds."""
    failover: bool
    """`True` to send a report to another sidecar if its own is unreachable."""


def evaluate(reports: Sequence[Report], fleet: Fleet, options: SendOptions) -> dict[int, Answer]:
    """Returns the response or error for each report, by the index of its row."""
    answers: dict[int, Answer] = {}
    rejected_since: dict[int, float] = {}
    pause = FIRST_PAUSE_SECONDS
    remaining = list(reports)
    while remaining:
        shares: dict[int, tuple[Sidecar, list[Report]]] = {}
        for report in remaining:
            sidecar = _target(_candidates(report, fleet, options))
            shares.setdefault(id(sidecar), (sidecar, []))[1].append(report)
        rejected = _round([_Stream(sidecar, share, options) for sidecar, share in shares.values()], answers)

        delays: list[float] = []
        for report in remaining:
            if error := rejected.get(report.at):
                delay = pause if error.retry_after is None else error.retry_after
                since = rejected_since.setdefault(report.at, time.monotonic())
                unreachable_seconds = min(sidecar.unreachable_for() for sidecar in _candidates(report, fleet, options))
                if max(unreachable_seconds, time.monotonic() - since + delay) > options.patience:
                    answers[report.at] = error
                else:
                    delays.append(delay)
        remaining = [report for report in remaining if report.at not in answers]
        if delays:
            time.sleep(max(delays))
            pause = min(2 * pause, MAX_PAUSE_SECONDS)
        else:
            pause = FIRST_PAUSE_SECONDS
    return answers


def _candidates(report: Report, fleet: Fleet, options: SendOptions) -> list[Sidecar]:
    order = fleet.order(report.key)
    return order if options.failover else order[:1]


def _target(candidates: list[Sidecar]) -> Sidecar:
    """Returns the first available sidecar, or the one that becomes available first."""
    now = time.monotonic()
    available = (sidecar for sidecar in candidates if sidecar.skipped_until <= now)
    return next(available, None) or min(candidates, key=lambda sidecar: sidecar.skipped_until)


def _round(streams: list[_Stream], answers: dict[int, Answer]) -> dict[int, Error]:
    """Runs the streams in parallel and adds their responses to `answers`. Returns the errors of reports to retry."""
    with ThreadPoolExecutor(len(streams), "gsar-batch") as pool:
        streams_by_future = {pool.submit(stream.run): stream for stream in streams}
        while wait(streams_by_future, CHECK_SECONDS).not_done:
            for stream in streams:
                stream.end_overdue()
    rejected: dict[int, Error] = {}
    for future, stream in streams_by_future.items():
        future.result()
        answers |= stream.answers
        rejected |= stream.rejected
    return rejected


class _Stream:
    """An EvaluateStream call."""

    def __init__(self, sidecar: Sidecar, reports: list[Report], options: SendOptions) -> None:
        self.answers: dict[int, Answer] = {}
        self.rejected: dict[int, Error] = {}
        self._sidecar = sidecar
        self._reports = reports
        self._options = options
        self._lock = threading.Lock()
        self._permits = threading.Semaphore(options.in_flight)
        self._sent: dict[int, float] = {}
        self._is_over = False
        transport = sidecar.client.transport
        stub = v1.GroundingServiceStub(transport.channel)
        self._call = stub.EvaluateStream(self._requests(), metadata=transport.token.metadata())

    def run(self) -> None:
        """Sends the reports and reads the responses until the stream ends."""
        try:
            for answer in self._call:
                self._sidecar.mark_reachable()
                self._record_response(int(answer.correlation_id), answer)
        except grpc.RpcError as error:
            self._end()
            self._handle_error(from_rpc_error(METHOD, self._sidecar.client.transport.endpoint, error))
        finally:
            self._end()
            self._call.cancel()

    def end_overdue(self) -> None:
        """Stops waiting for overdue reports and records an error for each. A late response still replaces the error."""
        now = time.monotonic()
        with self._lock:
            overdue = [at for at, sent in self._sent.items() if now - sent > self._options.deadline]
            for at in overdue:
                message = f"no response within {self._options.deadline:g} s; increase deadline="
                self.answers[at] = DeadlineExceeded(message, method=METHOD, code="DEADLINE_EXCEEDED")
                del self._sent[at]
                self._permits.release()
            nothing_left = len(self.answers) + len(self.rejected) == len(self._reports)
        if overdue and nothing_left:
            self._call.cancel()

    def _requests(self) -> Iterator[v1.EvaluateStreamRequest]:
        """Yields the messages, within the limit on reports in flight. Runs in a grpcio thread."""
        for report in self._reports:
            self._permits.acquire()
            with self._lock:
                if self._is_over:
                    return
                self._sent[report.at] = time.monotonic()
            yield v1.EvaluateStreamRequest(correlation_id=str(report.at), request=report.request)

    def _end(self) -> None:
        """Unblocks the thread that iterates over the messages."""
        with self._lock:
            self._is_over = True
        self._permits.release()

    def _record_response(self, at: int, answer: v1.EvaluateStreamResponse) -> None:
        with self._lock:
            if answer.HasField("evaluation"):
                self.answers[at] = answer.evaluation
            else:
                self._record_error(at, error_from(answer.error))
            if self._sent.pop(at, None) is not None:
                self._permits.release()

    def _record_error(self, at: int, error: Error) -> None:
        if error.retry_after is None:
            self.answers[at] = error
        else:
            self.rejected[at] = error

    def _handle_error(self, error: Error) -> None:
        unanswered = [report for report in self._reports if report.at not in self.answers]
        if isinstance(error, SidecarUnreachable | Unavailable):
            self._sidecar.mark_unreachable()
            self.rejected |= {report.at: error for report in unanswered}
        elif isinstance(error, CALLER_ERRORS):
            self.answers |= {report.at: error for report in unanswered}
        else:
            # A report in flight, such as one that is too large, can be the cause. Each report in flight is sent in a
            # call of its own. The others are sent over the next stream.
            in_flight = [report for report in unanswered if report.at in self._sent]
            for report in in_flight or unanswered[:1]:
                self._evaluate_alone(report)

    def _evaluate_alone(self, report: Report) -> None:
        try:
            self.answers[report.at] = self._sidecar.client.evaluate(report.request, timeout=self._options.deadline)
        except (SidecarUnreachable, Unavailable) as error:
            self._sidecar.mark_unreachable()
            self.rejected[report.at] = error
        except Error as error:
            self._record_error(report.at, error)
