//! Compares claims about actions with the executed checks and the recorded changes. Such a claim is contradicted if the
//! last run of a check failed, or if the change set is empty.

pub(super) mod spelling;

use std::collections::BTreeMap;

use serde_json::Value;

use super::VerifiedClaim;
use super::corrections::{CorrectionCode, Findings};
use super::evidence_set::EvidenceSet;
use crate::claim::Class;
use crate::evidence::{
    Citation, Content, EvidenceItem, EvidenceKind, Lane, Target, VerificationResult,
};
use crate::report::ClaimKind;
use crate::text::tokens::words;
use crate::text::{part, polarity};
use spelling::contains_name;

const PASSED: [&str; 6] = ["passed", "passes", "pass", "succeeded", "succeeds", "green"];
const RECOVERY_VERBS: [&str; 8] = [
    "fixed", "hotfixed", "mitigated", "recovered", "remediated", "repaired", "resolved", "restored",
];
/// The JSON fields that list changes.
const CHANGES: [&str; 4] = ["files_changed", "changed_files", "changes", "files"];

pub(super) struct Execution<'a> {
    /// The last run of each check, by name.
    runs: BTreeMap<&'a str, &'a EvidenceItem>,
    /// An item with an empty change set.
    empty_change: Option<&'a EvidenceItem>,
}

impl<'a> Execution<'a> {
    pub(super) fn new(evidence: &EvidenceSet<'a>) -> Self {
        let mut runs: BTreeMap<&str, &EvidenceItem> = BTreeMap::new();
        for item in evidence.items() {
            let Some(name) = item.check_name() else { continue };
            let last = runs.entry(name).or_insert(item);
            // If two runs have the same timestamp, the one listed last is used.
            if item.collected_at >= last.collected_at {
                *last = item;
            }
        }
        let empty_change = evidence.items().iter().find(|item| is_empty_change(item));
        Self { runs, empty_change }
    }

    pub(super) fn check(
        &self,
        claim: &mut VerifiedClaim,
        evidence: &EvidenceSet<'_>,
        findings: &mut Findings,
    ) {
        let judged = &mut claim.judged;
        let text = judged.claim.text.as_str();
        if self.runs.is_empty() && self.empty_change.is_none()
            || !evidence.spend(text.len() * (1 + self.runs.len()))
            || judged.class == Class::Contradicted
            || ClaimKind::classify(text) != ClaimKind::Statement
        {
            return;
        }
        let cited: Vec<&EvidenceItem> =
            judged.citations.iter().filter_map(|citation| cited_item(citation, evidence)).collect();
        let contradiction = self.failed_run(text, &cited).or_else(|| self.no_change(text, &cited));
        if let Some((code, sentence)) = contradiction {
            findings.reclassify(judged, code, Class::Contradicted, sentence);
        }
    }

    /// Returns the contradiction if the claim conflicts with a failed check run: the claim says either that the check
    /// passed or that the incident is over.
    fn failed_run(&self, text: &str, cited: &[&EvidenceItem]) -> Option<Contradiction> {
        let claims_passed = claims_check_passed(text);
        let named_run = self
            .runs
            .iter()
            .find(|(name, run)| claims_passed && has_failed(run) && contains_name(text, name));
        let action = polarity::action_done(text).map(|at| part(text, at).to_ascii_lowercase());
        let reports_recovery = action.is_some_and(|verb| RECOVERY_VERBS.contains(&verb.as_str()))
            && cited.iter().all(|item| matches!(item.lane, Lane::Change | Lane::Verification))
            && self.runs.values().all(|run| !run.is_passed_check());
        let failed = named_run
            .or_else(|| self.runs.iter().find(|(_, run)| reports_recovery && has_failed(run)));
        failed.map(|(name, run)| {
            let sentence = format!("The last run (`{}`) of check {name} failed.", run.id);
            (CorrectionCode::CheckFailed, sentence)
        })
    }

    /// Returns a contradiction if the claim reports an action or a passed check, but the change set is empty and no
    /// cited item shows it.
    fn no_change(&self, text: &str, cited: &[&EvidenceItem]) -> Option<Contradiction> {
        let claims_passed_check = claims_check_passed(text)
            && words(text).any(|word| word.is("check") || word.is("checks"))
            && self.runs.is_empty();
        if polarity::action_done(text).is_none() && !claims_passed_check {
            return None;
        }
        let can_show_action = |item: &&EvidenceItem| {
            item.lane != Lane::Verification
                && item.lane != Lane::LlmInferred
                && !is_empty_change(item)
        };
        let item = self.empty_change.filter(|_| !cited.iter().any(can_show_action))?;
        let sentence = format!("Change set `{}` is empty.", item.id);
        Some((CorrectionCode::NothingChanged, sentence))
    }
}

