"""Prints distinct sentences from claims and evidence, one per line. They are shuffled with a fixed seed.

`sentences.py FOLDER COUNT` reads every `*.jsonl.gz` file in the folder. Rows have the fields `claim` and `evidence`.
"""

import gzip
import json
import random
import sys
from pathlib import Path


def sentences(folder: Path) -> list[str]:
    found = set()
    for file in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(file, "rt") as rows:
            for row in map(json.loads, rows):
                found.add(row.get("claim") or "")
                found.update(item["text"] for item in row.get("evidence") or [])
    cleaned = {" ".join(sentence.split()) for sentence in found}
    return sorted(sentence for sentence in cleaned if 20 <= len(sentence) <= 400)


def main() -> None:
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    chosen = sentences(folder)
    random.Random(7).shuffle(chosen)
    print("\n".join(chosen[:count]))


if __name__ == "__main__":
    main()
