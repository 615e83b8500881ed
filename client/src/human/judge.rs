//! Formats the result of `gsar judge try`.

use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{Effects, Style};
use gsar_proto::v1;

use super::labels;
use super::page::{BAD, GOOD, Page, count, padded, styled};

pub(crate) struct JudgeTrial<'a> {
    answer: &'a v1::EvaluateResponse,
    /// The judged statements. `Some(true)` marks a correct verdict, `None` an unusable one.
    verdicts: Vec<(&'a v1::JudgedClaim, Option<bool>)>,
    duration: Duration,
}

impl<'a> JudgeTrial<'a> {
    pub(crate) fn new(
        answer: &'a v1::EvaluateResponse,
        questions: &[(&str, &[v1::ClaimClass])],
        duration: Duration,
    ) -> Self {
        // The server reports a missing or unusable verdict as ungrounded, with a correction.
        let is_unusable = |claim: &v1::JudgedClaim| {
            claim.undecided.is_some()
                || answer.corrections.iter().any(|correction| correction.claim_id == claim.id)
        };
        let verdicts = questions.iter().zip(&answer.claims).map(|((_, expected), claim)| {
            (claim, (!is_unusable(claim)).then(|| expected.contains(&claim.class())))
        });
        Self { answer, verdicts: verdicts.collect(), duration }
    }

    /// Returns `true` if all verdicts are correct and no second look is missing.
    pub(crate) fn has_passed(&self) -> bool {
        !self.verdicts.is_empty()
            && self.verdicts.iter().all(|(_, is_correct)| *is_correct == Some(true))
            && self.missing_second_look().is_none()
    }

    /// Returns the reason for a missing second look.
    fn missing_second_look(&self) -> Option<&v1::Reason> {
        let decision = self.answer.decision.as_ref()?;
        let reasons = decision.reasons.iter().chain(&self.answer.warnings);
        reasons.into_iter().find(|reason| reason.code.starts_with("SECOND_LOOK"))
    }

    fn links(&self) -> impl Iterator<Item = &v1::JudgeLink> {
        let provenance = self.answer.provenance.as_ref();
        provenance
            .into_iter()
            .flat_map(|provenance| provenance.judges.iter().chain(&provenance.second_look))
    }
}

pub(crate) fn judge_trial(trial: &JudgeTrial<'_>, columns: usize) -> String {
    let mut page = Page::new(columns);
    for (claim, is_correct) in &trial.verdicts {
        let (_, word, _) = labels::verdict(claim);
        let (mark, style, word) = match is_correct {
            Some(true) => ("correct", GOOD, word),
            Some(false) => ("wrong", BAD, word),
            None => ("none", BAD, "no verdict"),
        };
        let lead = format!("  {}   {}", styled(style, &padded(mark, 7)), padded(word, 14));
        page.add_wrapped(&lead, 26, Style::new(), &claim.text);
        if *is_correct != Some(true) {
            page.add_wrapped(&format!("{:26}", ""), 26, Style::new(), &claim.note);
        }
    }
    for link in trial.links() {
        for line in labels::missing_verdict(link).into_iter().chain(labels::unreadable_answer(link))
        {
            page.add_wrapped("  ", 2, Style::new(), &line);
        }
    }
    if let Some(reason) = trial.missing_second_look() {
        page.add_wrapped("  ", 2, Style::new(), &reason.sentence);
    }
    for correction in &trial.answer.corrections {
        page.add_wrapped(
            "  ",
            2,
            Style::new(),
            &format!("{}: {}", correction.claim_id, correction.sentence),
        );
    }
    page.add_gap();
    page.add_line(&format!(
        "  {}",
        cost(trial.links().flat_map(|link| &link.calls), trial.duration)
    ));
    page.add_gap();
    let judges: Vec<&str> = trial.links().take(1).map(|link| link.judge.as_str()).collect();
    let judge = judges.first().copied().unwrap_or("the judge");
    let (text, style) = if trial.has_passed() {
        (format!("{judge} passed"), GOOD)
    } else if trial.verdicts.iter().all(|(_, is_correct)| is_correct.is_none()) {
        (format!("{judge} returned no verdict; choose another judge with --judge"), BAD)
    } else {
        (format!("{judge} failed; choose another judge with --judge"), BAD)
    };
    page.add_line(&styled(style | Effects::BOLD, &text));
    page.into_text()
}

/// Formats the cost as `2 calls · 812 tokens read, 190 written · 1.3 s · $0.000400`.
fn cost<'a>(calls: impl Iterator<Item = &'a v1::ModelCall>, duration: Duration) -> String {
    let (mut call_count, mut input_tokens, mut output_tokens, mut cost) = (0, 0, 0, Some(0));
    for call in calls {
        call_count += 1;
        input_tokens += call.input_tokens;
        output_tokens += call.output_tokens;
        cost = cost.zip(call.cost_micros).map(|(sum, price)| sum + price);
    }
    let mut text = count(call_count, "call");
    if call_count > 0 {
        let _ = write!(text, " · {input_tokens} tokens read, {output_tokens} written");
    }
    let _ = write!(text, " · {}.{} s", duration.as_secs(), duration.subsec_millis() / 100);
    match cost.filter(|_| call_count > 0) {
        Some(micros) => {
            let _ = write!(text, " · ${}.{:06}", micros / 1_000_000, micros % 1_000_000);
        }
        None if call_count > 0 => text.push_str(" · price not configured"),
        None => {}
    }
    text
}
