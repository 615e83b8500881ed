"""Fuzzes what reads evidence, reports and claims, and the rules over them:

    python3 core/extraction/fuzz/run.py [--minutes 10] [NAME ...]

Each folder of `seeds/` is one campaign: a shape that tools print, reports, claims, or claims with their evidence. A
campaign ends when it has had its minutes of processor time (not of the clock), or with a crash, whose input is kept in
`artifacts/`.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SLICE = 60  # seconds by the clock, after which the processor time is looked at


def target(shape):
    return shape if shape in ("reports", "claims", "rules") else "facts"


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def campaign(shape, minutes):
    """Runs one campaign. Returns its runs and processor seconds, or None for the runs where it crashed."""
    corpus = HERE / "corpus" / shape
    artifacts = HERE / "artifacts" / shape
    corpus.mkdir(parents=True, exist_ok=True)
    artifacts.mkdir(parents=True, exist_ok=True)
    program = next((HERE / "target").glob(f"*/release/{target(shape)}"))
    before, runs, log = processor_seconds(), 0, ""
    while processor_seconds() - before < minutes * 60:
        done = subprocess.run(
            [program, corpus, HERE / "seeds" / shape, f"-artifact_prefix={artifacts}/", f"-max_total_time={SLICE}",
             "-max_len=8192", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace", check=False)
        log = done.stderr
        if done.returncode != 0:
            print(log[-3000:], file=sys.stderr)
            return None, processor_seconds() - before
        runs += int(re.search(r"number_of_executed_units: (\d+)", log).group(1))
    return runs, processor_seconds() - before


def main():
    shapes = sorted(path.name for path in (HERE / "seeds").iterdir())
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=10, help="processor minutes of each campaign (10)")
    options.add_argument("shapes", nargs="*", metavar="NAME", help=f"of {', '.join(shapes)}; all where none is named")
    given = options.parse_args()
    unknown = set(given.shapes) - set(shapes)
    if unknown:
        options.error(f"no seeds for {', '.join(sorted(unknown))}; there are {', '.join(shapes)}")
    environment = dict(os.environ, CARGO_TERM_COLOR="never")
    subprocess.run(["cargo", "fuzz", "build", "--sanitizer", "none", "--fuzz-dir", HERE], check=True, env=environment)
    failed = []
    print("| shape | inputs tried | processor minutes | result |\n|---|---|---|---|", flush=True)
    for shape in given.shapes or shapes:
        runs, seconds = campaign(shape, given.minutes)
        result = "no crash, no hang" if runs is not None else f"crashed, see artifacts/{shape}"
        print(f"| {shape} | {runs if runs is not None else ''} | {seconds / 60:.1f} | {result} |", flush=True)
        if runs is None:
            failed.append(shape)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
