"""Parses endpoints and finds the default one."""

import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gsar.errors import SidecarUnreachable

FORMS = "unix:///path/to/socket, grpc://host:port or grpcs://host:port"


@dataclass(frozen=True)
class Endpoint:
    """The path of a socket, or a host and port."""

    scheme: Literal["unix", "grpc", "grpcs"]
    address: str

    @property
    def target(self) -> str:
        """The endpoint as a grpcio target."""
        return f"unix://{self.address}" if self.scheme == "unix" else f"dns:///{self.address}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.address}"


def parse(given: str, name: str = "endpoint") -> Endpoint:
    """Parses an endpoint. Errors start with `name`, the name of the setting."""

    def invalid_because(reason: str) -> ValueError:
        return ValueError(f"{name}: invalid endpoint `{given}`: {reason}; expected {FORMS}")

    scheme, separator, address = given.partition("://")
    if not separator:
        raise invalid_because("missing scheme")
    if scheme == "unix":
        if not address.startswith("/"):
            raise invalid_because("the socket path is not absolute")
        return Endpoint("unix", address)
    if scheme not in ("grpc", "grpcs"):
        raise invalid_because("unknown scheme")
    address = address.removesuffix("/")
    host, _, port = address.rpartition(":") if ":" in address else (address, "", "")
    bare_ipv6 = ":" in host and not (host.startswith("[") and host.endswith("]"))
    if not host or bare_ipv6 or re.search(r"[/?#@ ]", host):
        raise invalid_because("missing or invalid host")
    if not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        raise invalid_because("missing or invalid port")
    return Endpoint("grpc" if scheme == "grpc" else "grpcs", address)


def default_sockets() -> list[Path]:
    """Returns the sockets to try, in order."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folders = [Path(runtime)] if runtime.startswith("/") else []
    return [folder / "gsar" / "gsar.sock" for folder in [*folders, Path("/run")]]


def has_listener(path: Path) -> bool:
    """Returns `True` if a server listens on the socket, even if this user may not connect to it."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(os.fspath(path))
        except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
            return False
        except OSError:
            return True
    return True


def find(given: str = "", *, must_run: bool = True) -> Endpoint:
    """Returns the given endpoint, or else `GSAR_ENDPOINT`, or else the first default socket that has a listener."""
    if given:
        return parse(given)
    if variable := os.environ.get("GSAR_ENDPOINT"):
        return parse(variable, "GSAR_ENDPOINT")
    sockets = default_sockets()
    for path in sockets:
        if has_listener(path):
            return Endpoint("unix", os.fspath(path))
    if not must_run:
        return Endpoint("unix", os.fspath(sockets[-1]))
    tried = " and ".join(map(str, sockets))
    raise SidecarUnreachable(
        f"no sidecar found; tried {tried}\n  start gsar-server, or set endpoint= or GSAR_ENDPOINT: " + FORMS
    )
