#!/usr/bin/env python3
"""Records the evidence of reproducers again: the logs and spans of their services in a run with the fault.

    python3 datasets/reproducers/record.py [name ...]
"""

import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from prepare import NAMES, ROOT, prepare


def entry(file: str, kind: str, lane: str, tool: str, at: str, exhaustive: bool) -> str:
    lines = [f'file = "{file}"', f'id = "{Path(file).stem}"', f'kind = "{kind}"', f'lane = "{lane}"', f'tool = "{tool}"']
    lines += [f'collected_at = "{at}"'] + ["exhaustive = true"] * exhaustive
    return "[[item]]\n" + "\n".join(lines) + "\n"


def record(name: str) -> None:
    incident = tomllib.loads((ROOT / name / "incident.toml").read_text())
    evidence = ROOT / name / "evidence"
    with tempfile.TemporaryDirectory() as folder:
        prepare(name, Path(folder))
        subprocess.run([sys.executable, "-B", "reproduce.py"], cwd=folder, stdout=subprocess.DEVNULL)
        entries = []
        for file in sorted((Path(folder) / "telemetry").iterdir()):
            shutil.copy(file, evidence)
            lane = "traces" if file.name == "spans.jsonl" else "logs"
            entries.append(entry(file.name, "tool_output", lane, f"cat telemetry/{file.name}", incident["window_end"], True))
    revision = (evidence / "change.txt").read_text().split()[1]
    entries.append(entry("change.txt", "change", "change", f"git show --stat {revision}", incident["window_end"], False))
    (evidence / "evidence.toml").write_text("\n".join(entries))


for chosen in sys.argv[1:] or NAMES:
    record(chosen)
