"""`EvaluateStream` against calls of `Evaluate`, with one report unanswered and with 64, and the most memory of each.

Each subject has a server of its own, with a durable ledger. Servers share one core and the load client has the
other; subjects take turns, round after round, and every ratio is within one round.
"""

import contextlib
import os
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import ratios, spread, table
from servers import EVALUATE, Server, answer, gsar, request
from subject import HEAD, IN_FLIGHT, Subject

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "7"))
STREAM = "/gsar.v1.GroundingService/EvaluateStream"


def server(folder: Path, stack: contextlib.ExitStack, name: str, message: Path) -> Server:
    """A server that has answered once."""
    started = stack.enter_context(gsar(folder, name, GSAR_LIMITS__STREAM_IN_FLIGHT=str(IN_FLIGHT)))
    answer(started, EVALUATE, message, folder / f"{name}.answer")
    return started


def main() -> None:
    # Ends as an exception, so that every server is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gsar-bench-")))
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
        for number in range(ROUNDS):
            turn = list(subjects.values())
            for subject in turn if number % 2 == 0 else reversed(turn):
                subject.round()
        rows = []
        for in_flight in (1, IN_FLIGHT):
            streamed, called = subjects[f"stream-{in_flight}"], subjects[f"calls-{in_flight}"]
            for figure, what in [("reports/s", "calls_per_second"), ("CPU per report", "server_cpu_us_per_call")]:
                values = spread(ratios(streamed.values(what), called.values(what)))
                rows.append([f"`EvaluateStream`, {in_flight} in flight, {figure}", "`Evaluate`, as many in flight", values])
        print(f"{ROUNDS} rounds in turns; each server records durably.\n")
        print(table(["figure", "baseline", "ratio"], rows))
        print("\nMedians behind the ratios, and the most memory that each server ever had:\n")
        most = ["after one report, MB", "at most, MB"]
        memory = {name: [idle[name], subject.server.peak_bytes()] for name, subject in subjects.items()}
        shown = {name: [f"{size / 1e6:.1f}" for size in sizes] for name, sizes in memory.items()}
        print(table(HEAD + most, [subject.row() + shown[name] for name, subject in subjects.items()]))


if __name__ == "__main__":
    main()
