"""Measures capacity: calls per core, memory and disk space. Prints a Markdown table.

The arguments select parts: `calls`, `evaluations`, `corpus` and `backup` (which backs up that corpus). The servers
share one core, and the load client runs on another. The calls per core are computed from the CPU time, which other load
affects less than it affects the calls per second. The baseline is a bare echo with messages of the same sizes.
"""

import contextlib
import json
import random
import statistics
import subprocess
import sys
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import PROGRAMS, spread, table
from servers import ECHO, EVALUATE, SCORE, Server, echo, free_port, gsar, payload, pin_to_core, request, save_answer, workspace
from subject import Subject

ROUNDS = 3
EVALUATIONS = 400
CORPUS_LINES = 100_000


def log(random: random.Random, lines: int) -> str:
    """Generates lines of a service log, with figures that vary."""
    line = "2026-03-12T14:{:02}:{:02}Z INFO checkout order ORD-{} of customer {} was paid in {} ms by card {:04x}\n"
    drawn = random.randrange
    return "".join(
        line.format(drawn(60), drawn(60), drawn(10**8), drawn(10**6), drawn(900), drawn(1 << 16)) for _ in range(lines)
    )


class Capacity:
    """Measures the parts and collects the rows of the table."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder, self.stack = folder, stack
        self.rows: list[list[str]] = []

    def server(self, name: str, judge: str) -> Server:
        settings = {"GSAR_JUDGES__CHAIN": f'["{judge}"]', "GSAR_EVIDENCE__EMBEDDINGS": "off"}
        return self.stack.enter_context(gsar(self.folder, name, **settings))

    def calls(self) -> None:
        score, evaluate = request(self.folder, "score"), request(self.folder, "evaluate")
        rules, local = self.server("rules", "rules/2"), self.server("local", "local/1")
        measured = []
        for name, server, path, message in [
            ("`Score`, 20 claims", rules, SCORE, score),
            ("`Evaluate`, 20 claims, `rules/2`", rules, EVALUATE, evaluate),
            ("`Evaluate`, 20 claims, `local/1`", local, EVALUATE, evaluate),
        ]:
            saved = self.folder / "answer"
            try:
                save_answer(server, path, message, saved)
            except RuntimeError:
                text = (self.folder / "local.log").read_text().strip().splitlines()
                print(f"skipped: {name}: {text[-1] if text else 'the server did not start'}", file=sys.stderr)
                continue
            listen = f"unix://{self.folder}/echo-{len(measured)}.sock"
            bare = self.stack.enter_context(echo(self.folder, f"echo-{len(measured)}", listen, saved.stat().st_size))
            same_size = payload(message)
            save_answer(bare, ECHO, same_size, saved)
            calls = 60 if "local" in name else 4_000
            in_flight = 8 if "local" in name else 64
            subject = Subject(name, server, path, message, in_flight=in_flight, calls=calls)
            measured.append((subject, Subject("echo", bare, ECHO, same_size, in_flight=in_flight, calls=4_000)))
        idle = [(server, server.resident_bytes()) for server in (rules, local)]
        for number in range(ROUNDS):
            for pair in measured:
                for subject in pair if number % 2 == 0 else reversed(pair):
                    subject.round()
        for subject, bare in measured:
            cpu = subject.values("server_cpu_us_per_call")
            ratio = [ours / theirs for ours, theirs in zip(cpu, bare.values("server_cpu_us_per_call"), strict=True)]
            median = statistics.median(cpu)
            per_core = 1e6 / median
            shown = f"{per_core:,.0f}" if per_core >= 100 else f"{per_core:.1f}"
            self.row(
                f"{subject.name}: calls per second and core",
                shown,
                f"{median:,.0f} µs of CPU time; {spread(ratio)} times the echo",
            )
        for (server, before), name in zip(idle, ("`rules/2`", "`local/1`"), strict=True):
            self.row(
                f"memory with {name}: after the first call, and the maximum under load",
                f"{before / 1e6:.0f} MB, {server.peak_bytes() / 1e6:.0f} MB",
                "",
            )

    def evaluation_disk_space(self) -> None:
        port = free_port()
        for name, sizes in [
            ("2 KiB of distinct evidence", 20),
            ("20 KiB of distinct evidence", 200),
            ("the same evidence", 0),
        ]:
            name_on_disk = f"disk-{sizes}"
            address = f"127.0.0.1:{port}"
            drawn = random.Random(7)
            with contextlib.ExitStack() as stack:
                settings = {"GSAR_EVIDENCE__EMBEDDINGS": "off", "GSAR_GATEWAY__ADDRESS": address}
                server = stack.enter_context(gsar(self.folder, name_on_disk, **settings))
                save_answer(server, SCORE, request(self.folder, "score"), self.folder / "answer")
                same, given = log(drawn, 20), 0
                for _ in range(EVALUATIONS):
                    text = log(drawn, sizes) if sizes else same
                    given += len(text)
                    evaluate_over_http(address, text)
            # By now, the server has stopped and merged its write-ahead log.
            size = (self.folder / name_on_disk / "ledger.sqlite3").stat().st_size / EVALUATIONS
            self.row(
                f"disk space per evaluation, 3 claims, {name}",
                f"{size / 1e3:.1f} kB",
                f"{given / EVALUATIONS / 1e3:.1f} kB of evidence each",
            )

    def corpus_disk_space(self) -> None:
        text = self.folder / "app.log"
        text.write_text(log(random.Random(11), CORPUS_LINES))
        with gsar(self.folder, "corpus", GSAR_EVIDENCE__EMBEDDINGS="off") as server:
            save_answer(server, SCORE, request(self.folder, "score"), self.folder / "answer")
            put = [str(PROGRAMS / "gsar"), "evidence", "put", "inc-7", str(text), "--endpoint", server.endpoint]
            subprocess.run(pin_to_core(1, put), check=True, capture_output=True)
            peak = server.peak_bytes()
        size, given = (self.folder / "corpus/evidence/inc-7/corpus.sqlite3").stat().st_size, text.stat().st_size
        self.row(
            "disk space per corpus byte, without vectors",
            f"{size / given:.2f} bytes",
            f"a log of {given / 1e6:.0f} MB; maximum server memory {peak / 1e6:.0f} MB",
        )

    def backup(self) -> None:
        data = self.folder / "corpus"
        times = self.folder / "times"
        command = [
            str(PROGRAMS / "gsar-server"),
            "backup",
            "--data-dir",
            str(data),
            "--to",
            str(self.folder / "backup"),
        ]
        copied = ["cp", "-r", str(data), str(self.folder / "copied")]
        seconds = {}
        for name, arguments in (("backup", command), ("cp", copied)):
            subprocess.run(["sync"])
            timed = [
                "bash",
                "-c",
                f'TIMEFORMAT="%R %U %S"; {{ time {{ "$@" >/dev/null && sync; }}; }} 2>{times}',
                "-",
                *arguments,
            ]
            subprocess.run(pin_to_core(1, timed), check=True)
            seconds[name] = [float(value) for value in times.read_text().split()]
        size = sum(file.stat().st_size for file in (self.folder / "backup").rglob("*") if file.is_file())
        elapsed, user, system = seconds["backup"]
        self.row(
            "`gsar-server backup`, verified and synced",
            f"{size / elapsed / 1e6:.0f} MB/s",
            f"{size / 1e6:.0f} MB; {elapsed / seconds['cp'][0]:.1f} times `cp`; {(user + system) / size * 1e9:.1f} s of CPU time per GB",
        )

    def row(self, *cells: str) -> None:
        self.rows.append(list(cells))


def evaluate_over_http(address: str, text: str) -> None:
    claims = "Order ORD-1 was paid. Order ORD-2 was paid in 20 ms. No order failed."
    item = {"id": "log", "kind": "EVIDENCE_KIND_TOOL_OUTPUT", "lane": "EVIDENCE_LANE_LOGS", "text": text}
    document = json.dumps({"report": {"synthesis": claims}, "evidence": [item]}).encode()
    request = urllib.request.Request(f"http://{address}/v1/evaluate", document, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        response.read()


def main() -> None:
    with workspace() as (folder, stack):
        capacity = Capacity(folder, stack)
        parts = {
            "calls": capacity.calls,
            "evaluations": capacity.evaluation_disk_space,
            "corpus": capacity.corpus_disk_space,
            "backup": capacity.backup,
        }
        for name in sys.argv[1:] or parts:
            parts[name]()
        print(table(["what", "measured", ""], capacity.rows))


if __name__ == "__main__":
    main()
