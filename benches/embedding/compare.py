"""Compares gsar-embedding with ONNX Runtime in Python on the same batches: the texts per second, measured in turns.

Both use one single-threaded session per worker, and the same library, model and tokenizer. A text has 18 to 36 words in
`sentences`, and 3 to 150 words in `mixed`. A batch has 16 texts, which are sorted by length. The pool of gsar-embedding
receives all texts at once and forms its own batches.
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

ROUNDS = int(os.environ.get("GSAR_BENCH_ROUNDS", 7))
WORKERS = [1, 2]
SINGLE_TEXTS = 24
KINDS = {"sentences": (18, 36, 160), "mixed": (3, 150, 96)}


def cache() -> Path:
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (configured if configured.is_absolute() else Path.home() / ".cache") / "gsar"


def batches_of(kind: str) -> list[list[str]]:
    shortest, longest, count = KINDS[kind]
    source = random.Random(7)
    texts = [" ".join(source.choices(WORDS, k=source.randint(shortest, longest))) for _ in range(count)]
    texts.sort(key=len)
    return [texts[at : at + 16] for at in range(0, count, 16)]


class Baseline:
    """ONNX Runtime sessions, one per thread."""

    def __init__(self, workers: int):
        from tokenizers import Tokenizer

        model = cache() / "models" / "all-MiniLM-L6-v2"
        self.sessions = sessions(model, workers)
        self.tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()

    def embed(self, session, texts: list[str]):
        import numpy

        encoded = self.tokenizer.encode_batch(texts)
        ids = numpy.array([each.ids for each in encoded], numpy.int64)
        mask = numpy.array([each.attention_mask for each in encoded], numpy.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        (hidden,) = session.run(None, inputs)
        vectors = (hidden * mask[..., None].astype(numpy.float32)).sum(1) / mask.sum(1, keepdims=True)
        return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)

    def measure(self, batches: list[list[str]]) -> dict[str, float]:
        """Returns the texts per second of wall time and of CPU time, and the median time for a single text."""
        texts = [text for batch in batches for text in batch]
        start, processor = time.perf_counter(), time.process_time()
        run_in_threads(self.sessions, batches, self.embed)
        per_second = len(texts) / (time.perf_counter() - start)
        per_processor_second = len(texts) / (time.process_time() - processor)
        times = []
        for text in texts[:: -(-len(texts) // SINGLE_TEXTS)]:
            start = time.perf_counter()
            self.embed(self.sessions[0], [text])
            times.append((time.perf_counter() - start) * 1e3)
        return {"clock": per_second, "processor": per_processor_second, "single_ms": statistics.median(times)}


class Subject:
    """The `embedding_times` example, which measures once per input line."""

    def __init__(self, workers: int, batches: list[list[str]]):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".json")
        json.dump(batches, self.file)
        self.file.flush()
        command = [str(PROGRAMS / "examples" / "embedding_times"), self.file.name, str(workers)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self) -> dict[str, float]:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.file.close()


def main() -> None:
    rows, medians = [], []
    for kind in KINDS:
        batches = batches_of(kind)
        for workers in WORKERS:
            baseline, subject = Baseline(workers), Subject(workers, batches)
            baseline.measure(batches), subject.measure()
            theirs, ours = [], []
            for _ in range(ROUNDS):
                theirs.append(baseline.measure(batches))
                ours.append(subject.measure())
            subject.stop()

            def column(runs, name):
                return [each[name] for each in runs]

            session = ratios(column(ours, "session"), column(theirs, "clock"))
            pool = ratios(column(ours, "pool"), column(theirs, "clock"))
            medians.append(min(statistics.median(session), statistics.median(pool)))
            rows.append(
                [
                    f"{kind}, {workers}",
                    f"{statistics.median(column(theirs, 'clock')):.0f}",
                    spread(session),
                    spread(ratios(column(ours, "session_processor"), column(theirs, "processor"))),
                    spread(pool),
                    spread(ratios(column(ours, "pool_processor"), column(theirs, "processor"))),
                    f"{statistics.median(column(ours, 'single_ms')):.1f}",
                    spread(ratios(column(ours, "single_ms"), column(theirs, "single_ms"))),
                ]
            )
    head = ["texts, workers", "Python, texts/s", "session", "by CPU time", "pool", "by CPU time"]
    head += ["one text, ms", "relative to Python"]
    print(table(head, rows))
    print()
    print(f"Lowest median ratio: {min(medians):.2f}; target ≥ 0.95; met: {met(min(medians) >= 0.95)}")


if __name__ == "__main__":
    environment.enter("onnxruntime", __file__)
    main()
