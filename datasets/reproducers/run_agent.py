#!/usr/bin/env python3
"""Tries an agent on the reproducers, and counts its results by failure mode. Needs Python 3.11 and git.

    python3 datasets/reproducers/run_agent.py --agent 'python3 agent.py' export-gap key-expired

The agent runs in a git repository that contains the system with its fault. It reads the task from standard input,
repairs the system in place, and writes its report to standard output. Then the incident's check runs on the result.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import tomllib
from pathlib import Path

from prepare import NAMES, ROOT, prepare

PASS, NO_COMMITMENT, WRONG_PATCH, EMPTY = "pass", "(a) no commitment", "(b) wrong patch", "(c) empty change set"
RESULTS = [PASS, NO_COMMITMENT, WRONG_PATCH, EMPTY]
CHECK_FILES = ["harness.py", "reproduce.py"]
RUN_FILES = ["telemetry", "ports", "*.sqlite3", "__pycache__"]

TASK = """\
Incident: {title}
Onset: {onset}
Evidence: {evidence}

The services are in the current directory, with the fault. `python3 -B reproduce.py` runs them and prints PASS or FAIL.
Find the cause, repair the services in place, and write a report to standard output. Changes to {check_files} are ignored.
"""


def commit(directory: Path) -> None:
    """Turns the directory into a repository with a single commit, so that its history does not reveal the answer."""
    git = ["git", "-c", "user.name=gsar", "-c", "user.email=gsar@localhost", "-c", "commit.gpgsign=false"]
    subprocess.run([*git, "init", "--quiet"], cwd=directory, check=True)
    (directory / ".git" / "info" / "exclude").write_text("\n".join(RUN_FILES) + "\n")
    subprocess.run([*git, "add", "--all"], cwd=directory, check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "the system"], cwd=directory, check=True)


def run_agent(command: list[str], directory: Path, task: str, limit: float, evidence: Path, title: str) -> tuple[bool, str]:
    """Runs the agent, and then kills all its processes. Returns whether it exited within the limit, and its report."""
    environment = os.environ | {"INCIDENT_TITLE": title, "INCIDENT_EVIDENCE": str(evidence)}
    with tempfile.TemporaryFile("w+") as task_file, tempfile.TemporaryFile("w+", errors="replace") as report:
        task_file.write(task)
        task_file.seek(0)
        process = subprocess.Popen(
            command, cwd=directory, env=environment, stdin=task_file, stdout=report, start_new_session=True
        )
        try:
            process.wait(limit)
            is_finished = True
        except subprocess.TimeoutExpired:
            is_finished = False
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        report.seek(0)
        return is_finished, report.read()


def passes(name: str, directory: Path) -> bool:
    """Runs the check on a copy of the system, with the check's original files. Returns `True` if it passes."""
    [check] = tomllib.loads((ROOT / name / "check.toml").read_text())["check"]
    with tempfile.TemporaryDirectory() as copy:
        ignored = shutil.ignore_patterns(".git", *CHECK_FILES, *RUN_FILES)
        shutil.copytree(directory, copy, dirs_exist_ok=True, symlinks=True, ignore=ignored)
        for source in [ROOT / name / "system" / "reproduce.py", ROOT / "harness.py"]:
            shutil.copy(source, copy)
        try:
            process = subprocess.run(
                check["command"], cwd=copy, capture_output=True, text=True, timeout=check["timeout_seconds"]
            )
        except subprocess.TimeoutExpired:
            return False
        return process.returncode == 0 and check["pass"]["contains"] in process.stdout


def changed_files(name: str, directory: Path) -> list[str]:
    """Returns the files of the system that the agent changed or removed."""
    system = ROOT / name / "system"
    files = [file.relative_to(system) for file in system.rglob("*") if file.is_file() and file.name not in CHECK_FILES]
    content = lambda file: file.read_bytes() if file.is_file() else None
    return sorted(str(file) for file in files if content(directory / file) != content(system / file))


def try_on(name: str, command: list[str], limit: float) -> dict:
    """Tries the agent on an incident, and returns the result."""
    incident = tomllib.loads((ROOT / name / "incident.toml").read_text())
    with tempfile.TemporaryDirectory() as folder:
        directory, evidence = Path(folder) / "system", Path(folder) / "evidence"
        prepare(name, directory)
        commit(directory)
        shutil.copytree(ROOT / name / "evidence", evidence)
        title = incident["title"]
        task = TASK.format(title=title, onset=incident["onset"], evidence=evidence, check_files=" and ".join(CHECK_FILES))
        start = time.monotonic()
        is_finished, report = run_agent(command, directory, task, limit, evidence, title)
        seconds = time.monotonic() - start
        changed = changed_files(name, directory)
        if not is_finished or not (changed or report.strip()):
            result = NO_COMMITMENT
        elif not changed:
            result = EMPTY
        else:
            result = PASS if passes(name, directory) else WRONG_PATCH
    return {"incident": name, "result": result, "seconds": round(seconds, 1), "changed": changed, "report": report}


def main() -> None:
    parser = argparse.ArgumentParser(description="Tries an agent on the reproducers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"the incidents [default: all]: {', '.join(NAMES)}")
    parser.add_argument("--agent", required=True, metavar="COMMAND", help="the agent, with its arguments in one string")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="the time limit for each incident [default: 600]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results and the reports to FILE")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in NAMES:
            parser.error(f"unknown incident `{name}`; expected one of {', '.join(NAMES)}")
    # The agent runs in another directory.
    command = [str(Path(word).resolve()) if Path(word).is_file() else word for word in shlex.split(arguments.agent)]
    if not command or shutil.which(command[0]) is None:
        parser.error(f"--agent {arguments.agent!r}: the program does not exist; expected an executable and its arguments")
    print("  ".join([f"{'incident':24}", *RESULTS]))
    results = []
    for name in arguments.names or NAMES:
        results.append(try_on(name, command, arguments.limit))
        seconds = f"{results[-1]['seconds']:.1f} s"
        cells = [f"{seconds if result == results[-1]['result'] else '':>{len(result)}}" for result in RESULTS]
        print("  ".join([f"{name:24}", *cells]).rstrip(), flush=True)
    totals = {result: sum(each["result"] == result for each in results) for result in RESULTS}
    print("  ".join([f"{'total':24}", *(f"{count:>{len(result)}}" for result, count in totals.items())]))
    if arguments.json:
        document = {"agent": command, "limit_seconds": arguments.limit, "totals": totals, "incidents": results}
        arguments.json.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
