"""Tests Dask, with threads and with processes, against two real sidecars."""

from typing import Any

import dask.dataframe as dd
import incidents
import pandas as pd
import pytest

import gsar.dask
from gsar.server import Server


def compute(frame: Any, scheduler: str) -> pd.DataFrame:
    return frame.compute(scheduler=scheduler, num_workers=2)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_second_run_judges_no_report_again(scheduler: str, two_servers: list[Server]) -> None:
    untyped: Any = dd
    reports = untyped.from_pandas(incidents.reports(1000), npartitions=8)
    endpoints = [server.endpoint for server in two_servers]
    verdicts = gsar.dask.evaluate(reports, endpoints, job="march", keep=["number"])
    first = compute(verdicts, scheduler)
    assert [f"r{number}" for number in range(1000)] == first["id"].to_list()
    assert verdicts.columns.to_list() == first.columns.to_list()
    assert incidents.unexpected_tiers(first) == []
    assert compute(verdicts, scheduler)["evaluation_id"].to_list() == first["evaluation_id"].to_list()
    assert incidents.record_counts(*two_servers) == incidents.Counter(f"r{number}" for number in range(1000))
