"""Compares the Python client with raw grpcio stubs, both blocking and asyncio, with 1 and with 64 calls in flight.

Measures the calls per second and the CPU time. Requires an interpreter that has the package installed. The server runs
on core 0, and this program runs on core 1. The client and the stubs are measured in turns, on separate connections to
the same server, and every ratio is computed within a round.
"""

import asyncio
import contextlib
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import gsar
import gsar.aio
import grpc
import grpc.aio
from figures import PROGRAMS, met, ratios, spread, table
from gsar import v1
from gsar.health import SERVING, health_watch
from servers import pin_to_core, running, workspace

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "21"))
SECONDS = float(os.environ.get("GSAR_BENCH_SECONDS", "0.2"))
TARGET = 0.9
Measure = Callable[[float], tuple[int, float]]
"""A function that calls for a number of seconds, and returns the number of calls and the elapsed time."""
OPTIONS = [("grpc.default_authority", "localhost")]
REPORT = "Pod checkout-7b84 was OOMKilled with exit code 137."
LOG = "2026-03-12T14:01:40Z pod checkout-7b84 was OOMKilled with exit code 137\n"
COUNTS = gsar.counts(
    grounded=["tool_match"] * 9 + ["specific_data"] * 4 + ["signal_match"] * 2 + ["synthesis"],
    complementary=["complementary_finding"],
    ungrounded=["inference"] * 2,
    contradicted=["tool_match"],
)
SCORE = v1.ScoreRequest(counts=COUNTS, policy="reference")


def request() -> v1.EvaluateRequest:
    """Builds the same message that the client builds from a text and a log."""
    item = v1.EvidenceItem(id="log", kind=v1.EVIDENCE_KIND_TOOL_OUTPUT, lane=v1.EVIDENCE_LANE_LOGS, text=LOG)
    return v1.EvaluateRequest(report=v1.Report(synthesis=REPORT), evidence=[item])


@dataclass
class Subject:
    """A way to call. Records the calls per second, and the CPU time per call in microseconds, for each round."""

    name: str
    baseline: str
    measure: Measure
    rates: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def round(self) -> None:
        """Runs one round."""
        before = time.process_time()
        calls, seconds = self.measure(SECONDS)
        self.rates.append(calls / seconds)
        self.processor.append((time.process_time() - before) / calls * 1e6)


def in_threads(call: Callable[[], object], in_flight: int) -> Measure:
    def worker(end: float) -> int:
        count = 0
        while time.perf_counter() < end:
            call()
            count += 1
        return count

    def measure(seconds: float) -> tuple[int, float]:
        with ThreadPoolExecutor(in_flight) as pool:
            start = time.perf_counter()
            calls = sum(pool.map(worker, [start + seconds] * in_flight))
            return calls, time.perf_counter() - start

    return measure


def in_event_loop(
    loop: asyncio.AbstractEventLoop, call: Callable[[], Awaitable[object]], in_flight: int
) -> Measure:
    async def worker(end: float) -> int:
        count = 0
        while time.perf_counter() < end:
            await call()
            count += 1
        return count

    async def measure(seconds: float) -> tuple[int, float]:
        start = time.perf_counter()
        calls = sum(await asyncio.gather(*(worker(start + seconds) for _ in range(in_flight))))
        return calls, time.perf_counter() - start

    return lambda seconds: loop.run_until_complete(measure(seconds))


def subjects(endpoint: str, stack: contextlib.ExitStack) -> dict[str, Subject]:
    client = stack.enter_context(gsar.Client(endpoint))
    stub = v1.GroundingServiceStub(stack.enter_context(grpc.insecure_channel(endpoint, OPTIONS)))
    loop = asyncio.new_event_loop()
    stack.callback(loop.close)
    asyncio.set_event_loop(loop)
    aio = gsar.aio.Client(endpoint)
    stack.callback(lambda: loop.run_until_complete(aio.close()))
    channel = grpc.aio.insecure_channel(endpoint, OPTIONS)
    stack.callback(lambda: loop.run_until_complete(channel.close()))
    aio_stub = v1.GroundingServiceStub(channel)

    result = {}
    for in_flight in (1, 64):
        for kind, calls in [
            (
                "blocking",
                {
                    "`Score`": (
                        lambda: client.score(SCORE),
                        lambda: stub.Score(SCORE, timeout=60),
                    ),
                    "`Evaluate`": (
                        lambda: client.evaluate(REPORT, {"log": LOG}),
                        lambda: stub.Evaluate(request(), timeout=60),
                    ),
                },
            ),
            (
                "asyncio",
                {
                    "`Score`": (
                        lambda: aio.score(SCORE),
                        lambda: aio_stub.Score(SCORE, timeout=60),
                    ),
                    "`Evaluate`": (
                        lambda: aio.evaluate(REPORT, {"log": LOG}),
                        lambda: aio_stub.Evaluate(request(), timeout=60),
                    ),
                },
            ),
        ]:
            for method, (ours, theirs) in calls.items():
                name = f"{method}, {kind}, {in_flight} in flight"
                raw = f"stubs: {name}"
                for key, call in ((raw, theirs), (name, ours)):
                    measure = in_threads(call, in_flight) if kind == "blocking" else in_event_loop(loop, call, in_flight)
                    result[key] = Subject(key, "" if key == raw else raw, measure)
    return result


def wait_until_serving(endpoint: str) -> None:
    with grpc.insecure_channel(endpoint, [*OPTIONS, ("grpc.initial_reconnect_backoff_ms", 20)]) as channel:
        states = health_watch(channel)(b"", wait_for_ready=True, timeout=60)
        next(state for state in states if state == SERVING)


def main() -> None:
    with workspace() as (folder, stack):
        endpoint = f"unix://{folder}/gsar.sock"
        command = [str(PROGRAMS / "gsar-server"), "--listen", endpoint, "--data-dir", str(folder / "data")]
        settings = {"GSAR_JUDGES__CHAIN": '["rules/2"]', "GSAR_LEDGER__ENABLED": "false"}
        stack.enter_context(running(folder, "gsar", command, endpoint, **settings))
        if pin_to_core(0, []):
            os.sched_setaffinity(0, {1})
        wait_until_serving(endpoint)
        measured = subjects(endpoint, stack)
        for subject in measured.values():
            subject.measure(0.2)
        for index in range(ROUNDS):
            turn = list(measured.values())
            for subject in turn if index % 2 == 0 else reversed(turn):
                subject.round()
    rows = []
    for subject in measured.values():
        if not subject.baseline:
            continue
        raw = measured[subject.baseline]
        values = ratios(subject.rates, raw.rates)
        median = statistics.median(values)
        rates = [f"{statistics.median(each.rates):,.0f}" for each in (subject, raw)]
        processor = spread(ratios(subject.processor, raw.processor))
        rows.append([subject.name, spread(values), f"≥ {TARGET}", met(median >= TARGET), processor, *rates])
    print(f"{ROUNDS} alternating rounds, Python {sys.version.split()[0]}, grpcio {grpc.__version__}.\n")
    print(table(["calls/s of the client", "relative to raw stubs", "target", "met", "CPU per call", "client", "stubs"], rows))


if __name__ == "__main__":
    main()
