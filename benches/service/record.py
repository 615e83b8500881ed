"""Times lists, counts and rescoring in a ledger of 100,000 evaluations, in SQLite."""

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import PROGRAMS
from servers import gsar, workspace

EVALUATIONS = os.environ.get("GSAR_BENCH_EVALUATIONS", "100000")


def main() -> None:
    with workspace() as (folder, _), gsar(folder, "record", core=None) as server:
        command = [str(PROGRAMS / "record_times"), "--endpoint", server.endpoint]
        probe = [*command, "--evaluations", "1", "--decided", "1", "--calls", "1"]
        while subprocess.run(probe, capture_output=True).returncode != 0:
            time.sleep(0.1)
        command += ["--evaluations", EVALUATIONS]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
