#!/usr/bin/env python3
"""Installs PostgreSQL 16 with pgvector into target/postgres, for tests. Requires only the standard library and pip.

Usage: python3 server/tests/support/fetch_postgres.py

pip downloads a wheel that contains both. This script checks the wheel against the digest below and extracts the
files. The wheel itself is neither installed nor run.
PostgreSQL and pgvector are under the PostgreSQL licence. Only tests use them, and no GSAR package includes them.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WHEEL = "pgserver==0.1.4"
PLATFORM = ["--platform", "manylinux_2_17_x86_64", "--python-version", "3.11", "--implementation", "cp"]
DIGEST = "d595789b47624a3d963aa9aa6359da9be31beb7e61f1a45541953242068b8813"
FOLDER = Path(__file__).resolve().parents[3] / "target" / "postgres"
# Folders inside the wheel. The second contains the shared libraries for the programs in the first.
INSIDE = ("pgserver/pginstall", "pgserver.libs")


def main():
    if (FOLDER / INSIDE[0] / "bin" / "postgres").exists():
        return 0
    with tempfile.TemporaryDirectory() as downloads:
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        download += ["--only-binary", ":all:", "--dest", downloads, *PLATFORM, WHEEL]
        if subprocess.run(download).returncode != 0:
            print(f"could not download {WHEEL}", file=sys.stderr)
            return 1
        (wheel,) = Path(downloads).iterdir()
        found = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if found != DIGEST:
            print(f"{wheel.name} has digest {found}; expected {DIGEST}", file=sys.stderr)
            return 1
        FOLDER.parent.mkdir(parents=True, exist_ok=True)
        unpacked = Path(tempfile.mkdtemp(dir=FOLDER.parent))
        with zipfile.ZipFile(wheel) as files:
            for file in files.infolist():
                if not file.is_dir() and file.filename.startswith(INSIDE):
                    target = unpacked / file.filename
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(files.read(file))
                    target.chmod(0o755 if file.external_attr >> 16 & 0o111 else 0o644)
        unpacked.chmod(0o755)
        unpacked.rename(FOLDER)
    print(FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
