"""Reports, each about its own pod, whose tiers under the judge `rules/2` are known, and their records in ledgers."""

import json
from collections import Counter

import pandas as pd

import gsar
from gsar.server import Server

RULES = '[judges]\nchain = ["rules/2"]\n'


def is_refuted(number: int) -> bool:
    """Returns `True` if the evidence refutes the report with this number."""
    return number % 10 == 0


def reports(count: int) -> pd.DataFrame:
    """Returns a frame with the columns `id`, `synthesis`, `evidence` and `number`."""
    numbers = range(count)
    facts = [f"Pod checkout-{number} was OOMKilled with exit code 137" for number in numbers]
    return pd.DataFrame(
        {
            "id": [f"r{number}" for number in numbers],
            "synthesis": [
                f"{text}." + (f" The memory limit of checkout-{number} is 1 GiB." if is_refuted(number) else "")
                for number, text in enumerate(facts)
            ],
            "evidence": [
                json.dumps(
                    {
                        "log": f"2026-03-12T14:01:40Z {text.lower()}",
                        "pod": f"name,memory_limit\ncheckout-{number},512Mi\n",
                    }
                )
                for number, text in enumerate(facts)
            ],
            "number": list(numbers),
        }
    )


def unexpected_tiers(verdicts: pd.DataFrame) -> list[tuple[int, str]]:
    """Returns the number and the tier of each report whose tier is not the expected one."""
    decided = zip(verdicts["number"].to_list(), verdicts["tier"].to_list(), strict=True)
    return [(number, tier) for number, tier in decided if tier != ("replan" if is_refuted(number) else "proceed")]


def record_counts(*servers: Server) -> Counter[str]:
    """Returns how many records of each report the servers' ledgers contain."""
    counts: Counter[str] = Counter()
    for server in servers:
        with gsar.Client(server.endpoint) as client:
            counts.update(each.report_id for each in client.list_evaluations(page_size=1000))
    return counts
