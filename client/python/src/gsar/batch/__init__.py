"""Many reports, as frames of pandas: a frame of reports in, a frame of verdicts out, whichever engine holds the frames.

    evaluator = gsar.batch.Evaluator(["grpc://gsar-1:4317", "grpc://gsar-2:4317"], job="march")
    verdicts = evaluator(pandas.read_parquet("reports.parquet"))

`gsar.spark` and `gsar.dask` are made of it. Needs pandas. The columns are in docs/PYTHON.md.
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
"""How many reports are held as messages at a time."""
MAX_JOB_CHARACTERS = 128


class ReportFailed(RuntimeError):
    """A report for which there is no verdict, where errors are to be raised."""


@dataclass(frozen=True)
class Evaluator:
    """Has the reports of frames evaluated. It is a function from frame to frame, and can be pickled.

    A frame has the columns `gsar.batch.READ`, of which only `id` is required, and gives one with `gsar.batch.WRITTEN`,
    row for row.
    """

    endpoints: Sequence[str]
    """The sidecars. Which one a report goes to follows from its key."""
    job: str = field(default_factory=lambda: str(uuid.uuid4()))
    """1 to 128 characters. A report that has a verdict under the same job and with the same content gets that one,
    and no judge is asked."""
    keep: Sequence[str] = ()
    """Columns that are carried over from the reports to the verdicts."""
    failover: bool = False
    """Whether a report goes to another sidecar where its own does not answer: for sidecars that share a ledger."""
    in_flight: int = 32
    """The most reports that are unanswered at one sidecar, for each frame that is evaluated at a time."""
    deadline: float = 300.0
    """Seconds that a report may be unanswered."""
    patience: float = 60.0
    """Seconds for which sidecars that are away or busy are asked again."""
    on_error: Literal["column", "raise"] = "column"
    """What becomes of a report without a verdict: a row with `error`, or `ReportFailed` once its frame is through."""
    tls_ca: str = ""
    tls_certificate: str = ""
    tls_key: str = ""
    token_file: str = ""
    """As for `gsar.Client`; files of the machines on which frames are evaluated."""

    def __post_init__(self) -> None:
        if isinstance(self.endpoints, str) or not self.endpoints:
            raise ValueError('endpoints: is no list of endpoints; give ["grpc://host:port", ...]')
        for each in self.endpoints:
            endpoint.parse(each, "endpoints")
        if not 0 < len(self.job) <= MAX_JOB_CHARACTERS or not self.job.isascii():
            raise ValueError(f"job: `{self.job}` is no name of a job; give 1 to {MAX_JOB_CHARACTERS} ASCII characters")
        if self.in_flight < 1:
            raise ValueError(f"in_flight: {self.in_flight} is none; give at least 1")
        if self.on_error not in ("column", "raise"):
            raise ValueError(f"on_error: `{self.on_error}` is not known; give column or raise")
        for column in self.keep:
            if column in WRITTEN:
                raise ValueError(f"keep: `{column}` is a column of the verdicts; give it another name first")

    def __call__(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The verdicts of one frame."""
        verdicts = list(self.frames([frame]))
        return pd.concat(verdicts, ignore_index=True) if verdicts else self._frame([], frame)

    def frames(self, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """The verdicts of frames, in frames of at most a thousand rows, as soon as each is through."""
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
        answers |= sending.evaluate(sendable, self._fleet(), self._terms())
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

    def _terms(self) -> sending.Terms:
        return sending.Terms(self.in_flight, self.deadline, self.patience, self.failover)

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
"""The types of columns that are not of texts, lists or None."""
