"""Runs a private PostgreSQL server on a socket in a temporary folder, for tests."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65_534
"""The user that runs PostgreSQL if the test runs as root, because PostgreSQL refuses to run as root."""
DOWNLOADED = Path(__file__).resolve().parents[3] / "target" / "postgres" / "pgserver" / "pginstall" / "bin"


def programs() -> Path | None:
    """Returns the folder of PostgreSQL's programs: those from `make postgres`, or else the newest installed ones."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    found = [path for path in (DOWNLOADED, *reversed(installed)) if (path / "postgres").exists()]
    return found[0] if found else None


@contextmanager
def database(at: Path, options: str = "-c fsync=off", parent: Path | None = None) -> Generator[str]:
    """Yields the URL of an empty database. By default, commits are not flushed, since tests do not need durability."""
    # The socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir=parent) if parent else tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    user = NOBODY if os.geteuid() == 0 else None
    if user is not None:
        os.chown(folder, user, user)

    def run(program: str, *arguments: str) -> None:
        with (folder.parent / f"{folder.name}.out").open("wb") as output:
            command = [str(at / program), *arguments]
            subprocess.run(command, check=True, cwd="/", stdout=output, stderr=output, user=user, group=user)

    data = str(folder / "data")
    try:
        run("initdb", "-D", data, "-U", "gsar", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        run("pg_ctl", "-D", data, "-l", str(folder / "log"), "-o", f"-k {folder} -h '' {options}", "start", "-w")
        try:
            run("createdb", "-h", str(folder), "-U", "gsar", "gsar")
            yield f"postgres:///gsar?host={folder}&user=gsar"
        finally:
            run("pg_ctl", "-D", data, "stop", "-m", "immediate", "-w")
    finally:
        shutil.rmtree(folder)
        (folder.parent / f"{folder.name}.out").unlink()
