"""Fuzzes the parsers of evidence, reports and claims with the rules, or the parsers that authentication uses:

    python3 benches/fuzz.py core/extraction/fuzz [--minutes 10] [NAME ...]
    python3 benches/fuzz.py server/fuzz [--minutes 10] [NAME ...]

Each folder in `seeds/` is one campaign, which fuzzes one shape of input: a form of tool output, reports, claims, or
claims with evidence. A campaign runs the target of the same name in `fuzz_targets/`, or else the target that has no
seeds of its own. It stops after its minutes of CPU time, or when the target crashes. The input that caused the crash is
saved in `artifacts/`.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys

SLICE = 60  # the wall time between two checks of the CPU time, in seconds


def targets(folder, shapes):
    """Returns the fuzz target for each shape."""
    names = {path.stem for path in (folder / "fuzz_targets").glob("*.rs")}
    default = next(iter(names - set(shapes)), None)
    return {shape: shape if shape in names else default for shape in shapes}


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def campaign(folder, target, shape, minutes):
    """Runs one campaign. Returns how many inputs it tried (`None` after a crash), and its CPU time in seconds."""
    corpus = folder / "corpus" / shape
    artifacts = folder / "artifacts" / shape
    corpus.mkdir(parents=True, exist_ok=True)
    artifacts.mkdir(parents=True, exist_ok=True)
    program = next((folder / "target").glob(f"*/release/{target}"))
    before, runs, log = cpu_seconds(), 0, ""
    while cpu_seconds() - before < minutes * 60:
        process = subprocess.run(
            [program, corpus, folder / "seeds" / shape, f"-artifact_prefix={artifacts}/", f"-max_total_time={SLICE}",
             "-max_len=262144", "-timeout=10", "-rss_limit_mb=4096", "-print_final_stats=1"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace", check=False)
        log = process.stderr
        if process.returncode != 0:
            print(log[-3000:], file=sys.stderr)
            return None, cpu_seconds() - before
        runs += int(re.search(r"number_of_executed_units: (\d+)", log).group(1))
    return runs, cpu_seconds() - before


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path, help="core/extraction/fuzz or server/fuzz")
    options.add_argument("--minutes", type=float, default=10, help="CPU minutes per campaign (default: 10)")
    options.add_argument("shapes", nargs="*", metavar="NAME", help="folders in seeds/ (default: all)")
    arguments = options.parse_intermixed_args()
    folder = arguments.folder.resolve()
    if not (folder / "seeds").is_dir():
        options.error(f"{arguments.folder} has no seeds/; expected a folder that contains seeds/ and fuzz_targets/")
    shapes = sorted(path.name for path in (folder / "seeds").iterdir())
    target = targets(folder, shapes)
    unknown = set(arguments.shapes) - set(shapes)
    if unknown:
        options.error(f"no seeds for {', '.join(sorted(unknown))}; expected {', '.join(shapes)}")
    environment = dict(os.environ, CARGO_TERM_COLOR="never")
    subprocess.run(["cargo", "fuzz", "build", "--sanitizer", "none", "--fuzz-dir", folder], check=True, env=environment)
    failed = []
    print("| shape | inputs tried | CPU minutes | result |\n|---|---|---|---|", flush=True)
    for shape in arguments.shapes or shapes:
        runs, seconds = campaign(folder, target[shape], shape, arguments.minutes)
        result = "no crash, no hang" if runs is not None else f"crashed; see artifacts/{shape}"
        print(f"| {shape} | {runs if runs is not None else ''} | {seconds / 60:.1f} | {result} |", flush=True)
        if runs is None:
            failed.append(shape)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
