//! This module parses checks: what was declared, and the runs that came as evidence.

use std::borrow::Cow;

use gsar_core::check::{CheckDeclaration, CheckError, CheckRun, PassCondition, TOOL};
use gsar_core::evidence::{Content, EvidenceKind, Lane, Nature, VerificationResult};

use super::evidence::nature_of;
use super::field::present;
use super::list::{at_most, each, unique_ids};
use super::path::Path;
use crate::enums::Enumeration as _;
use crate::v1;
use crate::violations::Violations;

/// The most checks that one investigation declares.
const MAX_CHECKS: usize = 100;

/// Reads the checks that are declared, under `checks`.
pub fn checks(
    messages: Vec<v1::CheckDeclaration>,
    violations: &mut Violations,
) -> Option<Vec<CheckDeclaration>> {
    let path = Path::root("checks");
    let messages = at_most(path, messages, MAX_CHECKS, violations)?;
    let unique = unique_ids(path, messages.iter().map(|check| check.name.as_str()), violations);
    let checks = each(path, messages, violations, read_declaration);
    unique?;
    checks
}

fn read_declaration(
    path: Path<'_>,
    message: v1::CheckDeclaration,
    violations: &mut Violations,
) -> Option<CheckDeclaration> {
    let v1::PassCondition { exit_status, contains, lacks } = message.pass.unwrap_or_default();
    let timeout = message.timeout_seconds.unwrap_or(CheckDeclaration::TIMEOUT_SECONDS);
    let pass = PassCondition { exit_status, contains, lacks };
    let declaration = CheckDeclaration::new(message.name, message.command, timeout, pass);
    declaration.map_err(|error| note(path, &error, violations)).ok()
}

/// Reads the run of a check.
pub(super) fn read_run(
    path: Path<'_>,
    message: v1::CheckRun,
    violations: &mut Violations,
) -> Option<CheckRun> {
    let given = present(path.field("declaration"), message.declaration, violations)?;
    let declaration = read_declaration(path.field("declaration"), given, violations)?;
    Some(CheckRun { declaration, exit_status: message.exit_status, output: message.output })
}

/// An item as it is kept: with kind and lane where it does not say them, and the run of a check as its document, with the tool
/// and the result that follow from it. An item that is wrong stays as it is.
#[must_use]
pub fn as_kept(item: &v1::EvidenceItem) -> Cow<'_, v1::EvidenceItem> {
    use v1::evidence_item::Content as Message;
    let run = match &item.content {
        Some(Message::CheckRun(run)) => {
            read_run(Path::root("check_run"), *run.clone(), &mut Violations::default())
        }
        Some(Message::Json(document)) => CheckRun::from_json(document).ok().flatten(),
        Some(Message::Text(_)) | None => None,
    };
    let says_what = item.kind != 0 && item.lane != 0;
    if run.is_none() && says_what {
        return Cow::Borrowed(item);
    }
    let mut kept = item.clone();
    if let Some(run) = run {
        if matches!(kept.content, Some(Message::CheckRun(_))) {
            kept.content = Some(Message::Json(run.to_json()));
        }
        kept.tool = [TOOL, run.declaration.name()].concat();
        kept.verification_result = run.result().number();
    }
    if let Some(nature) = nature_of(&kept).filter(|_| !says_what) {
        kept.kind = nature.kind.number();
        kept.lane = nature.lane.number();
    }
    Cow::Owned(kept)
}

/// What an item says of itself beside the run that it is.
pub(super) struct Beside<'a> {
    pub(super) nature: Option<Nature>,
    pub(super) tool: &'a mut String,
    pub(super) result: Option<VerificationResult>,
}

/// The result of the run that an item is, with the tool named after the check; what was said of the result where it is none.
pub(super) fn result_of(
    path: Path<'_>,
    content: &Content,
    item: Beside<'_>,
    violations: &mut Violations,
) -> Option<VerificationResult> {
    let Content::Json(document) = content else { return item.result };
    let run = match CheckRun::from_json(document) {
        Ok(Some(run)) => run,
        Ok(None) => return item.result,
        Err(error) => {
            note(path.field("json"), &error, violations);
            return None;
        }
    };
    if item.nature.is_some_and(|nature| nature.kind != EvidenceKind::Verification) {
        let fix = "is of another kind than the run of a check; give EVIDENCE_KIND_VERIFICATION (5)";
        violations.add(path.field("kind"), fix);
    }
    if item.nature.is_some_and(|nature| nature.lane != Lane::Verification) {
        let fix = "is another lane than that of a check; give EVIDENCE_LANE_VERIFICATION";
        violations.add(path.field("lane"), fix);
    }
    let tool = [TOOL, run.declaration.name()].concat();
    if !item.tool.is_empty() && *item.tool != tool {
        let fix = format_args!("is not that of the run; leave it out, or give `{tool}`");
        violations.add(path.field("tool"), fix);
    }
    *item.tool = tool;
    let result = run.result();
    if item.result.is_some_and(|given| given != result) {
        let name = result.name();
        let fix = format_args!(
            "is not what the pass condition makes of the run, which {name}; leave it out"
        );
        violations.add(path.field("verification_result"), fix);
    }
    Some(result)
}

fn note(path: Path<'_>, error: &CheckError, violations: &mut Violations) {
    violations.add(format!("{path}.{}", error.field), &error.message);
}
