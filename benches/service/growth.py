"""Measures how the CPU time of a call grows with its size, as an exponent: 1 is linear.

The exponent is the slope of a line through the logarithms of four sizes and times. Facts are not cached between calls.
"""

import contextlib
import json
import math
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import met, table
from servers import EVALUATE, SCORE, Server, answer, gsar, load, program, request

LIST = "/gsar.v1.LedgerService/ListEvaluations"
ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "3"))
MAX_EXPONENT = 1.1
MAX_CALLS = 2_000
# The limits of messages and claims allow no larger requests.
SIZES = {
    "report": (EVALUATE, "sentences of a report", [125, 250, 500, 1_000]),
    "claims": (EVALUATE, "claims", [250, 500, 1_000, 2_000]),
    "items": (EVALUATE, "evidence items", [1_000, 2_000, 4_000, 8_000]),
    "lines": (EVALUATE, "lines of evidence", [2_000, 4_000, 8_000, 16_000]),
    "citations": (SCORE, "citations, each of another line", [250, 500, 1_000, 2_000]),
}
ROWS = [500, 1_000, 2_000, 4_000]


def microseconds(server: Server, path: str, message: Path) -> float:
    """Returns the server's CPU time per call, measured for about half a second."""

    def measure(calls: int) -> dict:
        arguments = ["--endpoint", server.endpoint, "--path", path, "--message", str(message), "--in-flight", "1"]
        return json.loads(load(*arguments, "--calls", str(calls), "--warm-up", "1", "--pid", str(server.pid)))

    rate = measure(3)["calls_per_second"]
    calls = min(max(3, int(rate / 2)), MAX_CALLS)
    return statistics.median(measure(calls)["server_cpu_us_per_call"] for _ in range(ROUNDS))


def exponent(sizes: list[int], times: list[float]) -> float:
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(time) for time in times]).slope


def grown_requests(server: Server, folder: Path, dimension: str, path: str, sizes: list[int]) -> list[float]:
    times = []
    for size in sizes:
        message = folder / f"{dimension}.request"
        program("messages", "sized", dimension, str(size), str(message)).check_returncode()
        answer(server, path, message, folder / "answer")
        times.append(microseconds(server, path, message))
    return times


def grown_ledger(server: Server, folder: Path) -> list[float]:
    evaluate, nothing = request(folder, "evaluate"), folder / "empty.request"
    nothing.write_bytes(b"")
    times, rows = [], 0
    for size in ROWS:
        arguments = ["--endpoint", server.endpoint, "--path", EVALUATE, "--message", str(evaluate)]
        load(*arguments, "--in-flight", "16", "--calls", str(size - rows), "--warm-up", "0")
        rows = size
        times.append(microseconds(server, LIST, nothing))
    return times


def row(what: str, sizes: list[int], times: list[float]) -> list[str]:
    slope = exponent(sizes, times)
    shown = [f"{size:,}: {time / 1e3:,.2f} ms" for size, time in zip(sizes, times, strict=True)]
    return [what, *shown, f"{slope:.2f}", met(slope <= MAX_EXPONENT)]


def main() -> None:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gsar-bench-")))
        common = {"GSAR_EVIDENCE__KEPT_IN_MEMORY": "0"}
        server = stack.enter_context(gsar(folder, "requests", GSAR_LEDGER__ENABLED="false", **common))
        rows = [
            row(what, sizes, grown_requests(server, folder, dimension, path, sizes))
            for dimension, (path, what, sizes) in SIZES.items()
        ]
        ledger = stack.enter_context(gsar(folder, "ledger", GSAR_LEDGER__DURABLE="false"))
        answer(ledger, EVALUATE, request(folder, "evaluate"), folder / "answer")
        rows.append(row("rows of the ledger, listing a page", ROWS, grown_ledger(ledger, folder)))
    print(table(["what grows", "", "", "", "", "exponent", f"≤ {MAX_EXPONENT}"], rows))


main()
