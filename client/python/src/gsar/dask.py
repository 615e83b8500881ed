"""Evaluates the reports in a Dask data frame.

    verdicts = gsar.dask.evaluate(dask.dataframe.read_parquet("reports"), ["grpc://gsar-1:4317"], job="march")
    verdicts.to_parquet("verdicts")

Runs `gsar.batch.Evaluator` with `map_partitions`. Needs `gsar[dask]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

try:
    import dask.dataframe as dd
except ImportError as missing:
    raise ImportError(f"gsar.dask needs dask with its data frames: install gsar[dask] ({missing})") from missing

import pandas as pd

from gsar.batch import Evaluator


def evaluate(reports: dd.DataFrame, endpoints: Sequence[str], **settings: Any) -> dd.DataFrame:
    """Returns the verdicts of reports, one row per report, computed lazily.

    `settings` are passed to `gsar.batch.Evaluator`. Set `job` if the frame can be computed more than once: reports
    that have a verdict under the same job are not judged again.
    """
    evaluator = Evaluator(endpoints, **settings)
    types = cast("dict[str, Any]", reports.dtypes.to_dict())
    empty_verdicts = evaluator(pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in types.items()}))
    return cast("dd.DataFrame", reports.map_partitions(evaluator, meta=empty_verdicts))
