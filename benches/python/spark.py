"""Compares Spark with the plain Python client on the same two sidecars: verdicts per second.

Requires an interpreter with the package and Spark. Sidecars run on core 0, callers on core 1. The callers alternate,
each with a new job, so that every verdict is judged and recorded. Ratios are computed within a round. `GSAR_SERVER`
selects a server other than the one built with the profile dist.
"""

import contextlib
import json
import os
import statistics
import sys
import tempfile
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
from servers import pinned, running

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


def by_client(frame: pd.DataFrame, endpoints: list[str], job: str) -> int:
    """Sends half of the reports to each sidecar over one stream, through `gsar.Client`."""
    rows = list(zip(frame["id"], frame["synthesis"], frame["evidence"], strict=True))
    proceeded = []

    def send(endpoint: str, mine: list[tuple[str, str, str]]) -> None:
        requests = (
            (name, gsar.evaluation(gsar.v1.Report(id=name, synthesis=text), json.loads(log), idempotency_key=job + name))
            for name, text, log in mine
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


def by_calls(frame: pd.DataFrame, endpoints: list[str], job: str) -> int:
    """Calls `evaluate` sequentially, alternating between the sidecars."""
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


def by_spark(frame: DataFrame, endpoints: list[str], job: str) -> int:
    """Runs a whole job: rows to Python, verdicts, and rows back."""
    return gsar.spark.evaluate(frame, endpoints, job=job).filter("tier = 'proceed'").count()


def session() -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    built = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    built.sparkContext.setLogLevel("OFF")
    return built


def main() -> None:
    plain = reports()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gsar-bench-")))
        endpoints = [f"unix://{folder}/{name}.sock" for name in ("one", "two")]
        for name, endpoint in zip(("one", "two"), endpoints, strict=True):
            command = [str(SERVER), "--listen", endpoint, "--data-dir", str(folder / name)]
            stack.enter_context(running(folder, name, command, endpoint, GSAR_JUDGES__CHAIN='["rules/2"]'))
        if pinned(0, []):
            os.sched_setaffinity(0, {1})
        for endpoint in endpoints:
            with gsar.Client(endpoint) as client:
                while True:
                    with contextlib.suppress(gsar.SidecarUnreachable):
                        if client.is_serving():
                            break
                    time.sleep(0.05)
        spark = session()
        stack.callback(spark.stop)
        frame = spark.createDataFrame(plain).repartition(PARTITIONS, "id").cache()
        callers: dict[str, Callable[[str], int]] = {
            "plain client, one stream per sidecar": lambda job: by_client(plain, endpoints, job),
            "plain client, sequential calls": lambda job: by_calls(plain, endpoints, job),
            "gsar.batch, one process": lambda job: (
                int((gsar.batch.Evaluator(endpoints, job=job)(plain)["tier"] == "proceed").sum())
            ),
            "gsar.spark, local[2]": lambda job: by_spark(frame, endpoints, job),
            "gsar.spark, the same job again": lambda job: by_spark(frame, endpoints, job),
        }
        rates: dict[str, list[float]] = {name: [] for name in callers}
        for number in range(ROUNDS + 1):
            jobs = {name: f"{uuid.uuid4()}/" for name in callers}
            jobs["gsar.spark, the same job again"] = jobs["gsar.spark, local[2]"]
            for name, caller in callers.items():
                began = time.perf_counter()
                proceeded = caller(jobs[name])
                taken = time.perf_counter() - began
                if proceeded != COUNT:
                    raise RuntimeError(f"{name}: {proceeded} of {COUNT} reports may proceed")
                if number > 0:
                    rates[name].append(COUNT / taken)
    (baseline, of_baseline), *_ = rates.items()
    rows = [
        [name, spread(ratios(of, of_baseline)), f"{statistics.median(of):,.0f}"] for name, of in rates.items()
    ]
    print(f"{ROUNDS} alternating rounds after a warm-up, {COUNT:,} reports each, server {SERVER.parent.name}.\n")
    print(table(["", f"relative to {baseline}", "verdicts/s"], rows))


if __name__ == "__main__":
    main()
