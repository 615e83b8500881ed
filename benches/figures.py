"""Computes ratios of paired measurements, and formats Markdown tables."""

import math
import os
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAMS = TARGET / "dist"


def ratios(subject: list[float], baseline: list[float]) -> list[float]:
    """Returns the ratio in each round."""
    return [ours / theirs for ours, theirs in zip(subject, baseline, strict=True)]


def spread(values: list[float], digits: int = 2) -> str:
    """Formats the median with the minimum and maximum."""
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f} .. {max(values):.{digits}f}]"


def mean_with_error(values: list[float], digits: int = 2) -> str:
    """Formats the mean with its standard error."""
    error = statistics.stdev(values) / math.sqrt(len(values))
    return f"{statistics.mean(values):.{digits}f} ± {error:.{digits}f}"


def met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Formats a Markdown table. All columns except the first are right-aligned."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])
