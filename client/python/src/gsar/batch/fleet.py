"""The sidecars that evaluate a batch: connections, availability, and the assignment of reports to sidecars."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from dataclasses import dataclass, field
from functools import cache

from gsar.client import Client

SKIP_SECONDS = 5.0
"""How long an unreachable sidecar is skipped, in seconds."""

# Keepalive pings detect dead connections, so that the reports on them are sent again.
KEEPALIVE = (("grpc.keepalive_time_ms", 20_000), ("grpc.keepalive_timeout_ms", 10_000))


@dataclass(frozen=True)
class Connections:
    """The endpoints of the sidecars, their TLS files and the token file."""

    endpoints: tuple[str, ...]
    tls_ca: str = ""
    tls_certificate: str = ""
    tls_key: str = ""
    token_file: str = ""


@dataclass
class Sidecar:
    """A sidecar and its availability."""

    client: Client
    unreachable_since: float | None = None
    skipped_until: float = field(default=0.0)

    def mark_reachable(self) -> None:
        """Marks the sidecar as reachable."""
        self.unreachable_since = None
        self.skipped_until = 0.0

    def mark_unreachable(self) -> None:
        """Marks the sidecar as unreachable."""
        now = time.monotonic()
        self.unreachable_since = self.unreachable_since or now
        self.skipped_until = now + SKIP_SECONDS

    def unreachable_for(self) -> float:
        """Returns how many seconds the sidecar has been unreachable, or 0 if it is reachable."""
        return 0.0 if self.unreachable_since is None else time.monotonic() - self.unreachable_since


class Fleet:
    """The sidecars that a process uses. Threads can share a fleet."""

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
        """Returns all sidecars in order of preference for a report with this key.

        The order is the same in every process. If a sidecar is added or removed, most keys keep their first
        sidecar (rendezvous hashing).
        """

        def weight(endpoint: str) -> bytes:
            return hashlib.sha256(f"{endpoint}\n{key}".encode()).digest()

        return [self.sidecars[endpoint] for endpoint in sorted(self.sidecars, key=weight)]


_fleet_lock = threading.Lock()


def of_this_process(connections: Connections) -> Fleet:
    """Returns this process's fleet for the given connections."""
    with _fleet_lock:
        return _fleet(connections, os.getpid())


@cache
def _fleet(connections: Connections, _process: int) -> Fleet:
    return Fleet(connections)
