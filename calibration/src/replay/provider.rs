//! The judge of a replay: a chat provider on loopback that answers every prompt with stored judgements.

use crate::arguments::ReaderArgs;
use crate::judgement::Judgement;
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::{Context as _, Result};
use gsar_chat_wire::{KEY, Play, Prompt, Purpose, Question, Server, Wire, citation};
use gsar_core::{Class, EvidenceType};
use serde_json::{Value, json};

use super::looks::StoredLooks;
use super::matching::Judgements;
use super::prompt::{PromptItem, evidence};

/// The judge's name in a server.
const JUDGE: &str = "openai-compatible:stored";

#[derive(Clone, Debug)]
pub(crate) struct KnownCase {
    /// The id and content of every item, as they are sent.
    pub(crate) items: Vec<(String, String)>,
    pub(crate) judgements: Judgements,
    /// The reports that are sent without claims; empty if claims are given.
    pub(crate) reports: Vec<String>,
}

pub(crate) enum Reader {
    Nobody,
    /// This provider, with stored second looks.
    Stored(StoredLooks),
    /// A chat model, with its settings.
    Model {
        name: String,
        settings: toml::Table,
    },
}

impl Reader {
    /// The reader that is wanted.
    pub(crate) fn of(args: &ReaderArgs) -> Result<Self> {
        let ReaderArgs { reader, config, looks } = args;
        if let Some(path) = looks {
            return Ok(Self::Stored(StoredLooks::read(path)?));
        }
        let Some(name) = reader else { return Ok(Self::Nobody) };
        let settings = match config {
            Some(path) => settings(name, path)?,
            None => toml::Table::new(),
        };
        Ok(Self::Model { name: name.clone(), settings })
    }
}

/// The settings of a chat model in a configuration of the server.
fn settings(name: &str, path: &std::path::Path) -> Result<toml::Table> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let configuration: toml::Table =
        toml::from_str(&text).with_context(|| path.display().to_string())?;
    let models = configuration.get("judges").and_then(|judges| judges.get("models"));
    let settings = models.and_then(|models| models.get(name)?.as_table().cloned());
    settings.with_context(|| format!("{}: no judges.models.\"{name}\"", path.display()))
}

/// A provider that knows the answers.
pub(crate) struct Provider {
    server: Server,
    known: Arc<RwLock<Vec<KnownCase>>>,
    folder: tempfile::TempDir,
    /// The value of `judges.second_look`, and the settings of that model, if any.
    reader: (String, toml::Table),
}

impl Provider {
    /// Listens on a free port of this machine.
    pub(crate) async fn start(reader: Reader) -> Result<Self> {
        let server = Server::start().await?;
        server.forget_requests();
        let known = Arc::new(RwLock::new(Vec::new()));
        let answers = Arc::clone(&known);
        let (reader, looks) = match reader {
            Reader::Nobody => (("off".to_owned(), toml::Table::new()), StoredLooks::default()),
            Reader::Stored(looks) => (("same".to_owned(), toml::Table::new()), looks),
            Reader::Model { name, settings } => ((name, settings), StoredLooks::default()),
        };
        server.answer_with(move |seen| {
            let known = answers.read().unwrap_or_else(PoisonError::into_inner);
            let answer = match seen.prompt() {
                Some(prompt) if prompt.purpose == Purpose::SecondLook => Some(looks.answer(prompt)),
                Some(prompt) => answer(&known, &prompt),
                None => None,
            };
            match answer {
                Some(answer) => Play::Answer(answer.to_string()),
                None => Play::Raw(400, "text/plain", b"the prompt is about no known case".to_vec()),
            }
        });
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("key"), KEY)?;
        Ok(Self { server, known, folder, reader })
    }

    /// The configuration of a server with this provider as its only judge.
    pub(crate) fn configuration(&self) -> Result<String> {
        let key = self.folder.path().join("key");
        let key = key.to_str().context("the temporary directory has a name that is no text")?;
        // Stored judgements say nothing of a canary.
        let base_url = self.server.base_url(Wire::OpenAi);
        let model = json!({"base_url": base_url, "key_file": key, "canary": false});
        let (second_look, settings) = &self.reader;
        let mut models = json!({ JUDGE: model });
        if let Some(models) = models.as_object_mut().filter(|_| !settings.is_empty()) {
            models.insert(second_look.clone(), serde_json::to_value(settings)?);
        }
        let configuration = json!({
            "judges": {"chain": [JUDGE], "second_look": second_look, "models": models},
            "ledger": {"durable": false},
            "evidence": {"embeddings": "off"},
            "log": {"level": "warn"},
        });
        Ok(toml::to_string(&configuration)?)
    }

    pub(crate) fn know(&self, cases: Vec<KnownCase>) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = cases;
    }
}

/// The answer to a prompt for verdicts; `None` if its evidence belongs to no known case.
fn answer(known: &[KnownCase], prompt: &Prompt<'_>) -> Option<Value> {
    let shown = evidence(prompt.text);
    let case = find_case(known, &shown, &prompt.questions)?;
    let labels = labels(case, &shown);
    let claims: Vec<Value> =
        prompt.questions.iter().map(|claim| verdict(case, claim, &labels)).collect();
    Some(json!({
        "claims": claims, "score": null, "explanation": "Stored judgements.",
        "gaps": [], "contradictions": [], "abstain": null,
    }))
}

