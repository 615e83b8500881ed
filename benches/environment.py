"""Creates the Python environments of the baselines in the target folder, unless they exist."""

import os
import subprocess
import sys
import venv
from pathlib import Path

from figures import TARGET

REQUIREMENTS = "requirements.txt"
WITHOUT_DEPENDENCIES = "requirements-without-dependencies.txt"


def path(name: str) -> Path:
    return TARGET / name


def enter(name: str, program: str) -> None:
    """Re-executes a program in its environment, which is created from the requirements next to the program."""
    environment, folder = path(name), Path(program).resolve().parent
    python = environment / "bin" / "python"
    if Path(sys.prefix).resolve() == environment.resolve():
        return
    if not (environment / "installed").exists():
        venv.create(environment, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", str(folder / REQUIREMENTS)], check=True)
        without = folder / WITHOUT_DEPENDENCIES
        if without.exists():
            subprocess.run([*pip, "--no-deps", "-r", str(without)], check=True)
        (environment / "installed").touch()
    os.execv(python, [str(python), program])
