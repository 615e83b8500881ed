"""Checks that the generated code is current."""

import subprocess
import sys
from pathlib import Path


def test_generated_code_is_current() -> None:
    script = Path(__file__).parent.parent / "scripts" / "generate.py"
    process = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
