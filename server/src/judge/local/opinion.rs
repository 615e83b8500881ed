//! This module gives a second opinion on what another judge grounds: how likely the model finds each claim shown, by the
//! words that were cited for it and what else bears on it. It makes no class of that; core does.

use std::fmt::Write as _;

use gsar_core::evidence::Target;
use gsar_core::report::ClaimKind;
use gsar_core::verify::Opinion;
use gsar_core::{Class, JudgedClaim};
use gsar_cross_encoder::Pair;
use gsar_extraction::passages::{MAX_PREMISE, Passages};

use super::LocalJudge;
use crate::judge::{JudgeError, Question};

impl LocalJudge {
    /// How likely the evidence shows each statement that was grounded. Claims that are too long for the model get none.
    ///
    /// # Errors
    /// A model that fails, and [`JudgeError::DeadlinePassed`].
    pub async fn opinions(
        &self,
        question: &Question,
        judged: &[JudgedClaim],
    ) -> Result<Vec<Opinion>, JudgeError> {
        let is_read = |judged: &&JudgedClaim| {
            judged.class == Class::Grounded
                && ClaimKind::of(&judged.claim.text) == ClaimKind::Statement
                && self.encoder.room_beside(&judged.claim.text).is_some()
        };
        let read: Vec<&JudgedClaim> = judged.iter().filter(is_read).collect();
        if read.is_empty() {
            return Ok(Vec::new());
        }
        let pairs = self.kept.read(question).with_dependent(|_, observations| {
            let passages = Passages::new(observations.facts());
            let pair = |judged: &&JudgedClaim| {
                let claim = judged.claim.text.as_str();
                let premise = passages.premise(claim, MAX_PREMISE).text;
                Pair::new(claim, with_cited(&cited(question, judged), &premise))
            };
            read.iter().map(pair).collect()
        });
        let scored = self.scored(question, pairs).await?;
        let opinion = |(judged, scored): (&JudgedClaim, gsar_cross_encoder::Probabilities)| {
            Opinion { claim: judged.claim.id.clone(), grounded: scored.grounded }
        };
        Ok(read.into_iter().zip(scored).map(opinion).collect())
    }
}

/// The quotes of a claim under the tools that answered.
fn cited(question: &Question, judged: &JudgedClaim) -> String {
    let mut text = String::new();
    let mut tool = "";
    for citation in judged.citations.iter().filter(|citation| !citation.quote.trim().is_empty()) {
        let Target::Evidence { id, .. } = &citation.target else { continue };
        let Some(item) = question.evidence.iter().find(|item| item.id == *id) else { continue };
        if item.tool != tool {
            tool = &item.tool;
            let _ = writeln!(text, "[{tool}]");
        }
        let _ = writeln!(text, "{}", citation.quote.trim());
    }
    text.truncate(text.floor_char_boundary(MAX_PREMISE));
    text
}

/// What was cited, and the lines of a premise for which there is room.
fn with_cited(cited: &str, premise: &str) -> String {
    let mut text = cited.to_owned();
    for line in premise.lines().filter(|line| !line.is_empty()) {
        if text.len() + line.len() < MAX_PREMISE {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cited_comes_first_and_lines_fill_the_room() {
        let long = "x".repeat(MAX_PREMISE);
        let premise = format!("[kubectl]\n{long}\nRESTARTS 7\n");
        assert_eq!(with_cited("[logs]\nOOM\n", &premise), "[logs]\nOOM\n[kubectl]\nRESTARTS 7\n");
    }
}
