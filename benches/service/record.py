"""Times lists, counts and rescoring on a record of 100,000 evaluations on SQLite."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import PROGRAMS
from servers import gsar

EVALUATIONS = os.environ.get("GSAR_BENCH_EVALUATIONS", "100000")


def main() -> None:
    # Raises an exception, so that the server is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as name, gsar(Path(name), "record", core=None) as server:
        command = [str(PROGRAMS / "record_times"), "--endpoint", server.endpoint]
        one = [*command, "--evaluations", "1", "--decided", "1", "--calls", "1"]
        while subprocess.run(one, capture_output=True).returncode != 0:
            time.sleep(0.1)
        command += ["--evaluations", EVALUATIONS]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
