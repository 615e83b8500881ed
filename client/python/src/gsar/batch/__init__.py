"""Evaluates the reports in pandas data frames.

    evaluator = gsar.batch.Evaluator(["grpc://gsar-1:4317", "grpc://gsar-2:4317"], job="march")
    verdicts = evaluator(pandas.read_parquet("reports.parquet"))

`gsar.spark` and `gsar.dask` use this module. It needs pandas. docs/PYTHON.md lists the columns.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import pandas as pd

from gsar import endpoint
from gsar.batch import fleet, rows, sending
from gsar.batch.rows import READ, WRITTEN
from gsar.errors import Error

__all__ = ["READ", "WRITTEN", "Evaluator", "ReportFailed"]

CHUNK = 1_000
"""The maximum number of reports that are in memory as messages at the same time."""
MAX_JOB_CHARACTERS = 128


class ReportFailed(RuntimeError):
    """Raised for a report without a verdict if `on_error` is `"raise"`."""


@dataclass(frozen=True)
class Evaluator:
    """A picklable function from frames of reports to frames of verdicts.

    An input frame has the columns `gsar.batch.READ`, of which only `id` is required. The output frame has the columns
    `gsar.batch.WRITTEN`. It has one row per input row, in the same order.
    """

    endpoints: Sequence[str]
    """The endpoints of the sidecars. The idempotency key of a report determines which sidecar evaluates it."""
    job: str = field(default_factory=lambda: str(uuid.uuid4()))
    """The job's name, 1 to 128 characters. A report that already has a verdict under this name is not judged again."""
    keep: Sequence[str] = ()
    """Columns to copy from the reports to the verdicts."""
    failover: bool = False
    """`True` to send a report to another sidecar if its own is unreachable. The sidecars must share a ledger."""
    in_flight: int = 32
    """The maximum number of unanswered reports per sidecar and frame."""
    deadline: float = 300.0
    """The time limit for a report, in seconds."""
    patience: float = 60.0
    """How long to retry a report if sidecars are unreachable or busy, in seconds."""
    on_error: Literal["column", "raise"] = "column"
    """Whether a report without a verdict gets a row with an `error`, or raises `ReportFailed` after its frame."""
    tls_ca: str = ""
    tls_certificate: str = ""
    tls_key: str = ""
    token_file: str = ""
    """The same files as for `gsar.Client`. They must exist on every machine that evaluates frames."""

    def __post_init__(self) -> None:
        if isinstance(self.endpoints, str) or not self.endpoints:
            raise ValueError('endpoints: not a list of endpoints; expected ["grpc://host:port", ...]')
        for each in self.endpoints:
            endpoint.parse(each, "endpoints")
        if not 0 < len(self.job) <= MAX_JOB_CHARACTERS or not self.job.isascii():
            raise ValueError(f"job: invalid name `{self.job}`; expected 1 to {MAX_JOB_CHARACTERS} ASCII characters")
        if self.in_flight < 1:
            raise ValueError(f"in_flight: {self.in_flight} is too low; expected at least 1")
        if self.on_error not in ("column", "raise"):
            raise ValueError(f"on_error: unknown value `{self.on_error}`; expected column or raise")
        for column in self.keep:
            if column in WRITTEN:
                raise ValueError(f"keep: `{column}` is a column of the verdicts; rename it first")

    def __call__(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Returns the verdicts of one frame."""
        verdicts = list(self.frames([frame]))
        return pd.concat(verdicts, ignore_index=True) if verdicts else self._frame([], frame)

    def frames(self, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """Yields the verdicts in frames of at most 1,000 rows. Yields each frame as soon as it is complete."""
        for frame in frames:
            for start in range(0, len(frame), CHUNK):
                part = cast("pd.DataFrame", frame.iloc[start : start + CHUNK])
                yield self._frame(self._verdicts(part), part)

    def _verdicts(self, frame: pd.DataFrame) -> list[dict[str, Any]]:
        if "id" not in frame.columns:
            raise ValueError(f"the frame has no column `id`, only {', '.join(map(str, frame.columns))}")
        columns = [column for column in READ if column in frame.columns]
        records = cast("list[dict[str, Any]]", frame[columns].to_dict("records"))
        parsed_rows = [rows.read(at, row, self.job) for at, row in enumerate(records)]
        sendable = [row for row in parsed_rows if isinstance(row, rows.Report)]
        answers: dict[int, sending.Answer] = {at: row for at, row in enumerate(parsed_rows) if isinstance(row, Error)}
        answers |= sending.evaluate(sendable, self._fleet(), self._options())
        verdicts = [rows.verdict(rows.name_of(row), answers[at]) for at, row in enumerate(records)]
        if self.on_error == "raise":
            for verdict in verdicts:
                if verdict["error"] is not None:
                    raise ReportFailed(f"report {verdict['id']}: {verdict['error']}")
        return verdicts

    def _fleet(self) -> fleet.Fleet:
        connections = fleet.Connections(
            tuple(self.endpoints), self.tls_ca, self.tls_certificate, self.tls_key, self.token_file
        )
        return fleet.of_this_process(connections)

    def _options(self) -> sending.SendOptions:
        return sending.SendOptions(self.in_flight, self.deadline, self.patience, self.failover)

    def _frame(self, verdicts: list[dict[str, Any]], reports: pd.DataFrame) -> pd.DataFrame:
        columns = {name: [verdict[name] for verdict in verdicts] for name in WRITTEN}
        frame = pd.DataFrame(
            {name: pd.Series(values, dtype=TYPES.get(name, "object")) for name, values in columns.items()}
        )
        for column in self.keep:
            frame[column] = reports[column].reset_index(drop=True)
        return frame


TYPES: dict[str, Any] = {
    "score": "float64",
    "input_tokens": "Int64",
    "output_tokens": "Int64",
    "cost_micros": "Int64",
}
"""The types of the columns that hold neither text nor lists."""
