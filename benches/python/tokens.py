"""Measures the sizes of the prompts and answers that a chat model needs per calibration row.

The model is a stub on loopback that counts the bytes of prompts and answers, reports them as tokens, and answers every
claim with a quote. `gsar-calibrate run` records these counts in its trace.
Usage: tokens.py FILE OUT. FILE is an input file for `gsar-calibrate run`. The trace and the prompts are written to OUT.
"""

import json
import subprocess
import sys
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path

BENCHES = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCHES), str(BENCHES.parent / "datasets")]
import recorded_model
from figures import TARGET
from recorded_model import CLAIMS
from servers import running

JUDGE = "openai-compatible:counted"
NOTE = "The item says so in these words, about the same subject and the same time, and nothing beside it says otherwise."
PROGRAMS = next(folder for folder in (TARGET / "dist", TARGET / "release", TARGET / "debug") if (folder / "gsar-server").exists())


class Model(recorded_model.Handler):
    """Answers prompts and records them in `questions`."""

    questions: list[dict] = []

    def answer(self, request: dict) -> tuple[str, dict]:
        texts = [message["content"] for message in request["messages"]]
        schema = json.dumps(request.get("response_format", ""))
        answer = json.dumps(verdicts(texts[-1]))
        self.questions.append({"texts": texts, "schema": schema, "answer": answer})
        usage = {"prompt_tokens": sum(len(text.encode()) for text in texts), "completion_tokens": len(answer.encode())}
        return answer, {"usage": usage | {"total_tokens": sum(usage.values())}}


def verdicts(question: str) -> dict:
    """Builds an answer of a realistic size. Each claim gets a quote as long as itself, and a note of twenty words."""
    lines = question.split(CLAIMS)[1].split("\n\n")[0].splitlines()
    claims = [json.loads(line) for line in lines]
    return {
        "claims": [
            {
                "id": claim["id"], "class": "ungrounded", "type": "inference", "note": NOTE,
                "citations": [{"evidence": "E1", "field_path": None, "quote": claim["text"]}],
            }
            for claim in claims
        ],
        "score": 0.5, "explanation": NOTE, "gaps": [], "contradictions": [], "abstain": None,
    }  # fmt: skip


def main() -> None:
    file, out = sys.argv[1], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    endpoint = f"unix://{out.resolve()}/gsar.sock"
    (out / "gsar.toml").write_text(
        f'listen = ["{endpoint}"]\ndata_dir = "{out.resolve()}/data"\n[judges]\nchain = ["{JUDGE}"]\n'
        f'[judges.models."{JUDGE}"]\nbase_url = "http://127.0.0.1:{model.server_port}/v1"\n'
    )
    trace = out / "trace.jsonl"
    trace.unlink(missing_ok=True)
    command = [str(PROGRAMS / "gsar-server"), "--config", str(out / "gsar.toml")]
    with running(out, "server", command, endpoint, core=None) as server:
        while server.process.poll() is None and not (out / "gsar.sock").exists():
            time.sleep(0.05)
        command = [PROGRAMS / "gsar-calibrate", "run", file, "--endpoint", endpoint, "--out", trace]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (out / "questions.jsonl").write_text("".join(json.dumps(each) + "\n" for each in Model.questions))
    records = [json.loads(line) for line in trace.read_text().splitlines()[1:]]
    calls = [
        [call for link in record["evaluation"]["provenance"]["judges"] for call in link["calls"]] for record in records
    ]
    prompt_bytes = sum(int(call["inputTokens"]) for each in calls for call in each)
    answer_bytes = sum(int(call["outputTokens"]) for each in calls for call in each)
    print(f"{len(records)} rows, {sum(map(len, calls)) / len(records):.2f} calls per row,", end=" ")
    print(f"{prompt_bytes / len(records):,.0f} prompt bytes and {answer_bytes / len(records):,.0f} answer bytes per row")


if __name__ == "__main__":
    main()
