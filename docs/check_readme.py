"""Runs the `$ ...` commands of README.md and compares their output with the output shown there.

    python3 docs/check_readme.py BIN            compare, exit 1 on a difference
    python3 docs/check_readme.py BIN --write    update README.md

BIN is the folder of gsar and gsar-server. Commands run in the folder of the first incident. The server's judge
is the recorded chat model in datasets/. The faithful report must proceed and the contradicted one must not.
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

sys.dont_write_bytecode = True
root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "benches"))
from servers import running

readme = root / "README.md"
binaries = pathlib.Path(sys.argv[1]).resolve()
write = "--write" in sys.argv
work = pathlib.Path(tempfile.mkdtemp(prefix="gsar-readme-"))
endpoint = f"unix://{work}/gsar.sock"


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("the server did not start")
        time.sleep(0.05)


@contextlib.contextmanager
def server():
    """Runs a server with the recorded chat model as its judge."""
    address, config, log = work / "model", work / "gsar.toml", work / "server.log"
    recorded = [sys.executable, "-B", str(root / "datasets/recorded_model.py"), str(address)]
    with running(work, "recorded", recorded, str(address), core=None):
        wait_until(address.exists)
        model = "openai-compatible:recorded"
        config.write_text(
            f'[judges]\nchain = ["{model}"]\n[judges.models."{model}"]\nbase_url = "{address.read_text()}"\ncanary = false\n'
        )
        command = [str(binaries / "gsar-server"), "--config", str(config), "--listen", endpoint]
        with running(work, "server", [*command, "--data-dir", str(work / "data")], endpoint, core=None):
            wait_until(lambda: '"message":"ready"' in log.read_text())
            yield


def run(command):
    environment = {"PATH": f"{binaries}:{os.environ['PATH']}", "HOME": "/nonexistent", "NO_COLOR": "1", "GSAR_ENDPOINT": endpoint}
    folder = root / "datasets/incidents/checkout-oom"
    result = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    if result.stderr:
        sys.exit(f"{command}\n{result.stderr}")
    # Identifiers differ between runs.
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "…", result.stdout)


def block(match):
    command = match.group(1)
    output = run(command)
    for report, proceeds in {"faithful.md": True, "contradicted.md": False}.items():
        if f"evaluate reports/{report}" in command and bool(re.search("^PROCEED", output, re.MULTILINE)) != proceeds:
            sys.exit(f"README.md states that {report} {'proceeds' if proceeds else 'does not proceed'}:\n{output}")
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
