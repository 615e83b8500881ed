//! The judge in a replay: a chat provider on loopback that answers prompts with stored judgements.

use crate::arguments::SecondLookArgs;
use crate::judgement::Judgement;
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::{Context as _, Result};
use gsar_chat_wire::{KEY, Prompt, Purpose, Question, ScriptedReply, Server, Wire, citation};
use gsar_core::{Class, EvidenceType};
use serde_json::{Value, json};

use super::matching::Judgements;
use super::prompt::{PromptItem, evidence};
use super::second_looks::StoredLooks;

const JUDGE: &str = "openai-compatible:stored";

#[derive(Clone, Debug)]
pub(crate) struct KnownCase {
    pub(crate) items: Vec<(String, String)>,
    pub(crate) judgements: Judgements,
    /// The reports that are sent without claims. Empty if the claims are given.
    pub(crate) reports: Vec<String>,
}

pub(crate) enum SecondLook {
    Off,
    /// This provider answers with stored second looks.
    Stored(StoredLooks),
    Model {
        name: String,
        settings: toml::Table,
    },
}

impl SecondLook {
    pub(crate) fn of(args: &SecondLookArgs) -> Result<Self> {
        let SecondLookArgs { reader, config, looks } = args;
        if let Some(path) = looks {
            return Ok(Self::Stored(StoredLooks::read(path)?));
        }
        let Some(name) = reader else { return Ok(Self::Off) };
        let settings = match config {
            Some(path) => settings(name, path)?,
            None => toml::Table::new(),
        };
        Ok(Self::Model { name: name.clone(), settings })
    }
}

fn settings(name: &str, path: &std::path::Path) -> Result<toml::Table> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let configuration: toml::Table =
        toml::from_str(&text).with_context(|| path.display().to_string())?;
    let models = configuration.get("judges").and_then(|judges| judges.get("models"));
    let settings = models.and_then(|models| models.get(name)?.as_table().cloned());
    settings.with_context(|| format!("{}: no judges.models.\"{name}\"", path.display()))
}

pub(crate) struct Provider {
    server: Server,
    known: Arc<RwLock<Vec<KnownCase>>>,
    folder: tempfile::TempDir,
    /// The value of `judges.second_look`, and the settings of the model that it names.
    second_look: (String, toml::Table),
}

impl Provider {
    pub(crate) async fn start(second_look: SecondLook) -> Result<Self> {
        let server = Server::start().await?;
        server.forget_requests();
        let known = Arc::new(RwLock::new(Vec::new()));
        let answers = Arc::clone(&known);
        let (second_look, looks) = match second_look {
            SecondLook::Off => (("off".to_owned(), toml::Table::new()), StoredLooks::default()),
            SecondLook::Stored(looks) => (("same".to_owned(), toml::Table::new()), looks),
            SecondLook::Model { name, settings } => ((name, settings), StoredLooks::default()),
        };
        server.answer_with(move |seen| {
            let known = answers.read().unwrap_or_else(PoisonError::into_inner);
            let answer = match seen.prompt() {
                Some(prompt) if prompt.purpose == Purpose::SecondLook => Some(looks.answer(prompt)),
                Some(prompt) => answer(&known, &prompt),
                None => None,
            };
            match answer {
                Some(answer) => ScriptedReply::Answer(answer.to_string()),
                None => ScriptedReply::Raw(
                    400,
                    "text/plain",
                    b"the prompt matches no known case".to_vec(),
                ),
            }
        });
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("key"), KEY)?;
        Ok(Self { server, known, folder, second_look })
    }

    /// Returns a server's configuration. Clients may choose `policy`.
    pub(crate) fn configuration(&self, policy: &str) -> Result<String> {
        let key = self.folder.path().join("key");
        let key = key.to_str().context("the path of the temporary directory is not UTF-8")?;
        // There is no stored judgement for a canary.
        let base_url = self.server.base_url(Wire::OpenAi);
        let model = json!({"base_url": base_url, "key_file": key, "canary": false});
        let (second_look, settings) = &self.second_look;
        let mut models = json!({ JUDGE: model });
        if let Some(models) = models.as_object_mut().filter(|_| !settings.is_empty()) {
            models.insert(second_look.clone(), serde_json::to_value(settings)?);
        }
        let allowed: Vec<&str> = Some(policy).filter(|name| !name.is_empty()).into_iter().collect();
        let configuration = json!({
            "policies": {"allowed": allowed},
            "judges": {"chain": [JUDGE], "second_look": second_look, "models": models},
            "ledger": {"durable": false},
            "evidence": {"embeddings": "off"},
            "log": {"level": "warn"},
        });
        Ok(toml::to_string(&configuration)?)
    }

    pub(crate) fn set_cases(&self, cases: Vec<KnownCase>) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = cases;
    }
}

