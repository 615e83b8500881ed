"""An orchestrator for `gsar drive`: it reads what is due, one JSON document per line, and answers likewise.

    gsar drive -- python3 client/examples/orchestrator.py datasets/incidents/checkout-oom
    gsar drive -- python3 client/examples/orchestrator.py datasets/incidents/checkout-oom --stubborn

A real one would call tools and a language model where this one reads files: the evidence of an incident comes in two turns,
and its reports are written beforehand. The first blames what nothing shows and is replanned; the second says what the
evidence refutes and is rewritten. With --stubborn nothing is ever corrected, and the investigation ends degraded.
Only the standard library is needed; the server needs a chat model as judge.
"""

import json
import pathlib
import sys
import tomllib

GUESS = """\
A nightly batch job exhausted the memory of node wk-eu1-04.
The kubelet evicted all checkout pods at 14:02 UTC.
"""


def items(folder, first):
    """The incident's evidence, in two parts."""
    listed = tomllib.loads((folder / "evidence" / "evidence.toml").read_text())["item"]
    half = len(listed) // 2
    for item in listed[:half] if first else listed[half:]:
        content = (folder / "evidence" / item["file"]).read_text()
        kind = "json" if item["file"].endswith(".json") else "text"
        yield {
            "tool": item["tool"],
            "arguments": item["file"],
            "result": {
                "id": item["id"],
                "kind": "EVIDENCE_KIND_" + item["kind"].upper(),
                "lane": "EVIDENCE_LANE_" + item["lane"].upper(),
                "tool": item["tool"],
                "exhaustive": item.get("exhaustive", False),
                kind: content,
            },
        }


def written(folder, name):
    return (folder / "reports" / f"{name}.md").read_text()


def turn(folder, first):
    return {"turn": {"toolCalls": list(items(folder, first))}}


def report(text):
    return {"report": {"report": {"synthesis": text}}}


def answers(folder, due, count, stubborn):
    """What to answer to an instruction."""
    if due == "synthesize":
        return turn(folder, first=True) if count == 1 else report(GUESS)
    if stubborn:
        return report(GUESS + f"This is attempt {count}.\n")
    if due in ("replan", "gatherEvidence"):
        return turn(folder, first=False) if count == 1 else report(written(folder, "contradicted"))
    return report(written(folder, "faithful"))


def main():
    folder = pathlib.Path(sys.argv[1])
    stubborn = "--stubborn" in sys.argv[2:]
    before, count = None, 0
    for line in sys.stdin:
        [due] = json.loads(line)["instruction"]
        if due == "finished":
            return
        count = count + 1 if due == before else 1
        before = due
        print(json.dumps(answers(folder, due, count, stubborn)), flush=True)


if __name__ == "__main__":
    main()
