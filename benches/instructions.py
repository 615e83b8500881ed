"""Counts the instructions per call with callgrind, and compares the counts with those of the last release.

    instructions.py PROGRAMS            fails if a count exceeds that of the last release by more than 5 %
    instructions.py PROGRAMS --write    records the counts as those of the current version

Unlike times, the counts hardly vary between runs. They depend on the compiler and its options, so PROGRAMS must always
be built in the same way: `make instructions` uses the build that the tests use.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from figures import ROOT, table
from servers import EVALUATE, SCORE, Server, free_port, running

RECORDED = ROOT / "benches" / "instructions.toml"
MAX_GROWTH = 0.05
WARM_UP = 20
STUB = "openai-compatible:stub"
VERSION = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


class Counter:
    """Runs the programs of a build under callgrind."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder

    def run(self, name: str, *arguments: str, **options) -> str:
        command = [str(self.programs / name), *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout

    def callgrind(self, name: str, out: Path) -> list[str]:
        return ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}", str(self.programs / name)]

    def core(self) -> float:
        """Counts the instructions that it takes to read a partition of 20 claims and to decide its tier."""
        lines = self.run("partitions", "--claims", "20").splitlines(keepends=True)
        half = len(lines) // 2
        few, all_lines = (self.count_program("tiers", "".join(text)) for text in (lines[:half], lines))
        return (all_lines - few) / (len(lines) - half)

    def count_program(self, name: str, text: str) -> int:
        out = self.folder / f"{name}.out"
        command = [*self.callgrind(name, out), "--policy", "reference"]
        subprocess.run(command, input=text, check=True, stdout=subprocess.DEVNULL, text=True)
        return total(out)

    def calls(self, path: str, calls: int, request: list[str], chain: str, model: str = "") -> float:
        """Counts the instructions that a server executes per call."""
        message, config, out = (self.folder / name for name in ("request", "gsar.toml", "server.out"))
        self.run("messages", *request, str(message))
        config.write_text(f'[judges]\nchain = ["{chain}"]\n{model}')
        endpoint = f"unix://{self.folder}/gsar.sock"
        command = [*self.callgrind("gsar-server", out), "--config", str(config)]
        command += ["--data-dir", str(self.folder / "data"), "--listen", endpoint]
        with running(self.folder, "server", command, endpoint, core=None) as server:
            wait_until(lambda: '"message":"ready"' in (self.folder / "server.log").read_text(), server)
            arguments = ["--endpoint", endpoint, "--path", path, "--message", str(message), "--warm-up", "0"]
            self.run("load", *arguments, "--in-flight", "1", "--calls", str(WARM_UP))
            control_callgrind("--zero", server)
            self.run("load", *arguments, "--in-flight", "1", "--calls", str(calls))
            control_callgrind("--dump", server)
            dump = out.with_name(f"{out.name}.1")
            wait_until(lambda: dump.exists() and "totals:" in dump.read_text(), server)
            return total(dump) / calls

    def score(self) -> float:
        return self.calls(SCORE, 500, ["request", "score"], "rules/2")

    def evaluate(self) -> float:
        return self.calls(EVALUATE, 50, ["request", "evaluate"], "rules/2")

    def chat(self) -> float:
        """Counts the instructions for one judge call and one second look, without those of the model."""
        port = free_port()
        stub = [str(self.programs / "stub_provider"), "--listen", f"127.0.0.1:{port}"]
        url = f"http://127.0.0.1:{port}/v1"
        with running(self.folder, "stub", stub, url, core=None):
            model = f'[judges.models."{STUB}"]\nbase_url = "{url}"\n'
            return self.calls(EVALUATE, 30, ["judging", "--bypass-cache"], STUB, model)


def wait_until(is_done, server: Server) -> None:
    deadline = time.monotonic() + 300
    while not is_done():
        status = server.process.poll()
        if status is not None or time.monotonic() > deadline:
            raise SystemExit(f"the server did not become ready; exit status {status}")
        time.sleep(0.1)


def control_callgrind(action: str, server: Server) -> None:
    subprocess.run(["callgrind_control", action, str(server.pid)], check=True, capture_output=True)


def total(out: Path) -> int:
    """Reads the number of instructions from an output file of callgrind."""
    totals = re.search(r"^(?:totals|summary): (\d+)$", out.read_text(), re.MULTILINE)
    if totals is None:
        raise SystemExit(f"{out} contains no total")
    return int(totals[1])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("programs", type=Path)
    arguments.add_argument("--write", action="store_true")
    arguments = arguments.parse_args()
    counts = {}
    for name in ("core", "score", "evaluate", "chat"):
        with tempfile.TemporaryDirectory(prefix="gsar-") as folder:
            counts[name] = round(getattr(Counter(arguments.programs.resolve(), Path(folder)), name)())
    if arguments.write:
        lines = [f"{name} = {count}" for name, count in counts.items()]
        head = "# The instructions per call in a release, counted in the build that the tests use: `make instructions`"
        RECORDED.write_text("\n".join([head, f"release = {json.dumps(VERSION)}", "[instructions]", *lines, ""]))
    recorded = tomllib.loads(RECORDED.read_text())
    rows, has_grown = [], False
    for name, count in counts.items():
        before = recorded["instructions"][name]
        growth = count / before - 1
        has_grown |= growth > MAX_GROWTH
        verdict = "**too many**" if growth > MAX_GROWTH else "yes"
        rows.append([name, f"{before:,}", f"{count:,}", f"{100 * growth:+.1f} %", verdict])
    print(table(["call", f"instructions in {recorded['release']}", "now", "change", "≤ +5 %"], rows))
    if has_grown:
        raise SystemExit(1)


main()
