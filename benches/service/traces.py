"""Measures what it costs to export traces, by comparing servers with and without `[traces]`.

The collector discards the spans. The servers share core 0, and the load client and the collector share core 1. The
servers are measured in turns.
"""

import contextlib
import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import PROGRAMS, met, ratios, spread, table
from servers import EVALUATE, SCORE, Server, free_port, gsar, pin_to_core, request, running, save_answer, workspace
from subject import HEAD, IN_FLIGHT, Subject

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "7"))
CPU = "server_cpu_us_per_call"
MAX_RATIO = 1.05


class Bench:
    """The collector, the servers and the messages of a run."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder, self.stack = folder, stack
        self.collector = f"127.0.0.1:{free_port()}"
        command = [str(PROGRAMS / "sink"), "--listen", self.collector]
        stack.enter_context(running(folder, "sink", command, f"grpc://{self.collector}", core=1))
        traced = {"GSAR_TRACES__ENDPOINT": f"http://{self.collector}"}
        self.servers = {
            "none": self.server("none"),
            "one in ten": self.server("tenth", GSAR_TRACES__ONE_IN="10", **traced),
            "every call": self.server("all", **traced),
        }
        self.messages = {method: request(folder, method) for method in ("score", "evaluate")}

    def server(self, name: str, **environment: str) -> Server:
        return self.stack.enter_context(gsar(self.folder, name, **environment))

    def subjects(self, method: str, path: str) -> dict[str, Subject]:
        message = self.messages[method]
        for server in self.servers.values():
            save_answer(server, path, message, self.folder / "answer")
        name = path.rsplit("/", 1)[1]
        return {
            traces: Subject(f"`{name}`, traces: {traces}", server, path, message)
            for traces, server in self.servers.items()
        }


def main() -> None:
    with workspace() as (folder, stack):
        with contextlib.ExitStack() as running_servers:
            bench = Bench(folder, running_servers)
            measured = {
                "Score": bench.subjects("score", SCORE),
                "Evaluate": bench.subjects("evaluate", EVALUATE),
            }
            every = [subject for group in measured.values() for subject in group.values()]
            for subject in every:
                subject.calibrate()
            for index in range(ROUNDS):
                for subject in every if index % 2 == 0 else reversed(every):
                    subject.round()
        rows = []
        for name, group in measured.items():
            for traces in ("one in ten", "every call"):
                values = ratios(group[traces].values(CPU), group["none"].values(CPU))
                # The target applies to `Score` with the sampling that the documentation shows.
                has_target = name == "Score" and traces == "one in ten"
                target = [f"≤ {MAX_RATIO:g}", met(statistics.median(values) <= MAX_RATIO)] if has_target else ["none", ""]
                rows.append([f"`{name}` CPU per call, traces: {traces}", "no traces", spread(values), *target])
        pinned_to = "servers on core 0, client and collector on core 1" if pin_to_core(0, []) else "not pinned"
        print(f"{ROUNDS} alternating rounds, {IN_FLIGHT} in flight on one connection; {pinned_to}.\n")
        print(table(["figure", "baseline", "ratio", "target", "met"], rows))
        print("\nMedians behind the ratios:\n")
        print(table(HEAD, [subject.row() for subject in every]))
        calls = sum(subject.calls * len(subject.rounds) for subject in every if "none" not in subject.name)
        received = (folder / "sink.log").read_text().strip()
        print(f"\nThe collector received {int(received):,} spans; {calls:,} calls were measured with traces enabled.")


if __name__ == "__main__":
    main()
