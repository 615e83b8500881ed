"""Measures the embedded judges: `rules/2` on a megabyte of evidence that it has already read, and how many cores a
single caller of `local/1` keeps busy.

The servers may use all cores.
"""

import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import met, spread, table
from servers import EVALUATE, Server, gsar, measure, request, run_program, save_answer, workspace

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "7"))
# These lines are about a megabyte.
LINES = 14_500
OPEN_CLAIMS = 300


def prepared_evidence(folder: Path, server: Server) -> list[str]:
    message = folder / "lines.request"
    run_program("messages", "sized", "lines", str(LINES), str(message)).check_returncode()
    save_answer(server, EVALUATE, message, folder / "answer")
    times = [measure(server, EVALUATE, message, calls=50, warm_up=1)["p50_us"] / 1e3 for _ in range(ROUNDS)]
    size = f"{message.stat().st_size / 1e6:.2f} MB"
    bound = statistics.median(times)
    return [f"20 claims and {size} of evidence that was read before, `rules/2`, p50", f"{spread(times)} ms", "≤ 10 ms", met(bound <= 10)]


def cores_of_one_caller(folder: Path) -> list[str]:
    """Measures a call whose claims all need the model. Each round uses a new server, because a server caches scores."""
    message = folder / "claims.request"
    run_program("messages", "sized", "claims", str(OPEN_CLAIMS), str(message)).check_returncode()
    warm_up, cores, rates = request(folder, "evaluate"), [], []
    for number in range(ROUNDS):
        environment = {"GSAR_LEDGER__ENABLED": "false", "GSAR_JUDGES__CHAIN": '["local/1"]'}
        with gsar(folder, f"local-{number}", core=None, **environment) as server:
            save_answer(server, EVALUATE, warm_up, folder / "answer")
            call = measure(server, EVALUATE, message, calls=1, warm_up=0)
        seconds = 1 / call["calls_per_second"]
        cores.append(call["server_cpu_us_per_call"] / 1e6 / seconds)
        rates.append(OPEN_CLAIMS / seconds)
    gain = (os.cpu_count() or 1) / statistics.median(cores)
    rate = f"{spread(rates, 0)} claims/s"
    return [f"cores that one caller of `local/1` uses, {rate}", spread(cores), f"more callers can gain at most {gain:.2f} ×", ""]


def main() -> None:
    with workspace() as (folder, stack):
        rules = stack.enter_context(gsar(folder, "rules", core=None, GSAR_LEDGER__ENABLED="false"))
        rows = [prepared_evidence(folder, rules)]
        rows.append(cores_of_one_caller(folder))
    print(table(["figure", "measured", "target", "met"], rows))


main()
