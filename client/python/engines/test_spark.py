"""Tests Spark in local mode against two real sidecars, with failing tasks and killed sidecars."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from threading import Thread

import incidents
import pandas as pd
import pytest
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

import gsar.spark
from gsar.server import Server

COUNT = int(os.environ.get("GSAR_TEST_REPORTS", "10000"))
"""The number of reports in a job. It must be a multiple of `REPORTS_PER_TASK`."""
REPORTS_PER_TASK = 500
"""The number of reports in a task."""


def report_frame(spark: SparkSession, count: int = COUNT) -> DataFrame:
    """Returns reports in partitions of `REPORTS_PER_TASK`, in order."""
    return spark.createDataFrame(incidents.reports(count)).repartitionByRange(
        max(1, count // REPORTS_PER_TASK), "number"
    )


def verdicts_with_attempts(verdicts: DataFrame, act: Callable[[TaskContext, int], None]) -> pd.DataFrame:
    """Returns the verdicts, each with its task's attempt number. Tasks call `act` about every hundred reports."""

    def add_attempt_numbers(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        task = TaskContext.get()
        assert task is not None
        seen = 0
        for frame in frames:
            seen += len(frame)
            act(task, seen)
            yield frame.assign(attempt=task.attemptNumber())

    schema = verdicts.withColumn("attempt", f.lit(0)).schema
    return verdicts.mapInPandas(add_attempt_numbers, schema).toPandas()


def fail_first_attempts(task: TaskContext, seen: int) -> None:
    """Fails the first attempt of a task when most of its reports are recorded, before it returns verdicts."""
    if task.attemptNumber() == 0 and seen >= REPORTS_PER_TASK // 2:
        raise RuntimeError("injected")


def assert_each_recorded_once(verdicts: pd.DataFrame, servers: list[Server]) -> None:
    expected = Counter(f"r{number}" for number in range(COUNT))
    assert list(verdicts["error"].dropna().unique()) == []
    assert Counter(verdicts["id"]) == expected
    assert incidents.unexpected_tiers(verdicts) == []
    assert incidents.record_counts(*servers) == expected


def test_failing_tasks_do_not_duplicate_verdicts(spark: SparkSession, two_servers: list[Server]) -> None:
    verdicts = gsar.spark.evaluate(report_frame(spark), [server.endpoint for server in two_servers], keep=["number"])
    collected = verdicts_with_attempts(verdicts, fail_first_attempts)
    assert set(collected["attempt"]) == {1}, "every task must have been tried twice"
    assert_each_recorded_once(collected, two_servers)
    assert min(incidents.record_counts(server).total() for server in two_servers) > COUNT // 3, (
        "both sidecars must have taken part"
    )


def test_failing_tasks_do_not_duplicate_verdicts_in_a_shared_ledger(
    spark: SparkSession, two_servers_on_one_ledger: list[Server]
) -> None:
    endpoints = [server.endpoint for server in two_servers_on_one_ledger]
    verdicts = gsar.spark.evaluate(report_frame(spark), endpoints, keep=["number"], failover=True)
    collected = verdicts_with_attempts(verdicts, fail_first_attempts)
    assert set(collected["attempt"]) == {1}
    assert_each_recorded_once(collected, two_servers_on_one_ledger[:1])


def kill(process: int, partition: int) -> Callable[[TaskContext, int], None]:
    """Returns a function that kills a process during the task for a partition."""

    def act(task: TaskContext, seen: int) -> None:
        if task.partitionId() == partition and REPORTS_PER_TASK // 2 <= seen < REPORTS_PER_TASK // 2 + 100:
            os.kill(process, signal.SIGKILL)

    return act


def test_waits_for_a_restarted_sidecar(spark: SparkSession, two_servers: list[Server]) -> None:
    killed = two_servers[1]

    def restart_after_kill() -> None:
        killed.process.wait()
        killed.restart()

    restarter = Thread(target=restart_after_kill)
    restarter.start()
    verdicts = gsar.spark.evaluate(report_frame(spark), [server.endpoint for server in two_servers], keep=["number"])
    collected = verdicts_with_attempts(verdicts, kill(killed.process.pid, COUNT // REPORTS_PER_TASK // 4))
    restarter.join()
    assert_each_recorded_once(collected, two_servers)


def test_fails_over_from_a_killed_sidecar(spark: SparkSession, two_servers_on_one_ledger: list[Server]) -> None:
    endpoints = [server.endpoint for server in two_servers_on_one_ledger]
    verdicts = gsar.spark.evaluate(report_frame(spark), endpoints, keep=["number"], failover=True)
    killed = two_servers_on_one_ledger[1].process
    collected = verdicts_with_attempts(verdicts, kill(killed.pid, COUNT // REPORTS_PER_TASK // 4))
    assert killed.wait() == -signal.SIGKILL
    assert_each_recorded_once(collected, two_servers_on_one_ledger[:1])


def test_rows_without_a_verdict_get_an_error(spark: SparkSession, two_servers: list[Server]) -> None:
    frame = (
        spark.createDataFrame(incidents.reports(3))
        .withColumn("policy", f.when(f.col("id") == "r1", "none-such"))
        .withColumn("evidence", f.when(f.col("id") == "r2", "no JSON").otherwise(f.col("evidence")))
    )
    verdicts = gsar.spark.evaluate(frame, [two_servers[0].endpoint], keep=["number"])
    assert verdicts.schema.fields[:-1] == gsar.spark.SCHEMA.fields
    assert verdicts.schema.fields[-1] == frame.schema["number"]
    first, second, third = verdicts.orderBy("id").collect()
    assert (first["tier"], first["error"]) == ("replan", None)
    assert [claim["class"] for claim in first["claims"]] == ["grounded", "ungrounded"]
    assert (second["tier"], second["error_code"]) == (None, "NOT_FOUND")
    assert (second["error_reason"], "none-such" in second["error"]) == ("UNKNOWN_RESOURCE", True)
    assert third["error"].startswith("the server rejected 1 field\n  evidence: invalid JSON")


def test_columns_can_be_maps_and_arrays(spark: SparkSession, two_servers: list[Server]) -> None:
    columns = (
        "'m' AS id, array('Pod web-1 was OOMKilled.') AS claims, map('log', 'pod web-1 was OOMKilled') AS evidence"
    )
    frame = spark.sql(f"SELECT {columns}")
    (verdict,) = gsar.spark.evaluate(frame, [two_servers[0].endpoint]).collect()
    assert verdict["tier"] == "proceed"
    assert verdict["score"] == 1.0
    assert verdict["exact_score"] == "1/1"


def test_on_error_raise_fails_the_job(spark: SparkSession, two_servers: list[Server]) -> None:
    frame = spark.createDataFrame(incidents.reports(3)).withColumn("policy", f.lit("none-such"))
    verdicts = gsar.spark.evaluate(frame, [two_servers[0].endpoint], on_error="raise")
    with pytest.raises(Exception, match="ReportFailed: report r"):
        verdicts.collect()


def test_rejects_invalid_frames_before_the_job_starts(spark: SparkSession) -> None:
    with pytest.raises(ValueError, match="no column `id`, only number"):
        gsar.spark.evaluate(spark.sql("SELECT 1 AS number"), ["grpc://gsar:4317"])
    with pytest.raises(ValueError, match="`id` is int; cast it to string"):
        gsar.spark.evaluate(spark.sql("SELECT 1 AS id"), ["grpc://gsar:4317"])
    with pytest.raises(ValueError, match="there is no column `label`"):
        gsar.spark.evaluate(spark.sql("SELECT '1' AS id"), ["grpc://gsar:4317"], keep=["label"])
