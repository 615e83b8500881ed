//! Parses evidence items.

use gsar_core::evidence::{
    Classification, Content, EvidenceId, EvidenceItem, EvidenceKind, Lane, classify_item,
};

use super::check::{DeclaredFields, check_run_result, read_run};
use super::field::{id, optional_enumeration, short_text, text};
use super::json_document::json_document;
use super::limits::Limits;
use super::list::{limit_length, parse_each, unique_ids};
use super::path::Path;
use super::time::optional_timestamp;
use crate::v1;
use crate::violations::Violations;

/// Parses the field `evidence`. The items are not attested.
pub fn evidence(
    items: Vec<v1::EvidenceItem>,
    limits: &Limits,
    violations: &mut Violations,
) -> Vec<EvidenceItem> {
    read(Path::root("evidence"), items, limits, violations).unwrap_or_default()
}

/// Parses the field `item`. The item is not attested.
pub fn evidence_item(
    item: v1::EvidenceItem,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<EvidenceItem> {
    let path = Path::root("item");
    // Ids of stored items appear in lists and URLs.
    if item.id.contains(char::is_control) {
        violations.add(path.field("id"), "contains control characters; remove them");
    }
    read_item(path, item, limits, violations)
}

/// Parses a list of items with unique ids.
pub(super) fn read(
    path: Path<'_>,
    items: Vec<v1::EvidenceItem>,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Vec<EvidenceItem>> {
    let items = limit_length(path, items, limits.max_evidence_items, violations)?;
    let unique = unique_ids(path, items.iter().map(|item| item.id.as_str()), violations);
    let items = parse_each(path, items, violations, |path, item, violations| {
        read_item(path, item, limits, violations)
    });
    unique?;
    items
}

fn read_item(
    path: Path<'_>,
    message: v1::EvidenceItem,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<EvidenceItem> {
    let max_bytes = limits.max_claim_bytes;
    let id = id(path.field("id"), message.id, EvidenceId::new, violations);
    let kind = optional_enumeration(path.field("kind"), message.kind, violations);
    let lane = optional_enumeration(path.field("lane"), message.lane, violations);
    let mut tool = text(path.field("tool"), message.tool, max_bytes, violations);
    let query = text(path.field("query"), message.query, max_bytes, violations);
    let content = read_content(path, message.content, limits, violations);
    let names = [tool.as_deref(), id.as_ref().map(EvidenceId::as_str)];
    let names = names.map(Option::unwrap_or_default);
    let nature = resolve_nature(kind, lane, names, content.as_ref().map(Content::as_str));
    let collected_at =
        optional_timestamp(path.field("collected_at"), message.collected_at, violations);
    let step_id = short_text(path.field("step_id"), message.step_id, violations);
    let specialist_id = short_text(path.field("specialist_id"), message.specialist_id, violations);
    let result = optional_enumeration(
        path.field("verification_result"),
        message.verification_result,
        violations,
    );
    let is_verification = |nature: Classification| nature.kind == EvidenceKind::Verification;
    if result.flatten().is_some() && nature.is_some_and(|nature| !is_verification(nature)) {
        violations.add(
            path.field("verification_result"),
            "requires kind EVIDENCE_KIND_VERIFICATION (5); omit it, or correct kind",
        );
    }
    let (content, mut result) = (content?, result?);
    if let Some(tool) = &mut tool {
        let declared = DeclaredFields { nature, tool, result };
        result = check_run_result(path, &content, declared, violations);
    }
    Some(EvidenceItem {
        id: id?,
        kind: nature?.kind,
        lane: nature?.lane,
        tool: tool?,
        query: query?,
        content,
        collected_at: collected_at?,
        exhaustive: message.exhaustive,
        attested: false,
        step_id: step_id?,
        specialist_id: specialist_id?,
        verification_result: result,
    })
}

/// Returns the declared kind and lane. A missing kind or lane is inferred from the content, the tool and the id.
fn resolve_nature(
    kind: Option<Option<EvidenceKind>>,
    lane: Option<Option<Lane>>,
    name: [&str; 2],
    content: Option<&str>,
) -> Option<Classification> {
    match (kind?, lane?) {
        (Some(kind), Some(lane)) => Some(Classification { kind, lane }),
        (kind, lane) => Some(classify_item(&name.join(" "), content?).with_overrides(kind, lane)),
    }
}

/// Infers the kind and lane of an unparsed item.
pub(super) fn infer_nature(item: &v1::EvidenceItem) -> Option<Classification> {
    use v1::evidence_item::Content as Message;
    let no_path = Path::root("");
    let kind = optional_enumeration(no_path, item.kind, &mut Violations::default());
    let lane = optional_enumeration(no_path, item.lane, &mut Violations::default());
    let content = match &item.content {
        Some(Message::Text(content) | Message::Json(content)) => Some(content.as_str()),
        Some(Message::CheckRun(_)) | None => None,
    };
    resolve_nature(kind, lane, [&item.tool, &item.id], content)
}

fn read_content(
    path: Path<'_>,
    content: Option<v1::evidence_item::Content>,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Content> {
    use v1::evidence_item::Content as Message;
    match content {
        Some(Message::Text(content)) => {
            text(path.field("text"), content, limits.max_text_bytes, violations).map(Content::Text)
        }
        Some(Message::Json(content)) => {
            json(path.field("json"), content, limits, violations).map(Content::Json)
        }
        Some(Message::CheckRun(run)) => {
            let run = read_run(path.field("check_run"), *run, violations)?;
            json(path.field("check_run"), run.to_json(), limits, violations).map(Content::Json)
        }
        None => {
            violations.add(path.field("content"), "is missing; give text, json or check_run");
            None
        }
    }
}

/// Parses text that must be one JSON document.
pub(super) fn json(
    path: Path<'_>,
    content: String,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<String> {
    let content = text(path, content, limits.max_text_bytes, violations)?;
    json_document(path, content, limits.max_json_depth, violations)
}
