//! Replays recorded judge and second-look answers for the incidents in `datasets/`, and compares the tiers.

use std::collections::HashMap;
use std::fs;

use futures_util::{StreamExt as _, stream};
use gsar_chat_wire::{ReceivedRequest, ScriptedReply, Server};
use gsar_datasets::{Incident, ReportKind, folder, incidents};
use gsar_proto::v1;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::lies::cases::evidence;
use crate::support::TestServer;
use crate::support::chat_models::Models;

const NAME: &str = "openai:recorded";
const AT_ONCE: usize = 8;

#[derive(Deserialize)]
struct JudgeLine {
    incident: String,
    report: String,
    claim: String,
    #[serde(flatten)]
    recorded: Value,
}

#[derive(Deserialize)]
struct LookLine {
    statement: String,
    quotes: Vec<String>,
    verdict: String,
    words: String,
}

#[derive(Deserialize)]
struct TierLine {
    incident: String,
    report: String,
    tier: String,
}

fn read_lines<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let text = fs::read_to_string(folder().join("answers").join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Recorded answers: verdicts by report and claim, second looks by statement and quotes.
struct Answers {
    judged: HashMap<(String, String), Value>,
    looks: HashMap<(String, Vec<String>), (String, String)>,
    items: HashMap<String, Vec<String>>,
}

impl Answers {
    fn read(reports: &[Report]) -> Self {
        let texts: HashMap<(&str, &str), &str> = reports
            .iter()
            .map(|report| ((report.incident.as_str(), report.kind.name()), report.text.as_str()))
            .collect();
        let judged = read_lines::<JudgeLine>("judge.jsonl").into_iter().map(|line| {
            let text = texts[&(line.incident.as_str(), line.report.as_str())];
            ((text.to_owned(), line.claim), line.recorded)
        });
        let looks = read_lines::<LookLine>("looks.jsonl").into_iter();
        let looks = looks.map(|line| ((line.statement, line.quotes), (line.verdict, line.words)));
        let ids = |report: &Report| report.evidence.iter().map(|item| item.id.clone()).collect();
        Self {
            judged: judged.collect(),
            looks: looks.collect(),
            items: reports.iter().map(|report| (report.text.clone(), ids(report))).collect(),
        }
    }

    fn play(&self, request: &ReceivedRequest) -> ScriptedReply {
        let messages = request.body["messages"].as_array().unwrap().iter();
        let prompt: String = messages.filter_map(|message| message["content"].as_str()).collect();
        let answer =
            match objects_below(&prompt, "The statements to read, one JSON object a line:\n") {
                Some(statements) => self.look(&statements),
                None => self.judge(&prompt),
            };
        ScriptedReply::answer(&answer.to_string())
    }

    fn look(&self, statements: &[Value]) -> Value {
        let verdict = |question: &Value| {
            let quotes = question["quotes"].as_array().unwrap().iter();
            let quotes = quotes.map(|quote| quote["quote"].as_str().unwrap().to_owned()).collect();
            let statement = question["statement"].as_str().unwrap().to_owned();
            let (verdict, words) = match self.looks.get(&(statement, quotes)) {
                Some((verdict, words)) => (verdict.as_str(), words.as_str()),
                None => ("not_shown", "nothing is recorded of it"),
            };
            json!({"id": question["id"], "verdict": verdict, "words": words})
        };
        json!({ "statements": statements.iter().map(verdict).collect::<Vec<_>>() })
    }

    fn judge(&self, prompt: &str) -> Value {
        let report = prompt.split_once("The report, as a JSON string:\n").unwrap().1;
        let report: String = serde_json::from_str(report.lines().next().unwrap()).unwrap();
        let correction_prompt =
            objects_below(prompt, "Your verdicts and what was found, one JSON object a line:\n");
        let claims =
            objects_below(prompt, "The claims to judge, one JSON object a line:\n").unwrap();
        let judged = claims.iter().map(|question| {
            let claim = question["text"].as_str().unwrap();
            let recorded = self.judged.get(&(report.clone(), claim.to_owned()));
            let recorded = recorded.map(|recorded| {
                if correction_prompt.is_some() && recorded["again"].is_object() {
                    &recorded["again"]
                } else {
                    recorded
                }
            });
            self.verdict(&report, &question["id"], recorded)
        });
        json!({
            "claims": judged.collect::<Vec<_>>(), "score": null, "explanation": "recorded", "gaps": [],
            "contradictions": [], "abstain": null,
        })
    }

    fn verdict(&self, report: &str, id: &Value, recorded: Option<&Value>) -> Value {
        let Some(recorded) = recorded else {
            return json!({
                "id": id, "class": "ungrounded", "type": "inference", "role": "observation", "citations": [],
                "note": "nothing is recorded of it",
            });
        };
        let label = |item: &Value| {
            let index =
                self.items[report].iter().position(|id| id.as_str() == item.as_str().unwrap());
            format!("E{}", index.unwrap() + 1)
        };
        let citations = recorded["citations"].as_array().unwrap().iter().map(|citation| {
            json!({"evidence": label(&citation["evidence"]), "field_path": citation["field_path"], "quote": citation["quote"]})
        });
        json!({
            "id": id, "class": recorded["class"], "type": recorded["type"], "role": recorded["role"],
            "citations": citations.collect::<Vec<_>>(), "note": recorded["note"],
        })
    }
}

fn objects_below(prompt: &str, heading: &str) -> Option<Vec<Value>> {
    let (_, lines) = prompt.split_once(heading)?;
    Some(lines.lines().map_while(|line| serde_json::from_str(line).ok()).collect())
}

struct Report {
    incident: String,
    kind: ReportKind,
    text: String,
    evidence: Vec<v1::EvidenceItem>,
}

impl Report {
    fn read(incident: &Incident, kind: ReportKind) -> Self {
        Self {
            incident: incident.name.clone(),
            kind,
            text: fs::read_to_string(incident.report(kind)).unwrap(),
            evidence: evidence(incident),
        }
    }

    async fn tier(&self, server: &TestServer) -> String {
        let report = v1::Report { synthesis: self.text.clone(), ..v1::Report::default() };
        let request = v1::EvaluateRequest {
            report: Some(report),
            evidence: self.evidence.clone(),
            policy: "reference".to_owned(),
            ..v1::EvaluateRequest::default()
        };
        let answer = server.grounding().evaluate(request).await.unwrap().into_inner();
        let tier = answer.decision.unwrap().tier().as_str_name();
        tier.trim_start_matches("TIER_").to_lowercase()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recorded_answers_give_the_recorded_tiers() {
    let incidents = incidents().unwrap();
    let reports: Vec<Report> = incidents
        .iter()
        .flat_map(|incident| ReportKind::ALL.map(|kind| Report::read(incident, kind)))
        .collect();
    let answers = Answers::read(&reports);
    let provider = Server::start().await.unwrap();
    provider.answer_with(move |seen| answers.play(seen));
    let server = Models::new()
        .with(NAME, &provider, |model| model.hide = Some(false))
        .start(|config| {
            config.judges.chain = vec![NAME.to_owned()];
            config.judges.second_look = "same".to_owned();
        })
        .await;
    let recorded: HashMap<(String, String), String> = read_lines::<TierLine>("tiers.jsonl")
        .into_iter()
        .map(|line| ((line.incident, line.report), line.tier))
        .collect();
    let tiers: Vec<(&Report, String)> = stream::iter(&reports)
        .map(async |report| (report, report.tier(&server).await))
        .buffered(AT_ONCE)
        .collect()
        .await;
    let mut proceeding = HashMap::new();
    for (report, tier) in &tiers {
        let key = (report.incident.clone(), report.kind.name().to_owned());
        assert_eq!(recorded.get(&key), Some(tier), "{} {}", key.0, key.1);
        *proceeding.entry(report.kind.name()).or_insert(0) += usize::from(tier == "proceed");
    }
    // The faithful report has a stock figure that changed later. The overreaching ones only invent an impact.
    assert_eq!(
        proceeding,
        HashMap::from([("faithful", 15), ("overreaching", 2), ("contradicted", 0)])
    );
}
