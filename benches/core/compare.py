"""Prints the CPU times that the core takes per partition, and their ratios."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import PROGRAMS, mean_with_error, met, ratios, table

ROUNDS = 5
SIZES = [5, 20, 50, 500, 5000]
OPERATIONS = [
    "score_in_doubles",
    "score",
    "decision_paper",
    "decision_reference",
    "decision_with_margins",
]


def measure(size: int) -> dict[str, float]:
    """Returns the nanoseconds per partition for each operation."""
    command = [str(PROGRAMS / "core_times"), "--claims", str(size), "--milliseconds", "200"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def main() -> None:
    rounds = [{size: measure(size) for size in SIZES} for _ in range(ROUNDS)]

    def times(size: int, name: str) -> list[float]:
        return [measured[size][name] for measured in rounds]

    def nanoseconds(size: int, name: str) -> float:
        return statistics.median(times(size, name))

    head = ["claims"] + [f"{name}, ns" for name in OPERATIONS]
    head += ["score / score_in_doubles", "decision_reference / score"]
    rows = []
    for size in SIZES:
        cells = [f"{nanoseconds(size, name):,.0f}" for name in OPERATIONS]
        exact = ratios(times(size, "score"), times(size, "score_in_doubles"))
        guards = ratios(times(size, "decision_reference"), times(size, "score"))
        rows.append([str(size), *cells, mean_with_error(exact), mean_with_error(guards)])
    print(table(head, rows))
    print()

    score, decision = nanoseconds(20, "score"), nanoseconds(20, "decision_reference")
    growth = ratios(times(5000, "decision_reference"), times(500, "decision_reference"))
    growth = [ratio / 10 for ratio in growth]
    rows = [
        ["score, 20 claims", f"{score:.0f} ns", "≤ 100 ns", met(score <= 100)],
        ["decision_reference, 20 claims", f"{decision:.0f} ns", "≤ 1000 ns", met(decision <= 1000)],
        [
            "decision_reference per claim, 5000 claims / 500 claims",
            mean_with_error(growth),
            "≤ 1.2 (linear)",
            met(statistics.mean(growth) <= 1.2),
        ],
    ]
    print(table(["figure", "measured", "target", "met"], rows))


if __name__ == "__main__":
    main()
