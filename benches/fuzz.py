"""Fuzzes what reads evidence, reports and claims, and the rules over them, or tokens, keys, principals and certificates:

    python3 benches/fuzz.py core/extraction/fuzz [--minutes 10] [NAME ...]
    python3 benches/fuzz.py server/fuzz [--minutes 10] [NAME ...]

Each folder of `seeds/` is one campaign: a shape that tools print, reports, claims, or claims with their evidence. It is
read by the target of its name in `fuzz_targets/`, and a shape without one by the target that has no seeds of its own. A
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

SLICE = 60  # seconds by the clock, after which the processor time is looked at


def targets(folder, shapes):
    """The target of each shape."""
    names = {path.stem for path in (folder / "fuzz_targets").glob("*.rs")}
    other = next(iter(names - set(shapes)), None)
    return {shape: shape if shape in names else other for shape in shapes}


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def campaign(folder, target, shape, minutes):
    """Runs one campaign. Returns its runs and processor seconds, or None for the runs where it crashed."""
    corpus = folder / "corpus" / shape
    artifacts = folder / "artifacts" / shape
    corpus.mkdir(parents=True, exist_ok=True)
    artifacts.mkdir(parents=True, exist_ok=True)
    program = next((folder / "target").glob(f"*/release/{target}"))
    before, runs, log = processor_seconds(), 0, ""
    while processor_seconds() - before < minutes * 60:
        done = subprocess.run(
            [program, corpus, folder / "seeds" / shape, f"-artifact_prefix={artifacts}/", f"-max_total_time={SLICE}",
             "-max_len=262144", "-timeout=10", "-rss_limit_mb=4096", "-print_final_stats=1"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace", check=False)
        log = done.stderr
        if done.returncode != 0:
            print(log[-3000:], file=sys.stderr)
            return None, processor_seconds() - before
        runs += int(re.search(r"number_of_executed_units: (\d+)", log).group(1))
    return runs, processor_seconds() - before


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path, help="where seeds and targets are: core/extraction/fuzz or server/fuzz")
    options.add_argument("--minutes", type=float, default=10, help="processor minutes of each campaign (10)")
    options.add_argument("shapes", nargs="*", metavar="NAME", help="folders of seeds; all where none is named")
    given = options.parse_intermixed_args()
    folder = given.folder.resolve()
    if not (folder / "seeds").is_dir():
        options.error(f"{given.folder} has no seeds; name a folder with seeds/ and fuzz_targets/")
    shapes = sorted(path.name for path in (folder / "seeds").iterdir())
    target = targets(folder, shapes)
    unknown = set(given.shapes) - set(shapes)
    if unknown:
        options.error(f"no seeds for {', '.join(sorted(unknown))}; there are {', '.join(shapes)}")
    environment = dict(os.environ, CARGO_TERM_COLOR="never")
    subprocess.run(["cargo", "fuzz", "build", "--sanitizer", "none", "--fuzz-dir", folder], check=True, env=environment)
    failed = []
    print("| shape | inputs tried | processor minutes | result |\n|---|---|---|---|", flush=True)
    for shape in given.shapes or shapes:
        runs, seconds = campaign(folder, target[shape], shape, given.minutes)
        result = "no crash, no hang" if runs is not None else f"crashed, see artifacts/{shape}"
        print(f"| {shape} | {runs if runs is not None else ''} | {seconds / 60:.1f} | {result} |", flush=True)
        if runs is None:
            failed.append(shape)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
