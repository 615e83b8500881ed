"""Runs a private sidecar in a temporary folder, for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import grpc

from gsar.endpoint import Endpoint
from gsar.health import SERVING, health_watch

BINARY = "gsar-server"
START_SECONDS = 60
STOP_SECONDS = 10
MAX_SOCKET_PATH = 103
MAX_LOG_CHARACTERS = 4096


class ServerError(RuntimeError):
    """The sidecar failed to start."""


def find_binary() -> str:
    """Returns `GSAR_SERVER`, or else the path of `gsar-server` in PATH, or else an empty string."""
    return os.environ.get("GSAR_SERVER") or shutil.which(BINARY) or ""


class Server:
    """Runs `gsar-server` in a `with` block: `with gsar.server.Server() as server: gsar.Client(server.endpoint)`.

    `configuration` is the server's configuration in TOML. `GSAR_*` environment variables are ignored. `listen` lists
    addresses to listen on in addition to the socket. The ledger is deleted at the end of the block.
    """

    def __init__(self, configuration: str = "", *, listen: Sequence[str] = (), binary: str = "") -> None:
        self.binary = binary or find_binary()
        if not self.binary:
            raise ServerError(f"{BINARY} is not in PATH; install it, or set GSAR_SERVER or binary=")
        self.configuration = configuration
        self.listen = listen
        self.endpoint = ""

    def __enter__(self) -> Server:
        self._folder = tempfile.TemporaryDirectory(prefix="gsar-")
        try:
            self._start(Path(self._folder.name))
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._folder.cleanup()

    def log(self) -> str:
        """Returns the log so far."""
        return self._log.read_text(errors="replace")

    def restart(self) -> None:
        """Kills the server and restarts it with the same socket and data."""
        self.process.kill()
        self.process.wait()
        self._start(Path(self._folder.name))

    def _start(self, folder: Path) -> None:
        socket = folder / "gsar.sock"
        if len(os.fspath(socket)) > MAX_SOCKET_PATH:
            raise ServerError(f"{folder} is too long for a socket path; set TMPDIR to a shorter directory")
        endpoint = Endpoint("unix", os.fspath(socket))
        (folder / "gsar.toml").write_text(self.configuration)
        command = [self.binary, "--config", str(folder / "gsar.toml"), "--listen", str(endpoint)]
        command += ["--data-dir", str(folder / "data")]
        for address in self.listen:
            command += ["--listen", address]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GSAR_")}
        self._log = folder / "log"
        try:
            with self._log.open("ab") as log:
                self.process = subprocess.Popen(  # noqa: S603
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
                )
        except OSError as error:
            raise ServerError(f"{self.binary} failed to start: {error.strerror}") from error
        try:
            self._wait_until_serving(endpoint)
        except BaseException:
            self._stop()
            raise
        self.endpoint = str(endpoint)

    def _wait_until_serving(self, endpoint: Endpoint) -> None:
        options = [
            ("grpc.default_authority", "localhost"),
            ("grpc.initial_reconnect_backoff_ms", 10),
            ("grpc.min_reconnect_backoff_ms", 10),
            ("grpc.max_reconnect_backoff_ms", 100),
        ]
        with grpc.insecure_channel(endpoint.target, options) as channel:
            states = health_watch(channel)(b"", wait_for_ready=True, timeout=START_SECONDS)

            def cancel_on_exit() -> None:
                self.process.wait()
                states.cancel()

            threading.Thread(target=cancel_on_exit, daemon=True).start()
            try:
                if any(state == SERVING for state in states):
                    return
            except grpc.RpcError:
                # The log, which is part of the error below, states the reason.
                pass
        status = self.process.poll()
        failure = f"is not serving after {START_SECONDS} s" if status is None else f"exited with status {status}"
        raise ServerError(f"{self.binary} {failure}\n{self.log()[-MAX_LOG_CHARACTERS:]}")

    def _stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
