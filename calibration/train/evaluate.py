#!/usr/bin/env python3
"""Scores pairs with a trained model and prints how right it is. Usage: evaluate.py FOLDER FILE... [--most N]"""

import argparse
import json
from collections import Counter
from pathlib import Path

import torch
from tokenizers import Tokenizer

import model as models
from pairs import LABELS, NOT_GROUNDED, read
from train import encoded, tensors


def probabilities(model, tokenizer, pairs, max_tokens, blank=False):
    if blank:
        pairs = [pair | {"premise": ""} for pair in pairs]
    rows = encoded(tokenizer, pairs, max_tokens)
    order = sorted(range(len(rows)), key=lambda at: len(rows[at][0]))
    found = [None] * len(rows)
    for start in range(0, len(order), 16):
        places = order[start : start + 16]
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            scores = model(**tensors([rows[at] for at in places], torch.device("cpu"))).float().softmax(1)
        for at, row in zip(places, scores.tolist()):
            found[at] = row
    return found


def table(pairs, found):
    lines = []
    said = [LABELS[row.index(max(row))] for row in found]
    right = sum(a == b["label"] for a, b in zip(said, pairs))
    of_label = {label: [a == label for a, b in zip(said, pairs) if b["label"] == label] for label in LABELS}
    recalls = {label: sum(hits) / len(hits) for label, hits in of_label.items() if hits}
    lines.append(f"right {right / len(pairs):.3f} of {len(pairs)}, balanced {sum(recalls.values()) / len(recalls):.3f}")
    for label in LABELS:
        place = LABELS.index(label)
        total = sum(pair["label"] == label for pair in pairs)
        if not total:
            continue
        line = f"  {label:14} {total:5}"
        for least in (0.0, 0.5, 0.6, 0.7, 0.8, 0.9):
            chosen = [pair["label"] == label for row, pair in zip(found, pairs) if row.index(max(row)) == place and row[place] >= least]
            if chosen:
                line += f" | {least:.1f}: {sum(chosen) / len(chosen):.2f} at {sum(chosen) / total:.2f}"
        lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("files", nargs="+")
    arguments.add_argument("--most", type=int)
    arguments.add_argument("--blank", action="store_true", help="without the premise: what the claims alone give away")
    asked = arguments.parse_args()
    model = models.continued_from(asked.folder).eval()
    tokenizer = Tokenizer.from_file(str(asked.folder / "tokenizer.json"))
    for name in asked.files:
        pairs = [pair for pair in read(name) if pair["label"] != NOT_GROUNDED][: asked.most]
        found = probabilities(model, tokenizer, pairs, 512, asked.blank)
        print(Path(name).name, table(pairs, found), sep=": ", flush=True)
