"""Evaluates pandas frames of reports.

    evaluator = gsar.batch.Evaluator(["grpc://gsar-1:4317", "grpc://gsar-2:4317"], job="march")
    verdicts = evaluator(pandas.read_parquet("reports.parquet"))

`gsar.spark` and `gsar.dask` use it. Needs pandas. docs/PYTHON.md lists the columns.
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
"""The maximum number of reports in memory as messages."""
MAX_JOB_CHARACTERS = 128


class ReportFailed(RuntimeError):
    """A report has no verdict, and `on_error` is `"raise"`."""


@dataclass(frozen=True)
class Evaluator:
    """A picklable function from frames of reports to frames of verdicts.

    An input frame has the columns `gsar.batch.READ`, of which only `id` is required. The output frame has the columns
    `gsar.batch.WRITTEN`, row for row.
    """

    endpoints: Sequence[str]
    """The sidecars. The key of a report determines its sidecar."""
    job: str = field(default_factory=lambda: str(uuid.uuid4()))
    """1 to 128 characters. A report that already has a verdict under the same job is not judged again."""
    keep: Sequence[str] = ()
    """Columns to copy from the reports to the verdicts."""
    failover: bool = False
    """`True` to send a report to another sidecar if its own one is unreachable. Requires a shared ledger."""
    in_flight: int = 32
    """The maximum number of unanswered reports per sidecar and frame."""
    deadline: float = 300.0
    """The time limit for a report, in seconds."""
    patience: float = 60.0
    """The time limit for retries with unreachable or busy sidecars, in seconds."""
    on_error: Literal["column", "raise"] = "column"
    """The result for a report without a verdict: a row with `error`, or `ReportFailed` after its frame."""
    tls_ca: str = ""
    tls_certificate: str = ""
    tls_key: str = ""
    token_file: str = ""
    """As for `gsar.Client`. The files must exist on the machines that evaluate frames."""

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
        """Yields the verdicts of frames in frames of at most a thousand rows, as they complete."""
        for frame in frames:
            for start in range(0, len(frame), CHUNK):
                part = cast("pd.DataFrame", frame.iloc[start : start + CHUNK])
                yield self._frame(self._verdicts(part), part)

    def _verdicts(self, frame: pd.DataFrame) -> list[dict[str, Any]]:
        if "id" not in frame.columns:
            raise ValueError(f"the frame has no column `id`, only {', '.join(map(str, frame.columns))}")
        columns = [column for column in READ if column in frame.columns]
        given = cast("list[dict[str, Any]]", frame[columns].to_dict("records"))
        read = [rows.read(at, row, self.job) for at, row in enumerate(given)]
        sendable = [row for row in read if isinstance(row, rows.Report)]
        answers: dict[int, sending.Answer] = {at: row for at, row in enumerate(read) if isinstance(row, Error)}
        answers |= sending.evaluate(sendable, self._fleet(), self._options())
        verdicts = [rows.verdict(rows.name_of(row), answers[at]) for at, row in enumerate(given)]
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
"""The types of columns other than text and lists."""
