"""Starts servers on one core, and the load client on another core."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from figures import PROGRAMS

SCORE = "/gsar.v1.GroundingService/Score"
EVALUATE = "/gsar.v1.GroundingService/Evaluate"
ECHO = "/gsar.benches.Echo/Call"


def pin_to_core(core: int | None, command: list[str]) -> list[str]:
    """Pins a command to a core if there are at least two. `None` means any core."""
    if core is None or (os.cpu_count() or 1) < 2 or shutil.which("taskset") is None:
        return command
    return ["taskset", "-c", str(core), *command]


@contextlib.contextmanager
def workspace() -> Iterator[tuple[Path, contextlib.ExitStack]]:
    """Yields a temporary folder, and a stack for the processes that run in it. SIGTERM cleans up both."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="gsar-bench-") as folder, contextlib.ExitStack() as stack:
        yield Path(folder), stack


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
    """Runs a server on a core for the duration of the `with` block. Writes its log to the folder."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GSAR_")}
    with open(folder / f"{name}.log", "wb") as log:
        process = subprocess.Popen(
            pin_to_core(core, command), stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=inherited | environment
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
    folder: Path, name: str, *addresses: str, core: int | None = 0, **environment: str
) -> contextlib.AbstractContextManager[Server]:
    """Runs `gsar-server` with the judge `rules/2`, on a Unix socket and on additional addresses."""
    listen = f"unix://{folder}/{name}.sock"
    command = [str(PROGRAMS / "gsar-server"), "--data-dir", str(folder / name), "--listen", listen]
    for url in addresses:
        command += ["--listen", url]
    environment.setdefault("GSAR_JUDGES__CHAIN", '["rules/2"]')
    return running(folder, name, command, listen, core, **environment)


def echo(folder: Path, name: str, listen: str, answer_bytes: int) -> contextlib.AbstractContextManager[Server]:
    """Runs the bare echo server, with answers of the given size."""
    command = [str(PROGRAMS / "echo"), "--listen", listen, "--answer-bytes", str(answer_bytes)]
    return running(folder, name, command, listen)


def run_program(name: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(PROGRAMS / name), *arguments], capture_output=True, text=True)


def request(folder: Path, method: str) -> Path:
    """Writes the request message for a call with 20 claims, and returns its path."""
    path = folder / f"{method}.request"
    run_program("messages", "request", method, str(path)).check_returncode()
    return path


def payload(like: Path) -> Path:
    """Writes an echo message of the same size as another message, and returns its path."""
    path = like.with_suffix(".payload")
    run_program("messages", "payload", str(like.stat().st_size), str(path)).check_returncode()
    return path


def output(core: int | None, name: str, *arguments: str) -> str:
    """Runs a program on a core and returns its output."""
    command = pin_to_core(core, [str(PROGRAMS / name), *arguments])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def load(*arguments: str) -> str:
    """Runs the load client on core 1."""
    return output(1, "load", *arguments)


def measure(server: Server, path: str, message: Path, calls: int, warm_up: int, in_flight: int = 1, *more: str) -> dict:
    """Measures calls, and the CPU time that the server spends on each call."""
    arguments = ["--endpoint", server.endpoint, "--path", path, "--message", str(message), "--in-flight", str(in_flight)]
    arguments += ["--calls", str(calls), "--warm-up", str(warm_up), *more]
    return json.loads(load(*arguments, "--pid", str(server.pid)))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def save_answer(server: Server, path: str, message: Path, to: Path) -> None:
    """Makes one call and saves its answer. Retries until the server is ready."""
    deadline = time.monotonic() + 20
    while True:
        try:
            load("--endpoint", server.endpoint, "--path", path, "--message", str(message), "--save-answer", str(to))
            return
        except RuntimeError:
            if time.monotonic() > deadline or server.process.poll() is not None:
                raise
            time.sleep(0.05)
