//! Asks a model to label an entity, given passages that name it. The passages are split into chunks that each
//! fit into one call, and the answers are merged.

use std::time::Instant;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use gsar_chat::{Role, Turn};
use gsar_core::belief::Label;
use gsar_core::evidence::{Citation, EvidenceId, EvidenceItem, Target};
use serde::Deserialize;

use super::call::object_request;
use super::framed::{FramedQuestion, ItemPart, Piece};
use super::{AskError, CallContext, MAX_CONCURRENT_PARTS, ModelJudge, PartOutcome};
use crate::judge::spending::Payer;
use crate::judge::{JudgeError, ModelCall, push_unique};

const PROMPT: &str = include_str!("prompts/look.txt");
const SCHEMA: &str = include_str!("prompts/look.json");

const PURPOSE: &str = "look";

/// A question about an entity.
#[derive(Clone, Debug)]
pub struct EntityQuestion {
    /// The entity and its neighbours, as a JSON object.
    pub context: String,
    /// The passages that name the entity, with the most relevant ones first.
    pub passages: Vec<Passage>,
    /// The deadline for the answer.
    pub deadline: Instant,
    /// The principal charged for the calls.
    pub payer: Payer,
}

/// An excerpt of an item.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The item, with the excerpt as its content.
    pub item: EvidenceItem,
    /// The first and last line, counted from 1. Both are 0 for JSON.
    pub lines: (u64, u64),
    /// The JSON pointer of the excerpt. Empty for text.
    pub pointer: String,
}

/// A model's answer about an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityAnswer {
    /// The label of the entity.
    pub label: Label,
    /// The observations, with their citations.
    pub observations: Vec<(String, Vec<Citation>)>,
    /// The edges along which the fault propagates, each as the names of its source and its target.
    pub propagations: Vec<(String, String)>,
    /// The names of other suspects.
    pub suspects: Vec<String>,
    /// The chat model calls.
    pub calls: Vec<ModelCall>,
}

impl ModelJudge {
    /// Asks the model to label an entity.
    ///
    /// # Errors
    /// Returns [`JudgeError`] if there is no usable answer for a chunk.
    pub async fn look(&self, question: &EntityQuestion) -> Result<EntityAnswer, JudgeError> {
        let chunks = chunks(&question.passages, self.options.max_evidence);
        let requests = chunks.iter().map(|chunk| self.look_at_chunk(question, chunk));
        let answers: Result<Vec<EntityAnswer>, JudgeError> =
            stream::iter(requests.collect::<Vec<_>>())
                .buffered(MAX_CONCURRENT_PARTS)
                .try_collect()
                .await;
        Ok(merge_answers(answers?))
    }

    async fn look_at_chunk(
        &self,
        question: &EntityQuestion,
        chunk: &[Passage],
    ) -> Result<EntityAnswer, JudgeError> {
        let mut outcome = PartOutcome::default();
        match self.look_once(question, chunk, &mut outcome).await {
            Ok(answer) => Ok(EntityAnswer { calls: outcome.into_calls(), ..answer }),
            Err(error) => Err(self.judge_error(error, 1, outcome.into_calls())),
        }
    }

    async fn look_once(
        &self,
        question: &EntityQuestion,
        chunk: &[Passage],
        outcome: &mut PartOutcome,
    ) -> Result<EntityAnswer, AskError> {
        let pieces: Vec<Piece<'_>> = chunk.iter().map(Passage::piece).collect();
        let framed = FramedQuestion::new(&self.framing(), &question.context, &[], &pieces)
            .map_err(|error| AskError::failed("EVIDENCE_UNFRAMED", &error))?;
        let text = format!(
            "What is known of the entity and around it, as a JSON object:\n{}\n\n{}",
            framed.synthesis,
            framed.frame.text()
        );
        let mut request =
            object_request(PROMPT, "belief", SCHEMA, &framed.frame.how_to_read(), text)?;
        request.temperature = self.options.temperature;
        let context = CallContext { deadline: question.deadline, payer: question.payer.clone() };
        let prompt = blake3::hash(PROMPT.as_bytes()).to_hex();
        let answer: RawLookAnswer =
            match self.ask_object(PURPOSE, &prompt, &mut request, &context, outcome).await? {
                (_, Ok(answer)) => answer,
                (text, Err(error)) => {
                    request.messages.push(Turn { role: Role::Assistant, text });
                    request.messages.push(Turn { role: Role::User, text: repair(&error) });
                    let (_, answer) =
                        self.ask_object("repair", &prompt, &mut request, &context, outcome).await?;
                    answer.map_err(|error| AskError::failed("ANSWER_UNREADABLE", &error))?
                }
            };
        Ok(answer.into_answer(&framed))
    }
}

