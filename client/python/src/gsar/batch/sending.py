"""Reports over streams: how many are under way, which are sent again, and when to give up. Frames are not known here.

Reports go out in rounds. In a round each sidecar gets its reports over one call of EvaluateStream; those that were not
answered for good go out again in the next one, under the same idempotency key.
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
    of_call_error,
)
from gsar.settings import of_rpc_error

METHOD = "EvaluateStream"
FIRST_PAUSE_SECONDS = 0.1
MAX_PAUSE_SECONDS = 2.0
LOOK_SECONDS = 0.5
"""How often overdue reports are looked for."""

OF_THE_CALLER = (SidecarNotTrusted, Unauthenticated, PermissionDenied, Unimplemented)
"""What ends a call whichever reports are sent."""

Answer: TypeAlias = v1.EvaluateResponse | Error


@dataclass(frozen=True)
class Terms:
    """How reports are sent."""

    in_flight: int
    """The most reports that are unanswered at one sidecar."""
    deadline: float
    """Seconds that a report may be unanswered."""
    patience: float
    """Seconds for which sidecars that are away or busy are asked again."""
    failover: bool
    """Whether a report goes to another sidecar where its own does not answer."""


def evaluate(reports: Sequence[Report], fleet: Fleet, terms: Terms) -> dict[int, Answer]:
    """The answers by the place of their reports."""
    answers: dict[int, Answer] = {}
    refused_since: dict[int, float] = {}
    pause = FIRST_PAUSE_SECONDS
    left = list(reports)
    while left:
        shares: dict[int, tuple[Sidecar, list[Report]]] = {}
        for report in left:
            sidecar = _target(_candidates(report, fleet, terms))
            shares.setdefault(id(sidecar), (sidecar, []))[1].append(report)
        refused = _round([_Stream(sidecar, share, terms) for sidecar, share in shares.values()], answers)

        waits: list[float] = []
        for report in left:
            if error := refused.get(report.at):
                seconds = pause if error.retry_after is None else error.retry_after
                since = refused_since.setdefault(report.at, time.monotonic())
                silent = min(sidecar.silent_for() for sidecar in _candidates(report, fleet, terms))
                if max(silent, time.monotonic() - since + seconds) > terms.patience:
                    answers[report.at] = error
                else:
                    waits.append(seconds)
        left = [report for report in left if report.at not in answers]
        if waits:
            time.sleep(max(waits))
            pause = min(2 * pause, MAX_PAUSE_SECONDS)
        else:
            pause = FIRST_PAUSE_SECONDS
    return answers


def _candidates(report: Report, fleet: Fleet, terms: Terms) -> list[Sidecar]:
    order = fleet.order(report.key)
    return order if terms.failover else order[:1]


def _target(candidates: list[Sidecar]) -> Sidecar:
    """The first that is not passed over; the one that answered last where all of them are."""
    now = time.monotonic()
    there = (sidecar for sidecar in candidates if sidecar.passed_over_until <= now)
    return next(there, None) or min(candidates, key=lambda sidecar: sidecar.passed_over_until)


def _round(streams: list[_Stream], answers: dict[int, Answer]) -> dict[int, Error]:
    """Runs the streams side by side and takes their answers; gives what is to be sent again after a pause, and why."""
    with ThreadPoolExecutor(len(streams), "gsar-batch") as pool:
        running = {pool.submit(stream.run): stream for stream in streams}
        while wait(running, LOOK_SECONDS).not_done:
            for stream in streams:
                stream.end_overdue()
    refused: dict[int, Error] = {}
    for ended, stream in running.items():
        ended.result()
        answers |= stream.answers
        refused |= stream.refused
    return refused


class _Stream:
    """One call of EvaluateStream with some reports."""

    def __init__(self, sidecar: Sidecar, reports: list[Report], terms: Terms) -> None:
        self.answers: dict[int, Answer] = {}
        self.refused: dict[int, Error] = {}
        self._sidecar = sidecar
        self._reports = reports
        self._terms = terms
        self._lock = threading.Lock()
        self._places = threading.Semaphore(terms.in_flight)
        self._sent: dict[int, float] = {}
        self._is_over = False
        transport = sidecar.client.transport
        stub = v1.GroundingServiceStub(transport.channel)
        self._call = stub.EvaluateStream(self._requests(), metadata=transport.token.metadata())

    def run(self) -> None:
        """Sends the reports and reads until all are answered or the stream ends."""
        try:
            for answer in self._call:
                self._sidecar.answered()
                self._take(int(answer.correlation_id), answer)
        except grpc.RpcError as error:
            self._end()
            self._ended_by(of_rpc_error(METHOD, self._sidecar.client.transport.endpoint, error))
        finally:
            self._end()
            self._call.cancel()

    def end_overdue(self) -> None:
        """Gives up reports that are unanswered for too long; an answer that still comes counts."""
        now = time.monotonic()
        with self._lock:
            overdue = [at for at, sent in self._sent.items() if now - sent > self._terms.deadline]
            for at in overdue:
                message = f"no answer within {self._terms.deadline:g} s; allow more with deadline="
                self.answers[at] = DeadlineExceeded(message, method=METHOD, code="DEADLINE_EXCEEDED")
                del self._sent[at]
                self._places.release()
            nothing_left = len(self.answers) + len(self.refused) == len(self._reports)
        if overdue and nothing_left:
            self._call.cancel()

    def _requests(self) -> Iterator[v1.EvaluateStreamRequest]:
        """The messages, each once there is a place for it; a thread of grpcio asks for them."""
        for report in self._reports:
            self._places.acquire()
            with self._lock:
                if self._is_over:
                    return
                self._sent[report.at] = time.monotonic()
            yield v1.EvaluateStreamRequest(correlation_id=str(report.at), request=report.request)

    def _end(self) -> None:
        """Lets the thread that asks for messages go."""
        with self._lock:
            self._is_over = True
        self._places.release()

    def _take(self, at: int, answer: v1.EvaluateStreamResponse) -> None:
        with self._lock:
            if answer.HasField("evaluation"):
                self.answers[at] = answer.evaluation
            else:
                self._refuse(at, of_call_error(answer.error))
            if self._sent.pop(at, None) is not None:
                self._places.release()

    def _refuse(self, at: int, error: Error) -> None:
        if error.retry_after is None:
            self.answers[at] = error
        else:
            self.refused[at] = error

    def _ended_by(self, error: Error) -> None:
        unanswered = [report for report in self._reports if report.at not in self.answers]
        if isinstance(error, SidecarUnreachable | Unavailable):
            self._sidecar.fell_silent()
            self.refused |= {report.at: error for report in unanswered}
        elif isinstance(error, OF_THE_CALLER):
            self.answers |= {report.at: error for report in unanswered}
        else:
            # One of the reports under way may be at fault, such as one that is too large: each goes as a call of its
            # own, and the others over the next stream.
            under_way = [report for report in unanswered if report.at in self._sent]
            for report in under_way or unanswered[:1]:
                self._evaluate_alone(report)

    def _evaluate_alone(self, report: Report) -> None:
        try:
            self.answers[report.at] = self._sidecar.client.evaluate(report.request, timeout=self._terms.deadline)
        except (SidecarUnreachable, Unavailable) as error:
            self._sidecar.fell_silent()
            self.refused[report.at] = error
        except Error as error:
            self._refuse(report.at, error)
