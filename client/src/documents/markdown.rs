//! Writes Markdown for a pull request or a ticket.
//!
//! Untrusted text is formatted by [`prose`] or [`code`], and never starts a line, where it could open a block.

use gsar_client::input::line_at;
use gsar_client::text::{one_line, truncate_end, truncate_middle};
use gsar_proto::v1;

use super::safe_markdown::{code, prose};
use super::{Rejection, ReportResult, names};
use crate::human::{
    ReportContext, View, changes, computed_decision, count, deciding_score, judges, labels,
    location, policy_name, verdict,
};

const MAX_CLAIM_COLUMNS: usize = 400;

const MAX_QUOTE_COLUMNS: usize = 160;

pub(crate) fn markdown(evaluated: &[ReportResult], view: &View) -> String {
    let names = names(evaluated);
    let mut blocks = Vec::new();
    if evaluated.len() > 1 {
        blocks.push(overview(&names, evaluated));
    }
    for (name, result) in names.iter().zip(evaluated) {
        match &result.answer {
            Ok(answer) => blocks.extend(report(name, answer, &result.request, view)),
            Err(rejection) => blocks.extend(rejection_blocks(name, rejection)),
        }
    }
    let mut text = blocks.join("\n\n");
    text.push('\n');
    text
}

fn overview(names: &[String], evaluated: &[ReportResult]) -> String {
    let mut lines = vec!["| report | decision | score |".to_owned(), "|---|---|--:|".to_owned()];
    for (name, result) in names.iter().zip(evaluated) {
        let (decision, score) = match &result.answer {
            Ok(answer) => (verdict(answer).0, labels::score(deciding_score(answer))),
            Err(_) => ("ERROR".to_owned(), "none".to_owned()),
        };
        lines.push(format!("| {} | {} | {score} |", prose(name), prose(&decision)));
    }
    lines.join("\n")
}

fn rejection_blocks(name: &str, rejection: &Rejection) -> Vec<String> {
    let lines = rejection.message.lines().map(|line| format!("- {}", code(line)));
    vec![
        format!("## {}: ERROR", prose(name)),
        format!("The report was not evaluated ({}).", code(&rejection.code)),
        lines.collect::<Vec<_>>().join("\n"),
    ]
}

fn report(
    name: &str,
    answer: &v1::EvaluateResponse,
    request: &v1::EvaluateRequest,
    view: &View,
) -> Vec<String> {
    let (decision, advice) = verdict(answer);
    let score =
        deciding_score(answer).map(|score| format!(", score {}", labels::score(Some(score))));
    let score = score.unwrap_or_default();
    let mut blocks = vec![
        format!("## {}: {}{score}", prose(name), prose(&decision)),
        format!("**{}:** {}", prose(&decision), prose(&advice)),
    ];
    let claims: Vec<_> = answer.claims.iter().filter(|claim| view.includes(claim)).collect();
    if !claims.is_empty() {
        blocks.push(table(
            &claims,
            &ReportContext { evidence: &request.evidence, ..ReportContext::default() },
        ));
    }
    let hidden_count = answer.claims.len().saturating_sub(claims.len());
    if hidden_count > 0 {
        blocks.push(format!("{hidden_count} of {} claims not shown.", answer.claims.len()));
    }
    let decision_reasons =
        computed_decision(answer).map(|decision| reasons(&decision.reasons)).unwrap_or_default();
    let changes = changes(answer).iter().map(|change| prose(change)).collect();
    for (title, lines) in [
        ("Reasons", decision_reasons),
        ("What would change the decision", changes),
        ("Not covered by any claim", uncovered(answer, request.report.as_ref())),
        ("Open", reasons(&answer.verification_reasons)),
        ("Warnings", reasons(&answer.warnings)),
    ] {
        blocks.extend(list(title, &lines));
    }
    blocks.extend(facts(answer));
    blocks
}

fn reasons(reasons: &[v1::Reason]) -> Vec<String> {
    let lines = reasons.iter().map(|reason| match code(&reason.code) {
        code if code.is_empty() => quote(&reason.sentence),
        code => format!("{code} {}", prose(&reason.sentence)),
    });
    lines.collect()
}

/// Quotes text that starts a line, which prevents a list or a heading.
fn quote(text: &str) -> String {
    format!("“{}”", prose(text))
}

fn list(title: &str, lines: &[String]) -> Option<String> {
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    (!lines.is_empty()).then(|| format!("**{title}**\n\n{}", lines.join("\n")))
}

fn table(claims: &[&v1::JudgedClaim], context: &ReportContext<'_>) -> String {
    let mut lines =
        vec!["| | class | claim | evidence |".to_owned(), "|:-:|---|---|---|".to_owned()];
    for claim in claims {
        let (sign, class, _) = labels::verdict(claim);
        let text = one_line(&claim.text);
        let text = prose(&truncate_end(&text, MAX_CLAIM_COLUMNS));
        let evidence = evidence_cell(claim, context);
        let id = code(&claim.id);
        lines.push(format!("| {sign} | {class} | {id} {text} | {evidence} |"));
    }
    lines.join("\n")
}

/// Formats the first citation of a claim, the number of further citations, and the note.
fn evidence_cell(claim: &v1::JudgedClaim, context: &ReportContext<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(citation) = claim.citations.first() {
        parts.push(code(&location(citation, context, MAX_QUOTE_COLUMNS)));
        let quote = one_line(&citation.quote);
        if !quote.is_empty() {
            parts.push(code(&truncate_middle(&quote, MAX_QUOTE_COLUMNS)));
        }
        if let Some(further) = claim.citations.len().checked_sub(1).filter(|further| *further > 0) {
            parts.push(format!("(and {further} more cited)"));
        }
    }
    let note = prose(&claim.note);
    match (parts.is_empty(), note.is_empty()) {
        (true, true) => parts.push("no evidence cited".to_owned()),
        (_, true) => {}
        _ => parts.push(note),
    }
    parts.join(" · ")
}

fn uncovered(answer: &v1::EvaluateResponse, report: Option<&v1::Report>) -> Vec<String> {
    let ranges = answer.coverage.as_ref().map(|coverage| &coverage.uncovered[..]);
    let synthesis = report.map_or("", |report| report.synthesis.as_str());
    let is_redacted = answer.provenance.as_ref().is_some_and(|provenance| provenance.redacted);
    let uncovered_line = |range: &v1::ByteRange| {
        let (start, end) = (usize::try_from(range.start).ok()?, usize::try_from(range.end).ok()?);
        let sentence = synthesis.get(start..end)?;
        Some(match is_redacted {
            // The text comes from the request, which is not redacted.
            true => format!("line {} of the report", line_at(synthesis.as_bytes(), start)),
            false => quote(&truncate_end(&one_line(sentence), MAX_CLAIM_COLUMNS)),
        })
    };
    ranges.unwrap_or_default().iter().filter_map(uncovered_line).collect()
}

/// Formats the number of claims, the judges, the policy and the record.
fn facts(answer: &v1::EvaluateResponse) -> Option<String> {
    let mut facts = Vec::new();
    if !answer.claims.is_empty() {
        facts.push(count(answer.claims.len().try_into().unwrap_or(u64::MAX), "claim"));
    }
    facts.extend(judges(answer).map(|judges| format!("judge {}", code(&judges))));
    facts.extend(policy_name(answer).map(|policy| format!("policy {}", code(&policy))));
    if !answer.evaluation_id.is_empty() {
        facts.push(format!("record {}", code(&answer.evaluation_id)));
    }
    (!facts.is_empty()).then(|| facts.join(" · "))
}
