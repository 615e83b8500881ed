"""The core figures as a table, measured by core_times."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import PROGRAMS, met, table

SIZES = [5, 20, 50, 500, 5000]
OPERATIONS = [
    "score_in_doubles",
    "score",
    "decision_paper",
    "decision_reference",
    "decision_with_margins",
]


ROUNDS = 5


def nanoseconds(size: int) -> dict[str, float]:
    """The median time of one partition, by operation."""
    command = [str(PROGRAMS / "core_times"), "--claims", str(size), "--milliseconds", "200"]
    rounds = [json.loads(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(ROUNDS)]
    return {name: statistics.median(times[name] for times in rounds) for name in OPERATIONS}


def main() -> None:
    times = {size: nanoseconds(size) for size in SIZES}
    head = ["claims"] + [f"{name}, ns" for name in OPERATIONS] + ["score / in doubles", "decision_reference / score"]
    rows = []
    for size, ns in times.items():
        exact = ns["score"] / ns["score_in_doubles"]
        guards = ns["decision_reference"] / ns["score"]
        cells = [f"{ns[name]:,.0f}" for name in OPERATIONS]
        rows.append([str(size), *cells, f"{exact:.2f}", f"{guards:.2f}"])
    print(table(head, rows))
    print()

    growth = times[5000]["decision_reference"] / times[500]["decision_reference"] / 10
    print(
        table(
            ["figure", "measured", "target", "met"],
            [
                ["score, 20 claims", f"{times[20]['score']:.0f} ns", "≤ 100 ns", met(times[20]["score"] <= 100)],
                [
                    "decision with guards, 20 claims",
                    f"{times[20]['decision_reference']:.0f} ns",
                    "≤ 1000 ns",
                    met(times[20]["decision_reference"] <= 1000),
                ],
                [
                    "decision, a claim of 5000 / a claim of 500",
                    f"{growth:.2f}",
                    "≤ 1.2 (linear)",
                    met(growth <= 1.2),
                ],
            ],
        )
    )


if __name__ == "__main__":
    main()
