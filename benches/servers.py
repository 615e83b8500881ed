"""Starts servers on one core, and the load client on another."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from figures import PROGRAMS

SCORE = "/gsar.v1.GroundingService/Score"
EVALUATE = "/gsar.v1.GroundingService/Evaluate"
ECHO = "/gsar.benches.Echo/Call"


def pinned(core: int | None, command: list[str]) -> list[str]:
    """Pins a command to a core if there are at least two. `None` means any core."""
    if core is None or (os.cpu_count() or 1) < 2 or shutil.which("taskset") is None:
        return command
    return ["taskset", "-c", str(core), *command]


@dataclass
class Server:
    """A running server and its address."""

    process: subprocess.Popen
    endpoint: str

    @property
    def pid(self) -> int:
        return self.process.pid

    def resident_bytes(self) -> int:
        return self._status("VmRSS:")

    def peak_bytes(self) -> int:
        """Returns the maximum resident set size."""
        return self._status("VmHWM:")

    def _status(self, name: str) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(name))
        return int(line.split()[1]) * 1024


@contextlib.contextmanager
def running(
    folder: Path, name: str, command: list[str], endpoint: str, core: int | None = 0, **environment: str
) -> Iterator[Server]:
    """Starts a server on a core and stops it at the end. Writes its log to the folder."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GSAR_")}
    with open(folder / f"{name}.log", "wb") as log:
        process = subprocess.Popen(
            pinned(core, command), stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=inherited | environment
        )
        try:
            yield Server(process, endpoint)
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def gsar(
    folder: Path, name: str, *also: str, core: int | None = 0, **environment: str
) -> contextlib.AbstractContextManager[Server]:
    """Starts `gsar-server` with the rules on a Unix socket and on additional addresses."""
    listen = f"unix://{folder}/{name}.sock"
    command = [str(PROGRAMS / "gsar-server"), "--data-dir", str(folder / name), "--listen", listen]
    for url in also:
        command += ["--listen", url]
    environment.setdefault("GSAR_JUDGES__CHAIN", '["rules/2"]')
    return running(folder, name, command, listen, core, **environment)


def program(name: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(PROGRAMS / name), *arguments], capture_output=True, text=True)


def request(folder: Path, method: str) -> Path:
    """Writes the message for a call with 20 claims."""
    path = folder / f"{method}.request"
    program("messages", "request", method, str(path)).check_returncode()
    return path


def payload(like: Path) -> Path:
    """Writes an echo message of the same size as another message."""
    path = like.with_suffix(".payload")
    program("messages", "payload", str(like.stat().st_size), str(path)).check_returncode()
    return path


def load(*arguments: str) -> str:
    """Runs the load client on core 1."""
    command = pinned(1, [str(PROGRAMS / "load"), *arguments])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answer(server: Server, path: str, message: Path, to: Path) -> None:
    """Makes one call, and retries until the server is ready."""
    deadline = time.monotonic() + 20
    while True:
        try:
            load("--endpoint", server.endpoint, "--path", path, "--message", str(message), "--save-answer", str(to))
            return
        except RuntimeError:
            if time.monotonic() > deadline or server.process.poll() is not None:
                raise
            time.sleep(0.05)
