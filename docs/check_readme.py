"""Runs the `$ ...` commands of README.md and compares their output with what stands there.

    python3 docs/check_readme.py BIN            compare, exit 1 on a difference
    python3 docs/check_readme.py BIN --write    put the real output there

BIN is the folder of gsar and gsar-server. Commands run in the folder of the first incident. Where ONNX Runtime is not in the
user's cache another judge would answer: what reports come to is not compared then. Nor are percentages of the model, whose
last digit differs from processor to processor. What README is there to show is checked before anything is written: the
faithful report proceeds, the contradicted one does not.
"""

import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
readme = root / "README.md"
binaries = pathlib.Path(sys.argv[1]).resolve()
write = "--write" in sys.argv
cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
has_runtime = bool(os.environ.get("ORT_DYLIB_PATH")) or any(pathlib.Path(cache, "gsar", "onnxruntime").glob("*/*"))


def run(command):
    environment = {"PATH": f"{binaries}:{os.environ['PATH']}", "HOME": "/nonexistent", "NO_COLOR": "1", "XDG_CACHE_HOME": cache}
    environment |= {name: os.environ[name] for name in ["ORT_DYLIB_PATH"] if name in os.environ}
    folder = root / "datasets/incidents/checkout-oom"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    if done.stderr:
        sys.exit(f"{command}\n{done.stderr}")
    # Identifiers differ from run to run.
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "…", done.stdout)


def block(match):
    command = match.group(1)
    if "gsar evaluate" in command and not has_runtime:
        print(f"skipped, ONNX Runtime is not at hand: {command}")
        return match.group(0)
    output = run(command)
    for report, proceeds in {"faithful.md": True, "contradicted.md": False}.items():
        if f"evaluate reports/{report}" in command and bool(re.search("^PROCEED", output, re.MULTILINE)) != proceeds:
            sys.exit(f"README.md promises that {report} {'proceeds' if proceeds else 'is held back'}:\n{output}")
    return f"```console\n$ {command}\n{output}```"


def without_percentages(text):
    return re.sub(r"\d+(?=\s+%)", "…", text)


text = readme.read_text()
fresh = re.sub(r"```console\n\$ (.*)\n(?:(?!```)[\s\S])*```", block, text)
if write:
    readme.write_text(fresh)
elif without_percentages(fresh) != without_percentages(text):
    import difflib

    sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), fresh.splitlines(True), "README.md", "real output"))
    sys.exit("README.md: the output is stale; run `python3 docs/check_readme.py target/debug --write`")
print(f"README.md: {len(re.findall('```console', text))} commands: ok")
