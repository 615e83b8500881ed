"""A temporary PostgreSQL server with default settings, which flushes every commit."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from figures import ROOT

NOBODY = 65_534


def programs() -> Path | None:
    """Returns the programs fetched by `make postgres`, or else the newest installed ones."""
    fetched = ROOT / "target/postgres/pgserver/pginstall/bin"
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    return next((folder for folder in [fetched, *reversed(installed)] if (folder / "postgres").exists()), None)


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """Yields the URL of an empty database. PostgreSQL refuses to run as root, so root runs it as nobody."""
    found = programs()
    if found is None:
        raise SystemExit("PostgreSQL not found; run make postgres")
    home = folder / "postgres"
    home.mkdir(mode=0o700)
    user = NOBODY if os.geteuid() == 0 else None
    if user is not None:
        folder.chmod(0o711)
        os.chown(home, user, user)

    def run(name: str, *arguments: str) -> None:
        # A pipe would stay open, because pg_ctl's server inherits it.
        with open(folder / f"{name}.log", "wb") as log:
            command = [str(found / name), *arguments]
            done = subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, user=user, cwd="/")
        if done.returncode != 0:
            raise SystemExit((folder / f"{name}.log").read_text())

    data = str(home / "data")
    run("initdb", "-D", data, "-U", "gsar", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
    run("pg_ctl", "-D", data, "-l", str(home / "log"), "-o", f"-k {home} -h ''", "-w", "start")
    try:
        yield f"postgres:///postgres?host={home}&user=gsar"
    finally:
        run("pg_ctl", "-D", data, "-m", "fast", "-w", "stop")
