"""Runs ONNX Runtime in Python as the baseline for the models, with one single-threaded session per thread."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

# Typical words and figures from telemetry, from which the texts are composed.
WORDS = (
    "the checkout service answered 503 after a deploy of version 2.4.1 because its connection pool was exhausted and "
    "pods were restarted by kubelet at 14:05 with exit code 137 while latency of the database rose to 950 ms"
).split()


def sessions(model: Path, workers: int) -> list:
    import onnxruntime

    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return [onnxruntime.InferenceSession(model / "model.onnx", options) for _ in range(workers)]


def run_in_threads(sessions: list, items: list, call: Callable) -> None:
    """Calls a function once for each item, with the session of the calling thread."""
    remaining, lock = list(reversed(items)), threading.Lock()

    def work(session) -> None:
        while True:
            with lock:
                if not remaining:
                    return
                item = remaining.pop()
            call(session, item)

    threads = [threading.Thread(target=work, args=[session]) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
