"""Compares the scores and decisions of `locus-sdk` and GSAR on the same partitions, which are measured in turns.

`locus-sdk` is the other open implementation of the method. Its package depends on an agent framework. Therefore, only
the module that contains the formula is loaded, from a virtual environment in the target folder. Its partition objects
are built before the measurement, whereas GSAR's time includes counting the claims.
"""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import environment
from figures import PROGRAMS, met, ratios, spread, table

SIZES = [5, 20, 50, 500, 5000]
REPETITIONS = 11
SECONDS_EACH = 0.03
TYPES = {
    "tool_match": Fraction("1"),
    "specific_data": Fraction("0.95"),
    "signal_match": Fraction("0.9"),
    "complementary_finding": Fraction("0.85"),
    "synthesis": Fraction("0.8"),
    "neg_evidence": Fraction("0.7"),
    "inference": Fraction("0.6"),
    "domain": Fraction("0.6"),
}


def load_locus():
    """Loads the module that contains the formula, without its package."""
    found = list(environment.path("locus").glob("lib/python*/site-packages/locus/reasoning/gsar.py"))
    specification = importlib.util.spec_from_file_location("locus_gsar", found[0])
    module = importlib.util.module_from_spec(specification)
    sys.modules["locus_gsar"] = module
    specification.loader.exec_module(module)
    return module


def locus_partition(locus, claims: list[list[str]]):
    classes = {"grounded": [], "ungrounded": [], "contradicted": [], "complementary": []}
    for index, (name, evidence_type) in enumerate(claims):
        claim = locus.Claim(text=f"claim {index}", type=locus.EvidenceType(evidence_type))
        classes[name].append(claim)
    return locus.Partition(**classes)


def nanoseconds(operation, partitions: list) -> float:
    """Returns the CPU time per partition, measured over as many passes as fit into `SECONDS_EACH`."""
    passes, start = 0, time.thread_time()
    while (elapsed := time.thread_time() - start) < SECONDS_EACH:
        for partition in partitions:
            operation(partition)
        passes += 1
    return elapsed * 1e9 / passes / len(partitions)


def run(program: str, *arguments: str, stdin: str | None = None) -> str:
    command = [str(PROGRAMS / program), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=True).stdout


def compare_times(locus) -> None:
    thresholds = locus.GSARThresholds()

    def decision(partition):
        return locus.decide(locus.gsar_score(partition), thresholds=thresholds)

    rows, at_twenty = [], []
    for size in SIZES:
        lines = run("partitions", "--claims", str(size)).splitlines()
        partitions = [locus_partition(locus, json.loads(line)["claims"]) for line in lines]
        theirs = {"score": [], "decision": []}
        ours = {"score": [], "decision_paper": [], "decision_reference": []}
        for _ in range(REPETITIONS):
            theirs["score"].append(nanoseconds(locus.gsar_score, partitions))
            theirs["decision"].append(nanoseconds(decision, partitions))
            times = json.loads(run("core_times", "--claims", str(size)))
            for name, values in ours.items():
                values.append(times[name])
        faster = ratios(theirs["score"], ours["score"])
        if size == 20:
            at_twenty = faster
        median = statistics.median
        rows.append(
            [
                str(size),
                f"{median(theirs['score']):,.0f}",
                f"{median(ours['score']):,.0f}",
                spread(faster, 0),
                f"{median(theirs['decision']):,.0f}",
                f"{median(ours['decision_paper']):,.0f}",
                spread(ratios(theirs["decision"], ours["decision_paper"]), 0),
                f"{median(ours['decision_reference']):,.0f}",
                spread(ratios(theirs["decision"], ours["decision_reference"]), 0),
            ]
        )
    head = ["claims", "score: locus, ns", "GSAR, ns", "times faster"]
    head += ["score + tier: locus, ns", "GSAR paper, ns", "times faster"]
    head += ["GSAR reference (all guards), ns", "times faster"]
    print(table(head, rows))
    print()
    is_met = statistics.median(at_twenty) >= 50
    print(f"Score of 20 claims: {spread(at_twenty, 0)} times faster; target ≥ 50; met: {met(is_met)}")


def one_type_partitions():
    """Yields all 888 partitions of a single type with up to 13 grounded and up to 7 ungrounded claims."""
    for evidence_type, weight in TYPES.items():
        for grounded in range(14):
            for ungrounded in range(8):
                if grounded + ungrounded > 0:
                    claims = [["grounded", evidence_type]] * grounded
                    claims += [["ungrounded", evidence_type]] * ungrounded
                    score = grounded * weight / ((grounded + ungrounded) * weight)
                    yield claims, true_tier(score)


def true_tier(score: Fraction) -> str:
    if score >= Fraction("0.8"):
        return "proceed"
    return "regenerate" if score >= Fraction("0.65") else "replan"


def compare_tiers(locus) -> None:
    cases = list(one_type_partitions())
    lines = "".join(json.dumps({"claims": claims}) + "\n" for claims, _ in cases)
    ours = run("tiers", stdin=lines).split()
    theirs = [locus.decide(locus.gsar_score(locus_partition(locus, claims))).value for claims, _ in cases]
    wrong = {
        name: sum(tier != truth for tier, (_, truth) in zip(tiers, cases, strict=True))
        for name, tiers in [("locus-sdk", theirs), ("GSAR", ours)]
    }
    print(
        f"Wrong tiers on {len(cases)} partitions of a single type, compared with exact arithmetic: "
        f"locus-sdk {wrong['locus-sdk']}, GSAR {wrong['GSAR']}; target 0; met: {met(wrong['GSAR'] == 0)}"
    )


def main() -> None:
    environment.enter("locus", __file__)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    locus = load_locus()
    print(f"locus-sdk on Python {sys.version.split()[0]}; CPU times are medians of {REPETITIONS} alternating rounds.\n")
    compare_times(locus)
    compare_tiers(locus)


if __name__ == "__main__":
    main()
