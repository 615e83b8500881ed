"""Evaluate a report: `python sync.py`, with a sidecar at GSAR_ENDPOINT or the default socket."""

import gsar

REPORT = "Pod checkout-7b84 was OOMKilled with exit code 137. The memory limit of checkout-7b84 is 1 GiB."
LOG = "2026-03-12T14:01:40Z pod checkout-7b84 was OOMKilled with exit code 137\n"
POD = '{"name": "checkout-7b84", "memory_limit": "512Mi"}'

with gsar.Client() as client:
    answer = client.evaluate(REPORT, {"log": LOG, "pod": POD})
    print(gsar.describe(answer))
    for claim in gsar.claims_at_fault(answer):
        print(f"correct or drop: {claim.text}")
