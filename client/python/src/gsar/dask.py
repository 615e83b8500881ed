"""Dask: a frame of reports in, verdicts out.

    verdicts = gsar.dask.evaluate(dask.dataframe.read_parquet("reports"), ["grpc://gsar-1:4317"], job="march")
    verdicts.to_parquet("verdicts")

It is `gsar.batch.Evaluator` under `map_partitions`. Needs `gsar[dask]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

try:
    import dask.dataframe as dd
except ImportError as missing:
    raise ImportError(f"gsar.dask needs dask with its frames: install gsar[dask] ({missing})") from missing

import pandas as pd

from gsar.batch import Evaluator


def evaluate(reports: dd.DataFrame, endpoints: Sequence[str], **settings: Any) -> dd.DataFrame:
    """The verdicts of reports, a row for each; nothing is sent before they are computed.

    `settings` are those of `gsar.batch.Evaluator`. Name the `job` where the frame may be computed more than once, or by
    a later run: what has a verdict under it is not judged again.
    """
    evaluator = Evaluator(endpoints, **settings)
    types = cast("dict[str, Any]", reports.dtypes.to_dict())
    verdicts_of_none = evaluator(pd.DataFrame({name: pd.Series(dtype=of) for name, of in types.items()}))
    return cast("dd.DataFrame", reports.map_partitions(evaluator, meta=verdicts_of_none))
