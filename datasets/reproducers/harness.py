"""The code that the reproducers' systems share: services as HTTP processes, a simulated clock, and telemetry.

Uses only the standard library. The driver sends the time with each request (`X-Now`, in seconds since 1970), so a run
never waits and always writes the same telemetry. Each service reports the simulated duration of a request (`X-Took`, in
milliseconds). For a caller with a shorter timeout, the call fails, although the request was handled.
"""

import http.client
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TELEMETRY = Path("telemetry")
PORTS = Path("ports")


class TimedOut(Exception):
    """The call timed out, but the request was handled."""


def at(text: str) -> float:
    """Converts a time such as 2026-03-02T10:00:00Z to seconds since 1970."""
    return datetime.fromisoformat(text).timestamp()


def shown(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def call(service: str, path: str, now: float, body: dict | None = None, timeout_ms: int = 60_000) -> tuple[int, dict]:
    """Calls a service and returns the status and the document of the response."""
    port = int((PORTS / service).read_text())
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", path, json.dumps(body or {}), {"X-Now": str(now)})
    answer = connection.getresponse()
    document = json.loads(answer.read())
    took = int(answer.headers["X-Took"])
    connection.close()
    if took > timeout_ms:
        raise TimedOut(f"{service} gave no answer within {timeout_ms} ms")
    return answer.status, document


class Service:
    """A service with a handler per path, a log, and a span per request."""

    def __init__(self, name: str) -> None:
        self.name, self.took, self.handlers = name, 5, {}
        self.lock = threading.Lock()
        TELEMETRY.mkdir(exist_ok=True)

    def log(self, now: float, level: str, message: str) -> None:
        with open(TELEMETRY / f"{self.name}.log", "a") as log:
            log.write(f"{shown(now)} {level:5} {self.name} {message}\n")

    def on(self, path: str):
        """Registers the handler for a path. It takes the time and a document, and returns a status and a document."""

        def register(handler):
            self.handlers[path] = handler
            return handler

        return register

    def run(self) -> None:
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                now = float(self.headers["X-Now"])
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with service.lock:
                    service.took = 5
                    status, document = service.handlers[self.path](now, body)
                    service.span(now, self.path, status)
                    took = service.took
                data = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("X-Took", str(took))
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        PORTS.mkdir(exist_ok=True)
        unfinished = PORTS / f".{self.name}"
        unfinished.write_text(str(server.server_port))
        unfinished.rename(PORTS / self.name)
        server.serve_forever()

    def span(self, now: float, path: str, status: int) -> None:
        span = {"time": shown(now), "service": self.name, "operation": path, "status": status, "took_ms": self.took}
        with open(TELEMETRY / "spans.jsonl", "a") as spans:
            spans.write(json.dumps(span) + "\n")


class System:
    """The running services of a reproducer."""

    def __init__(self, *services: str) -> None:
        self.services = services
        self.processes: list[subprocess.Popen] = []

    def __enter__(self) -> "System":
        # Removes the files of an earlier run.
        for folder in (PORTS, TELEMETRY):
            shutil.rmtree(folder, ignore_errors=True)
        for database in Path().glob("*.sqlite3"):
            database.unlink()
        for service in self.services:
            command = [sys.executable, "-B", f"{service}.py"]
            self.processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL))
        deadline = time.monotonic() + 20
        while not all((PORTS / service).exists() for service in self.services):
            if time.monotonic() > deadline or any(process.poll() is not None for process in self.processes):
                self.__exit__()
                sys.exit("a service did not start")
            time.sleep(0.005)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


def verdict(passed: bool) -> None:
    """Prints the result and exits."""
    print("PASS" if passed else "FAIL")
    sys.stdout.flush()
    os._exit(0 if passed else 1)
