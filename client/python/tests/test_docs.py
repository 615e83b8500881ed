"""The first program of docs/PYTHON.md prints the documented output."""

import re
import subprocess
import sys
from pathlib import Path

from gsar.server import Server

PAGE = Path(__file__).resolve().parents[3] / "docs" / "PYTHON.md"


def test_first_program_prints_the_documented_output(server: Server) -> None:
    blocks = re.findall(r"^```\w*\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    _, program, shown = blocks[:3]
    environment = {"GSAR_ENDPOINT": server.endpoint}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr

    def without_ids(text: str) -> str:
        return re.sub(r"evaluation \S+", "evaluation ID", text)

    assert without_ids(done.stdout) == without_ids(shown)
