//! Before a model judges, lets it choose the lines that it needs from long items. If its answer is unusable,
//! the items are sent in full.

use gsar_core::evidence::EvidenceItem;

use super::call::object_request;
use super::framed::{FramedQuestion, Piece};
use super::outline::{LineChoices, LongItem, Selection, select_lines};
use super::{AskError, CallContext, ModelJudge, PartOutcome, question_text};
use crate::judge::{Notice, Question};

const PROMPT: &str = include_str!("prompts/lines.txt");
const SCHEMA: &str = include_str!("prompts/lines.json");

const PURPOSE: &str = "choose";

/// Returns the BLAKE3 digest of the prompt, in hexadecimal.
#[must_use]
pub fn lines_prompt_digest() -> String {
    blake3::hash(PROMPT.as_bytes()).to_hex().to_string()
}

impl ModelJudge {
    pub(super) async fn pieces_to_show<'q>(
        &self,
        question: &'q Question,
        outcome: &mut PartOutcome,
    ) -> Vec<Piece<'q>> {
        let evidence = question.evidence.as_slice();
        let all_pieces = || evidence.iter().map(Piece::from_item).collect();
        // A reconsideration needs the full text of citations, and a second look has only excerpts.
        let is_first_judgement = question.objections.is_empty() && !question.is_second_look();
        let Some(threshold) = self.options.outline_above.filter(|_| is_first_judgement) else {
            return all_pieces();
        };
        let long_items: Vec<LongItem<'q>> =
            evidence.iter().filter_map(|item| LongItem::new(item, threshold)).collect();
        let outline_bytes: usize = long_items.iter().map(|item| item.outline.len()).sum();
        if long_items.is_empty() || outline_bytes > self.options.max_evidence {
            return all_pieces();
        }
        match self.choose_lines(question, evidence, &long_items, outcome).await {
            Ok(selection) => {
                outcome.notices.push(lines_notice(&long_items, &selection));
                selection.pieces
            }
            Err(error) => {
                let cause = match error {
                    AskError::DeadlinePassed => "the deadline passed".to_owned(),
                    AskError::Failed { code, reason } => format!("{code}: {reason}"),
                };
                outcome.notices.push(Notice {
                    code: "LINES_NOT_CHOSEN",
                    sentence: format!(
                        "the model did not choose lines from long items, so they were sent in full: {cause}"
                    ),
                });
                all_pieces()
            }
        }
    }

    async fn choose_lines<'q>(
        &self,
        question: &'q Question,
        evidence: &'q [EvidenceItem],
        long_items: &[LongItem<'q>],
        outcome: &mut PartOutcome,
    ) -> Result<Selection<'q>, AskError> {
        let outlines: Vec<Piece<'_>> = long_items
            .iter()
            .map(|item| Piece { item: item.item, content: &item.outline, part: None })
            .collect();
        let framed =
            FramedQuestion::new(&self.framing(), &question.synthesis, &question.claims, &outlines)
                .map_err(|error| AskError::failed("EVIDENCE_UNFRAMED", &error))?;
        let text = question_text(framed.frame.text(), "", &framed.synthesis, &framed.claims);
        let mut request =
            object_request(PROMPT, "lines", SCHEMA, &framed.frame.how_to_read(), text)?;
        request.temperature = self.temperature(question);
        request.seed = Some(u64::from(question.sample));
        let context = CallContext::for_question(question);
        let (_, choices) = self
            .ask_object(PURPOSE, &lines_prompt_digest(), &mut request, &context, outcome)
            .await?;
        let LineChoices { choices } =
            choices.map_err(|error| AskError::failed("ANSWER_UNREADABLE", &error))?;
        let is_long = |item: &EvidenceItem| {
            long_items.iter().any(|long_item| std::ptr::eq(long_item.item, item))
        };
        let short_items = evidence.iter().filter(|item| !is_long(item));
        let short_bytes: usize = short_items.map(|item| item.content.as_str().len()).sum();
        // Chosen lines get at least half of the space, regardless of the size of the other items.
        let max_bytes = self.options.max_evidence;
        let available_bytes = max_bytes.saturating_sub(short_bytes).max(max_bytes / 2);
        let index_of = |label: &str| {
            let id = framed.frame.evidence(label)?;
            long_items.iter().position(|long_item| long_item.item.id == *id)
        };
        Ok(select_lines(evidence, long_items, &choices, index_of, available_bytes))
    }
}

fn lines_notice(long_items: &[LongItem<'_>], selection: &Selection<'_>) -> Notice {
    let items = long_items.iter().map(|item| {
        let pieces = selection.pieces.iter().filter(|piece| piece.item.id == item.item.id);
        let parts: Vec<String> =
            pieces.filter_map(|piece| piece.part).map(|part| part.to_string()).collect();
        format!("{}: {}", item.item.id, parts.join(", "))
    });
    let mut sentence = format!(
        "the model read only the lines that it chose from long items; {}",
        items.collect::<Vec<_>>().join("; ")
    );
    if selection.lines_left_out > 0 {
        sentence.push_str(&format!("; {} more lines did not fit", selection.lines_left_out));
    }
    Notice { code: "LINES_CHOSEN", sentence }
}
