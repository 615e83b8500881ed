"""Measures judging with a chat model: the time that GSAR adds to the model's own time.

The model is a stub on loopback that answers immediately (`src/provider.rs`). The measured programs (the servers, the
bare loop and the Python programs) run on core 0. The stub and the load client run on core 1. The subjects are measured
in turns, and all differences and ratios are computed within a round.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import environment
from figures import PROGRAMS, met, ratios, spread, table
from servers import ECHO, EVALUATE, Server, echo, free_port, measure, output, pin_to_core, run_program, running, save_answer, workspace

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "9"))
SECONDS_EACH = float(os.environ.get("GSAR_BENCH_SECONDS", "0.8"))
MODEL = "openai-compatible:stub"
# Another build of the server to compare against, such as a version without second looks.
BASELINE = os.environ.get("GSAR_BENCH_BASELINE")
# The changes to the default configuration, apart from the model and its address.
SERVERS = {
    "default": {},
    "without second look": {"judges": 'second_look = "off"'},
    "without canary": {"model": "canary = false"},
    "secrets hidden": {"model": "hide = true"},
    "no sync": {"whole": "[ledger]\ndurable = false"},
}
STEPS = ["admit", "judge", "decide", "elsewhere", "whole"]


class Subject:
    """A subject that is measured once per round."""

    def __init__(self) -> None:
        self.calls = 0
        self.rounds: list[dict] = []

    def measure(self, calls: int, warm_up: int) -> dict:
        raise NotImplementedError

    def calibrate(self) -> None:
        """Sets the number of calls to a number that fits into a round."""
        rate = self.measure(50, 50)["calls_per_second"]
        self.calls = max(50, int(rate * SECONDS_EACH))

    def round(self) -> None:
        self.rounds.append(self.measure(self.calls, self.calls // 10))

    def values(self, name: str) -> list[float]:
        return [round[name] for round in self.rounds]

    def median(self, name: str) -> float:
        return statistics.median(self.values(name))


class ServerCalls(Subject):
    """Calls to a server method."""

    def __init__(self, server: Server, message: Path, path: str = EVALUATE, in_flight: int = 1) -> None:
        super().__init__()
        self.server, self.message, self.path, self.in_flight = server, message, path, in_flight

    def measure(self, calls: int, warm_up: int) -> dict:
        return measure(self.server, self.path, self.message, calls, warm_up, self.in_flight)


class BareLoop(Subject):
    """A loop that calls the model without GSAR."""

    def __init__(self, provider: str, question: Path, in_flight: int = 1) -> None:
        super().__init__()
        self.provider, self.question, self.in_flight = provider, question, in_flight

    def measure(self, calls: int, warm_up: int) -> dict:
        command = ["bare", "--provider", self.provider, "--question", str(self.question)]
        command += ["--in-flight", str(self.in_flight)]
        command += ["--calls", str(calls), "--warm-up", str(warm_up)]
        return judging_times(0, command)


class Steps(Subject):
    """The steps of an evaluation, whose times are reported in the answers."""

    def __init__(self, server: Server, message: Path) -> None:
        super().__init__()
        self.server, self.message, self.calls = server, message, 200

    def measure(self, calls: int, warm_up: int) -> dict:
        command = ["steps", "--endpoint", self.server.endpoint, "--message", str(self.message)]
        return judging_times(1, [*command, "--calls", str(calls), "--warm-up", str(warm_up)])

    def calibrate(self) -> None:
        pass


class PythonProgram(Subject):
    """A Python program that is started once, and then measures whenever it is asked to."""

    def __init__(self, process: subprocess.Popen, in_flight: int) -> None:
        super().__init__()
        self.process, self.in_flight = process, in_flight

    def ask(self, seconds: float) -> dict:
        self.process.stdin.write(f"{self.in_flight} {seconds}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args[-5:]} exited with status {self.process.wait()}")
        return json.loads(line)

    def calibrate(self) -> None:
        self.ask(1.0)

    def round(self) -> None:
        self.rounds.append(self.ask(SECONDS_EACH))


def judging_times(core: int, arguments: list[str]) -> dict:
    return json.loads(output(core, "judging_times", *arguments))


class Bench:
    """The stub, the servers and the messages of a run."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder, self.stack = folder, stack
        self.uncached = self.request("uncached", "--bypass-cache")
        self.cached = self.request("cached")
        self.text = self.request("text", "--as-text", "--bypass-cache")
        self.incident = folder / "incident.json"
        self.incident.write_text(run_program("messages", "incident").stdout)

        address = f"127.0.0.1:{free_port()}"
        self.provider = f"http://{address}"
        command = [str(PROGRAMS / "stub_provider"), "--listen", address]
        stack.enter_context(running(folder, "stub", command, self.provider, core=1))
        self.wait_until_listening()
        self.servers = {name: self.gsar(name, **changes) for name, changes in SERVERS.items()}
        if BASELINE:
            self.servers["the baseline"] = self.gsar("the baseline", built=BASELINE)
        for name, server in self.servers.items():
            for message in [self.uncached, self.text, self.cached]:
                size = self.check(server, message)
            assert self.calls() > 0, name
        # The bare loops send these requests, which contain the default canary.
        self.question = self.last_question("without second look")
        self.second_look = self.last_question("default")

        listen = f"unix://{folder}/echo.sock"
        self.payload = folder / "echo.payload"
        run_program("messages", "payload", str(self.cached.stat().st_size), str(self.payload)).check_returncode()
        self.echo = stack.enter_context(echo(folder, "echo", listen, size))
        save_answer(self.echo, ECHO, self.payload, folder / "echo.answer")

    def request(self, name: str, *options: str) -> Path:
        path = self.folder / f"{name}.request"
        run_program("messages", "judging", *options, str(path)).check_returncode()
        return path

    def last_question(self, server: str) -> Path:
        """Saves the last request that the stub received while a report was evaluated."""
        self.check(self.servers[server], self.uncached)
        path = self.folder / f"{server.replace(' ', '-')}.question"
        path.write_bytes(self.get("/last"))
        return path

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.provider + path) as reply:
            return reply.read()

    def calls(self) -> int:
        """Returns how many requests the stub has answered."""
        return int(self.get("/calls"))

    def wait_until_listening(self) -> None:
        deadline = time.monotonic() + 10
        while True:
            try:
                self.calls()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def gsar(self, name: str, judges: str = "", model: str = "", whole: str = "", built: str | None = None) -> Server:
        name = name.replace(" ", "-")
        config = self.folder / f"{name}.toml"
        config.write_text(
            f'[judges]\nchain = ["{MODEL}"]\n{judges}\n[judges.models."{MODEL}"]\nbase_url = "{self.provider}/v1"\n'
            f"{model}\n\n{whole}\n"
        )
        listen = f"unix://{self.folder}/{name}.sock"
        command = [built or str(PROGRAMS / "gsar-server"), "--config", str(config), "--listen", listen]
        command += ["--data-dir", str(self.folder / name)]
        return self.stack.enter_context(running(self.folder, name, command, listen))

    def check(self, server: Server, message: Path) -> int:
        """Checks the answer to the measured call, and returns the size of the answer."""
        path = self.folder / "evaluate.answer"
        save_answer(server, EVALUATE, message, path)
        shown = run_program("messages", "answer", "evaluate", str(path))
        shown.check_returncode()
        response = json.loads(shown.stdout)
        (link,) = response["provenance"]["judges"]
        classes = Counter(claim["class"] for claim in response["claims"])
        assert response["judgeStatus"] == "JUDGE_STATUS_RESOLVED", response
        assert classes == {"CLAIM_CLASS_GROUNDED": 10}, response
        assert [call["rung"] for call in link["calls"]] == ["structured"], link
        assert response["provenance"]["recorded"], response["provenance"]
        self.tier = response["decision"]["tier"]
        return path.stat().st_size

    def other(self, evaluator: str) -> subprocess.Popen:
        program = str(Path(__file__).with_name("others.py"))
        command = [sys.executable, program, evaluator, "--provider", self.provider, "--incident", str(self.incident)]
        log = self.stack.enter_context(open(self.folder / f"{evaluator}.log", "w"))
        variables = os.environ | {"RAGAS_DO_NOT_TRACK": "true"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
        process = subprocess.Popen(pin_to_core(0, command), text=True, env=variables, **pipes)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process


def alternate(subjects: dict[str, Subject]) -> None:
    for subject in subjects.values():
        subject.calibrate()
    for index in range(ROUNDS):
        turn = list(subjects.values())
        for subject in turn if index % 2 == 0 else reversed(turn):
            subject.round()


def overhead(bench: Bench) -> None:
    """Measures sequential calls: compares GSAR with the bare loop, and a cached answer with an echo."""
    bare = BareLoop(bench.provider, bench.question)
    second_look = BareLoop(bench.provider, bench.second_look)
    without_second_look = {"without second look", "the baseline"}
    echo = ServerCalls(bench.echo, bench.payload, ECHO)
    uncached = {name: ServerCalls(server, bench.uncached) for name, server in bench.servers.items()}
    cached = {name: ServerCalls(bench.servers[name], bench.cached) for name in ["default", "no sync"]}
    steps = {
        "judged, default": Steps(bench.servers["default"], bench.uncached),
        "judged, no sync": Steps(bench.servers["no sync"], bench.uncached),
        "judged, secrets hidden": Steps(bench.servers["secrets hidden"], bench.uncached),
        "cached, default": Steps(bench.servers["default"], bench.cached),
        "cached, no sync": Steps(bench.servers["no sync"], bench.cached),
    }
    subjects = {"bare": bare, "second look": second_look, "echo": echo}
    for prefix, group in [("uncached ", uncached), ("cached ", cached), ("steps ", steps)]:
        subjects |= {prefix + name: subject for name, subject in group.items()}
    alternate(subjects)

    judged = bare.values("p50_us")
    with_second_look = [sum(both) for both in zip(judged, second_look.values("p50_us"), strict=True)]

    def added(name: str) -> list[float]:
        """Returns how many milliseconds a server adds to its model calls, in each round."""
        loops = judged if name in without_second_look else with_second_look
        return [(ours - loop) / 1e3 for ours, loop in zip(uncached[name].values("p50_us"), loops, strict=True)]

    def row(name: str, subject: Subject, more: list[float], target: float | None = None) -> list[str]:
        verdict = ["", ""] if target is None else [f"≤ {target}", met(statistics.median(more) <= target)]
        milliseconds = [f"{subject.median(quantile) / 1e3:.3f}" for quantile in ("p50_us", "p99_us")]
        # The CPU time of the whole process, including the ledger thread. Other load affects it less than the wall time.
        processor = spread([each / 1e3 for each in subject.values("server_cpu_us_per_call")], 3)
        difference = spread(more, 3) if more else ""
        return [name, *milliseconds, difference, *verdict, processor]

    rows = [row("bare loop, judge", bare, []), row("bare loop, second look", second_look, [])]
    rows += [row(f"`Evaluate`, {name}", subject, added(name), 1.0) for name, subject in uncached.items()]
    head = ["sequential calls", "p50, ms", "p99, ms", "p50 over the loop, ms", "target", "met"]
    head.append("CPU/call, ms")
    print(table(head, rows))
    for name in sorted(without_second_look & uncached.keys()):
        over = ratios(added("default"), added(name))
        print(f"\nAdded time, default relative to `{name}`: {spread(over)}.")

    print("\nWhere the time goes, as medians in µs; *elsewhere* is transport, decoding, recording and syncing:\n")
    rows = [[name] + [f"{subject.median(step):,.0f}" for step in STEPS] for name, subject in steps.items()]
    print(table(["`Evaluate`", *STEPS], rows))

    print("\nA cached answer against an echo of the same sizes:\n")
    rows = [["echo", f"{echo.median('p50_us') / 1e3:.3f}", f"{echo.median('p99_us') / 1e3:.3f}", "", "", ""]]
    for name, subject in cached.items():
        over = ratios(subject.values("p50_us"), echo.values("p50_us"))
        times = [f"{subject.median(quantile) / 1e3:.3f}" for quantile in ("p50_us", "p99_us")]
        rows.append([f"`Evaluate`, {name}", *times, spread(over), "≤ 5", met(statistics.median(over) <= 5)])
    print(table(["sequential calls", "p50, ms", "p99, ms", "p50 over the echo", "target", "met"], rows))


@dataclass
class Side:
    """An evaluator in the side-by-side comparison, measured with 1 and with 16 concurrent reports."""

    name: str
    single: Subject
    many: Subject
    calls_each: float = field(default=0.0)


def side_by_side(bench: Bench) -> None:
    """Measures how many reports per second each evaluator evaluates, given the same text and evidence."""

    def gsar(name: str) -> list[Subject]:
        return [ServerCalls(bench.servers[name], bench.text, in_flight=number) for number in (1, 16)]

    def other(name: str) -> list[Subject]:
        process = bench.other(name)
        return [PythonProgram(process, number) for number in (1, 16)]

    sides = [
        Side("GSAR", *gsar("default")),
        Side("GSAR, no sync", *gsar("no sync")),
        Side("bare loop", *(BareLoop(bench.provider, bench.question, number) for number in (1, 16))),
        Side("locus-sdk", *other("locus")),
        Side("RAGAS faithfulness", *other("ragas")),
    ]
    subjects = {}
    for side in sides:
        subjects |= {f"{side.name} 1": side.single, f"{side.name} 16": side.many}
    alternate(subjects)
    ours, rows = sides[0], []
    for side in sides:
        # The stub also counts the warm-up calls, which are another tenth.
        before = bench.calls()
        side.single.round()
        reports = side.single.rounds.pop()["calls"]
        reports += 0 if isinstance(side.single, PythonProgram) else side.single.calls // 10
        side.calls_each = (bench.calls() - before) / reports
        cells = [side.name, f"{side.calls_each:.2f}"]
        for mine, theirs in [(ours.single, side.single), (ours.many, side.many)]:
            rate = f"{theirs.median('calls_per_second'):,.0f}"
            faster = ratios(mine.values("calls_per_second"), theirs.values("calls_per_second"))
            cells += [rate, "" if side is ours else spread(faster, 1)]
        cells.append(f"{side.many.median('server_cpu_us_per_call') / 1e3:.2f}")
        rows.append(cells)
    head = ["evaluator", "calls/report", "reports/s, 1 in flight", "GSAR / this"]
    head += ["reports/s, 16 in flight", "GSAR / this", "CPU/report, ms"]
    print(table(head, rows))


def parsing() -> None:
    """Runs the example of gsar-answer that measures parsing."""
    done = subprocess.run([str(PROGRAMS / "examples" / "answer_times")], capture_output=True, text=True, check=True)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()]
    times = {cells[0]: float(cells[1]) for cells in lines if len(cells) == 2 and cells[1].replace(".", "").isdigit()}
    plain, read = times["serde_json into Value"], times["gsar-answer, structured"]
    cells = [f"{read:.1f} µs", f"serde_json into Value, {plain:.1f} µs", f"{read / plain:.2f}", "≤ 60 µs", met(read <= 60)]
    print(table(["figure", "measured", "baseline", "ratio", "target", "met"], [["a verdict on 50 claims", *cells]]))


def main() -> None:
    with workspace() as (folder, stack):
        bench = Bench(folder, stack)
        sizes = f"request {bench.uncached.stat().st_size:,} bytes, question {bench.question.stat().st_size:,} bytes"
        pinned_to = "servers and loops on core 0, stub and client on core 1" if pin_to_core(0, []) else "not pinned"
        print(f"10 claims, 100 evidence items, {sizes}; `Evaluate` answers {bench.tier}, all evaluations are recorded.")
        print(f"{ROUNDS} alternating rounds; {pinned_to}.\n\n### Overhead over the model\n")
        overhead(bench)
        print("\n### Side by side\n")
        side_by_side(bench)
    print("\n### Parsing a verdict\n")
    parsing()
    print(f"\nLoad average after: {' '.join(Path('/proc/loadavg').read_text().split()[:3])}")


if __name__ == "__main__":
    environment.enter("judges", __file__)
    main()
