"""Runs a private PostgreSQL on a socket in a temporary folder, for tests."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65_534
"""The user of PostgreSQL if the test runs as root, which PostgreSQL rejects."""
FETCHED = Path(__file__).resolve().parents[3] / "target" / "postgres" / "pgserver" / "pginstall" / "bin"


def programs() -> Path | None:
    """Returns the folder of its programs: those of `make postgres`, or the newest ones of the system."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    found = [path for path in (FETCHED, *reversed(installed)) if (path / "postgres").exists()]
    return found[0] if found else None


@contextmanager
def database(at: Path) -> Generator[str]:
    """Yields the URL of an empty database."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # the path of a socket must be short
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
        # Tests do not need durability.
        options = f"-k {folder} -h '' -c fsync=off"
        run("pg_ctl", "-D", data, "-l", str(folder / "log"), "-o", options, "start", "-w")
        try:
            run("createdb", "-h", str(folder), "-U", "gsar", "gsar")
            yield f"postgres:///gsar?host={folder}&user=gsar"
        finally:
            run("pg_ctl", "-D", data, "stop", "-m", "immediate", "-w")
    finally:
        shutil.rmtree(folder)
        (folder.parent / f"{folder.name}.out").unlink()
