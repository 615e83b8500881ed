"""Fixtures for a real sidecar, with the judge `rules/2`, that all tests share."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

import gsar.aio
from gsar.server import Server

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("GSAR_SERVER") or str(ROOT / "target" / "debug" / "gsar-server")
RULES = '[judges]\nchain = ["rules/2"]\n'


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server(RULES, binary=BINARY) as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[gsar.Client]:
    with gsar.Client(server.endpoint) as client:
        yield client


@pytest_asyncio.fixture
async def aio_client(server: Server) -> AsyncIterator[gsar.aio.Client]:
    async with gsar.aio.Client(server.endpoint) as client:
        yield client
