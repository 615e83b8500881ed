"""Evaluate reports concurrently with asyncio: `python aio.py`."""

import asyncio

import gsar
import gsar.aio

LOG = gsar.text("log", "14:01:40 pod checkout-7b84 was OOMKilled with exit code 137\n", tool="kubectl logs")
POD = gsar.json("pod", {"name": "checkout-7b84", "memory_limit": "512Mi"})
REPORTS = ["Pod checkout-7b84 was OOMKilled with exit code 137.", "The memory limit of checkout-7b84 is 1 GiB."]


async def main() -> None:
    async with gsar.aio.Client() as client:
        answers = await asyncio.gather(*(client.evaluate(report, [LOG, POD]) for report in REPORTS))
    for report, answer in zip(REPORTS, answers, strict=True):
        print(gsar.tier(answer), report)


asyncio.run(main())
