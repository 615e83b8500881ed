"""Measures evaluations on one, two and three servers that share a PostgreSQL, and on one server with SQLite.

Servers, database and load clients share all cores, so more servers help only if one leaves cores idle. Each server
has its own load client. Subjects alternate, and every ratio is computed within a round.
"""

import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import PROGRAMS, ratios, spread, table
from postgres import postgres
from servers import EVALUATE, Server, answer, gsar, request

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "7"))
CALLS = int(os.environ.get("GSAR_BENCH_CALLS", "1800"))
IN_FLIGHT = 24
SERVERS = 3


def server(folder: Path, stack: contextlib.ExitStack, name: str, message: Path, url: str | None) -> Server:
    """Starts a server and waits for its first answer."""
    settings = {"GSAR_EVIDENCE__EMBEDDINGS": "off"}
    if url is not None:
        settings["GSAR_STORAGE__URL"] = url
    started = stack.enter_context(gsar(folder, name, core=None, **settings))
    answer(started, EVALUATE, message, folder / f"{name}.answer")
    return started


def evaluate(server: Server, message: Path, calls: int, in_flight: int) -> dict[str, float]:
    command = [str(PROGRAMS / "load"), "--endpoint", server.endpoint, "--path", EVALUATE, "--message", str(message)]
    command += ["--in-flight", str(in_flight), "--calls", str(calls)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def rate(servers: list[Server], message: Path) -> float:
    """Returns the total evaluations per second."""
    count = len(servers)
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        for _ in pool.map(lambda one: evaluate(one, message, CALLS // count, IN_FLIGHT // count), servers):
            pass
    return CALLS / (time.monotonic() - began)


def main() -> None:
    # Raises an exception, so that every server is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gsar-bench-")))
        url = stack.enter_context(postgres(folder))
        message = request(folder, "evaluate")
        alone = server(folder, stack, "sqlite", message, None)
        shared = [server(folder, stack, f"shared-{number}", message, url) for number in range(SERVERS)]
        subjects = {"SQLite, 1 server": [alone]}
        for count in range(1, SERVERS + 1):
            subjects[f"PostgreSQL, {count} server{'s' * (count > 1)}"] = shared[:count]
        speeds: dict[str, list[float]] = {name: [] for name in subjects}
        for number in range(ROUNDS):
            turn = list(subjects.items())
            for name, servers in turn if number % 2 == 0 else reversed(turn):
                speeds[name].append(rate(servers, message))
        baseline = "PostgreSQL, 1 server"
        print(f"{ROUNDS} alternating rounds of {CALLS} evaluations, {IN_FLIGHT} in flight, {os.cpu_count()} shared cores.\n")
        rows = [
            [name, spread(values, 0), spread(ratios(values, speeds[baseline]))] for name, values in speeds.items()
        ]
        print(table(["", "evaluations/s", f"relative to {baseline}"], rows))


if __name__ == "__main__":
    main()