/// The case with the most items shown word for word, then with the most claims in the prompt.
fn find_case<'a>(
    known: &'a [KnownCase],
    shown: &[PromptItem],
    claims: &[Question],
) -> Option<&'a KnownCase> {
    let rank = |case: &KnownCase| {
        let is_shown = |content: &str| shown.iter().any(|item| item.content == content);
        let items = case.items.iter().filter(|(_, content)| is_shown(content)).count();
        (items, claims.iter().filter(|claim| judgement(case, &claim.text).is_some()).count())
    };
    known.iter().max_by_key(|case| rank(case)).filter(|case| rank(case).0 > 0)
}

/// The label of each item of a case, in its order: by content, and where marks were put into that, by place.
fn labels(case: &KnownCase, shown: &[PromptItem]) -> Vec<(String, String)> {
    let by_content = |content: &str| shown.iter().find(|item| item.content == content);
    case.items
        .iter()
        .enumerate()
        .filter_map(|(place, (id, content))| {
            let item = by_content(content).or_else(|| shown.get(place))?;
            Some((id.clone(), item.label.clone()))
        })
        .collect()
}

/// What is stored of a claim: given ones stand word for word, those that the server split off a report are like
/// some. A claim that the server made up to try the judge is neither.
fn judgement(case: &KnownCase, claim: &str) -> Option<Judgement> {
    if case.reports.is_empty() {
        return case.judgements.exactly(claim);
    }
    case.reports.iter().find_map(|report| case.judgements.of_report(claim, report))
}

fn verdict(case: &KnownCase, claim: &Question, labels: &[(String, String)]) -> Value {
    let unknown = || Judgement {
        class: Class::Ungrounded,
        evidence_type: EvidenceType::Inference,
        citations: Vec::new(),
    };
    let judgement = judgement(case, &claim.text).unwrap_or_else(unknown);
    let label = |id: &str| {
        let found = labels.iter().find(|(known, _)| known == id);
        found.map_or_else(|| id.to_owned(), |(_, label)| label.clone())
    };
    let citations: Vec<Value> = judgement
        .citations
        .iter()
        .map(|cited| citation(&label(&cited.evidence), cited.field_path.as_deref(), &cited.quote))
        .collect();
    json!({
        "id": claim.id, "class": judgement.class.name(), "type": judgement.evidence_type.name(),
        "citations": citations, "note": "A stored judgement.",
    })
}

#[cfg(test)]
mod tests {
    use super::super::prompt::tests::QUESTION;
    use super::*;
    use crate::judgement::Citation;

    fn case(contents: &[(&str, &str)], claim: &str, cited: &str) -> KnownCase {
        let judgement = Judgement {
            class: Class::Grounded,
            evidence_type: EvidenceType::ToolMatch,
            citations: vec![Citation {
                evidence: cited.to_owned(),
                field_path: Some("/a".to_owned()),
                quote: "up".to_owned(),
            }],
        };
        let items = contents.iter().map(|(id, content)| ((*id).to_owned(), (*content).to_owned()));
        KnownCase {
            items: items.collect(),
            judgements: Judgements::new([(claim, &judgement)]),
            reports: Vec::new(),
        }
    }

    const FIRST: &str = "up\n[E2 00000000] {}\nsince noon\n<<<end of evidence 0>>>";

    #[test]
    fn stored_judgements_are_answered_under_the_labels_of_the_prompt() {
        let known = [
            case(&[("log", FIRST)], "It is up.", "log"),
            case(&[("log", FIRST), ("pager", "{\"a\": 1}")], "It is up.", "pager"),
        ];
        let answer = answer(&known, &Prompt::parse(QUESTION).unwrap()).unwrap();
        let [first, second] = &answer["claims"].as_array().unwrap()[..] else { panic!("{answer}") };
        assert_eq!((&first["id"], &first["class"]), (&json!("c2"), &json!("grounded")));
        let cited = json!([{"evidence": "E2", "field_path": "/a", "quote": "up"}]);
        assert_eq!(first["citations"], cited);
        assert_eq!((&second["id"], &second["class"]), (&json!("c1"), &json!("ungrounded")));
    }

    #[test]
    fn a_claim_that_no_report_tells_is_not_stored() {
        let mut known = case(&[("log", FIRST)], "Since noon the api is up.", "log");
        let class =
            |known: &KnownCase, text: &str| judgement(known, text).map(|judgement| judgement.class);
        assert_eq!(class(&known, "the api is up"), None, "given claims stand word for word");
        known.reports = vec!["All is well: since noon the api is up.".to_owned()];
        assert_eq!(class(&known, "the api is up"), Some(Class::Grounded));
        assert_eq!(class(&known, "since noon the billing-api is up"), None);
    }

    #[test]
    fn an_item_that_is_shown_with_marks_keeps_its_place() {
        let known =
            [case(&[("log", "{\"a\": 1}"), ("pager", "<|im_start|>")], "It is up.", "pager")];
        let shown =
            |content: &str| PromptItem { label: "E9".to_owned(), content: content.to_owned() };
        let first = PromptItem { label: "E1".to_owned(), content: "{\"a\": 1}".to_owned() };
        let labels = labels(&known[0], &[first, shown("<⟦·⟧|im_start|>")]);
        assert_eq!(labels[1], ("pager".to_owned(), "E9".to_owned()));
    }

    #[test]
    fn evidence_of_no_case_is_refused() {
        let known = [case(&[("log", "other")], "It is up.", "log")];
        assert_eq!(answer(&known, &Prompt::parse(QUESTION).unwrap()), None);
    }
}
