"""Fixtures for a local Spark and for real sidecars."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import incidents
import postgres
import pytest
from pyspark.sql import SparkSession

from gsar.server import Server

ROOT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("GSAR_SERVER") or str(ROOT / "target" / "debug" / "gsar-server")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder: SparkSession.Builder = SparkSession.builder  # pyright: ignore[reportAssignmentType]
    session = (
        # Two concurrent tasks, with up to four attempts each.
        builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def two_servers() -> Iterator[list[Server]]:
    """Two sidecars with separate ledgers."""
    with ExitStack() as stack:
        yield [stack.enter_context(Server(incidents.RULES, binary=BINARY)) for _ in range(2)]


@pytest.fixture
def two_servers_on_one_ledger() -> Iterator[list[Server]]:
    """Two sidecars that share a PostgreSQL database."""
    programs = postgres.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed; run make postgres")
    with ExitStack() as stack:
        url = stack.enter_context(postgres.database(programs))
        configuration = f'{incidents.RULES}\n[storage]\nurl = "{url}"\n'
        yield [stack.enter_context(Server(configuration, binary=BINARY)) for _ in range(2)]
