//! Formats the safety checks: the gate, the evidence chain, the cap and the action ladder.

use gsar_client::text::one_line;
use gsar_proto::v1;

use super::labels;
use super::page::{BOLD, Page, count, listed, styled};

pub(super) fn write_sections(page: &mut Page, answer: &v1::EvaluateResponse) {
    write_section(page, "gate", answer.gate.as_deref().map(gate));
    write_section(page, "chain", answer.chain.as_deref().map(chain));
    write_section(page, "cap", answer.cap.as_deref().map(cap));
    write_section(page, "action", answer.action.as_deref().map(action));
    if let Some(shadow) = &answer.shadow {
        let gate = shadow.gate.as_ref().map(|verdict| format!("gate {}", gate(verdict)));
        let cap = shadow.cap.as_ref().map(|verdict| format!("cap {}", cap(verdict)));
        let action = shadow.action.as_ref().map(|verdict| format!("action {}", action(verdict)));
        let parts: Vec<String> = [gate, cap, action].into_iter().flatten().collect();
        write_section(page, "shadow", Some(format!("not enforced: {}", parts.join(" · "))));
    }
}

/// Returns the label and the text of each safety check. The last value is `true` in shadow mode.
pub(super) fn facts(answer: &v1::EvaluateResponse) -> Vec<(&'static str, String, bool)> {
    let shadow = answer.shadow.as_deref();
    let in_shadow = [
        ("Gate", shadow.and_then(|shadow| shadow.gate.as_ref()).map(gate)),
        ("Cap", shadow.and_then(|shadow| shadow.cap.as_ref()).map(cap)),
        ("Ladder", shadow.and_then(|shadow| shadow.action.as_ref()).map(action)),
    ];
    let enforced = [
        ("Gate", answer.gate.as_deref().map(gate)),
        ("Chain", answer.chain.as_deref().map(chain)),
        ("Cap", answer.cap.as_deref().map(cap)),
        ("Ladder", answer.action.as_deref().map(action)),
    ];
    let to_fact =
        |is_shadow: bool| move |(label, text): (_, Option<String>)| Some((label, text?, is_shadow));
    enforced
        .into_iter()
        .filter_map(to_fact(false))
        .chain(in_shadow.into_iter().filter_map(to_fact(true)))
        .collect()
}

fn write_section(page: &mut Page, label: &str, text: Option<String>) {
    if let Some(text) = text {
        page.add_labelled(label, &text);
    }
}

fn gate(verdict: &v1::GateVerdict) -> String {
    let further: Vec<&str> =
        verdict.reasons.iter().skip(1).map(|reason| reason.sentence.as_str()).collect();
    match further.is_empty() {
        true => main_text(verdict),
        false => format!("{}; also {}", main_text(verdict), further.join("; ")),
    }
}

fn main_text(verdict: &v1::GateVerdict) -> String {
    let reason = verdict.reason.as_ref().map_or("", |reason| reason.sentence.as_str());
    let state = match (verdict.exit(), verdict.state()) {
        (v1::GateExit::Confident, _) => return confident_text(verdict),
        (_, v1::GateState::Investigating) => "investigating",
        (_, v1::GateState::BudgetExhausted) => "budget exhausted, no confident root cause",
        _ => "no confident root cause",
    };
    if reason.is_empty() { state.to_owned() } else { format!("{state}: {reason}") }
}

fn confident_text(verdict: &v1::GateVerdict) -> String {
    let cause = verdict.hypotheses.iter().find(|result| result.id == verdict.root_cause);
    let results = cause.map(|result| {
        let supports = count(result.hard_supports.into(), "hard support");
        let refutations = count(result.hard_refutations.into(), "refutation");
        format!(" ({supports}, {refutations})")
    });
    let ties = listed(verdict.ties.iter().map(String::as_str), 4);
    let ties = if ties.is_empty() { String::new() } else { format!("; tied with {ties}") };
    format!("confident: {}{}{ties}", verdict.root_cause, results.unwrap_or_default())
}

