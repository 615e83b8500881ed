"""Checks that the first program in docs/PYTHON.md prints the documented output."""

import re
import subprocess
import sys
from pathlib import Path

from gsar.server import Server

PAGE = Path(__file__).resolve().parents[3] / "docs" / "PYTHON.md"


def test_first_program_prints_the_documented_output(server: Server) -> None:
    blocks = re.findall(r"^```\w*\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    _, program, expected_output = blocks[:3]
    environment = {"GSAR_ENDPOINT": server.endpoint}
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert process.returncode == 0, process.stderr

    def without_ids(text: str) -> str:
        return re.sub(r"evaluation \S+", "evaluation ID", text)

    assert without_ids(process.stdout) == without_ids(expected_output)
