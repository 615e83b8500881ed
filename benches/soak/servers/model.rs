//! This module is the chat model of a soak: a provider on loopback that judges by what it is shown, and fails when it is to.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use gsar_chat_wire::{KEY, Play, Seen, Server, Wire};
use serde_json::{Value, json};

use crate::faults::schedule::Outage;

/// The name under which servers ask it.
pub(crate) const NAME: &str = "openai:soak";
/// What a million tokens of questions and of answers cost, in millionths of a dollar.
const PRICES: (u64, u64) = (1_000_000, 10_000_000);
/// What an answer costs by them: the provider says 120 tokens for each question and 30 for each answer.
pub(crate) const COST: u64 = 420;
/// What comes before the claims in a question.
const CLAIMS: &str = "The claims to judge, one JSON object a line:\n";
/// The line of a prompt above the statements of a second look.
const STATEMENTS: &str = "The statements to read, one JSON object a line:\n";

/// The model.
#[derive(Debug)]
pub(crate) struct Model {
    server: Server,
    outage: Arc<Mutex<Option<Outage>>>,
    answered: Arc<AtomicU64>,
}

impl Model {
    /// Starts it.
    ///
    /// # Errors
    /// No port.
    pub(crate) async fn start() -> std::io::Result<Self> {
        let server = Server::start().await?;
        server.forget_requests();
        let (outage, answered) = (Arc::<Mutex<_>>::default(), Arc::<AtomicU64>::default());
        let (fails, counts) = (Arc::clone(&outage), Arc::clone(&answered));
        server.answer_with(move |seen| {
            match *fails.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(Outage::Hangs) => Play::Hang,
                Some(Outage::Errors) => Play::Status(503),
                Some(Outage::Resets) => Play::Reset,
                Some(Outage::Garbles) => Play::CutJson,
                None => {
                    counts.fetch_add(1, Ordering::Relaxed);
                    Play::answer(&answer(seen).to_string())
                }
            }
        });
        Ok(Self { server, outage, answered })
    }

    /// How it fails from now on, if it does.
    pub(crate) fn set(&self, outage: Option<Outage>) {
        *self.outage.lock().unwrap_or_else(PoisonError::into_inner) = outage;
    }

    /// How many questions it answered.
    #[must_use]
    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// The tables of a server's configuration, with a folder for the key.
    ///
    /// # Errors
    /// The key cannot be written.
    pub(crate) fn configuration(
        &self,
        folder: &Path,
        daily_budget: u64,
    ) -> std::io::Result<String> {
        let key = folder.join("model-key");
        std::fs::write(&key, KEY)?;
        let (input, output) = PRICES;
        Ok(format!(
            "[judges]\nchain = [\"{NAME}\", \"rules/2\"]\ndaily_budget = {daily_budget}\ncache_memory = \"2MiB\"\ncache_disk = \"8MiB\"\n\
             [judges.models.\"{NAME}\"]\nbase_url = \"{}\"\nkey_file = \"{}\"\nattempts = 2\ntimeout = \"2s\"\n\
             input_price = {input}\noutput_price = {output}\nmax_output_tokens = 1000\n",
            self.server.base_url(Wire::OpenAi),
            key.display(),
        ))
    }
}

/// What an honest model says of the claims in a question.
fn answer(seen: &Seen) -> Value {
    let messages = seen.body.get("messages").and_then(Value::as_array).into_iter().flatten();
    let mut texts = messages.filter_map(|message| message.get("content")?.as_str());
    let second_look = texts.clone().find(|text| text.contains(STATEMENTS));
    if let Some((_, lines)) = second_look.and_then(|text| text.split_once(STATEMENTS)) {
        return read(lines, second_look.unwrap_or_default());
    }
    let question = texts.rfind(|text| text.contains(CLAIMS)).unwrap_or_default();
    let lines = question.split_once(CLAIMS).map_or("", |(_, lines)| lines).lines();
    let claims = lines.map_while(|line| {
        let asked: Value = serde_json::from_str(line).ok()?;
        Some(verdict(asked.get("id")?.as_str()?, asked.get("text")?.as_str()?, question))
    });
    json!({
        "claims": claims.collect::<Vec<_>>(), "score": 0.5, "explanation": "read off the settings", "gaps": [],
        "contradictions": [], "abstain": null,
    })
}

/// The verdicts of an honest reader on the statements of a question.
fn read(lines: &str, question: &str) -> Value {
    let statements = lines.lines().map_while(|line| {
        let asked: Value = serde_json::from_str(line).ok()?;
        let id = asked.get("id")?.as_str()?;
        let judged = verdict(id, asked.get("statement")?.as_str()?, question);
        let verdict = match judged.get("class")?.as_str()? {
            "grounded" => "shown",
            "contradicted" => "refuted",
            _ => "not_shown",
        };
        Some(json!({ "id": id, "verdict": verdict, "words": "read off the settings" }))
    });
    json!({ "statements": statements.collect::<Vec<_>>() })
}

/// Compares a claim such as `The pool_size of db-7 is 27.` with the field of the evidence.
fn verdict(id: &str, text: &str, question: &str) -> Value {
    let stated = text.trim_start_matches("The ").trim_end_matches('.');
    let field = stated.split_once(" of ").and_then(|(name, rest)| {
        let (_, value) = rest.rsplit_once(" is ")?;
        let at = question.find(&format!("\"{name}\": "))?;
        let shown = question.get(at..)?.split([',', '}']).next()?;
        Some((shown, shown == format!("\"{name}\": {value}")))
    });
    let shown = field.map(|(shown, _)| shown);
    let (class, of_type) = match field {
        Some((_, true)) => ("grounded", "tool_match"),
        Some((_, false)) => ("contradicted", "tool_match"),
        None => ("ungrounded", "inference"),
    };
    let cited = shown.map(|quote| json!({"evidence": "E1", "field_path": null, "quote": quote}));
    json!({
        "id": id, "class": class, "type": of_type, "note": "read off the settings",
        "citations": cited.into_iter().collect::<Vec<_>>(),
    })
}
