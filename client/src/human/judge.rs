//! How a judge did on statements whose verdicts are known.

use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{Effects, Style};
use gsar_proto::v1;

use super::page::{BAD, GOOD, Page, count, padded, styled};
use super::words;

/// A judged statement.
pub(crate) struct Tried<'a> {
    pub(crate) claim: &'a v1::JudgedClaim,
    pub(crate) is_right: bool,
}

/// The verdicts, then what they took, then whether the judge will do.
pub(crate) fn judge_trial(
    answer: &v1::EvaluateResponse,
    tried: &[Tried<'_>],
    took: Duration,
    will_do: bool,
    columns: usize,
) -> String {
    let mut page = Page::new(columns);
    for Tried { claim, is_right } in tried {
        let (_, word, _) = words::verdict(claim);
        let (sign, style) = if *is_right { ("right", GOOD) } else { ("wrong", BAD) };
        let lead = format!("  {}   {}", styled(style, &padded(sign, 5)), padded(word, 14));
        page.wrapped(&lead, 24, Style::new(), &claim.text);
    }
    let links = answer.provenance.iter().flat_map(|provenance| &provenance.judges);
    for link in links.clone().filter(|link| link.result != "judged") {
        let text = format!("{} {} ({}): {}", link.judge, link.result, link.code, link.detail);
        page.wrapped("  ", 2, Style::new(), &text);
    }
    let warnings = answer.warnings.iter().filter(|warning| warning.code.starts_with("SECOND_LOOK"));
    for warning in warnings {
        page.wrapped("  ", 2, Style::new(), &warning.sentence);
    }
    page.gap();
    page.line(&format!("  {}", spent(links.flat_map(|link| &link.calls), took)));
    page.gap();
    let (text, style) = if will_do {
        ("it will do", GOOD)
    } else if tried.is_empty() {
        ("it gave no verdicts; see above", BAD)
    } else {
        ("it will not do: a stronger model is needed", BAD)
    };
    page.line(&styled(style | Effects::BOLD, text));
    page.into_text()
}

/// `2 calls · 812 tokens read, 190 written · 1.3 s · $0.0004`.
fn spent<'a>(calls: impl Iterator<Item = &'a v1::ModelCall>, took: Duration) -> String {
    let (mut number, mut read, mut written, mut cost) = (0, 0, 0, Some(0));
    for call in calls {
        number += 1;
        read += call.input_tokens;
        written += call.output_tokens;
        cost = cost.zip(call.cost_micros).map(|(sum, one)| sum + one);
    }
    let mut text = count(number, "call");
    // Writing to a String cannot fail.
    if number > 0 {
        let _ = write!(text, " · {read} tokens read, {written} written");
    }
    let _ = write!(text, " · {}.{} s", took.as_secs(), took.subsec_millis() / 100);
    match cost.filter(|_| number > 0) {
        Some(micros) => {
            let _ = write!(text, " · ${}.{:06}", micros / 1_000_000, micros % 1_000_000);
        }
        None if number > 0 => text.push_str(" · its price is not configured"),
        None => {}
    }
    text
}
