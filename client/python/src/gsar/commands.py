"""Classifies evidence by the command that produced it, as `client/src/evidence/command.rs` does."""

from __future__ import annotations

import re
from pathlib import Path

LINES = Path(__file__).with_name("commands.txt").read_text(encoding="utf-8").splitlines()
COMMANDS = [(command.split(), line.split(": ")[0]) for line in LINES for command in line.split(": ")[1].split(", ")]


def classify(tool: str) -> tuple[str, str] | None:
    """Returns the lane and kind of a command's output, or `None` for an unknown command."""
    first, *words = [word for word in re.split(r"[\s\"'{}\[\],:]+", tool) if word] or [""]
    program, *subcommand = first.rpartition("/")[2].split("_")
    words = [word for word in subcommand if word] + words
    matches: list[tuple[tuple[int, int], str]] = []
    for (name, *rest), lane_and_kind in COMMANDS:
        position = find_in_order(rest, words)
        if name == program.lower() and position is not None:
            matches.append(((position, -len(rest)), lane_and_kind))
    if not matches:
        return None
    lane, kind = min(matches)[1].split()
    return lane, kind


def find_in_order(command: list[str], words: list[str]) -> int | None:
    """Returns the position of the command's first word in `words`, if all its words occur there in order."""
    remaining = enumerate(words)
    positions = [next((at for at, word in remaining if word == expected), None) for expected in command]
    return None if None in positions else (positions or [len(words)])[0]
