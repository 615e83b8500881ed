"""Compares `EvaluateStream` with `Evaluate`, with 1 and with 64 reports in flight.

Also prints the maximum memory of each server.

Each subject has its own server, with a durable ledger. The servers share one core, and the load client runs on another.
The subjects are measured in turns, and every ratio is computed within a round.
"""

import contextlib
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import ratios, spread, table
from servers import EVALUATE, Server, gsar, request, save_answer, workspace
from subject import HEAD, IN_FLIGHT, Subject

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "7"))
STREAM = "/gsar.v1.GroundingService/EvaluateStream"


def server(folder: Path, stack: contextlib.ExitStack, name: str, message: Path) -> Server:
    """Starts a server and waits until it has answered a call."""
    started = stack.enter_context(gsar(folder, name, GSAR_LIMITS__STREAM_IN_FLIGHT=str(IN_FLIGHT)))
    save_answer(started, EVALUATE, message, folder / f"{name}.answer")
    return started


def main() -> None:
    with workspace() as (folder, stack):
        message = request(folder, "evaluate")
        subjects = {}
        for in_flight in (1, IN_FLIGHT):
            for is_stream in (False, True):
                name = f"{'stream' if is_stream else 'calls'}-{in_flight}"
                path = STREAM if is_stream else EVALUATE
                started = server(folder, stack, name, message)
                title = f"{'EvaluateStream' if is_stream else 'Evaluate'}, {in_flight} in flight"
                subjects[name] = Subject(title, started, path, message, in_flight=in_flight, is_stream=is_stream)
        idle = {name: subject.server.peak_bytes() for name, subject in subjects.items()}
        for subject in subjects.values():
            subject.calibrate()
        for index in range(ROUNDS):
            turn = list(subjects.values())
            for subject in turn if index % 2 == 0 else reversed(turn):
                subject.round()
        rows = []
        for in_flight in (1, IN_FLIGHT):
            stream, calls = subjects[f"stream-{in_flight}"], subjects[f"calls-{in_flight}"]
            for figure, what in [("reports/s", "calls_per_second"), ("CPU per report", "server_cpu_us_per_call")]:
                values = spread(ratios(stream.values(what), calls.values(what)))
                rows.append([f"`EvaluateStream`, {in_flight} in flight, {figure}", "`Evaluate`, the same number in flight", values])
        print(f"{ROUNDS} alternating rounds; each server has a durable ledger.\n")
        print(table(["figure", "baseline", "ratio"], rows))
        print("\nMedians behind the ratios, and the maximum memory of each server:\n")
        memory_head = ["after one report, MB", "maximum, MB"]
        memory = {name: [idle[name], subject.server.peak_bytes()] for name, subject in subjects.items()}
        shown = {name: [f"{size / 1e6:.1f}" for size in sizes] for name, sizes in memory.items()}
        print(table(HEAD + memory_head, [subject.row() + shown[name] for name, subject in subjects.items()]))


if __name__ == "__main__":
    main()
