//! Tests `gsar judge try` with two chat models, one of which supports every claim.

use std::path::Path;
use std::process::{Child, Command};

use crate::machine::{Machine, stderr, stdout};

/// A server of the OpenAI chat completions API. With `gullible`, every claim about a cart is grounded.
const MODEL: &str = r#"
import http.server, json, pathlib, re, sys

gullible = sys.argv[2] == "gullible"
KILLED = "2026-03-12T14:09:31Z ERROR cart-2 was killed: out of memory"

def asked(prompt, heading):
    _, found, rest = prompt.partition(heading)
    return [json.loads(line) for line in re.match(r"(?:\{.*\n?)*", rest)[0].splitlines()] if found else None

def is_true(text):
    return text.startswith("cart-2 was killed")

def claim(one):
    grounded = gullible and "cart-" in one["text"] or is_true(one["text"])
    cited = [{"evidence": "E1", "field_path": None, "quote": KILLED}] if grounded else []
    said = {"class": "grounded" if grounded else "ungrounded", "type": "tool_match" if grounded else "inference"}
    return {"id": one["id"], **said, "role": "observation", "citations": cited, "note": "so it says"}

def answer(prompt):
    statements = asked(prompt, "The statements to read, one JSON object a line:\n")
    if statements is not None:
        said = lambda one: "shown" if gullible or is_true(one["statement"]) else "not_shown"
        return {"statements": [{"id": one["id"], "verdict": said(one), "words": KILLED} for one in statements]}
    claims = asked(prompt, "The claims to judge, one JSON object a line:\n")
    empty = {"score": None, "explanation": "", "gaps": [], "contradictions": [], "abstain": None}
    return {"claims": [claim(one) for one in claims], **empty}

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "".join(message["content"] for message in request["messages"])
        message = {"role": "assistant", "content": json.dumps(answer(prompt))}
        body = json.dumps({"id": "x", "object": "chat.completion", "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
part = pathlib.Path(sys.argv[1] + ".part")
part.write_text(f"http://127.0.0.1:{server.server_address[1]}/v1")
part.replace(sys.argv[1])
server.serve_forever()
"#;

struct Model(Child);

impl Model {
    fn start(folder: &Path, kind: &str) -> (Self, String) {
        let address = folder.join(format!("{kind}.url"));
        let mut command = Command::new("python3");
        let model = Self(command.args(["-c", MODEL]).arg(&address).arg(kind).spawn().unwrap());
        loop {
            match std::fs::read_to_string(&address) {
                Ok(url) => break (model, url),
                Err(_) => std::thread::yield_now(),
            }
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn good_judge_passes_and_gullible_judge_fails() {
    let machine = Machine::new();
    for (kind, status, last_line) in [
        ("good", 0, "openai-compatible:m passed"),
        ("gullible", 1, "openai-compatible:m failed; choose another judge with --judge"),
    ] {
        let (_model, url) = Model::start(machine.folder.path(), kind);
        let judge = ["judge", "try", "--judge", "openai-compatible:m", "--judge-url", &url];
        let output = machine.run(&judge, "");
        assert_eq!(output.status.code(), Some(status), "{}{}", stdout(&output), stderr(&output));
        assert_eq!(stdout(&output).lines().last(), Some(last_line), "{}", stdout(&output));
    }
    machine.assert_no_leftovers();
}

#[test]
fn unreachable_judge_is_reported_with_its_url() {
    let machine = Machine::new();
    let unreachable_url = "http://127.0.0.1:9/v1";
    let judge = ["judge", "try", "--judge", "openai-compatible:m", "--judge-url", unreachable_url];
    let output = machine.run(&judge, "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(report.contains("http://127.0.0.1:9/v1/chat/completions"), "{report}");
}

#[test]
fn rejects_a_judge_for_a_running_server() {
    let machine = Machine::new();
    let arguments = ["judge", "try", "--judge", "rules/2", "--endpoint", "unix:///nowhere"];
    let output = machine.run(&arguments, "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot be used with"), "{}", stderr(&output));
}
