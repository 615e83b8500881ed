"""Writes tables.json next to this file: 50 random tables with scipy's results. Needs numpy and scipy.

The bootstrap draws are those of the program (SplitMix64, one sequence per draw). The interval is numpy's percentile of
their means, as in scipy.stats.bootstrap(method="percentile").
"""

import json
import pathlib

import numpy as np
from scipy import stats

MASK = (1 << 64) - 1
DRAWS = 10_000


def means(values):
    """Returns the mean of each bootstrap draw."""
    state = np.arange(DRAWS, dtype=np.uint64)
    sums = np.zeros(DRAWS)
    below = len(values)
    for _ in range(below):
        state = state + np.uint64(0x9E3779B97F4A7C15)
        mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
        # The upper half of a 64-bit number times a small number, computed in two 32-bit steps.
        high, low = mixed >> np.uint64(32), mixed & np.uint64(0xFFFFFFFF)
        at = (high * np.uint64(below) + ((low * np.uint64(below)) >> np.uint64(32))) >> np.uint64(32)
        sums += values[at]
    return sums / below


def table(rng):
    rows = int(rng.integers(8, 160))
    x = rng.integers(0, int(rng.integers(2, 30)), rows).astype(float)
    y = np.round(x * rng.normal() + rng.normal(0, 4, rows), int(rng.integers(0, 3)))
    first = rng.integers(0, 4, rows)
    second = np.where(rng.random(rows) < rng.random(), first, rng.integers(0, 4, rows))
    agreed = float(np.mean(first == second))
    chance = sum(float(np.mean(first == k) * np.mean(second == k)) for k in range(4))
    hits = int(rng.integers(0, rows + 1))
    exact = stats.binomtest(hits, rows).proportion_ci(0.95, "exact")
    only_first, only_second = (int(n) for n in rng.integers(0, 40, 2))
    wrong, risk = int(rng.integers(0, 12)), float(rng.choice([0.01, 0.05, 0.1]))
    low, high = np.percentile(means(y), [2.5, 97.5])
    return {
        "x": x.tolist(), "y": y.tolist(), "spearman": float(stats.spearmanr(x, y).statistic),
        "first": first.tolist(), "second": second.tolist(), "kappa": (agreed - chance) / (1 - chance),
        "hits": hits, "of": rows, "low": float(exact.low), "high": float(exact.high),
        "only_first": only_first, "only_second": only_second,
        "mcnemar": float(stats.binomtest(min(only_first, only_second), only_first + only_second, 0.5).pvalue)
        if only_first + only_second else 1.0,
        "wrong": wrong, "risk": risk, "tail": float(stats.binom.cdf(wrong, rows, risk)),
        "mean_low": float(low), "mean_high": float(high),
    }


if __name__ == "__main__":
    rng = np.random.default_rng(7)
    tables = [table(rng) for _ in range(50)]
    path = pathlib.Path(__file__).with_name("tables.json")
    path.write_text("[\n" + ",\n".join(json.dumps(table) for table in tables) + "\n]\n")
