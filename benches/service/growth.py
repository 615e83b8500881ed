"""Measures how the CPU time of a call grows with the size of the call, as an exponent. An exponent of 1 is linear.

The exponent is the slope of the line through the logarithms of four sizes and times. No facts are cached between calls.
"""

import math
import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import met, table
from servers import EVALUATE, SCORE, Server, gsar, measure, request, run_program, save_answer, workspace

LIST = "/gsar.v1.LedgerService/ListEvaluations"
ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "3"))
MAX_EXPONENT = 1.1
MAX_CALLS = 2_000
# The limits on messages and claims allow no larger requests.
SIZES = {
    "report": (EVALUATE, "sentences of a report", [125, 250, 500, 1_000]),
    "claims": (EVALUATE, "claims", [250, 500, 1_000, 2_000]),
    "items": (EVALUATE, "evidence items", [1_000, 2_000, 4_000, 8_000]),
    "lines": (EVALUATE, "lines of evidence", [2_000, 4_000, 8_000, 16_000]),
    "citations": (SCORE, "citations, each of a different line", [250, 500, 1_000, 2_000]),
}
ROWS = [500, 1_000, 2_000, 4_000]


def microseconds(server: Server, path: str, message: Path) -> float:
    """Returns the server's CPU time per call in microseconds, measured for about half a second per round."""
    rate = measure(server, path, message, 3, warm_up=1)["calls_per_second"]
    calls = min(max(3, int(rate / 2)), MAX_CALLS)
    measured = [measure(server, path, message, calls, warm_up=1) for _ in range(ROUNDS)]
    return statistics.median(each["server_cpu_us_per_call"] for each in measured)


def exponent(sizes: list[int], times: list[float]) -> float:
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(time) for time in times]).slope


def times_by_request_size(server: Server, folder: Path, dimension: str, path: str, sizes: list[int]) -> list[float]:
    times = []
    for size in sizes:
        message = folder / f"{dimension}.request"
        run_program("messages", "sized", dimension, str(size), str(message)).check_returncode()
        save_answer(server, path, message, folder / "answer")
        times.append(microseconds(server, path, message))
    return times


def times_by_ledger_size(server: Server, folder: Path) -> list[float]:
    evaluate, nothing = request(folder, "evaluate"), folder / "empty.request"
    nothing.write_bytes(b"")
    times, rows = [], 0
    for size in ROWS:
        measure(server, EVALUATE, evaluate, size - rows, warm_up=0, in_flight=16)
        rows = size
        times.append(microseconds(server, LIST, nothing))
    return times


def row(what: str, sizes: list[int], times: list[float]) -> list[str]:
    slope = exponent(sizes, times)
    shown = [f"{size:,}: {time / 1e3:,.2f} ms" for size, time in zip(sizes, times, strict=True)]
    return [what, *shown, f"{slope:.2f}", met(slope <= MAX_EXPONENT)]


def main() -> None:
    with workspace() as (folder, stack):
        common = {"GSAR_EVIDENCE__KEPT_IN_MEMORY": "0"}
        server = stack.enter_context(gsar(folder, "requests", GSAR_LEDGER__ENABLED="false", **common))
        rows = [
            row(what, sizes, times_by_request_size(server, folder, dimension, path, sizes))
            for dimension, (path, what, sizes) in SIZES.items()
        ]
        ledger = stack.enter_context(gsar(folder, "ledger", GSAR_LEDGER__DURABLE="false"))
        save_answer(ledger, EVALUATE, request(folder, "evaluate"), folder / "answer")
        rows.append(row("rows in the ledger, when a page is listed", ROWS, times_by_ledger_size(ledger, folder)))
    print(table(["what grows", "", "", "", "", "exponent", f"≤ {MAX_EXPONENT}"], rows))


main()
