"""Classifies evidence by the command that produced it, like `client/src/evidence/command.rs`."""

from __future__ import annotations

import re
from pathlib import Path

LINES = Path(__file__).with_name("commands.txt").read_text(encoding="utf-8").splitlines()
COMMANDS = [(command.split(), line.split(": ")[0]) for line in LINES for command in line.split(": ")[1].split(", ")]


def classified(tool: str) -> tuple[str, str] | None:
    """Returns the lane and kind of a command's output, or `None` for an unknown command."""
    first, *words = [word for word in re.split(r"[\s\"'{}\[\],:]+", tool) if word] or [""]
    program, *subcommand = first.rpartition("/")[2].split("_")
    words = [word for word in subcommand if word] + words
    matches: list[tuple[tuple[int, int], str]] = []
    for (name, *rest), nature in COMMANDS:
        position = position_of(rest, words)
        if name == program.lower() and position is not None:
            matches.append(((position, -len(rest)), nature))
    if not matches:
        return None
    lane, kind = min(matches)[1].split()
    return lane, kind


def position_of(command: list[str], words: list[str]) -> int | None:
    """Returns the position of the first word of a command if all of them occur in order."""
    remaining = enumerate(words)
    positions = [next((at for at, word in remaining if word == expected), None) for expected in command]
    return None if None in positions else (positions or [len(words)])[0]
