#!/usr/bin/env python3
"""Validates the reproducers. Needs Python 3.11 and git.

With --run, also checks that each reproducer fails with its fault and with the wrong patch, passes with the fix, is
deterministic, and produces its recorded evidence.

    python3 datasets/reproducers/check.py --run
"""

import argparse
import filecmp
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from prepare import NAMES, ROOT, prepare

TEXTS = {"name", "title", "kind", "onset", "window_start", "window_end", "root_cause", "root_cause_service", "expected_remediation"}
LISTS = {"expected_log_signals", "misleading_signals", "required_reasoning_steps"}
KINDS = {"cross_service", "compensation", "idempotency_key", "off_by_one_window", "contradictory_state"}

problems: list[str] = []


def expect(condition: bool, problem: str) -> None:
    if not condition:
        problems.append(problem)


def check_form(name: str) -> str:
    folder = ROOT / name
    incident = tomllib.loads((folder / "incident.toml").read_text())
    expect(incident.keys() == TEXTS | LISTS, f"{name}/incident.toml: missing or unknown keys: {sorted(incident.keys() ^ (TEXTS | LISTS))}")
    expect(incident["name"] == name, f"{name}/incident.toml: name differs from the folder")
    expect(incident["kind"] in KINDS, f"{name}/incident.toml: unknown kind {incident['kind']!r}")
    expect(incident["window_start"] <= incident["onset"] <= incident["window_end"], f"{name}/incident.toml: the onset is outside of the window")
    recorded = "".join(file.read_text() for file in (folder / "evidence").iterdir())
    for signal in incident["expected_log_signals"]:
        expect(signal in recorded, f"{name}: no evidence contains {signal!r}")
    for signal in incident["misleading_signals"]:
        expect((folder / "evidence" / signal.split()[0]).exists(), f"{name}: {signal!r} does not begin with the name of an evidence file")
    expect((folder / "system" / f"{incident['root_cause_service']}.py").exists(), f"{name}/incident.toml: root_cause_service is not a service of the system")
    [check] = tomllib.loads((folder / "check.toml").read_text())["check"]
    fixed, diagnosis = ((folder / "reports" / f"{report}.md").read_text() for report in ("fixed", "diagnosis"))
    expect(fixed.startswith(diagnosis) and check["name"] in fixed, f"{name}/reports/fixed.md: must start with diagnosis.md and name the check")
    return incident["kind"]


def run(name: str, patch: str | None) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        prepare(name, Path(folder), patch)
        command = tomllib.loads((ROOT / name / "check.toml").read_text())["check"][0]["command"]
        first, second = (
            subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60) for _ in range(2)
        )
        output = f"{second.stdout} {second.stderr}"
        expect(first.stdout == second.stdout, f"{name}: a second run in the same directory prints {output}")
        expect(
            ("PASS" in second.stdout) == (second.returncode == 0),
            f"{name}: the output and the exit status disagree: {output}",
        )
        if patch is None:
            for file in (Path(folder) / "telemetry").iterdir():
                recorded = ROOT / name / "evidence" / file.name
                is_current = recorded.exists() and filecmp.cmp(file, recorded, False)
                expect(is_current, f"{recorded}: differs from the telemetry of the run; record it again")
        return second.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description="Checks the reproducers.")
    parser.add_argument("names", nargs="*", choices=[*NAMES, []])
    parser.add_argument("--run", action="store_true", help="run each reproducer with the fault, with the fix and with the wrong patch")
    arguments = parser.parse_args()
    names = arguments.names or NAMES
    kinds = [check_form(name) for name in names]
    if names == NAMES:
        expect(sorted(kinds) == sorted([*KINDS, *KINDS]), f"expected two reproducers of each kind, found {sorted(kinds)}")
    for name in names if arguments.run else []:
        start = time.monotonic()
        results = {"fault": run(name, None), "fix": run(name, "fix"), "wrong patch": run(name, "wrong")}
        expect(results == {"fault": False, "fix": True, "wrong patch": False}, f"{name}: unexpected results {results}")
        summary = ", ".join(f"{state} {'passes' if passed else 'fails'}" for state, passed in results.items())
        print(f"{name}: {summary}, {time.monotonic() - start:.1f} s")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(names)} reproducers: {'ok' if not problems else f'{len(problems)} problems'}")
    sys.exit(bool(problems))


main()
