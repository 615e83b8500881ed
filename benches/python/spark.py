"""Compares the verdicts per second of Spark and of the plain Python client, on the same two sidecars.

Requires an interpreter that has the package and Spark installed. The sidecars run on core 0, and the callers run on
core 1. The callers are measured in turns. Each uses a new job, so that every verdict is judged and recorded. Ratios are
computed within a round. `GSAR_SERVER` selects a different server than the one built with the dist profile.
"""

import contextlib
import json
import os
import statistics
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import gsar
import gsar.spark
import pandas as pd
from figures import PROGRAMS, ratios, spread, table
from pyspark.sql import DataFrame, SparkSession
from servers import pin_to_core, running, workspace

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "5"))
COUNT = int(os.environ.get("GSAR_BENCH_REPORTS", "10000"))
PARTITIONS = 8
SERVER = Path(os.environ.get("GSAR_SERVER") or PROGRAMS / "gsar-server")


def reports() -> pd.DataFrame:
    texts = [f"Pod checkout-{number} was OOMKilled with exit code 137" for number in range(COUNT)]
    return pd.DataFrame(
        {
            "id": [f"r{number}" for number in range(COUNT)],
            "synthesis": [f"{text}." for text in texts],
            "evidence": [json.dumps({"log": f"2026-03-12T14:01:40Z {text.lower()}"}) for text in texts],
        }
    )


def run_streams(frame: pd.DataFrame, endpoints: list[str], job: str) -> int:
    """Uses `gsar.Client` to send half of the reports to each sidecar, over one stream per sidecar."""
    rows = list(zip(frame["id"], frame["synthesis"], frame["evidence"], strict=True))
    proceeded = []

    def send(endpoint: str, share: list[tuple[str, str, str]]) -> None:
        requests = (
            (name, gsar.evaluation(gsar.v1.Report(id=name, synthesis=text), json.loads(log), idempotency_key=job + name))
            for name, text, log in share
        )
        with gsar.Client(endpoint) as client:
            proceeded.extend(gsar.may_proceed(answer.evaluation) for answer in client.evaluate_stream(requests))

    threads = [
        threading.Thread(target=send, args=(endpoint, rows[at :: len(endpoints)])) for at, endpoint in enumerate(endpoints)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(proceeded)


def run_calls(frame: pd.DataFrame, endpoints: list[str], job: str) -> int:
    """Calls `evaluate` sequentially, and alternates between the sidecars."""
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(gsar.Client(endpoint)) for endpoint in endpoints]
        rows = zip(frame["id"], frame["synthesis"], frame["evidence"], strict=True)
        return sum(
            gsar.may_proceed(
                clients[at % len(clients)].evaluate(
                    gsar.v1.Report(id=name, synthesis=text), json.loads(log), idempotency_key=job + name
                )
            )
            for at, (name, text, log) in enumerate(rows)
        )


def run_spark(frame: DataFrame, endpoints: list[str], job: str) -> int:
    """Runs a whole job, which passes the rows to Python, computes the verdicts, and passes the rows back."""
    return gsar.spark.evaluate(frame, endpoints, job=job).filter("tier = 'proceed'").count()


def start_session() -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


def main() -> None:
    plain = reports()
    with workspace() as (folder, stack):
        endpoints = [f"unix://{folder}/{name}.sock" for name in ("one", "two")]
        for name, endpoint in zip(("one", "two"), endpoints, strict=True):
            command = [str(SERVER), "--listen", endpoint, "--data-dir", str(folder / name)]
            stack.enter_context(running(folder, name, command, endpoint, GSAR_JUDGES__CHAIN='["rules/2"]'))
        if pin_to_core(0, []):
            os.sched_setaffinity(0, {1})
        for endpoint in endpoints:
            with gsar.Client(endpoint) as client:
                while True:
                    with contextlib.suppress(gsar.SidecarUnreachable):
                        if client.is_serving():
                            break
                    time.sleep(0.05)
        spark = start_session()
        stack.callback(spark.stop)
        frame = spark.createDataFrame(plain).repartition(PARTITIONS, "id").cache()
        callers: dict[str, Callable[[str], int]] = {
            "plain client, one stream per sidecar": lambda job: run_streams(plain, endpoints, job),
            "plain client, sequential calls": lambda job: run_calls(plain, endpoints, job),
            "gsar.batch, one process": lambda job: (
                int((gsar.batch.Evaluator(endpoints, job=job)(plain)["tier"] == "proceed").sum())
            ),
            "gsar.spark, local[2]": lambda job: run_spark(frame, endpoints, job),
            "gsar.spark, the same job again": lambda job: run_spark(frame, endpoints, job),
        }
        rates: dict[str, list[float]] = {name: [] for name in callers}
        for index in range(ROUNDS + 1):
            jobs = {name: f"{uuid.uuid4()}/" for name in callers}
            jobs["gsar.spark, the same job again"] = jobs["gsar.spark, local[2]"]
            for name, caller in callers.items():
                start = time.perf_counter()
                proceeded = caller(jobs[name])
                seconds = time.perf_counter() - start
                if proceeded != COUNT:
                    raise RuntimeError(f"{name}: {proceeded} of {COUNT} reports proceeded")
                if index > 0:
                    rates[name].append(COUNT / seconds)
    (baseline, baseline_rates), *_ = rates.items()
    rows = [
        [name, spread(ratios(values, baseline_rates)), f"{statistics.median(values):,.0f}"] for name, values in rates.items()
    ]
    print(f"{ROUNDS} alternating rounds after a warm-up, {COUNT:,} reports each, server {SERVER.parent.name}.\n")
    print(table(["", f"relative to {baseline}", "verdicts/s"], rows))


if __name__ == "__main__":
    main()
