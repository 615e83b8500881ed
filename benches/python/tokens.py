"""Measures a chat model's prompt and answer sizes per calibration row.

The model is a stub on loopback that counts the bytes of prompts and answers, reports them as tokens, and answers every
claim with a quote. `gsar-calibrate run` records these counts in its trace.
Usage: tokens.py FILE OUT, where FILE is an input of `gsar-calibrate run` and OUT a folder for trace and prompts.
"""

import json
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from figures import TARGET

CLAIMS = "The claims to judge, one JSON object a line:\n"
JUDGE = "openai-compatible:counted"
NOTE = "The item says so in these words, about the same subject and the same time, and nothing beside it says otherwise."
PROGRAMS = next(folder for folder in (TARGET / "dist", TARGET / "release", TARGET / "debug") if (folder / "gsar-server").exists())


class Model(BaseHTTPRequestHandler):
    """Answers prompts and records them in `questions`."""

    protocol_version = "HTTP/1.1"
    questions: list[dict] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [message["content"] for message in body["messages"]]
        schema = json.dumps(body.get("response_format", ""))
        answer = json.dumps(verdicts(texts[-1]))
        self.questions.append({"texts": texts, "schema": schema, "answer": answer})
        usage = {"prompt_tokens": sum(len(text.encode()) for text in texts), "completion_tokens": len(answer.encode())}
        message = {"role": "assistant", "content": answer, "refusal": None}
        reply = {
            "id": "1", "object": "chat.completion", "created": 0, "model": "counted",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": usage | {"total_tokens": sum(usage.values())},
        }  # fmt: skip
        sent = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: object) -> None:
        pass


def verdicts(question: str) -> dict:
    """Builds an answer of realistic size. Each claim has a quote of the same length and a note of twenty words."""
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
    with open(out / "server.log", "wb") as log:
        server = subprocess.Popen([PROGRAMS / "gsar-server", "--config", out / "gsar.toml"], stderr=log, stdout=log)
    try:
        while server.poll() is None and not (out / "gsar.sock").exists():
            time.sleep(0.05)
        command = [PROGRAMS / "gsar-calibrate", "run", file, "--endpoint", endpoint, "--out", trace]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    finally:
        server.terminate()
        server.wait()
    (out / "questions.jsonl").write_text("".join(json.dumps(each) + "\n" for each in Model.questions))
    records = [json.loads(line) for line in trace.read_text().splitlines()[1:]]
    calls = [
        [call for link in record["evaluation"]["provenance"]["judges"] for call in link["calls"]] for record in records
    ]
    asked = sum(int(call["inputTokens"]) for each in calls for call in each)
    answered = sum(int(call["outputTokens"]) for each in calls for call in each)
    print(f"{len(records)} rows, {sum(map(len, calls)) / len(records):.2f} calls per row,", end=" ")
    print(f"{asked / len(records):,.0f} prompt bytes and {answered / len(records):,.0f} answer bytes per row")


if __name__ == "__main__":
    main()
