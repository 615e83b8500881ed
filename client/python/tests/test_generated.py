"""What is generated is what would be generated now."""

import subprocess
import sys
from pathlib import Path


def test_stubs_and_the_blocking_client_are_up_to_date() -> None:
    script = Path(__file__).parent.parent / "scripts" / "generate.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
