//! A chat model on loopback that returns correct verdicts and can fail on request.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use gsar_chat_wire::{ReceivedRequest, ScriptedReply, Server, Verdict, citation};

use crate::faults::schedule::Outage;

pub(crate) const NAME: &str = "openai:soak";
/// Prices per million input and output tokens, in millionths of a dollar.
const PRICES: (u64, u64) = (1_000_000, 10_000_000);
/// The cost of an answer. Every answer reports 120 input and 30 output tokens.
pub(crate) const COST: u64 = 420;

#[derive(Debug)]
pub(crate) struct Model {
    server: Server,
    outage: Arc<Mutex<Option<Outage>>>,
    answered: Arc<AtomicU64>,
}

impl Model {
    pub(crate) async fn start() -> std::io::Result<Self> {
        let server = Server::start().await?;
        server.forget_requests();
        let (outage, answered) = (Arc::<Mutex<_>>::default(), Arc::<AtomicU64>::default());
        let (fails, counts) = (Arc::clone(&outage), Arc::clone(&answered));
        server.answer_with(move |seen| {
            match *fails.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(Outage::Hangs) => ScriptedReply::Hang,
                Some(Outage::Errors) => ScriptedReply::Status(503),
                Some(Outage::Resets) => ScriptedReply::Reset,
                Some(Outage::Garbles) => ScriptedReply::TruncatedJson,
                None => {
                    counts.fetch_add(1, Ordering::Relaxed);
                    ScriptedReply::Answer(answer(seen))
                }
            }
        });
        Ok(Self { server, outage, answered })
    }

    pub(crate) fn set(&self, outage: Option<Outage>) {
        *self.outage.lock().unwrap_or_else(PoisonError::into_inner) = outage;
    }

    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// Returns the judge's configuration. Writes the API key to `folder`.
    pub(crate) fn configuration(
        &self,
        folder: &Path,
        daily_budget: u64,
    ) -> std::io::Result<String> {
        let model = self.server.model_table(NAME, folder)?;
        let (input, output) = PRICES;
        Ok(format!(
            "[judges]\nchain = [\"{NAME}\", \"rules/2\"]\ndaily_budget = {daily_budget}\ncache_memory = \"2MiB\"\ncache_disk = \"8MiB\"\n\
             {model}attempts = 2\ntimeout = \"2s\"\n\
             input_price = {input}\noutput_price = {output}\nmax_output_tokens = 1000\n",
        ))
    }
}

fn answer(seen: &ReceivedRequest) -> String {
    let answer =
        seen.prompt().map(|prompt| prompt.answer(|question| verdict(&question.text, prompt.text)));
    answer.unwrap_or_default()
}

/// Compares a claim such as `The pool_size of db-7 is 27.` with the evidence.
fn verdict(claim: &str, prompt: &str) -> Verdict {
    let stated = claim.trim_start_matches("The ").trim_end_matches('.');
    let field = stated.split_once(" of ").and_then(|(name, rest)| {
        let (_, value) = rest.rsplit_once(" is ")?;
        let at = prompt.find(&format!("\"{name}\": "))?;
        let field = prompt.get(at..)?.split([',', '}']).next()?;
        Some((value, field == format!("\"{name}\": {value}")))
    });
    let (class, evidence_type) = match field {
        Some((_, true)) => ("grounded", "tool_match"),
        Some((_, false)) => ("contradicted", "tool_match"),
        None => ("ungrounded", "inference"),
    };
    let citations = field.iter().map(|(shown, _)| citation("E1", None, shown)).collect();
    Verdict { class, evidence_type, note: "from the settings", citations }
}
