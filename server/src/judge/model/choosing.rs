//! Asks a model which lines of long items it needs, once, before it judges. If the answer is unusable, all lines are
//! shown in parts.

use gsar_chat::{Request, Schema};
use gsar_core::evidence::EvidenceItem;

use super::outline::{Choices, Chosen, LongItem, chosen};
use super::shown::{Piece, Shown};
use super::{Allowance, Failed, ModelJudge, Part, object_in, otherwise, question_text};
use crate::judge::{Notice, Question};

const PROMPT: &str = include_str!("prompts/lines.txt");
const SCHEMA: &str = include_str!("prompts/lines.json");

/// The purpose of the call in provenance.
const PURPOSE: &str = "choose";

/// Returns the BLAKE3 of the prompt for choosing lines, in hexadecimal.
#[must_use]
pub fn lines_prompt() -> String {
    blake3::hash(PROMPT.as_bytes()).to_hex().to_string()
}

impl ModelJudge {
    /// Returns the evidence to show: all of it, or the lines of long items that the model chose.
    pub(super) async fn shown<'q>(
        &self,
        question: &'q Question,
        turn: &mut Part,
    ) -> Vec<Piece<'q>> {
        let evidence = question.evidence.as_slice();
        let whole = || evidence.iter().map(Piece::whole).collect();
        // The extra turn needs the cited text in full, and a second look has excerpts already.
        let is_first = question.objections.is_empty() && !question.is_second_look();
        let Some(above) = self.options.outline_above.filter(|_| is_first) else {
            return whole();
        };
        let long: Vec<LongItem<'q>> =
            evidence.iter().filter_map(|item| LongItem::of(item, above)).collect();
        let outlines: usize = long.iter().map(|long| long.outline.len()).sum();
        if long.is_empty() || outlines > self.options.max_evidence {
            return whole();
        }
        match self.choose(question, evidence, &long, turn).await {
            Ok(chosen) => {
                turn.notices.push(of_lines(&long, &chosen));
                chosen.pieces
            }
            Err(failed) => {
                let why = match failed {
                    Failed::Late => "the deadline passed".to_owned(),
                    Failed::Otherwise { code, reason } => format!("{code}: {reason}"),
                };
                turn.notices.push(Notice {
                    code: "LINES_NOT_CHOSEN",
                    sentence: format!(
                        "the model did not choose which lines of long items to read, so it is shown all of them in parts: {why}"
                    ),
                });
                whole()
            }
        }
    }

    async fn choose<'q>(
        &self,
        question: &'q Question,
        evidence: &'q [EvidenceItem],
        long: &[LongItem<'q>],
        turn: &mut Part,
    ) -> Result<Chosen<'q>, Failed> {
        let outlines: Vec<Piece<'_>> = long
            .iter()
            .map(|of| Piece { item: of.item, content: &of.outline, part: None })
            .collect();
        let shown = Shown::new(&self.framing(), &question.synthesis, &question.claims, &outlines)
            .map_err(|error| otherwise("EVIDENCE_UNFRAMED", &error))?;
        let text = question_text(shown.frame.text(), "", &shown.synthesis, &shown.claims);
        let system = PROMPT
            .replace("{{how_to_read}}", &shown.frame.how_to_read())
            .replace("{{schema}}", SCHEMA);
        let mut request = Request::new(system, text);
        let schema = Schema::new("lines", SCHEMA);
        request.schema = Some(schema.map_err(|error| otherwise("REQUEST_INVALID", &error))?);
        request.temperature = self.temperature(question);
        request.seed = Some(u64::from(question.sample));
        let (mut call, text) = self
            .send(PURPOSE, &lines_prompt(), &mut request, &Allowance::of(question), turn)
            .await?;
        let choices: Result<Choices, _> = object_in(&text);
        call.rung = if choices.is_ok() { "structured" } else { "unreadable" };
        turn.calls.push(call);
        let Choices { choices } =
            choices.map_err(|error| otherwise("ANSWER_UNREADABLE", &error))?;
        let is_long = |item: &EvidenceItem| long.iter().any(|long| std::ptr::eq(long.item, item));
        let short = evidence.iter().filter(|item| !is_long(item));
        let short: usize = short.map(|item| item.content.as_str().len()).sum();
        // At least half of the room is for chosen lines, regardless of the size of the other items.
        let most = self.options.max_evidence;
        let room = most.saturating_sub(short).max(most / 2);
        let place = |label: &str| {
            let id = shown.frame.evidence(label)?;
            long.iter().position(|long| long.item.id == *id)
        };
        Ok(chosen(evidence, long, &choices, place, room))
    }
}

fn of_lines(long: &[LongItem<'_>], chosen: &Chosen<'_>) -> Notice {
    let items = long.iter().map(|of| {
        let pieces = chosen.pieces.iter().filter(|piece| piece.item.id == of.item.id);
        let parts: Vec<String> =
            pieces.filter_map(|piece| piece.part).map(|part| part.to_string()).collect();
        format!("{}: {}", of.item.id, parts.join(", "))
    });
    let mut sentence = format!(
        "of long items the model read the lines that it chose; {}",
        items.collect::<Vec<_>>().join("; ")
    );
    if chosen.lines_left_out > 0 {
        sentence.push_str(&format!("; {} more had no room", chosen.lines_left_out));
    }
    Notice { code: "LINES_CHOSEN", sentence }
}
