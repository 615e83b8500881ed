"""Reads and mixes pairs of a claim and a premise. Uses only the standard library.

A pair is one JSON line: {"claim", "premise", "label", "source", "case"}. The labels are grounded, ungrounded,
contradicted, complementary, and not_grounded for sources that label only whether a claim is supported. Rows of public
data sets in the common format {"claim", "evidence": [{"title", "text"}], "label", "meta"} are also accepted.
"""

import gzip
import json
import random

LABELS = ["grounded", "ungrounded", "contradicted", "complementary"]
NOT_GROUNDED = "not_grounded"
PUBLIC = {"SUPPORTS": "grounded", "NOT_ENOUGH_INFO": "ungrounded", "REFUTES": "contradicted"}


def read(path):
    """Yields the pairs in a file."""
    open_file = gzip.open if str(path).endswith(".gz") else open
    with open_file(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row if "premise" in row else from_public(row)


def from_public(row):
    evidence = [f"{part['title']}: {part['text']}" if part.get("title") else part["text"] for part in row["evidence"]]
    label = PUBLIC[row["label"]]
    if row["meta"].get("binary") and label != "grounded":
        label = NOT_GROUNDED
    return {
        "claim": row["claim"],
        "premise": "\n".join(evidence),
        "label": label,
        "source": row["source"],
        "case": row["id"],
    }


def mix(folder, sources, seed):
    """Returns the shuffled pairs for a stage, with at most `most_per_label` pairs per source and label."""
    chosen = []
    for source in sources:
        pairs = [pair for name in source["files"] for pair in read(folder / name)]
        random.Random(f"{seed}:{source['files']}").shuffle(pairs)
        most = source.get("most_per_label", len(pairs))
        counts = {}
        for pair in pairs:
            label = pair["label"]
            if counts.get(label, 0) < most:
                counts[label] = counts.get(label, 0) + 1
                chosen.extend([pair] * source.get("repeat", 1))
    random.Random(seed).shuffle(chosen)
    return chosen
