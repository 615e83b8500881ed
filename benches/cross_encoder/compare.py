"""Compares gsar-cross-encoder with ONNX Runtime in Python: pairs per second, alternating, and agreement.

Both use one single-threaded session per worker and the same library, model and tokenizer. Each pair is scored alone,
because integer scales depend on the batch. Pairs consist of typical telemetry words and figures, with about 128 tokens
and with the model's maximum.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import environment
from figures import PROGRAMS, met, ratios, spread, table

MODEL = Path(__file__).resolve().parent.parent.parent / "server" / "cross-encoder" / "model"
ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", 5))
WORKERS = [1, 2]
# Premise sizes in bytes for about this many tokens, and the number of pairs that take a second or two.
LENGTHS = {128: (230, 120), 320: (700, 48)}
COMPARED = 2_000
WORDS = (
    "the checkout service answered 503 after a deploy of version 2.4.1 because its connection pool was exhausted and "
    "pods were restarted by kubelet at 14:05 with exit code 137 while latency of the database rose to 950 ms"
).split()


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
        import onnxruntime
        from tokenizers import Tokenizer

        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.sessions = [onnxruntime.InferenceSession(MODEL / "model.onnx", options) for _ in range(workers)]
        self.tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        max_tokens = json.loads((MODEL / "config.json").read_text())["gsar"]["max_tokens"]
        self.tokenizer.enable_truncation(max_tokens, strategy="only_second")

    def score(self, given: list[dict[str, str]]) -> list[list[float]]:
        import numpy

        found: list = [None] * len(given)
        left, lock = list(range(len(given)))[::-1], threading.Lock()

        def work(session):
            while True:
                with lock:
                    if not left:
                        return
                    at = left.pop()
                row = self.tokenizer.encode(given[at]["claim"], given[at]["premise"])
                inputs = {"input_ids": row.ids, "attention_mask": row.attention_mask, "token_type_ids": row.type_ids}
                inputs = {name: numpy.array([values], numpy.int64) for name, values in inputs.items()}
                (logits,) = session.run(None, inputs)
                found[at] = logits[0].tolist()

        threads = [threading.Thread(target=work, args=[session]) for session in self.sessions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


class Subject:
    """The `score` example of gsar-cross-encoder."""

    def __init__(self, workers: int, given: list[dict[str, str]]):
        self.input = tempfile.NamedTemporaryFile("w", suffix=".jsonl")
        self.input.write("".join(json.dumps(pair) + "\n" for pair in given))
        self.input.flush()
        self.command = [str(PROGRAMS / "examples" / "score"), str(MODEL), "--threads", str(workers), "--logits"]

    def score(self) -> tuple[list[list[float]], float]:
        with open(self.input.name) as pairs:
            done = subprocess.run(self.command, stdin=pairs, capture_output=True, text=True, check=True)
        took = float(done.stderr.split(" pairs in ")[1].split(" s,")[0])
        return [json.loads(line)["logits"] for line in done.stdout.splitlines()], took


def argmax(row: list[float]) -> int:
    return row.index(max(row))


def main() -> None:
    rows, at_worst = [], []
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
            of_python = ratios(ours, theirs)
            at_worst.append(statistics.median(of_python))
            rows.append([str(length), str(workers), spread(theirs), spread(ours), spread(of_python)])
    print(table(["tokens", "cores", "Python, pairs/s", "gsar, pairs/s", "gsar / Python"], rows))
    print(f"\nLowest median ratio: {min(at_worst):.2f}; target ≥ 0.95; met: {met(min(at_worst) >= 0.95)}")
    given = pairs(COMPARED, 700, 11)
    theirs, (ours, _) = Baseline(2).score(given), Subject(2, given).score()
    same = sum(argmax(a) == argmax(b) for a, b in zip(theirs, ours))
    furthest = max(abs(x - y) for a, b in zip(theirs, ours) for x, y in zip(a, b))
    print(f"Same class in {same} of {COMPARED} pairs; logits at most {furthest:.1e} apart; met: {met(same >= 0.995 * COMPARED)}")


if __name__ == "__main__":
    environment.enter("onnxruntime", __file__)
    main()
