"""What the comparisons share: ratios of paired measurements, and tables."""

import os
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAMS = TARGET / "dist"


def ratios(subject: list[float], baseline: list[float]) -> list[float]:
    """One ratio a round: what ran side by side is compared with each other."""
    return [ours / theirs for ours, theirs in zip(subject, baseline, strict=True)]


def spread(values: list[float], digits: int = 2) -> str:
    """The median with the extremes."""
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:.{digits}f} [{least:.{digits}f} .. {most:.{digits}f}]"


def met(holds: bool) -> str:
    return "yes" if holds else "**no**"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; every column but the first is set right."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])
