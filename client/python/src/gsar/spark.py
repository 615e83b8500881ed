"""Evaluates the reports in a Spark data frame.

    reports = spark.read.parquet("reports")
    verdicts = gsar.spark.evaluate(reports, ["grpc://gsar-1:4317", "grpc://gsar-2:4317"], job="march")
    verdicts.write.parquet("verdicts")

Runs `gsar.batch.Evaluator` with `mapInPandas`; executors need this package, pandas and pyarrow. Needs `gsar[spark]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

try:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import (
        ArrayType,
        DoubleType,
        LongType,
        MapType,
        StringType,
        StructField,
        StructType,
    )
except ImportError as missing:
    raise ImportError(f"gsar.spark needs pyspark: install gsar[spark] ({missing})") from missing

from gsar.batch import READ, Evaluator

CLAIM = StructType(
    [
        StructField("id", StringType(), nullable=False),
        StructField("text", StringType(), nullable=False),
        StructField("class", StringType(), nullable=False),
        StructField("note", StringType(), nullable=False),
    ]
)

SCHEMA = StructType(
    [
        StructField("id", StringType()),
        StructField("evaluation_id", StringType()),
        StructField("outcome", StringType()),
        StructField("tier", StringType()),
        StructField("score", DoubleType()),
        StructField("exact_score", StringType()),
        StructField("reasons", ArrayType(StringType(), containsNull=False)),
        StructField("claims", ArrayType(CLAIM, containsNull=False)),
        StructField("judge", StringType()),
        StructField("input_tokens", LongType()),
        StructField("output_tokens", LongType()),
        StructField("cost_micros", LongType()),
        StructField("error_code", StringType()),
        StructField("error_reason", StringType()),
        StructField("error", StringType()),
    ]
)
"""The columns of the verdicts, without the columns in `keep`."""

TEXT = (StringType,)
TYPES = dict.fromkeys(READ, TEXT) | {
    "claims": (StringType, ArrayType),
    "evidence": (StringType, MapType, ArrayType),
}


def evaluate(reports: DataFrame, endpoints: Sequence[str], **settings: Any) -> DataFrame:
    """Returns the verdicts of reports, one row per report, computed lazily.

    `settings` are passed to `gsar.batch.Evaluator`. Set `job` if the frame can be computed more than once: reports
    that have a verdict under the same job are not judged again.
    """
    evaluator = Evaluator(endpoints, **settings)
    fields = {field.name: field for field in reports.schema.fields}
    if "id" not in fields:
        raise ValueError(f"reports: there is no column `id`, only {', '.join(fields)}")
    for column, types in TYPES.items():
        if column in fields and not isinstance(fields[column].dataType, types):
            allowed = " or ".join(each.typeName() for each in types)
            raise ValueError(f"reports: `{column}` is {fields[column].dataType.simpleString()}; cast it to {allowed}")
    for column in evaluator.keep:
        if column not in fields:
            raise ValueError(f"keep: there is no column `{column}`, only {', '.join(fields)}")
    input_columns = [column for column in READ if column in fields]
    needed = reports.select(*input_columns, *(column for column in evaluator.keep if column not in input_columns))
    schema = StructType([*SCHEMA.fields, *(fields[column] for column in evaluator.keep)])
    return needed.mapInPandas(evaluator.frames, schema)
