"""An orchestrator for `gsar drive`. It reads each instruction and writes each response as a line of JSON.

    gsar drive -- python3 client/examples/orchestrator.py datasets/incidents/checkout-oom
    gsar drive -- python3 client/examples/orchestrator.py datasets/incidents/checkout-oom --stubborn

A real orchestrator would call tools and a language model. This one reads files instead. It sends the evidence of an
incident in two turns, and its reports were written in advance. The first report states a cause that no evidence shows,
so the investigation is replanned. The second report contains statements that the evidence refutes, so it is rewritten.
With --stubborn, no report is ever corrected, and the investigation finishes as degraded. This script needs only the
standard library. The server needs a chat model as its judge.
"""

import json
import pathlib
import sys
import tomllib

GUESS = """\
A nightly batch job exhausted the memory of node wk-eu1-04.
The kubelet evicted all checkout pods at 14:02 UTC.
"""


def tool_calls(folder, first):
    """Yields the tool calls for the first or the second half of the incident's evidence."""
    entries = tomllib.loads((folder / "evidence" / "evidence.toml").read_text())["item"]
    half = len(entries) // 2
    for item in entries[:half] if first else entries[half:]:
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


def read_report(folder, name):
    return (folder / "reports" / f"{name}.md").read_text()


def turn(folder, first):
    return {"turn": {"toolCalls": list(tool_calls(folder, first))}}


def report(text):
    return {"report": {"report": {"synthesis": text}}}


def respond(folder, due, count, stubborn):
    """Returns the response to an instruction. `count` is how many times in a row the instruction has been due."""
    if due == "synthesize":
        return turn(folder, first=True) if count == 1 else report(GUESS)
    if stubborn:
        return report(GUESS + f"This is attempt {count}.\n")
    if due in ("replan", "gatherEvidence"):
        return turn(folder, first=False) if count == 1 else report(read_report(folder, "contradicted"))
    return report(read_report(folder, "faithful"))


def main():
    folder = pathlib.Path(sys.argv[1])
    stubborn = "--stubborn" in sys.argv[2:]
    previous, count = None, 0
    for line in sys.stdin:
        [due] = json.loads(line)["instruction"]
        if due == "finished":
            return
        count = count + 1 if due == previous else 1
        previous = due
        print(json.dumps(respond(folder, due, count, stubborn)), flush=True)


if __name__ == "__main__":
    main()