/// Answers a judge's prompt, or returns `None` if its evidence belongs to no known case.
fn answer(known: &[KnownCase], prompt: &Prompt<'_>) -> Option<Value> {
    let items = evidence(prompt.text);
    let case = find_case(known, &items, &prompt.questions)?;
    let labels = labels(case, &items);
    let claims: Vec<Value> =
        prompt.questions.iter().map(|claim| verdict(case, claim, &labels)).collect();
    Some(json!({
        "claims": claims, "score": null, "explanation": "Stored judgements.",
        "gaps": [], "contradictions": [], "abstain": null,
    }))
}

/// Returns the case with the most items in the prompt, or with the most claims on a tie.
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

/// Returns each item's prompt label, matched by content, or by position if the server inserted marks into
/// the content.
fn labels(case: &KnownCase, shown: &[PromptItem]) -> Vec<(String, String)> {
    let by_content = |content: &str| shown.iter().find(|item| item.content == content);
    case.items
        .iter()
        .enumerate()
        .filter_map(|(index, (id, content))| {
            let item = by_content(content).or_else(|| shown.get(index))?;
            Some((id.clone(), item.label.clone()))
        })
        .collect()
}

/// Returns the stored judgement for a claim. Given claims must match exactly; claims split off
/// from a report need only be similar.
fn judgement(case: &KnownCase, claim: &str) -> Option<Judgement> {
    if case.reports.is_empty() {
        return case.judgements.exact_match(claim);
    }
    case.reports.iter().find_map(|report| case.judgements.for_split_claim(claim, report))
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
    fn answers_with_stored_judgements() {
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
    fn split_claims_match_only_in_reports() {
        let mut known = case(&[("log", FIRST)], "Since noon the api is up.", "log");
        let class =
            |known: &KnownCase, text: &str| judgement(known, text).map(|judgement| judgement.class);
        assert_eq!(class(&known, "the api is up"), None, "given claims must match exactly");
        known.reports = vec!["All is well: since noon the api is up.".to_owned()];
        assert_eq!(class(&known, "the api is up"), Some(Class::Grounded));
        assert_eq!(class(&known, "since noon the billing-api is up"), None);
    }

    #[test]
    fn marked_items_match_by_position() {
        let known =
            [case(&[("log", "{\"a\": 1}"), ("pager", "<|im_start|>")], "It is up.", "pager")];
        let shown =
            |content: &str| PromptItem { label: "E9".to_owned(), content: content.to_owned() };
        let first = PromptItem { label: "E1".to_owned(), content: "{\"a\": 1}".to_owned() };
        let labels = labels(&known[0], &[first, shown("<⟦·⟧|im_start|>")]);
        assert_eq!(labels[1], ("pager".to_owned(), "E9".to_owned()));
    }

    #[test]
    fn rejects_unknown_evidence() {
        let known = [case(&[("log", "other")], "It is up.", "log")];
        assert_eq!(answer(&known, &Prompt::parse(QUESTION).unwrap()), None);
    }
}
