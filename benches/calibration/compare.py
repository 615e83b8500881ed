"""Times the bootstrap interval of a mean (10,000 values, 10,000 draws) in gsar-calibrate, numpy and scipy, in turns.

All programs use the same values but draw different samples, so their intervals differ only by chance.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import environment
from figures import PROGRAMS, ratios, spread, table

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", 5))
VALUES, DRAWS = 10_000, 10_000


def values():
    """Returns the values that `bootstrap_times` uses: thousandths below 1, drawn from SplitMix64 with seed 1."""
    state, drawn = 1, []
    for _ in range(VALUES):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % 2**64
        drawn.append(((mixed ^ (mixed >> 31)) * 1000 >> 64) / 1000)
    return drawn


def with_gsar(_):
    process = subprocess.run([PROGRAMS / "examples" / "bootstrap_times"], capture_output=True, text=True, check=True)
    seconds, low, high = map(float, process.stdout.split())
    return seconds, (low, high)


def with_numpy(sample):
    import numpy as np

    rng = np.random.default_rng(1)
    start = time.perf_counter()
    means = [sample[rng.integers(0, VALUES, VALUES)].mean() for _ in range(DRAWS)]
    ends = np.percentile(means, [2.5, 97.5])
    return time.perf_counter() - start, tuple(ends)


def with_scipy(sample):
    import numpy as np
    from scipy import stats

    start = time.perf_counter()
    found = stats.bootstrap((sample,), np.mean, n_resamples=DRAWS, method="percentile", batch=100, rng=1)
    return time.perf_counter() - start, tuple(found.confidence_interval)


def main():
    import numpy as np

    sample = np.array(values())
    programs = {"gsar-calibrate": with_gsar, "numpy": with_numpy, "scipy": with_scipy}
    seconds = {name: [] for name in programs}
    ends = {}
    for _ in range(ROUNDS):
        for name, run in programs.items():
            took, ends[name] = run(sample)
            seconds[name].append(took)
    for name, (low, high) in ends.items():
        mine = ends["gsar-calibrate"]
        if abs(low - mine[0]) > 2e-4 or abs(high - mine[1]) > 2e-4:
            sys.exit(f"{name}: {low:.5f} to {high:.5f}, gsar-calibrate: {mine[0]:.5f} to {mine[1]:.5f}")
    rows = []
    for name, took in seconds.items():
        low, high = ends[name]
        ratio = "1" if name == "gsar-calibrate" else spread(ratios(seconds["gsar-calibrate"], took))
        rows.append([name, spread(took), f"{low:.4f} to {high:.4f}", ratio])
    print(table(["program", "seconds", "interval", "ours / theirs"], rows))


if __name__ == "__main__":
    environment.enter("calibration-bench", __file__)
    main()
