#!/usr/bin/env python3
"""Scores pairs with a model and prints its accuracy. Usage: evaluate.py FOLDER FILE... [--most N] [--blank]

FOLDER was written by `train.py` or `export.py`. The shipped model is in server/cross-encoder/model. For each class, a
line shows the precision and the recall at several minimum confidences. The prediction is the likeliest class that
occurs in the set. If the set labels only whether a claim is supported, the prediction is grounded or not grounded. The
95 % intervals come from draws of whole premises. The printed temperature maximizes the likelihood of the correct
classes. Pass the temperature from a calibration part to `export.py`.
"""

import argparse
import json
import math
import random
from pathlib import Path

from tokenizers import Tokenizer

from pairs import LABELS, NOT_GROUNDED, read

DRAWS = 500


def probabilities(folder, pairs, max_tokens, blank=False):
    """Returns the class probabilities of each pair, in the order of LABELS."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens, strategy="only_second")
    texts = [(pair["claim"][:600], "" if blank else pair["premise"][:6000]) for pair in pairs]
    score = score_with_onnx if (folder / "model.onnx").exists() else score_with_torch
    return score(folder, tokenizer.encode_batch(texts))


def score_with_onnx(folder, rows):
    """Scores rows with ONNX Runtime, one by one as the server does, at the temperature in the folder's config."""
    import numpy
    import onnxruntime

    temperature = json.loads((folder / "config.json").read_text())["gsar"]["temperature"]
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    found = []
    for row in rows:
        inputs = {"input_ids": row.ids, "attention_mask": row.attention_mask, "token_type_ids": row.type_ids}
        (logits,) = session.run(None, {name: numpy.array([values], numpy.int64) for name, values in inputs.items()})
        shares = numpy.exp((logits[0] - logits[0].max()) / temperature)
        found.append((shares / shares.sum()).tolist())
    return found


def score_with_torch(folder, rows):
    """Scores rows with PyTorch, in batches of similar length."""
    import torch

    import model as models
    from train import tensors

    model = models.load(folder).eval()
    rows = [(row.ids, row.type_ids, None) for row in rows]
    order = sorted(range(len(rows)), key=lambda at: len(rows[at][0]))
    found = [None] * len(rows)
    for start in range(0, len(order), 16):
        places = order[start : start + 16]
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            scores = model(**tensors([rows[at] for at in places], torch.device("cpu"))).float().softmax(1)
        for at, row in zip(places, scores.tolist()):
            found[at] = row
    return found


def balanced_accuracy(pairs, predicted):
    """Returns the mean of the recalls of the classes that occur."""
    hits = {}
    for pair, label in zip(pairs, predicted):
        hits.setdefault(pair["label"], []).append(label == pair["label"])
    return sum(sum(each) / len(each) for each in hits.values()) / len(hits)


def interval(pairs, predicted, measure):
    """Returns the 95 % bootstrap interval of a measure, for which whole premises are drawn."""
    groups = {}
    for pair, label in zip(pairs, predicted):
        groups.setdefault(pair["premise"], []).append((pair, label))
    groups, source, values = list(groups.values()), random.Random(1), []
    for _ in range(DRAWS):
        drawn = [each for _ in groups for each in source.choice(groups)]
        values.append(measure([pair for pair, _ in drawn], [label for _, label in drawn]))
    values.sort()
    return values[int(DRAWS * 0.025)], values[int(DRAWS * 0.975)]


def accuracy(pairs, predicted):
    return sum(pair["label"] == label for pair, label in zip(pairs, predicted)) / len(pairs)


def best_temperature(pairs, found):
    """Returns the loss, the calibration error and the temperature at the best point of a grid."""

    def measure(temperature):
        loss, bins = 0.0, {}
        for pair, row in zip(pairs, found):
            scaled = [max(share, 1e-9) ** (1 / temperature) for share in row]
            shares = [share / sum(scaled) for share in scaled]
            loss -= math.log(shares[LABELS.index(pair["label"])])
            best = max(shares)
            bins.setdefault(int(best * 10), []).append((best, LABELS[shares.index(best)] == pair["label"]))
        error = sum(abs(sum(sure for sure, _ in each) - sum(right for _, right in each)) for each in bins.values())
        return loss / len(pairs), error / len(pairs), temperature

    return min(measure(step / 20) for step in range(10, 61))


def table(pairs, found):
    lines = []
    present = {pair["label"] for pair in pairs}
    if NOT_GROUNDED in present:
        present = set(LABELS)
    predicted = [max((share, label) for share, label in zip(row, LABELS) if label in present)[1] for row in found]
    if any(pair["label"] == NOT_GROUNDED for pair in pairs):
        predicted = [label if label == "grounded" else NOT_GROUNDED for label in predicted]
    for name, measure in (("accuracy", accuracy), ("balanced accuracy", balanced_accuracy)):
        low, high = interval(pairs, predicted, measure)
        lines.append(f"{name} {measure(pairs, predicted):.3f} [{low:.3f}, {high:.3f}]")
    most_common = max(sum(pair["label"] == label for pair in pairs) for label in [*LABELS, NOT_GROUNDED])
    lines.append(f"of {len(pairs)}; majority class: {most_common / len(pairs):.3f}")
    for label in LABELS:
        index = LABELS.index(label)
        total = sum(pair["label"] == label for pair in pairs)
        if not total:
            continue
        line = f"  {label:14} {total:5}"
        for least in (0.0, 0.5, 0.6, 0.7, 0.8, 0.9):
            chosen = [pair["label"] == label for row, pair in zip(found, pairs) if row.index(max(row)) == index and row[index] >= least]
            if chosen:
                line += f" | {least:.1f}: {sum(chosen) / len(chosen):.2f} at {sum(chosen) / total:.2f}"
        lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("files", nargs="+")
    arguments.add_argument("--most", type=int, help="score at most N pairs per file, drawn with a fixed seed")
    arguments.add_argument("--blank", action="store_true", help="score claims without their premises")
    args = arguments.parse_args()
    for name in args.files:
        pairs = list(read(name))
        if any(pair["label"] == NOT_GROUNDED for pair in pairs):
            pairs = [pair if pair["label"] == "grounded" else pair | {"label": NOT_GROUNDED} for pair in pairs]
        if args.most is not None and args.most < len(pairs):
            pairs = random.Random(1).sample(pairs, args.most)
        found = probabilities(args.folder, pairs, 512, args.blank)
        print(Path(name).name, table(pairs, found), sep=": ", flush=True)
        if all(pair["label"] in LABELS for pair in pairs):
            loss, error, temperature = best_temperature(pairs, found)
            print(f"  best additional temperature {temperature:.2f}: loss {loss:.3f}, calibration error {error:.3f}", flush=True)
