//! Parses declarations and runs of checks.

use std::borrow::Cow;

use gsar_core::check::{CheckDeclaration, CheckError, CheckRun, PassCondition};
use gsar_core::evidence::{
    CHECK_TOOL, Classification, Content, EvidenceKind, Lane, VerificationResult,
};

use super::evidence::infer_nature;
use super::field::present;
use super::list::{limit_length, parse_each, unique_ids};
use super::path::Path;
use crate::enums::Enumeration as _;
use crate::v1;
use crate::violations::Violations;

/// The maximum number of checks in an investigation.
const MAX_CHECKS: usize = 100;

/// Parses the declarations in the field `checks`.
pub fn checks(
    messages: Vec<v1::CheckDeclaration>,
    violations: &mut Violations,
) -> Option<Vec<CheckDeclaration>> {
    let path = Path::root("checks");
    let messages = limit_length(path, messages, MAX_CHECKS, violations)?;
    let unique = unique_ids(path, messages.iter().map(|check| check.name.as_str()), violations);
    let checks = parse_each(path, messages, violations, read_declaration);
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

/// Parses the run of a check.
pub(super) fn read_run(
    path: Path<'_>,
    message: v1::CheckRun,
    violations: &mut Violations,
) -> Option<CheckRun> {
    let declared = present(path.field("declaration"), message.declaration, violations)?;
    let declaration = read_declaration(path.field("declaration"), declared, violations)?;
    Some(CheckRun { declaration, exit_status: message.exit_status, output: message.output })
}

/// Returns the item as it is stored. A missing kind or lane is inferred. A check run is converted to its JSON document,
/// and its tool and result are derived from it. An invalid item is returned unchanged.
#[must_use]
pub fn normalize_item(item: &v1::EvidenceItem) -> Cow<'_, v1::EvidenceItem> {
    use v1::evidence_item::Content as Message;
    let run = match &item.content {
        Some(Message::CheckRun(run)) => {
            read_run(Path::root("check_run"), *run.clone(), &mut Violations::default())
        }
        Some(Message::Json(document)) => CheckRun::from_json(document).ok().flatten(),
        Some(Message::Text(_)) | None => None,
    };
    let has_kind_and_lane = item.kind != 0 && item.lane != 0;
    if run.is_none() && has_kind_and_lane {
        return Cow::Borrowed(item);
    }
    let mut normalized = item.clone();
    if let Some(run) = run {
        if matches!(normalized.content, Some(Message::CheckRun(_))) {
            normalized.content = Some(Message::Json(run.to_json()));
        }
        normalized.tool = [CHECK_TOOL, run.declaration.name()].concat();
        normalized.verification_result = run.result().number();
    }
    if let Some(nature) = infer_nature(&normalized).filter(|_| !has_kind_and_lane) {
        normalized.kind = nature.kind.number();
        normalized.lane = nature.lane.number();
    }
    Cow::Owned(normalized)
}

/// The fields of an item that must not contradict its run.
pub(super) struct DeclaredFields<'a> {
    pub(super) nature: Option<Classification>,
    pub(super) tool: &'a mut String,
    pub(super) result: Option<VerificationResult>,
}

/// If an item is a check run, sets its tool to the check's name and returns the result of the run. If it is not,
/// returns its declared result.
pub(super) fn check_run_result(
    path: Path<'_>,
    content: &Content,
    item: DeclaredFields<'_>,
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
        let fix = "is not the kind of a check run; give EVIDENCE_KIND_VERIFICATION (5)";
        violations.add(path.field("kind"), fix);
    }
    if item.nature.is_some_and(|nature| nature.lane != Lane::Verification) {
        let fix = "is not the lane of a check run; give EVIDENCE_LANE_VERIFICATION";
        violations.add(path.field("lane"), fix);
    }
    let tool = [CHECK_TOOL, run.declaration.name()].concat();
    if !item.tool.is_empty() && *item.tool != tool {
        let fix = format_args!("is not the tool of the run; omit it, or give `{tool}`");
        violations.add(path.field("tool"), fix);
    }
    *item.tool = tool;
    let result = run.result();
    if item.result.is_some_and(|declared| declared != result) {
        let name = result.name();
        let fix = format_args!("differs from the result of the run, which is {name}; omit it");
        violations.add(path.field("verification_result"), fix);
    }
    Some(result)
}

fn note(path: Path<'_>, error: &CheckError, violations: &mut Violations) {
    violations.add(format!("{path}.{}", error.field), &error.message);
}
