"""Evaluate a report: `python sync.py`, with a sidecar at GSAR_ENDPOINT or the default socket."""

import gsar

REPORT = "Pod checkout-7b84 was OOMKilled with exit code 137. A nightly batch job took the memory of node wk-4."
LOG = "2026-03-12T14:01:40Z pod checkout-7b84 was OOMKilled with exit code 137\n"

with gsar.Client() as client:
    answer = client.evaluate(REPORT, {"log": LOG})
    print(gsar.describe(answer))
    for claim in gsar.claims_at_fault(answer):
        print(f"ground or drop: {claim.text}")
