//! Formats the progress of an investigation, one line per step.

use anstyle::{Effects, Style};
use gsar_client::text::{one_line, truncate_end};
use gsar_proto::v1;
use gsar_proto::v1::instruction::Due;

use super::graph::label;
use super::labels;
use super::page::{BAD, BOLD, DIM, GOOD, Page, count, padded, styled};

const INDENT: usize = 4;

/// A step of an investigation.
pub(crate) struct Step<'a> {
    pub(crate) before: &'a v1::Investigation,
    pub(crate) after: &'a v1::Investigation,
    pub(crate) evaluation: Option<&'a v1::EvaluateResponse>,
}

pub(crate) fn progress_start(investigation: &v1::Investigation, columns: usize) -> String {
    let mut page = Page::new(columns);
    let policy = investigation.policy.as_ref();
    let policy = policy.map(|policy| policy.name.as_str()).unwrap_or_default();
    let id = one_line(&investigation.investigation_id);
    let resumption = match investigation.step {
        0 => String::new(),
        step => format!(", resumed at step {step}"),
    };
    let replans = investigation.max_replans;
    let details = format!("policy {}, at most {replans} replans{resumption}", one_line(policy));
    page.add_line(&format!("{}   {details}", styled(BOLD, &id)));
    for earlier in &investigation.earlier {
        let id = one_line(&earlier.investigation_id);
        let origins = match earlier.origins.as_slice() {
            [] => "no origin found".to_owned(),
            origins => format!("origin {}", one_line(&origins.join(", "))),
        };
        let alerts = one_line(&earlier.shared_alerts.join(", "));
        page.add_line(&styled(DIM, &format!("  earlier: {id}   {alerts}   {origins}")));
    }
    page.into_text()
}

pub(crate) fn progress_step(step: &Step<'_>, columns: usize) -> String {
    let mut page = Page::new(columns);
    let Step { before, after, evaluation } = step;
    let plan = format!("plan {} of {}", before.plan, after.max_replans);
    let usage = after.spent.unwrap_or_default();
    let turns_before = before.spent.unwrap_or_default().turns;
    if let Some(report) = after.trajectory.get(before.trajectory.len()) {
        let number = after.trajectory.len();
        let (word, style) = labels::tier(report.tier());
        let score = labels::score(report.score.as_ref());
        let tier = styled(style | Effects::BOLD, &padded(&word.to_uppercase(), 10));
        let kind = if report.is_rewrite { "rewrite" } else { "report" };
        page.add_line(&format!(
            "  {plan}   {}   {tier}   {score}",
            padded(&format!("{kind} {number}"), 9)
        ));
        for change in &report.changed {
            let (_, class_before, _) = labels::class(change.before());
            let (sign, class_after, style) = labels::class(change.after());
            let lead =
                format!("{:INDENT$}{} {class_before} → {class_after}   ", "", styled(style, sign));
            page.add_wrapped(&lead, INDENT + 2, Style::new(), &change.text);
        }
        for added in &report.added {
            page.add_wrapped(&format!("{:INDENT$}+ added   ", ""), INDENT + 2, Style::new(), added);
        }
        write_faults(&mut page, after);
    } else if usage.turns > turns_before {
        let gate = after.gate.as_ref().and_then(|gate| gate.reasons.first());
        let gate = gate.map(|reason| one_line(&reason.sentence)).unwrap_or_default();
        let stall = match usage.turns_without_evidence {
            0 => String::new(),
            turns => format!("no new evidence for {}", count(turns.into(), "turn")),
        };
        let head = format!("  {plan}   {}{stall}", padded(&format!("turn {}", usage.turns), 9));
        let room = columns.saturating_sub(gsar_client::text::width(&head) + 3);
        page.add_line(&format!("{head}   {}", styled(DIM, &truncate_end(&gate, room))));
    } else if evaluation.is_none()
        && after.step > before.step
        && due_instruction(after).is_some_and(|due| !is_cancelled(due))
    {
        page.add_line(&format!("  {plan}   unchanged report, not judged again"));
    }
    page.into_text()
}

fn is_cancelled(due: &Due) -> bool {
    matches!(due, Due::Finished(end) if end.cause == "CANCELLED")
}

/// Formats a look at an entity: the entity's label after the look, and the reason if the look has no result.
pub(crate) fn progress_look(
    look: &v1::LookAtEntityResponse,
    after: &v1::Investigation,
    columns: usize,
) -> String {
    let mut page = Page::new(columns);
    let entity = look.look.as_ref().map(|look| look.entity.as_str()).unwrap_or_default();
    let mut entities = after.graph.iter().flat_map(|graph| &graph.entities);
    let belief = entities.find(|belief| belief.entity == entity);
    let (word, style) = label(belief.map(v1::EntityBelief::label).unwrap_or_default());
    let reason = match look.reasons.first() {
        Some(reason) => format!(" ({})", one_line(&reason.sentence)),
        None if look.passages.is_empty() => " (no stored evidence mentions it)".to_owned(),
        None => String::new(),
    };
    let lead = format!("  look   {} ", styled(style, &padded(word, 8)));
    page.add_wrapped(&lead, 9, Style::new(), &format!("{}{reason}", one_line(entity)));
    page.into_text()
}

pub(crate) fn progress_end(investigation: &v1::Investigation, columns: usize) -> String {
    let mut page = Page::new(columns);
    for finding in &investigation.findings {
        page.add_wrapped("  note   ", 9, Style::new(), &finding.sentence);
    }
    if let Some(Due::Finished(end)) = due_instruction(investigation) {
        let (word, style) = if end.degraded { ("DEGRADED", BAD) } else { ("PROCEED", GOOD) };
        let lead = format!("{}   ", styled(style | Effects::BOLD, word));
        page.add_wrapped(&lead, word.len() + 3, Style::new(), &end.sentence);
        if !end.failed_stage.is_empty() {
            page.add_line(&styled(DIM, &format!("failed at stage {}", end.failed_stage)));
        }
        if !end.best.is_empty() {
            let label = if end.degraded { "best report" } else { "evaluation" };
            page.add_line(&styled(DIM, &format!("{label} {}", end.best)));
        }
    }
    page.into_text()
}

fn due_instruction(investigation: &v1::Investigation) -> Option<&Due> {
    investigation.instruction.as_ref()?.due.as_ref()
}

fn write_faults(page: &mut Page, investigation: &v1::Investigation) {
    let faults = match due_instruction(investigation) {
        Some(Due::Regenerate(rewrite)) => &rewrite.faults,
        Some(Due::Replan(replan)) => &replan.faults,
        Some(Due::GatherEvidence(gather)) => {
            page.add_wrapped("    gather more evidence: ", INDENT, Style::new(), &gather.reason);
            return;
        }
        _ => return,
    };
    for fault in faults {
        let claim = fault.claim.clone().unwrap_or_default();
        let (sign, word, style) = labels::class(claim.class());
        let lead = format!("{:INDENT$}{}   ", "", styled(style, &format!("{sign} {word}")));
        page.add_wrapped(&lead, INDENT + 2, Style::new(), &claim.text);
        if let Some(evidence) = fault.shows.first() {
            page.add_wrapped(&format!("{:1$}", "", INDENT + 2), INDENT + 2, DIM, evidence);
        }
    }
}
