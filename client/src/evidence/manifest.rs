//! Parses `evidence.toml`, which describes the files of its directory, one `[[item]]` per file.

use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

use gsar_core::evidence::{EvidenceKind, Lane, VerificationResult};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::input::{InputError, line_at};

/// An `[[item]]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entry {
    /// The path of the file, below the manifest's directory and relative to it.
    pub(super) file: String,
    /// The item's id, which defaults to the path.
    pub(super) id: Option<String>,
    /// The kind, detected by default.
    pub(super) kind: Option<EvidenceKind>,
    /// The lane, detected by default.
    pub(super) lane: Option<Lane>,
    pub(super) tool: Option<String>,
    pub(super) query: Option<String>,
    pub(super) collected_at: Option<prost_types::Timestamp>,
    /// `true` if whatever the item does not list does not exist in the item's scope.
    pub(super) exhaustive: bool,
    pub(super) step_id: Option<String>,
    pub(super) specialist_id: Option<String>,
    pub(super) verification_result: Option<VerificationResult>,
}

const FIELDS: &str = "file, id, kind, lane, tool, query, collected_at, exhaustive, step_id, specialist_id, verification_result";

pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Entry>, InputError> {
    let content_error = |span: Range<usize>, message: String| InputError::Content {
        path: path.to_owned(),
        line: line_at(text.as_bytes(), span.start),
        message,
    };
    let document = DeTable::parse(text)
        .map_err(|error| content_error(error.span().unwrap_or(0..0), error.message().to_owned()))?;
    let mut entries = Vec::new();
    for (key, value) in document.get_ref() {
        let tables = match (key.get_ref().as_ref(), value.get_ref()) {
            ("item", DeValue::Array(tables)) => tables,
            _ => {
                let message = format!("unknown key `{}`; list files as [[item]]", key.get_ref());
                return Err(content_error(key.span(), message));
            }
        };
        for table in tables {
            let DeValue::Table(fields) = table.get_ref() else {
                return Err(content_error(
                    table.span(),
                    "an item must be a table: write [[item]]".to_owned(),
                ));
            };
            entries.push(
                entry(fields, table.span())
                    .map_err(|(span, message)| content_error(span, message))?,
            );
        }
    }
    Ok(entries)
}

type SpannedError = (Range<usize>, String);

fn entry(fields: &DeTable<'_>, span: Range<usize>) -> Result<Entry, SpannedError> {
    let mut entry = Entry::default();
    for (key, value) in fields {
        let text = || text(key.get_ref(), value);
        match key.get_ref().as_ref() {
            "file" => entry.file = check_below(text()?, value.span())?,
            "id" => entry.id = Some(text()?),
            "kind" => {
                entry.kind = Some(parse_name(&text()?, value, EvidenceKind::from_name, kind_names)?)
            }
            "lane" => entry.lane = Some(parse_name(&text()?, value, Lane::from_name, lane_names)?),
            "tool" => entry.tool = Some(text()?),
            "query" => entry.query = Some(text()?),
            "step_id" => entry.step_id = Some(text()?),
            "specialist_id" => entry.specialist_id = Some(text()?),
            "verification_result" => {
                let result =
                    parse_name(&text()?, value, VerificationResult::from_name, result_names)?;
                entry.verification_result = Some(result);
            }
            "collected_at" => entry.collected_at = Some(instant(value)?),
            "exhaustive" => match value.get_ref() {
                DeValue::Boolean(exhaustive) => entry.exhaustive = *exhaustive,
                _ => return Err((value.span(), "exhaustive must be true or false".to_owned())),
            },
            other => {
                let message = format!("unknown field `{other}`; expected one of {FIELDS}");
                return Err((key.span(), message));
            }
        }
    }
    if entry.file.is_empty() {
        return Err((span, "missing file; add file = \"…\"".to_owned()));
    }
    Ok(entry)
}

fn text(field: &str, value: &Spanned<DeValue<'_>>) -> Result<String, SpannedError> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.clone().into_owned()),
        _ => Err((value.span(), format!("{field} must be a string"))),
    }
}

fn check_below(file: String, span: Range<usize>) -> Result<String, SpannedError> {
    use std::path::Component;
    let is_below = Path::new(&file).components().all(|part| matches!(part, Component::Normal(_)));
    if is_below { Ok(file) } else { Err((span, format!("`{file}` is not below this directory"))) }
}

fn parse_name<T>(
    name: &str,
    value: &Spanned<DeValue<'_>>,
    find: impl Fn(&str) -> Option<T>,
    names: impl Fn() -> String,
) -> Result<T, SpannedError> {
    find(name).ok_or_else(|| {
        (value.span(), format!("unknown value `{name}`; expected one of {}", names()))
    })
}

fn kind_names() -> String {
    EvidenceKind::ALL.map(EvidenceKind::name).join(", ")
}

fn lane_names() -> String {
    Lane::ALL.map(Lane::name).join(", ")
}

fn result_names() -> String {
    VerificationResult::ALL.map(VerificationResult::name).join(", ")
}

/// Parses a TOML date-time with an offset, or a string in that format.
fn instant(value: &Spanned<DeValue<'_>>) -> Result<prost_types::Timestamp, SpannedError> {
    let literal = match value.get_ref() {
        DeValue::Datetime(instant) => instant.to_string(),
        DeValue::String(text) => text.clone().into_owned(),
        _ => String::new(),
    };
    let instant: jiff::Timestamp = literal.parse().map_err(|_| {
        let message = "collected_at must be an instant such as 2026-03-12T14:20:00Z".to_owned();
        (value.span(), message)
    })?;
    Ok(SystemTime::from(instant).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        read(Path::new("evidence.toml"), text).unwrap_err().to_string()
    }

    #[test]
    fn accepts_instants_as_strings_and_toml_datetimes() {
        let collected_at = |instant: &str| {
            let text = format!("[[item]]\nfile = \"a\"\ncollected_at = {instant}");
            read(Path::new("evidence.toml"), &text).unwrap().remove(0).collected_at
        };
        assert_eq!(
            collected_at("2026-03-12T15:20:00.5+01:00"),
            collected_at("\"2026-03-12T14:20:00.5Z\"")
        );
        assert_eq!(collected_at("2026-03-12T14:20:00Z").unwrap().seconds, 1_773_325_200);
        // The nanoseconds of a Timestamp are never negative.
        let before_1970 = prost_types::Timestamp { seconds: -2, nanos: 500_000_000 };
        assert_eq!(collected_at("1969-12-31T23:59:58.5Z"), Some(before_1970));
    }

    #[test]
    fn errors_are_reported_with_their_line() {
        insta::assert_snapshot!(
            [
                "[[item]]\nfile = \"a\"\nkind = \"tool\"",
                "[[item]]\nfile = \"a\"\nlane = \"log\"",
                "[[item]]\nfile = \"a\"\nlanes = \"logs\"",
                "[[item]]\nfile = \"a\"\nverification_result = \"ok\"",
                "[[item]]\nid = \"a\"",
                "[[item]]\nfile = \"../secret\"",
                "[[item]]\nfile = \"/etc/passwd\"",
                "[[item]]\nfile = 7",
                "[[item]]\nfile = \"a\"\ncollected_at = \"yesterday\"",
                "[[item]]\nfile = \"a\"\ncollected_at = 2026-03-12",
                "[[item]]\nfile = \"a\"\nexhaustive = \"yes\"",
                "[[items]]\nfile = \"a\"",
                "item = 1",
                "[[item]]\nfile = ",
            ]
            .map(|text| format!("{}\n    {}", text.replace('\n', " ↵ "), error(text)))
            .join("\n")
        );
    }
}