fn repair(error: &serde_json::Error) -> String {
    format!(
        "Your last answer cannot be used: {error}.\nAnswer again in full: one JSON object of the given shape, and nothing before or after it."
    )
}

impl Passage {
    fn piece(&self) -> Piece<'_> {
        let part = match self.lines {
            (0, _) => ItemPart::Pointer(&self.pointer),
            (first, last) => ItemPart::Lines {
                first: usize::try_from(first).unwrap_or(usize::MAX),
                last: usize::try_from(last).unwrap_or(usize::MAX),
                total: None,
            },
        };
        Piece { part: Some(part), ..Piece::from_item(&self.item) }
    }
}

#[derive(Debug, Deserialize)]
struct RawLookAnswer {
    label: RawLabel,
    observations: Vec<RawObservation>,
    propagations: Vec<RawPropagation>,
    suspects: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RawLabel {
    Healthy,
    Origin,
    Symptom,
    Defer,
}

#[derive(Debug, Deserialize)]
struct RawObservation {
    text: String,
    citations: Vec<RawCitation>,
}

#[derive(Debug, Deserialize)]
struct RawCitation {
    evidence: String,
    field_path: Option<String>,
    quote: String,
}

#[derive(Debug, Deserialize)]
struct RawPropagation {
    from: String,
    to: String,
}

impl RawLookAnswer {
    /// Restores original IDs and texts. Observations without citations are dropped.
    fn into_answer(self, framed: &FramedQuestion) -> EntityAnswer {
        let citation = |raw: RawCitation| {
            let id = EvidenceId::new(raw.evidence).ok()?;
            let field_path = raw.field_path.unwrap_or_default();
            let target = Target::Evidence { id, field_path };
            Some(framed.restore_citation(Citation { target, quote: raw.quote, bytes: None }))
        };
        let observations = self.observations.into_iter().filter_map(|raw| {
            let citations: Vec<Citation> = raw.citations.into_iter().filter_map(citation).collect();
            (!citations.is_empty()).then(|| (framed.restore(&raw.text), citations))
        });
        let propagations = self.propagations.iter();
        EntityAnswer {
            label: match self.label {
                RawLabel::Healthy => Label::Healthy,
                RawLabel::Origin => Label::Origin,
                RawLabel::Symptom => Label::Symptom,
                RawLabel::Defer => Label::Defer,
            },
            observations: observations.collect(),
            propagations: propagations
                .map(|raw| (framed.restore(&raw.from), framed.restore(&raw.to)))
                .collect(),
            suspects: self.suspects.iter().map(|name| framed.restore(name)).collect(),
            calls: Vec::new(),
        }
    }
}

/// Splits passages into chunks of at most `max_bytes`. A passage larger than that forms a chunk of its own. A
/// chunk starts with the last passage of the previous chunk if the next passage then still fits.
fn chunks(passages: &[Passage], max_bytes: usize) -> Vec<&[Passage]> {
    let mut chunks = Vec::new();
    let (mut start, mut end, mut chunk_size) = (0, 0, 0_usize);
    while let Some(next) = passages.get(end) {
        let new_size = chunk_size.saturating_add(size(next));
        if new_size <= max_bytes || end == start {
            (chunk_size, end) = (new_size, end + 1);
            continue;
        }
        chunks.extend(passages.get(start..end));
        let overlap = end.checked_sub(1).filter(|last| *last > start);
        let overlap = overlap.and_then(|last| Some((last, size(passages.get(last)?))));
        (start, chunk_size) = match overlap {
            Some((last, bytes)) if bytes.saturating_add(size(next)) <= max_bytes => (last, bytes),
            _ => (end, 0),
        };
    }
    if start < end {
        chunks.extend(passages.get(start..end));
    }
    chunks
}

fn size(passage: &Passage) -> usize {
    passage.item.content.as_str().len()
}

/// Merges the answers for chunks. The strongest label wins, in the order origin, symptom, healthy, defer.
/// Keeps the observations of the answers with that label, and the propagations and suspects of all answers.
fn merge_answers(answers: Vec<EntityAnswer>) -> EntityAnswer {
    const STRONGEST: [Label; 3] = [Label::Origin, Label::Symptom, Label::Healthy];
    let occurs = |label: &Label| answers.iter().any(|answer| answer.label == *label);
    let label = STRONGEST.into_iter().find(occurs).unwrap_or(Label::Defer);
    let mut merged = EntityAnswer {
        label,
        observations: Vec::new(),
        propagations: Vec::new(),
        suspects: Vec::new(),
        calls: Vec::new(),
    };
    for answer in answers {
        if answer.label == label {
            answer
                .observations
                .into_iter()
                .for_each(|new| push_unique(&mut merged.observations, new));
        }
        answer.propagations.into_iter().for_each(|new| push_unique(&mut merged.propagations, new));
        answer.suspects.into_iter().for_each(|new| push_unique(&mut merged.suspects, new));
        merged.calls.extend(answer.calls);
    }
    merged
}

#[cfg(test)]
mod tests {
    use gsar_core::evidence::Content;
    use proptest::prelude::*;

