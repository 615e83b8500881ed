"""Measures the embedded judges: rules over a prepared megabyte of evidence, and the cores that one caller of
`local/1` keeps busy.

The servers may use all cores.
"""

import contextlib
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import met, spread, table
from servers import EVALUATE, Server, answer, gsar, load, program, request

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "7"))
# A megabyte of lines.
LINES = 14_500
OPEN_CLAIMS = 300


def measure(server: Server, message: Path, calls: int, warm_up: int) -> dict:
    arguments = ["--endpoint", server.endpoint, "--path", EVALUATE, "--message", str(message), "--in-flight", "1"]
    arguments += ["--calls", str(calls), "--warm-up", str(warm_up)]
    return json.loads(load(*arguments, "--pid", str(server.pid)))


def prepared_evidence(folder: Path, server: Server) -> list[str]:
    message = folder / "lines.request"
    program("messages", "sized", "lines", str(LINES), str(message)).check_returncode()
    answer(server, EVALUATE, message, folder / "answer")
    times = [measure(server, message, calls=50, warm_up=1)["p50_us"] / 1e3 for _ in range(ROUNDS)]
    size = f"{message.stat().st_size / 1e6:.2f} MB"
    bound = statistics.median(times)
    return [f"20 claims over {size} read before, `rules/2`, p50", f"{spread(times)} ms", "≤ 10 ms", met(bound <= 10)]


def cores_of_one_caller(folder: Path) -> list[str]:
    """Measures a call whose claims are all read by the model. The server is new in each round, since it caches scores."""
    message = folder / "claims.request"
    program("messages", "sized", "claims", str(OPEN_CLAIMS), str(message)).check_returncode()
    warm_up, cores, rates = request(folder, "evaluate"), [], []
    for number in range(ROUNDS):
        environment = {"GSAR_LEDGER__ENABLED": "false", "GSAR_JUDGES__CHAIN": '["local/1"]'}
        with gsar(folder, f"local-{number}", core=None, **environment) as server:
            answer(server, EVALUATE, warm_up, folder / "answer")
            once = measure(server, message, calls=1, warm_up=0)
        seconds = 1 / once["calls_per_second"]
        cores.append(once["server_cpu_us_per_call"] / 1e6 / seconds)
        rates.append(OPEN_CLAIMS / seconds)
    gain = (os.cpu_count() or 1) / statistics.median(cores)
    rate = f"{spread(rates, 0)} claims/s"
    return [f"cores in use by one caller of `local/1`, {rate}", spread(cores), f"more callers: at most {gain:.2f} ×", ""]


def main() -> None:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gsar-bench-")))
        rules = stack.enter_context(gsar(folder, "rules", core=None, GSAR_LEDGER__ENABLED="false"))
        rows = [prepared_evidence(folder, rules)]
        rows.append(cores_of_one_caller(folder))
    print(table(["figure", "measured", "target", "met"], rows))


main()
