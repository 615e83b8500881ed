//! Renders the report, highlighting claims by class and underlining uncovered text.

use gsar_proto::v1;
use maud::{Markup, html};

use super::{anchor, range, style_of, verdict_label};
use crate::human::html::{block, isolated};

enum Mark<'a> {
    /// A claim and its index.
    Claim(&'a v1::JudgedClaim, usize),
    Gap,
}

pub(super) fn report(report: &v1::Report, answer: &v1::EvaluateResponse) -> Markup {
    let text = report.synthesis.as_str();
    html! {
        h2 { "Report" }
        @match text.is_empty() {
            true => p class="dim" { "The report consists of claims only." },
            false => div class="report" { @for (text, mark) in segments(text, answer) { (segment(text, mark)) } },
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

/// Splits the text at its marks. The first of overlapping marks wins.
fn segments<'a>(
    text: &'a str,
    answer: &'a v1::EvaluateResponse,
) -> Vec<(&'a str, Option<Mark<'a>>)> {
    let claims = answer.claims.iter().enumerate().filter_map(|(index, claim)| {
        Some((range(claim.span.as_ref())?, Mark::Claim(claim, index)))
    });
    let gaps = answer.coverage.iter().flat_map(|coverage| &coverage.uncovered);
    let gaps = gaps.filter_map(|gap| Some((range(Some(gap))?, Mark::Gap)));
    let mut marks: Vec<_> = claims.chain(gaps).collect();
    marks.sort_by_key(|(bytes, _)| bytes.start);
    let mut segments = Vec::new();
    let mut previous_end = 0;
    for (bytes, mark) in marks {
        let (Some(before), Some(marked_text)) =
            (text.get(previous_end..bytes.start), text.get(bytes.clone()))
        else {
            continue;
        };
        previous_end = bytes.end;
        segments.push((before, None));
        segments.push((marked_text, Some(mark)));
    }
    segments.push((text.get(previous_end..).unwrap_or_default(), None));
    segments
}

fn segment(text: &str, mark: Option<Mark<'_>>) -> Markup {
    let text = block(text);
    html! {
        @match mark {
            None => (text),
            Some(Mark::Gap) => { span class="gap" { (text) } small { "not covered" } },
            Some(Mark::Claim(claim, index)) => {
                span class={ "claim " (style_of(claim)) } { (text) }
                small { (verdict_label(claim)) " " a href=(anchor(index)) { (isolated(&claim.id)) } }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_of_overlapping_marks_wins() {
        let claim = |start, end| v1::JudgedClaim {
            span: Some(v1::ByteRange { start, end }),
            class: v1::ClaimClass::Grounded.into(),
            ..Default::default()
        };
        // The fourth claim ends inside a character, the last one is past the end.
        let claims = vec![claim(4, 7), claim(0, 3), claim(2, 5), claim(8, 10), claim(90, 95)];
        let answer = v1::EvaluateResponse { claims, ..Default::default() };
        let parts = segments("abc def ä.", &answer);
        let texts: Vec<_> = parts.iter().map(|(text, _)| *text).collect();
        assert_eq!(texts, ["", "abc", " ", "def", " ", "ä", "."]);
        let marked_count = parts.iter().filter(|(_, mark)| mark.is_some()).count();
        assert_eq!(marked_count, 3);
        let answer = v1::EvaluateResponse { claims: vec![claim(8, 9)], ..Default::default() };
        assert_eq!(segments("abc def ä.", &answer).len(), 1);
    }
}
