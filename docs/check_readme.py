"""Runs the `$ ...` commands of README.md and compares their output with what stands there.

    python3 docs/check_readme.py BIN            compare, exit 1 on a difference
    python3 docs/check_readme.py BIN --write    put the real output there

BIN is the folder of gsar and gsar-server. Commands run in the folder of the first incident, beside a server whose judge is the
recorded chat model of datasets/. What README is there to show is checked before anything is written: the faithful report
proceeds, the contradicted one does not.
"""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
readme = root / "README.md"
binaries = pathlib.Path(sys.argv[1]).resolve()
write = "--write" in sys.argv
work = pathlib.Path(tempfile.mkdtemp(prefix="gsar-readme-"))
endpoint = f"unix://{work}/gsar.sock"


def until(is_so):
    give_up = time.monotonic() + 60
    while not is_so():
        if time.monotonic() > give_up:
            sys.exit("the server of the commands does not start")
        time.sleep(0.05)


@contextlib.contextmanager
def running(log, *command):
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def server():
    """A server that asks the recorded chat model."""
    address, config, log = work / "model", work / "gsar.toml", work / "server.log"
    with running(work / "model.log", sys.executable, "-B", str(root / "datasets/recorded_model.py"), str(address)):
        until(address.exists)
        model = "openai-compatible:recorded"
        config.write_text(
            f'[judges]\nchain = ["{model}"]\n[judges.models."{model}"]\nbase_url = "{address.read_text()}"\ncanary = false\n'
        )
        command = [str(binaries / "gsar-server"), "--config", str(config), "--listen", endpoint]
        with running(log, *command, "--data-dir", str(work / "data")):
            until(lambda: '"message":"ready"' in log.read_text())
            yield


def run(command):
    environment = {"PATH": f"{binaries}:{os.environ['PATH']}", "HOME": "/nonexistent", "NO_COLOR": "1", "GSAR_ENDPOINT": endpoint}
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
    output = run(command)
    for report, proceeds in {"faithful.md": True, "contradicted.md": False}.items():
        if f"evaluate reports/{report}" in command and bool(re.search("^PROCEED", output, re.MULTILINE)) != proceeds:
            sys.exit(f"README.md promises that {report} {'proceeds' if proceeds else 'is held back'}:\n{output}")
    return f"```console\n$ {command}\n{output}```"


text = readme.read_text()
with server():
    fresh = re.sub(r"```console\n\$ (.*)\n(?:(?!```)[\s\S])*```", block, text)
shutil.rmtree(work)
if write:
    readme.write_text(fresh)
elif fresh != text:
    import difflib

    sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), fresh.splitlines(True), "README.md", "real output"))
    sys.exit("README.md: the output is stale; run `python3 docs/check_readme.py target/debug --write`")
print(f"README.md: {len(re.findall('```console', text))} commands: ok")
