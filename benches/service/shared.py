"""Measures evaluations on one, two and three servers that share a PostgreSQL database, and on one server with SQLite.

The servers, the database and the load clients share all cores, so more servers help only if a single server leaves
cores idle. Each server has its own load client. The subjects are measured in turns, and every ratio is computed within
a round.
"""

import concurrent.futures
import contextlib
import os
import sys
import time
from pathlib import Path

BENCHES = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCHES), str(BENCHES.parent / "client/python/engines")]
import postgres
from figures import ratios, spread, table
from servers import EVALUATE, Server, gsar, output, request, save_answer, workspace

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "7"))
CALLS = int(os.environ.get("GSAR_BENCH_CALLS", "1800"))
IN_FLIGHT = 24
SERVERS = 3


def server(folder: Path, stack: contextlib.ExitStack, name: str, message: Path, url: str | None) -> Server:
    """Starts a server and waits until it has answered a call."""
    settings = {"GSAR_EVIDENCE__EMBEDDINGS": "off"}
    if url is not None:
        settings["GSAR_STORAGE__URL"] = url
    started = stack.enter_context(gsar(folder, name, core=None, **settings))
    save_answer(started, EVALUATE, message, folder / f"{name}.answer")
    return started


def evaluate(server: Server, message: Path, calls: int, in_flight: int) -> None:
    arguments = ["--endpoint", server.endpoint, "--path", EVALUATE, "--message", str(message)]
    output(None, "load", *arguments, "--in-flight", str(in_flight), "--calls", str(calls))


def rate(servers: list[Server], message: Path) -> float:
    """Returns the evaluations per second of all servers together."""
    count = len(servers)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        for _ in pool.map(lambda server: evaluate(server, message, CALLS // count, IN_FLIGHT // count), servers):
            pass
    return CALLS / (time.monotonic() - start)


def main() -> None:
    with workspace() as (folder, stack):
        programs = postgres.programs()
        if programs is None:
            raise SystemExit("PostgreSQL not found; run make postgres")
        # Every commit is flushed, as it is by default.
        url = stack.enter_context(postgres.database(programs, options="", parent=folder))
        message = request(folder, "evaluate")
        alone = server(folder, stack, "sqlite", message, None)
        shared = [server(folder, stack, f"shared-{number}", message, url) for number in range(SERVERS)]
        subjects = {"SQLite, 1 server": [alone]}
        for count in range(1, SERVERS + 1):
            subjects[f"PostgreSQL, {count} server{'s' * (count > 1)}"] = shared[:count]
        rates: dict[str, list[float]] = {name: [] for name in subjects}
        for index in range(ROUNDS):
            turn = list(subjects.items())
            for name, servers in turn if index % 2 == 0 else reversed(turn):
                rates[name].append(rate(servers, message))
        baseline = "PostgreSQL, 1 server"
        print(f"{ROUNDS} alternating rounds of {CALLS} evaluations, {IN_FLIGHT} in flight, {os.cpu_count()} shared cores.\n")
        rows = [
            [name, spread(values, 0), spread(ratios(values, rates[baseline]))] for name, values in rates.items()
        ]
        print(table(["", "evaluations/s", f"relative to {baseline}"], rows))


if __name__ == "__main__":
    main()
