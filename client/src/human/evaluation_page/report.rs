//! Renders the report, with claims highlighted by class and uncovered text underlined.

use gsar_proto::v1;
use maud::{Markup, html};

use super::{range, style_of, target, verdict_on};
use crate::human::html::{block, said};

/// The kind of a marked span.
enum Mark<'a> {
    /// A claim and its index.
    Claim(&'a v1::JudgedClaim, usize),
    Gap,
}

/// Renders the report and its coverage.
pub(super) fn report(report: &v1::Report, answer: &v1::EvaluateResponse) -> Markup {
    let text = report.synthesis.as_str();
    html! {
        h2 { "Report" }
        @match text.is_empty() {
            true => p class="dim" { "The report consists of claims only." },
            false => div class="report" { @for (text, mark) in stretches(text, answer) { (stretch(text, mark)) } },
        }
        @if let Some(coverage) = &answer.coverage {
            p class="dim" {
                "Claims cover " (coverage.covered) " of " (coverage.sentences) " statements"
                @if !coverage.uncovered.is_empty() { "; text with a dotted underline is not covered by any claim" }
                "."
            }
        }
    }
}

/// Splits the text at its marks. If marks overlap, the first one wins.
fn stretches<'a>(
    text: &'a str,
    answer: &'a v1::EvaluateResponse,
) -> Vec<(&'a str, Option<Mark<'a>>)> {
    let claims = answer.claims.iter().enumerate().filter_map(|(place, claim)| {
        Some((range(claim.span.as_ref())?, Mark::Claim(claim, place)))
    });
    let gaps = answer.coverage.iter().flat_map(|coverage| &coverage.uncovered);
    let gaps = gaps.filter_map(|gap| Some((range(Some(gap))?, Mark::Gap)));
    let mut marks: Vec<_> = claims.chain(gaps).collect();
    marks.sort_by_key(|(at, _)| at.start);
    let mut stretches = Vec::new();
    let mut read = 0;
    for (at, mark) in marks {
        let (Some(before), Some(marked)) = (text.get(read..at.start), text.get(at.clone())) else {
            continue;
        };
        read = at.end;
        stretches.push((before, None));
        stretches.push((marked, Some(mark)));
    }
    stretches.push((text.get(read..).unwrap_or_default(), None));
    stretches
}

fn stretch(text: &str, mark: Option<Mark<'_>>) -> Markup {
    let text = block(text);
    html! {
        @match mark {
            None => (text),
            Some(Mark::Gap) => { span class="gap" { (text) } small { "not covered" } },
            Some(Mark::Claim(claim, place)) => {
                span class={ "claim " (style_of(claim)) } { (text) }
                small { (verdict_on(claim)) " " a href=(target(place)) { (said(&claim.id)) } }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_overlapping_marks_wins_and_no_text_is_lost() {
        let claim = |start, end| v1::JudgedClaim {
            span: Some(v1::ByteRange { start, end }),
            class: v1::ClaimClass::Grounded.into(),
            ..Default::default()
        };
        // The fourth ends inside a character, and the last is past the end.
        let claims = vec![claim(4, 7), claim(0, 3), claim(2, 5), claim(8, 10), claim(90, 95)];
        let answer = v1::EvaluateResponse { claims, ..Default::default() };
        let found = stretches("abc def ä.", &answer);
        let texts: Vec<_> = found.iter().map(|(text, _)| *text).collect();
        assert_eq!(texts, ["", "abc", " ", "def", " ", "ä", "."]);
        let marked = found.iter().filter(|(_, mark)| mark.is_some()).count();
        assert_eq!(marked, 3);
        let cut = v1::EvaluateResponse { claims: vec![claim(8, 9)], ..Default::default() };
        assert_eq!(stretches("abc def ä.", &cut).len(), 1);
    }
}
