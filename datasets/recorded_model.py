"""A fake chat model on loopback, with the API of OpenAI's chat completions.

For the reports of the incidents, it returns the recorded verdicts and second looks (see answers/README.md). For other
claims and statements, its verdict says that no answer is recorded.

    python3 datasets/recorded_model.py FILE    serve, and write the address to FILE

Uses only the standard library.
"""

import http.server
import json
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
STATEMENTS = "The statements to read, one JSON object a line:\n"
CLAIMS = "The claims to judge, one JSON object a line:\n"
AGAIN = "Your verdicts and what was found, one JSON object a line:\n"
REPORT = "The report, as a JSON string:\n"


def lines(name):
    return [json.loads(line) for line in (HERE / "answers" / name).read_text().splitlines()]


def evidence_ids(incident):
    manifest = HERE / "incidents" / incident / "evidence" / "evidence.toml"
    return [item["id"] for item in tomllib.loads(manifest.read_text())["item"]]


class Recorded:
    """The recorded verdicts by report and claim, and the recorded second looks by statement and quotes."""

    def __init__(self):
        self.judged, self.items = {}, {}
        for line in lines("judge.jsonl"):
            folder = HERE / "incidents" / line["incident"]
            report = (folder / "reports" / f"{line['report']}.md").read_text().strip()
            self.judged[report, line["claim"]] = line
            self.items[report] = line["incident"]
        self.items = {report: evidence_ids(incident) for report, incident in self.items.items()}
        self.looks = {(line["statement"], tuple(line["quotes"])): line for line in lines("looks.jsonl")}

    def answer(self, prompt):
        statements = json_lines(prompt, STATEMENTS)
        if statements is not None:
            return {"statements": [self.look(statement) for statement in statements]}
        report = json.loads(prompt.split(REPORT, 1)[1].splitlines()[0]).strip()
        is_second_try = json_lines(prompt, AGAIN) is not None
        claims = [self.verdict(report, claim, is_second_try) for claim in json_lines(prompt, CLAIMS)]
        empty = {"gaps": [], "contradictions": [], "abstain": None}
        return {"claims": claims, "score": None, "explanation": "recorded", **empty}

    def look(self, statement):
        unknown = {"verdict": "not_shown", "words": "no answer is recorded"}
        key = statement["statement"], tuple(quote["quote"] for quote in statement["quotes"])
        answer = self.looks.get(key, unknown)
        return {"id": statement["id"], "verdict": answer["verdict"], "words": answer["words"]}

    def verdict(self, report, claim, is_second_try):
        answer = self.judged.get((report, claim["text"]))
        if answer is None:
            answer = {"class": "ungrounded", "type": "inference", "role": "observation", "note": "no answer is recorded"}
            return {"id": claim["id"], "citations": [], **answer}
        if is_second_try and answer.get("again"):
            answer = answer["again"]
        items = self.items[report]
        citations = [
            {
                "evidence": f"E{items.index(cited['evidence']) + 1}",
                "field_path": cited["field_path"],
                "quote": cited["quote"],
            }
            for cited in answer["citations"]
        ]
        return {"id": claim["id"], "citations": citations} | {name: answer[name] for name in ("class", "type", "role", "note")}


def json_lines(prompt, heading):
    """Returns the JSON objects after a heading, or None if the prompt does not contain the heading."""
    _, found, rest = prompt.partition(heading)
    if not found:
        return None
    return [json.loads(line) for line in re.match(r"(?:\{.*\n?)*", rest)[0].splitlines()]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    recorded = None

    def log_message(self, *_):
        pass

    def answer(self, request):
        """Returns the text of the answer, and further fields of the completion."""
        prompt = "".join(message["content"] for message in request["messages"])
        return json.dumps(self.recorded.answer(prompt)), {}

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text, more = self.answer(request)
        message = {"role": "assistant", "content": text}
        completion = more | {
            "id": "recorded",
            "object": "chat.completion",
            "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
        body = json.dumps(completion).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Handler.recorded = Recorded()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # The file is written atomically, because other processes wait for it.
    path = pathlib.Path(sys.argv[1])
    part = path.with_suffix(".part")
    part.write_text(f"http://127.0.0.1:{server.server_address[1]}/v1")
    part.replace(path)
    server.serve_forever()


if __name__ == "__main__":
    main()