    use super::*;
    use crate::judge::model::shuffled_question::tests::question;

    fn passage(number: usize, bytes: usize) -> Passage {
        let item = question("", &[], "").evidence[0].clone();
        let content = Content::Text("x".repeat(bytes));
        let line = number as u64 + 1;
        Passage {
            item: EvidenceItem { content, ..item },
            lines: (line, line),
            pointer: String::new(),
        }
    }

    fn answer(label: Label, observation: &str) -> EntityAnswer {
        EntityAnswer {
            label,
            observations: vec![(observation.to_owned(), Vec::new())],
            propagations: vec![("db".to_owned(), observation.to_owned())],
            suspects: vec!["db".to_owned()],
            calls: Vec::new(),
        }
    }

    #[test]
    fn chunks_overlap_by_one_passage() {
        let passages: Vec<Passage> = (0..5).map(|number| passage(number, 40)).collect();
        let lines: Vec<(u64, u64)> = chunks(&passages, 100)
            .iter()
            .map(|chunk| (chunk[0].lines.0, chunk.last().unwrap().lines.0))
            .collect();
        assert_eq!(lines, [(1, 2), (2, 3), (3, 4), (4, 5)]);
        assert_eq!(chunks(&passages, 200).len(), 1);
        assert_eq!(chunks(&passages, 10).len(), 5);
        assert!(chunks(&[], 100).is_empty());
    }

    #[test]
    fn the_strongest_label_wins_with_its_observations() {
        let merged = merge_answers(vec![
            answer(Label::Healthy, "a"),
            answer(Label::Symptom, "b"),
            answer(Label::Defer, "c"),
            answer(Label::Symptom, "d"),
        ]);
        let texts: Vec<&str> = merged.observations.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!((merged.label, texts), (Label::Symptom, vec!["b", "d"]));
        assert_eq!((merged.propagations.len(), merged.suspects), (4, vec!["db".to_owned()]));
        assert_eq!(merge_answers(Vec::new()).label, Label::Defer);
    }

    proptest! {
        #[test]
        fn chunks_cover_all_passages_and_respect_the_size_limit(
            sizes in prop::collection::vec(0_usize..60, 0..20), max_bytes in 1_usize..120,
        ) {
            let passages: Vec<Passage> =
                sizes.iter().enumerate().map(|(number, bytes)| passage(number, *bytes)).collect();
            let mut next = 1;
            for chunk in chunks(&passages, max_bytes) {
                let bytes: usize = chunk.iter().map(size).sum();
                prop_assert!(bytes <= max_bytes || chunk.len() == 1);
                let first = chunk[0].lines.0;
                prop_assert!(first == next || first + 1 == next);
                next = chunk.last().unwrap().lines.0 + 1;
            }
            prop_assert_eq!(next, sizes.len() as u64 + 1);
        }
    }
}
