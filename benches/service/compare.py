"""Compares `gsar-server` with a bare tonic echo that has the same message sizes.

The servers share one core, and the load client runs on another. The subjects and their baselines are measured in turns,
and every ratio is computed within a round, so that other load affects both.
"""

import contextlib
import json
import os
import statistics
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import met, ratios, spread, table
from servers import ECHO, EVALUATE, SCORE, Server, echo, free_port, gsar, payload, pin_to_core, request, run_program, save_answer, workspace
from subject import HEAD, IN_FLIGHT, Subject

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", "7"))


class Bench:
    """The servers and the messages of a run."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder = folder
        self.stack = stack
        self.score = request(folder, "score")
        self.evaluate = request(folder, "evaluate")

        tcp = f"grpc://127.0.0.1:{free_port()}"
        self.recording = stack.enter_context(gsar(folder, "recording", tcp, GSAR_LEDGER__ENABLED="true"))
        self.over_tcp = Server(self.recording.process, tcp)
        self.without_ledger = stack.enter_context(gsar(folder, "without-ledger", GSAR_LEDGER__ENABLED="false"))

        score_answer = self.first_answer(self.recording, "score", self.score)
        self.idle_bytes = self.recording.resident_bytes()
        evaluate_answer = self.first_answer(self.without_ledger, "evaluate", self.evaluate)
        self.first_answer(self.recording, "evaluate", self.evaluate)

        self.echo_score = self.echo("echo-score", f"unix://{folder}/echo-score.sock", score_answer)
        self.echo_score_tcp = self.echo("echo-score-tcp", f"grpc://127.0.0.1:{free_port()}", score_answer)
        self.echo_evaluate = self.echo("echo-evaluate", f"unix://{folder}/echo-evaluate.sock", evaluate_answer)
        self.echo_score_message = payload(self.score)
        self.echo_evaluate_message = payload(self.evaluate)
        for server, message in [
            (self.echo_score, self.echo_score_message),
            (self.echo_score_tcp, self.echo_score_message),
            (self.echo_evaluate, self.echo_evaluate_message),
        ]:
            save_answer(server, ECHO, message, folder / "echo.answer")
        self.echo_idle_bytes = self.echo_score.resident_bytes()

    def echo(self, name: str, listen: str, answer_bytes: int) -> Server:
        return self.stack.enter_context(echo(self.folder, name, listen, answer_bytes))

    def first_answer(self, server: Server, method: str, message: Path) -> int:
        """Checks the answer to the measured call, and returns the size of the answer."""
        path = self.folder / f"{method}.answer"
        save_answer(server, SCORE if method == "score" else EVALUATE, message, path)
        shown = run_program("messages", "answer", method, str(path))
        shown.check_returncode()
        response = json.loads(shown.stdout)
        if method == "evaluate":
            recorded = response["provenance"]["recorded"]
            assert response["judgeStatus"] == "JUDGE_STATUS_RESOLVED", response
            assert len(response["claims"]) == 20, response
            assert recorded == (server is self.recording), response["provenance"]
            classes = Counter(claim["class"].removeprefix("CLAIM_CLASS_").lower() for claim in response["claims"])
            counts = ", ".join(f"{count} {name}" for name, count in classes.most_common())
            print(f"`Evaluate` answers {response['decision']['tier']}: {counts}; recorded: {str(recorded).lower()}.")
        else:
            print(f"`Score` answers {response['decision']['tier']}.")
        return path.stat().st_size


def subjects(bench: Bench) -> dict[str, Subject]:
    subjects = [
        Subject("Score, unix", bench.recording, SCORE, bench.score),
        Subject("echo of Score, unix", bench.echo_score, ECHO, bench.echo_score_message),
        Subject("Score, TCP", bench.over_tcp, SCORE, bench.score),
        Subject("echo of Score, TCP", bench.echo_score_tcp, ECHO, bench.echo_score_message),
        Subject("Evaluate without ledger", bench.without_ledger, EVALUATE, bench.evaluate),
        Subject("echo of Evaluate", bench.echo_evaluate, ECHO, bench.echo_evaluate_message),
        Subject("Evaluate, durable ledger", bench.recording, EVALUATE, bench.evaluate),
    ]
    return {subject.name: subject for subject in subjects}


def extraction_time() -> float:
    """Returns the CPU time, in microseconds, of extraction, rules and verification for the same `Evaluate` call."""
    done = run_program("extraction_times", "--evaluate", "--rounds", "3")
    done.check_returncode()
    return float(done.stdout)


def figures(measured: dict[str, Subject], bench: Bench, checks: list[float]) -> list[list[str]]:
    def ratios_of(subject: str, baseline: str, what: str) -> list[float]:
        return ratios(measured[subject].values(what), measured[baseline].values(what))

    rate, processor = "calls_per_second", "server_cpu_us_per_call"
    rows = []
    for figure, subject, baseline, what, target in [
        ("`Score` calls/s, unix", "Score, unix", "echo of Score, unix", rate, (">=", 0.85)),
        ("`Score` calls/s, TCP", "Score, TCP", "echo of Score, TCP", rate, (">=", 0.9)),
        ("`Score` CPU per call, unix", "Score, unix", "echo of Score, unix", processor, None),
        ("`Score` CPU per call, TCP", "Score, TCP", "echo of Score, TCP", processor, None),
        ("`Evaluate` CPU per call, no ledger", "Evaluate without ledger", "echo of Evaluate", processor, ("<=", 40)),
        ("`Evaluate` CPU per call, durable", "Evaluate, durable ledger", "echo of Evaluate", processor, None),
        ("`Evaluate` calls/s, no ledger", "Evaluate without ledger", "echo of Evaluate", rate, None),
        ("`Evaluate` calls/s, durable", "Evaluate, durable ledger", "echo of Evaluate", rate, None),
    ]:
        values = ratios_of(subject, baseline, what)
        median = statistics.median(values)
        if target is None:
            verdict = ["none", ""]
        else:
            sign, bound = target
            is_met = median >= bound if sign == ">=" else median <= bound
            verdict = [f"{'≥' if sign == '>=' else '≤'} {bound:g}", met(is_met)]
        rows.append([figure, "bare tonic echo, same sizes", spread(values), *verdict])
    values = ratios(checks, measured["echo of Evaluate"].values(processor))
    is_met = statistics.median(values) <= 10
    figure = "extraction, rules and verification, CPU"
    rows.append([figure, "bare tonic echo of `Evaluate`", spread(values), "≤ 10", met(is_met)])
    megabytes = bench.idle_bytes / 1e6
    rows.append(
        [
            f"memory of an idle server, {megabytes:.1f} MB",
            f"the echo, {bench.echo_idle_bytes / 1e6:.1f} MB",
            f"{bench.idle_bytes / bench.echo_idle_bytes:.2f}",
            "≤ 60 MB",
            met(megabytes <= 60),
        ]
    )
    return rows


def main() -> None:
    with workspace() as (folder, stack):
        bench = Bench(folder, stack)
        measured = subjects(bench)
        for subject in measured.values():
            subject.calibrate()
        checks = []
        for index in range(ROUNDS):
            turn = list(measured.values())
            for subject in turn if index % 2 == 0 else reversed(turn):
                subject.round()
            checks.append(extraction_time())
        pinned_to = "servers on core 0, client on core 1" if pin_to_core(0, []) else "not pinned: fewer than two cores"
        print(f"\n{ROUNDS} alternating rounds, {IN_FLIGHT} in flight on one connection; {pinned_to}.\n")
        print(table(["figure", "baseline", "ratio", "target", "met"], figures(measured, bench, checks)))
        print("\nMedians behind the ratios:\n")
        print(table(HEAD, [subject.row() for subject in measured.values()]))


if __name__ == "__main__":
    main()
