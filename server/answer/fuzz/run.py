"""Fuzzes the answer parser: `python3 server/answer/fuzz/run.py [--minutes 30]`.

Stops after that much processor time, or at a crash, whose input is stored in `artifacts/`. The seeds are the answers in
`tests/answers/`, written to `corpus/seeds/`.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SLICE = 60  # wall-clock seconds between checks of the processor time


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def write_seeds(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for table in sorted((HERE.parent / "tests" / "answers").glob("*.json")):
        for case in json.loads(table.read_text()):
            (folder / f"{table.stem}-{case['name'].replace(' ', '-')}").write_text(case["answer"])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=30, help="processor minutes (30)")
    given = options.parse_args()
    environment = dict(os.environ, CARGO_TERM_COLOR="never")
    subprocess.run(["cargo", "fuzz", "build", "--sanitizer", "none", "--fuzz-dir", HERE], check=True, env=environment)
    program = next((HERE / "target").glob("*/release/answers"))
    corpus, seeds, artifacts = HERE / "corpus" / "answers", HERE / "corpus" / "seeds", HERE / "artifacts"
    corpus.mkdir(parents=True, exist_ok=True)
    artifacts.mkdir(parents=True, exist_ok=True)
    write_seeds(seeds)
    before, runs = processor_seconds(), 0
    while processor_seconds() - before < given.minutes * 60:
        done = subprocess.run(
            [program, corpus, seeds, f"-artifact_prefix={artifacts}/", f"-max_total_time={SLICE}",
             f"-dict={HERE / 'answers.dict'}", "-max_len=4096", "-timeout=20", "-rss_limit_mb=2048",
             "-print_final_stats=1"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace", check=False)
        if done.returncode != 0:
            print(done.stderr[-6000:], file=sys.stderr)
            sys.exit(f"crashed after {runs} inputs, see {artifacts}")
        runs += int(re.search(r"number_of_executed_units: (\d+)", done.stderr).group(1))
        minutes = (processor_seconds() - before) / 60
        print(f"{runs} inputs in {minutes:.1f} processor minutes: no crash, no hang", flush=True)


if __name__ == "__main__":
    main()
