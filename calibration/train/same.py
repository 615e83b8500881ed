#!/usr/bin/env python3
"""Checks that gsar-cross-encoder and ONNX Runtime in Python return the same classes. Usage: same.py MODEL PAIRS SCORED

SCORED is the output of the `score` example of gsar-cross-encoder for MODEL and PAIRS.
"""

import json
import sys
from pathlib import Path

from evaluate import probabilities
from pairs import LABELS, read

MIN_SHARE = 0.995


def main():
    model, pairs, scored = (Path(argument) for argument in sys.argv[1:])
    theirs = probabilities(model, list(read(pairs)), json.loads((model / "config.json").read_text())["gsar"]["max_tokens"])
    ours = [[row[label] for label in LABELS] for row in map(json.loads, scored.read_text().splitlines())]
    if len(ours) != len(theirs) or not ours:
        sys.exit(f"{scored}: expected {len(theirs)} rows, one per pair, found {len(ours)}")
    same = sum(a.index(max(a)) == b.index(max(b)) for a, b in zip(ours, theirs))
    max_difference = max(abs(x - y) for a, b in zip(ours, theirs) for x, y in zip(a, b))
    print(f"same class in {same} of {len(ours)} pairs; probabilities differ by at most {max_difference:.1e}")
    if same < MIN_SHARE * len(ours):
        sys.exit(1)


if __name__ == "__main__":
    main()
