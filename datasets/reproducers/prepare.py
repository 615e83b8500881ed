#!/usr/bin/env python3
"""Creates a directory in which the check of a reproducer can run: the system, the harness, and optionally a patch.

    python3 datasets/reproducers/prepare.py order-charged-twice /tmp/run --patch fix
    gsar check datasets/reproducers/order-charged-twice/check.toml --directory /tmp/run
"""

import argparse
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent
NAMES = sorted(path.parent.name for path in ROOT.glob("*/incident.toml"))


def prepare(name: str, directory: Path, patch: str | None = None) -> None:
    shutil.copytree(ROOT / name / "system", directory, dirs_exist_ok=True)
    shutil.copy(ROOT / "harness.py", directory)
    if patch is not None:
        # Keeps git from using a repository that contains the directory.
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(directory.resolve().parent)}
        command = ["git", "apply", str(ROOT / name / f"{patch}.patch")]
        subprocess.run(command, cwd=directory, env=environment, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Creates a directory in which the check of a reproducer can run.")
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--patch", choices=["fix", "wrong"])
    arguments = parser.parse_args()
    prepare(arguments.name, arguments.directory, arguments.patch)


if __name__ == "__main__":
    main()
