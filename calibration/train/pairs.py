"""Reads and mixes pairs of claim and premise. Standard library only.

A pair is one JSON line: {"claim", "premise", "label", "source", "case"}. Labels: grounded, ungrounded, contradicted,
complementary, and not_grounded for sources that only label support. Rows of public sets in the common format
{"claim", "evidence": [{"title", "text"}], "label", "meta"} are also accepted.
"""

import gzip
import json
import random

LABELS = ["grounded", "ungrounded", "contradicted", "complementary"]
NOT_GROUNDED = "not_grounded"
PUBLIC = {"SUPPORTS": "grounded", "NOT_ENOUGH_INFO": "ungrounded", "REFUTES": "contradicted"}


def read(path):
    """Yields the pairs in a file."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as lines:
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


def mixed(folder, sources, seed):
    """Returns the shuffled pairs for a stage, limited per label and source."""
    chosen = []
    for source in sources:
        pairs = [pair for name in source["files"] for pair in read(folder / name)]
        random.Random(f"{seed}:{source['files']}").shuffle(pairs)
        most = source.get("most_per_label", len(pairs))
        taken = {}
        for pair in pairs:
            label = pair["label"]
            if taken.get(label, 0) < most:
                taken[label] = taken.get(label, 0) + 1
                chosen.extend([pair] * source.get("repeat", 1))
    random.Random(seed).shuffle(chosen)
    return chosen
