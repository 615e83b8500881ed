"""Measures how many reports per second another evaluator evaluates with a chat model, used as its documentation says.

Measures once for each line `IN_FLIGHT SECONDS` on standard input, and prints one JSON object per measurement. With
--rows, prints the RAGAS scores of rows from `gsar-calibrate rows`, for `gsar-calibrate ablate --scores`. In this case,
the model's key is in OPENAI_API_KEY.
"""

import argparse
import asyncio
import json
import math
import os
import sys
import time
import warnings
from collections.abc import Awaitable, Callable

Evaluate = Callable[[], Awaitable[None]]
# The stub requires no key.
KEY = os.environ.get("OPENAI_API_KEY", "none")


def faithfulness(provider: str, model: str) -> Callable[[str, str, list[str]], Awaitable[float]]:
    """Returns RAGAS `faithfulness`. The report is the response, and each evidence item is a retrieved context."""
    import openai
    from ragas.llms import llm_factory
    from ragas.metrics.collections import Faithfulness

    client = openai.AsyncOpenAI(base_url=f"{provider}/v1", api_key=KEY)
    metric = Faithfulness(llm=llm_factory(model, client=client, max_tokens=8192))

    async def score(question: str, report: str, evidence: list[str]) -> float:
        inputs = {"user_input": question, "response": report, "retrieved_contexts": evidence}
        return (await metric.ascore(**inputs)).value

    return score


def ragas(provider: str, incident: dict) -> Evaluate:
    score = faithfulness(provider, "stub")

    async def evaluate() -> None:
        question = "What is known about the connection pools?"
        value = await score(question, incident["report"], incident["evidence"])
        assert value == 1.0, value

    return evaluate


async def print_scores(provider: str, model: str, rows: str) -> None:
    """Prints a score for each row, except for rows in whose report RAGAS finds no statement."""
    score = faithfulness(provider, model)
    with open(rows) as file:
        for row in map(json.loads, file):
            report = row.get("report") or " ".join(claim["text"] for claim in row["claims"])
            value = await score("What happened?", report, [item["text"] for item in row["evidence"]])
            if not math.isnan(value):
                print(json.dumps({"row": row["id"], "score": value}), flush=True)


def locus(provider: str, incident: dict) -> Evaluate:
    """Returns the locus-sdk evaluator with its own judge. The evidence is a single string, with one line per item."""
    from locus.models.native.openai import OpenAIModel
    from locus.reasoning.gsar import Decision
    from locus.reasoning.gsar_evaluator import GSAREvaluator
    from locus.reasoning.gsar_judge import StructuredOutputGSARJudge

    async def never(*_) -> None:
        raise AssertionError("the report must proceed on the first attempt")

    model = OpenAIModel(model="stub", base_url=f"{provider}/v1", api_key=KEY, max_tokens=8192)
    judge = StructuredOutputGSARJudge(model=model)
    evaluator = GSAREvaluator(judge=judge, regenerate_fn=never, replan_fn=never)
    evidence = "\n".join(incident["evidence"])

    async def evaluate() -> None:
        result = await evaluator.evaluate(report_synthesis=incident["report"], evidence_corpus=evidence)
        assert result.final_decision == Decision.PROCEED, result
        assert len(result.final_partition.grounded) == incident["claims"], result

    return evaluate


async def measure(evaluate: Evaluate, in_flight: int, seconds: float) -> dict:
    latencies: list[float] = []
    start, processor = time.perf_counter(), time.process_time()
    end = start + seconds

    async def worker() -> None:
        while (call_start := time.perf_counter()) < end:
            await evaluate()
            latencies.append(time.perf_counter() - call_start)

    await asyncio.gather(*(worker() for _ in range(in_flight)))
    elapsed, used = time.perf_counter() - start, time.process_time() - processor
    latencies.sort()
    return {
        "calls": len(latencies),
        "calls_per_second": len(latencies) / elapsed,
        "p50_us": latencies[len(latencies) // 2] * 1e6,
        "server_cpu_us_per_call": used * 1e6 / len(latencies),
    }


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("evaluator", choices=["ragas", "locus"])
    parser.add_argument("--provider", required=True, help="the URL of the stub, such as http://127.0.0.1:8000")
    subject = parser.add_mutually_exclusive_group(required=True)
    subject.add_argument("--incident", help="the file with the report and its evidence")
    subject.add_argument("--rows", help="a file with rows to score with RAGAS")
    parser.add_argument("--model", default="stub", help="the model that scores the rows")
    arguments = parser.parse_args()
    if arguments.rows:
        return await print_scores(arguments.provider, arguments.model, arguments.rows)
    with open(arguments.incident) as file:
        incident = json.load(file)
    evaluate = {"ragas": ragas, "locus": locus}[arguments.evaluator](arguments.provider, incident)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        in_flight, seconds = line.split()
        print(json.dumps(await measure(evaluate, int(in_flight), float(seconds))), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asyncio.run(main())
