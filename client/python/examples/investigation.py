"""Run an investigation: `python investigation.py INVESTIGATION_ID`. The same id resumes the investigation."""

import sys
from collections.abc import Iterator

import gsar
from gsar import v1
from gsar.callbacks import PlanInstruction, WriteInstruction

LOG = "14:01:40 pod checkout-7b84 was OOMKilled with exit code 137\n"
POD = '{"name": "checkout-7b84", "memory_limit": "512Mi"}'
FACT, GUESS = "Pod checkout-7b84 was OOMKilled with exit code 137.", "The memory limit of checkout-7b84 is 1 GiB."


def plan(due: PlanInstruction, state: v1.Investigation) -> Iterator[v1.RecordTurnRequest]:
    yield gsar.turn({"log": LOG, "pod": POD})  # call your tools here


def write(due: WriteInstruction, state: v1.Investigation) -> str:  # call your model here
    return f"{FACT} {GUESS}" if isinstance(due, v1.Synthesize) else FACT


with gsar.Client() as client:
    outcome = gsar.Investigation(write, plan).run(client, sys.argv[1])
    print(outcome.cause, [v1.Tier.Name(judged.tier) for judged in outcome.trajectory])
    print(outcome.report.synthesis if outcome.report else "no report")
