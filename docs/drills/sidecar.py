"""A server for a drill in its own folder, with access to its API, metrics and log. Standard library only."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))
from servers import free_port

CONFIG = """
[judges]
chain = ["rules/2"]
[evidence]
embeddings = "off"
"""


def wait_for(what: str, seconds: float, poll):
    """Waits until `poll` returns a truthy value, and returns it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = poll()
        if found:
            return found
        time.sleep(0.02)
    raise SystemExit(f"drill failed: {what} was not seen within {seconds} s")


class Sidecar:
    """A server with the judge rules/2, its gateway and its admin port on loopback."""

    def __init__(self, binaries: Path, folder: Path, config: str = CONFIG, **environment: str):
        self.binaries, self.folder, self.environment = binaries, folder, environment
        folder.mkdir(parents=True, exist_ok=True)
        self.data = folder / "data"
        self.log_file = folder / "log"
        self.admin, self.gateway = free_port(), free_port()
        self.config = folder / "gsar.toml"
        top, _, sections = config.partition("[")
        self.config.write_text(
            f'admin = "127.0.0.1:{self.admin}"\ndata_dir = "{self.data}"\n{top}\n'
            f'[gateway]\naddress = "127.0.0.1:{self.gateway}"\n[{sections}'
        )
        self.process: subprocess.Popen | None = None

    @property
    def endpoint(self) -> str:
        return f"unix://{self.folder}/gsar.sock"

    def spawn(self, listen: str | None = None):
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("GSAR_")}
        command = [self.binaries / "gsar-server", "--config", self.config, "--listen", listen or self.endpoint]
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=inherited | self.environment)

    def start(self, listen: str | None = None) -> float:
        """Starts the server and returns the seconds until it accepts calls."""
        began = time.monotonic()
        self.spawn(listen)
        wait_for("a server that accepts calls", 60, lambda: self.status("/v1/health", self.gateway)[0] == 200)
        return time.monotonic() - began

    def end(self, how: int = signal.SIGTERM) -> int:
        if self.process is None:
            return 0
        self.process.send_signal(how)
        status = self.process.wait(timeout=60)
        self.process = None
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def status(self, path: str, port: int | None = None) -> tuple[int, str]:
        """Returns the status and body of a GET request, to the admin port by default; status 0 without a response."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port or self.admin}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def readyz(self) -> str:
        code, text = self.status("/readyz")
        return f"{code} {text.strip()}".strip()

    def unready(self) -> str:
        """Waits until the server is not ready, and returns the answer of /readyz."""
        return wait_for("/readyz 503", 30, lambda: self.readyz().startswith("503") and self.readyz())

    def recovered(self, key: str = "") -> float:
        """Waits until the server evaluates and is ready, and returns the seconds."""
        began = time.monotonic()
        wait_for("an evaluation after", 60, lambda: self.evaluate(key)[0] == 200)
        wait_for("/readyz 200", 30, lambda: self.readyz().startswith("200"))
        return time.monotonic() - began

    def call(self, method: str, document: dict, timeout: float = 60) -> tuple[int, dict]:
        """Calls a method over the gateway; status 0 without a response."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.gateway}/v1/{method}",
            json.dumps(document).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"{}")
        except OSError as error:
            return 0, {"detail": str(error)}

    def evaluate(self, key: str = "", **more) -> tuple[int, dict]:
        item = {
            "id": "pool",
            "kind": "EVIDENCE_KIND_TOOL_OUTPUT",
            "lane": "EVIDENCE_LANE_STATIC_INFRA",
            "text": "connection pool size is 20",
        }
        report = {"report": {"synthesis": "The connection pool size is 20."}, "evidence": [item]}
        return self.call("evaluate", report | {"idempotency_key": key} | more)

    def gsar(self, *arguments: str) -> subprocess.CompletedProcess:
        command = [self.binaries / "gsar", *arguments, "--endpoint", self.endpoint]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def server(self, *arguments: str) -> subprocess.CompletedProcess:
        command = [self.binaries / "gsar-server", *arguments, "--config", self.config]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def metrics(self, names: str) -> dict[str, float]:
        """Returns the metric series with this prefix."""
        found = re.findall(rf"^({names}[^ ]*) ([^ ]+)$", self.status("/metrics")[1], re.MULTILINE)
        return {name: float(value) for name, value in found}

    def log(self, message: str = "") -> list[dict]:
        """Returns log lines at WARN and ERROR that contain `message`."""
        lines = [json.loads(line) for line in self.log_file.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["level"] in ("WARN", "ERROR") and message in json.dumps(line)]
