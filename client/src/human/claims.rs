//! Formats the claims of a report, with the evidence that decided each.

use gsar_client::text::{one_line, truncate_middle, width};
use gsar_proto::v1;

use super::evaluation::{ReportContext, View};
use super::labels;
use super::page::{DIM, Page, listed, padded, styled};

/// The width of the sign and the class, including spaces.
const CLASS_COLUMN: usize = 19;

const MAX_ID_COLUMNS: usize = 12;

pub(super) fn write_claims(
    page: &mut Page,
    answer: &v1::EvaluateResponse,
    context: &ReportContext<'_>,
    view: &View,
) {
    let claims: Vec<_> = answer.claims.iter().filter(|claim| view.includes(claim)).collect();
    let ids = claims.iter().map(|claim| width(&one_line(&claim.id)));
    let id_columns = ids.max().unwrap_or(0).min(MAX_ID_COLUMNS);
    for claim in &claims {
        write_claim(page, claim, id_columns, context, view);
    }
    let hidden_count = answer.claims.len() - claims.len();
    if hidden_count > 0 {
        page.add_line(&styled(
            DIM,
            &format!("  {hidden_count} of {} claims not shown", answer.claims.len()),
        ));
    }
}

fn write_claim(
    page: &mut Page,
    claim: &v1::JudgedClaim,
    id_columns: usize,
    context: &ReportContext<'_>,
    view: &View,
) {
    let (sign, class_name, style) = labels::verdict(claim);
    let id = one_line(&claim.id);
    let id = padded(&truncate_middle(&id, MAX_ID_COLUMNS), id_columns);
    let column = CLASS_COLUMN + id_columns + 2;
    let class = padded(class_name, CLASS_COLUMN - 4);
    let lead = format!("  {}{}  ", styled(style, &format!("{sign} {class}")), styled(DIM, &id));
    page.add_wrapped(&lead, column, anstyle::Style::new(), &claim.text);

    let is_detailed = view.explain.is_detailed(claim);
    let max = if is_detailed { usize::MAX } else { 1 };
    for citation in claim.citations.iter().take(max) {
        for line in citation_lines(citation, context, page.columns().saturating_sub(column).max(20))
        {
            page.add_line(&format!("{:column$}{}", "", styled(DIM, &line)));
        }
    }
    let further = claim.citations.len().saturating_sub(max);
    let further = if further > 0 { format!(" (and {further} more cited)") } else { String::new() };
    let note = one_line(&claim.note);
    let remark = match (note.is_empty(), claim.citations.is_empty()) {
        (true, true) if claim.undecided.is_some() => "undecided".to_owned(),
        (true, true) => "no evidence cited".to_owned(),
        _ => format!("{note}{further}"),
    };
    let indent = format!("{:column$}", "");
    if !remark.trim().is_empty() {
        page.add_wrapped(&indent, column, DIM, &remark);
    }
    let look = claim.second_look.as_ref();
    let is_shown = |look: &&v1::SecondLook| look.verdict() == v1::SecondLookVerdict::Shown;
    if let Some(look) = look.filter(|look| is_detailed || !is_shown(look)) {
        page.add_wrapped(&indent, column, DIM, &labels::second_look(look));
    }
    if let Some(line) = disagreement(claim).filter(|_| !is_detailed) {
        page.add_wrapped(&indent, column, DIM, &line);
    }
    if is_detailed {
        let kind = format!("as {}", labels::evidence_type(claim.r#type()));
        let role = Some(labels::role(claim.role())).filter(|role| !role.is_empty());
        let facts = std::iter::once(kind).chain(role.map(str::to_owned)).chain(impact(claim));
        page.add_wrapped(&indent, column, DIM, &facts.collect::<Vec<_>>().join("; "));
        for vote in votes(claim) {
            page.add_wrapped(&indent, column, DIM, &vote);
        }
        for entry in &claim.considered {
            page.add_wrapped(&indent, column, DIM, &one_line(entry));
        }
    }
}

/// Formats the share of the votes for the claim's class and the dissenting judges, unless all agree.
fn disagreement(claim: &v1::JudgedClaim) -> Option<String> {
    let agreement = claim.agreement.filter(|agreement| *agreement < 1.0)?;
    let mut dissents: Vec<String> = Vec::new();
    for vote in claim.votes.iter().filter(|vote| vote.class != claim.class) {
        let dissent = format!("{} by {}", labels::class(vote.class()).1, one_line(&vote.judge));
        if !dissents.contains(&dissent) {
            dissents.push(dissent);
        }
    }
    let dissent_text =
        if dissents.is_empty() { String::new() } else { format!("; {}", dissents.join(", ")) };
    Some(format!("{:.0} % of the votes{dissent_text}", agreement * 100.0))
}

fn votes(claim: &v1::JudgedClaim) -> impl Iterator<Item = String> {
    claim.votes.iter().map(|vote| {
        let note = one_line(&vote.note);
        let reason = if note.is_empty() { String::new() } else { format!(": {note}") };
        let (judge, share) = (one_line(&vote.judge), vote.share * 100.0);
        format!(
            "vote {share:.0} % {judge} #{} {}{reason}",
            vote.sample + 1,
            labels::class(vote.class()).1
        )
    })
}

/// Formats the location and the quote of a citation, on one line if they fit.
fn citation_lines(
    citation: &v1::Citation,
    context: &ReportContext<'_>,
    columns: usize,
) -> Vec<String> {
    let location = location(citation, context, columns);
    let quote = one_line(&citation.quote);
    if quote.is_empty() {
        return vec![location];
    }
    if width(&location) + 3 + width(&quote) <= columns {
        return vec![format!("{location}   {quote}")];
    }
    vec![location, truncate_middle(&quote, columns).into_owned()]
}

/// Formats the cited item with the field or the line.
pub(crate) fn location(
    citation: &v1::Citation,
    context: &ReportContext<'_>,
    columns: usize,
) -> String {
    if !citation.claim_id.is_empty() {
        return truncate_middle(&one_line(&format!("claim {}", citation.claim_id)), columns)
            .into_owned();
    }
    let item = context.evidence.iter().find(|item| item.id == citation.evidence_id);
    let line = citation.bytes.and_then(|bytes| line_of(item?, bytes.start));
    let position = match (citation.field_path.as_str(), line) {
        ("", Some(line)) => format!("line {line}"),
        ("", None) => String::new(),
        (path, _) => one_line(path),
    };
    let id = truncate_middle(&one_line(&citation.evidence_id), columns / 2).into_owned();
    let room = columns.saturating_sub(width(&id) + 1);
    format!("{id} {}", truncate_middle(&position, room)).trim_end().to_owned()
}

/// Returns the line number of the byte at `start` in an item.
fn line_of(item: &v1::EvidenceItem, start: u64) -> Option<usize> {
    let content = match item.content.as_ref()? {
        v1::evidence_item::Content::Text(text) | v1::evidence_item::Content::Json(text) => text,
        v1::evidence_item::Content::CheckRun(_) => return None,
    };
    let start = usize::try_from(start).ok()?;
    (start <= content.len()).then(|| gsar_client::input::line_at(content.as_bytes(), start))
}

/// Formats the claim's effect on the score, if the answer includes it.
pub(super) fn impact(claim: &v1::JudgedClaim) -> Vec<String> {
    let Some(impact) = &claim.impact else { return Vec::new() };
    let outcome = |condition: &str, outcome: &Option<v1::HypotheticalOutcome>| {
        let outcome = outcome.as_ref()?;
        let (tier, _) = labels::tier(outcome.tier());
        Some(format!("{condition} {tier} at {}", labels::score(outcome.score.as_ref())))
    };
    let weight = Some(format!("weighs {}", labels::weight(impact.contribution)));
    let without_claim = outcome("without it:", &impact.without_claim);
    let if_grounded = outcome("if grounded:", &impact.if_grounded);
    [weight, without_claim, if_grounded].into_iter().flatten().collect()
}

/// Returns the ids of up to `max` claims with a class.
pub(super) fn ids_of(claims: &[v1::JudgedClaim], class: v1::ClaimClass, max: usize) -> String {
    let ids: Vec<&str> = claims
        .iter()
        .filter(|claim| claim.class() == class && claim.undecided.is_none())
        .map(|claim| claim.id.as_str())
        .collect();
    listed(ids.into_iter(), max)
}