fn chain(chain: &v1::EvidenceChain) -> String {
    let items = count(chain.evidence.len().try_into().unwrap_or(u64::MAX), "item");
    let tools = count(chain.independent_supports.into(), "tool");
    let mut parts = vec![format!("{}: {items} from {tools}", labels::strength(chain.strength()))];
    parts.push(match &chain.change {
        Some(change) => {
            let instant =
                change.at.as_ref().map(|instant| format!(" at {}", labels::instant(instant)));
            let timing = chain.change_before_onset.as_ref().map(before_onset).unwrap_or_default();
            let ties = listed(chain.ties.iter().map(|tie| tie.id.as_str()), 4);
            let ties = if ties.is_empty() { ties } else { format!(", equally near: {ties}") };
            format!("change {}{}{timing}{ties}", change.id, instant.unwrap_or_default())
        }
        None => "no change before onset".to_owned(),
    });
    if !chain.path.is_empty() {
        parts.push(chain.path.join(" → "));
    }
    parts.join("; ")
}

fn before_onset(duration: &prost_types::Duration) -> String {
    match u64::try_from(duration.seconds) {
        Ok(seconds) if seconds >= 60 => format!(", {} min before onset", seconds / 60),
        Ok(seconds) => format!(", {seconds} s before onset"),
        Err(_) => String::new(),
    }
}

fn cap(verdict: &v1::CapVerdict) -> String {
    let before = labels::number(verdict.before);
    match verdict.cap {
        Some(cap) if verdict.after < verdict.before => {
            format!(
                "{before} → {}: capped at {} by the evidence chain",
                labels::number(verdict.after),
                labels::number(cap)
            )
        }
        Some(cap) => format!("{before}, below the cap of {}", labels::number(cap)),
        None => format!("{before}, uncapped"),
    }
}

fn action(verdict: &v1::ActionVerdict) -> String {
    let limits: Vec<&str> = verdict.held_by.iter().map(|reason| reason.sentence.as_str()).collect();
    let limits =
        if limits.is_empty() { String::new() } else { format!(", limited: {}", limits.join("; ")) };
    let reached = match verdict.by_confidence() {
        v1::Action::Unspecified => String::new(),
        reached if reached == verdict.action() => String::new(),
        reached => format!(" (the confidence alone allows {})", labels::action(reached)),
    };
    format!("at most {}{reached}{limits}", labels::action(verdict.action()))
}

pub(crate) fn gate_answer(answer: &v1::EvaluateGateResponse, columns: usize) -> String {
    let mut page = Page::new(columns);
    let Some(verdict) = &answer.gate else { return page.into_text() };
    for result in &verdict.hypotheses {
        let (sign, state) = match result.state() {
            v1::HypothesisState::Validated => ("✓", "validated"),
            v1::HypothesisState::Invalidated => ("✗", "invalidated"),
            v1::HypothesisState::Contested => ("~", "contested"),
            _ => ("?", "inconclusive"),
        };
        let rejected = match result.refused_inferred {
            0 => String::new(),
            rejected => format!(", {rejected} inferred and rejected"),
        };
        let failed = match result.failed_checks {
            0 => String::new(),
            failed => format!(", {} cited as support", count(failed.into(), "failed check")),
        };
        let results = format!(
            "{}, {}{rejected}{failed}",
            count(result.hard_supports.into(), "hard support"),
            count(result.hard_refutations.into(), "refutation")
        );
        let id = one_line(&result.id);
        page.add_wrapped(
            &format!("  {sign} {state:<14}"),
            18,
            anstyle::Style::new(),
            &format!("{id}: {results}"),
        );
    }
    page.add_gap();
    let exit = match verdict.exit() {
        v1::GateExit::Confident => "END",
        v1::GateExit::NoConfidentRootCause => "END WITHOUT A ROOT CAUSE",
        v1::GateExit::Unspecified => "CONTINUE",
    };
    let column = gsar_client::text::width(exit) + 3;
    page.add_wrapped(
        &format!("{}   ", styled(BOLD, exit)),
        column,
        anstyle::Style::new(),
        &gate(verdict),
    );
    page.into_text()
}

pub(crate) fn cap_answer(answer: &v1::CapConfidenceResponse, columns: usize) -> String {
    let mut page = Page::new(columns);
    write_section(&mut page, "cap", answer.cap.as_ref().map(cap));
    write_section(&mut page, "action", answer.action.as_ref().map(action));
    page.into_text()
}