type Contradiction = (CorrectionCode, String);

fn cited_item<'a>(citation: &Citation, evidence: &EvidenceSet<'a>) -> Option<&'a EvidenceItem> {
    match &citation.target {
        Target::Evidence { id, .. } => evidence.item(id),
        Target::Claim(_) => None,
    }
}

fn claims_check_passed(text: &str) -> bool {
    !polarity::is_denied(text)
        && words(text).any(|word| PASSED.iter().any(|passed| word.is(passed)))
}

fn has_failed(run: &EvidenceItem) -> bool {
    run.verification_result == Some(VerificationResult::Failed)
}

/// Returns `true` if the item is a JSON document that lists no changes.
fn is_empty_change(item: &EvidenceItem) -> bool {
    let Content::Json(document) = &item.content else { return false };
    if item.kind != EvidenceKind::Change {
        return false;
    }
    let Ok(Value::Object(fields)) = serde_json::from_str(document) else { return false };
    let mut lists = CHANGES.iter().filter_map(|name| fields.get(*name)).peekable();
    lists.peek().is_some() && lists.all(is_empty)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_u64() == Some(0),
        Value::Bool(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::VerifiedPartition;
    use super::super::testing::{claims, judged, tool, verify_claims};
    use super::*;
    use crate::check::{CheckDeclaration, CheckRun, PassCondition};
    use crate::claim::EvidenceType;
    use crate::evidence::{CHECK_TOOL, EvidenceId};
    use crate::time::Timestamp;

    fn run(id: &str, name: &str, exit_status: i32, minute: i64) -> EvidenceItem {
        let command = vec!["probe".to_string()];
        let declared =
            CheckDeclaration::new(name.to_string(), command, 60, PassCondition::default());
        let run = CheckRun {
            declaration: declared.unwrap(),
            exit_status: Some(exit_status),
            output: format!("cart answers with status {exit_status}"),
        };
        EvidenceItem {
            id: EvidenceId::new(id).unwrap(),
            kind: EvidenceKind::Verification,
            lane: Lane::Verification,
            tool: format!("{CHECK_TOOL}{name}"),
            content: Content::Json(run.to_json()),
            collected_at: Some(Timestamp::from_micros(minute * 60_000_000)),
            verification_result: Some(run.result()),
            ..tool(id, "")
        }
    }

    fn change(id: &str, content: Content) -> EvidenceItem {
        EvidenceItem { kind: EvidenceKind::Change, lane: Lane::Change, content, ..tool(id, "") }
    }

    fn text(content: &str) -> Content {
        Content::Text(content.to_string())
    }

    fn judge(
        text: &str,
        class: Class,
        cited: &[(&str, &str)],
        items: &[EvidenceItem],
    ) -> VerifiedPartition {
        let claims = claims(&[text]);
        verify_claims(&claims, &[judged(&claims[0], class, EvidenceType::ToolMatch, cited)], items)
    }

    fn has_correction(result: &VerifiedPartition, code: CorrectionCode) -> bool {
        let is_corrected = result.corrections.iter().any(|correction| correction.code == code);
        assert_eq!(
            is_corrected,
            result.claims[0].judged.class == Class::Contradicted,
            "{result:?}"
        );
        is_corrected
    }

    #[test]
    fn the_last_run_of_a_check_counts() {
        let (failed, passed) = (run("r1", "cart-serves", 1, 1), run("r2", "cart-serves", 0, 2));
        let later_failed = run("r3", "cart-serves", 1, 3);
        let other_check = run("r4", "cart-pays", 0, 4);
        let claim = "The memory limit was raised and the check cart-serves passed.";
        for (items, contradicted) in [
            (vec![failed.clone()], true),
            (vec![failed.clone(), other_check.clone()], true),
            (vec![failed.clone(), passed.clone()], false),
            (vec![passed.clone(), failed.clone()], false),
            (vec![failed.clone(), passed.clone(), later_failed], true),
            (vec![other_check], false),
            (Vec::new(), false),
        ] {
            for class in [Class::Grounded, Class::Ungrounded, Class::Complementary] {
                let result = judge(claim, class, &[], &items);
                assert_eq!(
                    has_correction(&result, CorrectionCode::CheckFailed),
                    contradicted,
                    "{items:?}"
                );
            }
        }
        for claim in [
            "The check cart-serves failed.",
            "The check cart-serves did not pass.",
            "Did the check cart-serves pass?",
            "The check cart-serves-all passed.",
            "The gateway passed requests on to cart.",
        ] {
            let result = judge(claim, Class::Ungrounded, &[], core::slice::from_ref(&failed));
            assert!(!has_correction(&result, CorrectionCode::CheckFailed), "{claim}");
        }
    }

    #[test]
    fn a_change_with_a_failed_check_does_not_end_an_incident() {
        let deployed =
            change("deploy", text("revision 32: the memory limit of cart was fixed at 1Gi"));
        let failed = run("r1", "cart-serves", 1, 1);
        let claim = "The memory limit of cart was fixed at 1Gi.";
        let cited = [("deploy", "the memory limit of cart was fixed at 1Gi")];
        let items = [deployed.clone(), failed.clone()];
        assert!(has_correction(
            &judge(claim, Class::Grounded, &cited, &items),
            CorrectionCode::CheckFailed
        ));
        // If no check run failed, or if another check passed, nothing contradicts the claim.
        let items = [deployed.clone(), failed.clone(), run("r2", "cart-pays", 0, 1)];
        assert!(!has_correction(
            &judge(claim, Class::Grounded, &cited, &items),
            CorrectionCode::CheckFailed
        ));
        let items = [deployed];
        assert!(!has_correction(
            &judge(claim, Class::Grounded, &cited, &items),
            CorrectionCode::CheckFailed
        ));
        // A claim based on later telemetry, or one that only states the action itself, is not contradicted.
        let alert = tool("alert", "CartErrorRate resolved at 09:40:12Z");
        let items = [alert, failed.clone()];
        let cited = [("alert", "CartErrorRate resolved at 09:40:12Z")];
        let resolved =
            judge("CartErrorRate resolved at 09:40:12Z.", Class::Grounded, &cited, &items);
        assert!(!has_correction(&resolved, CorrectionCode::CheckFailed));
        let items = [change("deploy", text("cart was rolled back to revision 30")), failed];
        let cited = [("deploy", "cart was rolled back to revision 30")];
        let result = judge("Cart was rolled back to revision 30.", Class::Grounded, &cited, &items);
        assert!(!has_correction(&result, CorrectionCode::CheckFailed));
    }

    #[test]
    fn an_empty_change_set_contradicts_an_action() {
        let document = |text: &str| Content::Json(text.to_string());
        let claim = "Cart was rolled back to revision 30.";
        for (content, is_empty) in [
            (document("{\"files_changed\": []}"), true),
            (
                document(
                    "{\"diagnosis\": \"a long one\", \"files_changed\": [], \"changes\": null}",
                ),
                true,
            ),
            (document("[]"), false),
            (document("{}"), false),
            (text(" \n"), false),
            (document("{\"files_changed\": [\"cart.yaml\"]}"), false),
            (document("{\"files_changed\": [], \"changes\": [\"cart.yaml\"]}"), false),
            (document("{\"diagnosis\": \"\"}"), false),
            (text("revision 30"), false),
        ] {
            let items = [change("patch", content.clone())];
            let result = judge(claim, Class::Ungrounded, &[], &items);
            assert_eq!(
                has_correction(&result, CorrectionCode::NothingChanged),
                is_empty,
                "{content:?}"
            );
        }
        let empty = change("patch", document("{\"files_changed\": []}"));
        let log = tool("log", "09:25:00 cart was rolled back to revision 30");
        let cited = [("log", "cart was rolled back to revision 30")];
        let result = judge(claim, Class::Grounded, &cited, &[empty.clone(), log]);
        assert!(!has_correction(&result, CorrectionCode::NothingChanged));
        // If no check was run, no check can have passed.
        let claim = "The check cart-serves passed.";
        let items = [empty.clone()];
        let result = judge(claim, Class::Ungrounded, &[], &items);
        assert!(has_correction(&result, CorrectionCode::NothingChanged));
        let items = [empty.clone(), run("r1", "cart-serves", 0, 1)];
        let result = judge(claim, Class::Ungrounded, &[], &items);
        assert!(!has_correction(&result, CorrectionCode::NothingChanged));
        let result = judge("Cart was not rolled back.", Class::Ungrounded, &[], &[empty]);
        assert!(!has_correction(&result, CorrectionCode::NothingChanged));
    }
}
