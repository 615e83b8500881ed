"""Python environments of what is measured against: made once below the target folder."""

import os
import subprocess
import sys
import venv
from pathlib import Path

from figures import TARGET

REQUIREMENTS = "requirements.txt"
WITHOUT_DEPENDENCIES = "requirements-without-dependencies.txt"


def place(name: str) -> Path:
    return TARGET / name


def enter(name: str, program: str) -> None:
    """Runs a program again inside its environment, made from the requirements beside it when it is not there."""
    environment, beside = place(name), Path(program).resolve().parent
    python = environment / "bin" / "python"
    if Path(sys.prefix).resolve() == environment.resolve():
        return
    if not (environment / "installed").exists():
        venv.create(environment, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", str(beside / REQUIREMENTS)], check=True)
        without = beside / WITHOUT_DEPENDENCIES
        if without.exists():
            subprocess.run([*pip, "--no-deps", "-r", str(without)], check=True)
        (environment / "installed").touch()
    os.execv(python, [str(python), program])
