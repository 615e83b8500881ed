"""Compares gsar-cross-encoder with ONNX Runtime in Python: the pairs per second, measured in turns, and the agreement.

Both use one single-threaded session per worker, and the same library, model and tokenizer. Each pair is scored alone,
because the model's integer scales depend on the batch. Pairs consist of typical words and figures from telemetry. They
have about 128 tokens, or the model's maximum number of tokens.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import environment
from figures import PROGRAMS, met, ratios, spread, table
from onnx_baseline import WORDS, run_in_threads, sessions

MODEL = Path(__file__).resolve().parent.parent.parent / "server" / "cross-encoder" / "model"
ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", 5))
WORKERS = [1, 2]
# For each number of tokens: the size of a premise in bytes, and a number of pairs that takes a second or two.
LENGTHS = {128: (230, 120), 320: (700, 48)}
PAIRS_COMPARED = 2_000


def pairs(count: int, length: int, seed: int) -> list[dict[str, str]]:
    source = random.Random(seed)

    def text(size: int) -> str:
        words = []
        while sum(map(len, words)) + len(words) < size:
            words.append(source.choice(WORDS))
        return " ".join(words)

    return [{"claim": text(source.randint(40, 110)), "premise": text(source.randint(length // 2, length))} for _ in range(count)]


class Baseline:
    """ONNX Runtime sessions, one per thread, that score each pair alone."""

    def __init__(self, workers: int):
        from tokenizers import Tokenizer

        self.sessions = sessions(MODEL, workers)
        self.tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        max_tokens = json.loads((MODEL / "config.json").read_text())["gsar"]["max_tokens"]
        self.tokenizer.enable_truncation(max_tokens, strategy="only_second")

    def score(self, pairs: list[dict[str, str]]) -> list[list[float]]:
        import numpy

        logits: list = [None] * len(pairs)

        def score_one(session, at: int) -> None:
            row = self.tokenizer.encode(pairs[at]["claim"], pairs[at]["premise"])
            inputs = {"input_ids": row.ids, "attention_mask": row.attention_mask, "token_type_ids": row.type_ids}
            inputs = {name: numpy.array([values], numpy.int64) for name, values in inputs.items()}
            (output,) = session.run(None, inputs)
            logits[at] = output[0].tolist()

        run_in_threads(self.sessions, list(range(len(pairs))), score_one)
        return logits


class Subject:
    """The `score` example of gsar-cross-encoder."""

    def __init__(self, workers: int, pairs: list[dict[str, str]]):
        self.input = tempfile.NamedTemporaryFile("w", suffix=".jsonl")
        self.input.write("".join(json.dumps(pair) + "\n" for pair in pairs))
        self.input.flush()
        self.command = [str(PROGRAMS / "examples" / "score"), str(MODEL), "--threads", str(workers), "--logits"]

    def score(self) -> tuple[list[list[float]], float]:
        with open(self.input.name) as file:
            process = subprocess.run(self.command, stdin=file, capture_output=True, text=True, check=True)
        seconds = float(process.stderr.split(" pairs in ")[1].split(" s,")[0])
        return [json.loads(line)["logits"] for line in process.stdout.splitlines()], seconds


def argmax(row: list[float]) -> int:
    return row.index(max(row))


def main() -> None:
    rows, medians = [], []
    for length, (size, count) in LENGTHS.items():
        given = pairs(count, size, 7)
        for workers in WORKERS:
            baseline, subject = Baseline(workers), Subject(workers, given)
            baseline.score(given)
            theirs, ours = [], []
            for _ in range(ROUNDS):
                start = time.perf_counter()
                baseline.score(given)
                theirs.append(count / (time.perf_counter() - start))
                ours.append(count / subject.score()[1])
            ratio_to_python = ratios(ours, theirs)
            medians.append(statistics.median(ratio_to_python))
            rows.append([str(length), str(workers), spread(theirs), spread(ours), spread(ratio_to_python)])
    print(table(["tokens", "cores", "Python, pairs/s", "gsar, pairs/s", "gsar / Python"], rows))
    print(f"\nLowest median ratio: {min(medians):.2f}; target ≥ 0.95; met: {met(min(medians) >= 0.95)}")
    given = pairs(PAIRS_COMPARED, 700, 11)
    theirs, (ours, _) = Baseline(2).score(given), Subject(2, given).score()
    same = sum(argmax(a) == argmax(b) for a, b in zip(theirs, ours))
    max_difference = max(abs(x - y) for a, b in zip(theirs, ours) for x, y in zip(a, b))
    print(f"Same class in {same} of {PAIRS_COMPARED} pairs; the logits differ by at most {max_difference:.1e}; met: {met(same >= 0.995 * PAIRS_COMPARED)}")


if __name__ == "__main__":
    environment.enter("onnxruntime", __file__)
    main()
