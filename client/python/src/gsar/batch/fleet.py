"""The sidecars of a batch as one process sees them. Frames and rows are not known here.

There is one connection to each; what is kept beside it is which one a report goes to, and which of them are away.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from dataclasses import dataclass, field
from functools import cache

from gsar.client import Client

AWAY_SECONDS = 5.0
"""How long a sidecar that did not answer is passed over where another one may answer."""

# A connection whose other end has gone without a word is found out, and its reports are sent anew.
KEEPALIVE = (("grpc.keepalive_time_ms", 20_000), ("grpc.keepalive_timeout_ms", 10_000))


@dataclass(frozen=True)
class Connections:
    """Where the sidecars are, and how to reach them."""

    endpoints: tuple[str, ...]
    tls_ca: str = ""
    tls_certificate: str = ""
    tls_key: str = ""
    token_file: str = ""


@dataclass
class Sidecar:
    """One of them, and since when it does not answer."""

    client: Client
    silent_since: float | None = None
    passed_over_until: float = field(default=0.0)

    def answered(self) -> None:
        """It is there."""
        self.silent_since = None
        self.passed_over_until = 0.0

    def fell_silent(self) -> None:
        """It did not answer."""
        now = time.monotonic()
        self.silent_since = self.silent_since or now
        self.passed_over_until = now + AWAY_SECONDS

    def silent_for(self) -> float:
        """Seconds; 0 for one that answers."""
        return 0.0 if self.silent_since is None else time.monotonic() - self.silent_since


class Fleet:
    """The sidecars of one process. Threads may share it."""

    def __init__(self, connections: Connections) -> None:
        self.sidecars = {
            endpoint: Sidecar(
                Client(
                    endpoint,
                    tls_ca=connections.tls_ca,
                    tls_certificate=connections.tls_certificate,
                    tls_key=connections.tls_key,
                    token_file=connections.token_file,
                    options=KEEPALIVE,
                )
            )
            for endpoint in connections.endpoints
        }

    def order(self, key: str) -> list[Sidecar]:
        """All of them, first the one that a report with this key goes to.

        It is the same in every process and attempt, and for most keys still when one is added or taken away
        (rendezvous hashing).
        """

        def weight(endpoint: str) -> bytes:
            return hashlib.sha256(f"{endpoint}\n{key}".encode()).digest()

        return [self.sidecars[endpoint] for endpoint in sorted(self.sidecars, key=weight)]


_making = threading.Lock()


def of_this_process(connections: Connections) -> Fleet:
    """The one fleet that this process has for these connections; a process forked from it has its own."""
    with _making:
        return _fleet(connections, os.getpid())


@cache
def _fleet(connections: Connections, _process: int) -> Fleet:
    return Fleet(connections)
