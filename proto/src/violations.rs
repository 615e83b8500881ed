//! Collects all violations in a request before the server responds.

use core::fmt::Display;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt as _};

use crate::ERROR_DOMAIN;
use crate::v1::ErrorReason;

/// The maximum total size of the violations in a response, in bytes. Further violations are only counted, because
/// details are sent base64-encoded in a header and common clients accept at most 8 KiB of headers.
const MAX_BYTES: usize = 4096;

/// Field violations in the order in which they were found.
#[derive(Debug, Default)]
pub struct Violations {
    entries: Vec<FieldViolation>,
    unknown: Option<UnknownResource>,
    total_bytes: usize,
    omitted_count: usize,
}

/// An unknown resource named by a field.
#[derive(Debug)]
struct UnknownResource {
    kind: &'static str,
    name: String,
}

impl Violations {
    /// Adds a violation for a field that names an unknown resource of a kind, such as `policy`. The status is NOT_FOUND
    /// if this is the only violation. `known` states the known names, as in `expected one of paper, strict`.
    pub fn add_unknown(
        &mut self,
        field: impl Into<String>,
        kind: &'static str,
        name: &str,
        known: impl Display,
    ) {
        let name = escape_name(name);
        self.add(field, format!("unknown {kind} `{name}`; {known}"));
        self.unknown.get_or_insert(UnknownResource { kind, name });
    }

    /// Adds a violation. The description states what was given, what is allowed and how to fix it.
    pub fn add(&mut self, field: impl Into<String>, description: impl Display) {
        if self.total_bytes >= MAX_BYTES {
            self.omitted_count += 1;
            return;
        }
        let violation = FieldViolation::new(field, description.to_string());
        self.total_bytes += violation.field.len() + violation.description.len();
        self.entries.push(violation);
    }

    /// Returns the value. If `result` is an error, adds it as a violation of the field.
    pub fn note<T, E: Display>(
        &mut self,
        field: impl Into<String>,
        result: Result<T, E>,
    ) -> Option<T> {
        result.map_err(|error| self.add(field, error)).ok()
    }

    /// Returns `true` if there are no violations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns INVALID_ARGUMENT with all violations, or NOT_FOUND if the only violation is an unknown resource.
    #[must_use]
    pub fn into_status(self) -> Status {
        if let ([violation], 0, Some(unknown)) =
            (self.entries.as_slice(), self.omitted_count, &self.unknown)
        {
            return not_found(unknown.kind, &unknown.name, violation.description.clone());
        }
        let first = self.entries.first();
        let others = self.entries.len().saturating_sub(1) + self.omitted_count;
        let message = match (first, others) {
            (None, _) => "invalid request".to_owned(),
            (Some(violation), 0) => format!("{}: {}", violation.field, violation.description),
            (Some(first), others) => {
                format!("{}: {} (and {others} more)", first.field, first.description)
            }
        };
        let mut details = ErrorDetails::with_bad_request(self.entries);
        details.set_error_info(ErrorReason::InvalidFields.code(), ERROR_DOMAIN, []);
        Status::with_error_details(Code::InvalidArgument, message, details)
    }

    /// Returns the value, or the status if there are violations.
    ///
    /// # Errors
    /// Returns [`Violations::into_status`] if there are violations or there is no value.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Status> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            _ => Err(self.into_status()),
        }
    }
}

/// Formats a caller's name for an error message, with control characters escaped and long names truncated.
#[must_use]
pub fn escape_name(name: &str) -> String {
    const MAX_BYTES: usize = 256;
    let end = name.floor_char_boundary(MAX_BYTES);
    let mut escaped = String::new();
    for character in name.get(..end).unwrap_or_default().chars() {
        match character.is_control() {
            true => escaped.extend(character.escape_default()),
            false => escaped.push(character),
        }
    }
    if end < name.len() {
        escaped.push('…');
    }
    escaped
}

/// Returns a NOT_FOUND status for an unknown resource.
#[must_use]
pub fn not_found(kind: &str, name: &str, message: String) -> Status {
    let name = &escape_name(name);
    let mut details = ErrorDetails::with_resource_info(kind, name, "", message.clone());
    details.set_error_info(ErrorReason::UnknownResource.code(), ERROR_DOMAIN, []);
    Status::with_error_details(Code::NotFound, message, details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_truncated() {
        let status = not_found("policy", &"\u{1b}é".repeat(1000), "unknown".to_owned());
        let name = status.get_error_details().resource_info().unwrap().resource_name.clone();
        assert!(name.starts_with("\\u{1b}é\\u{1b}é") && name.ends_with('…'), "{name}");
        assert!(name.len() < 1000, "{}", name.len());
    }

    #[test]
    fn a_single_unknown_resource_is_not_found() {
        let mut violations = Violations::default();
        violations.add_unknown("policy", "policy", "night", "expected one of paper, strict");
        let status = violations.into_status();
        assert_eq!(status.code(), Code::NotFound);
        assert_eq!(status.message(), "unknown policy `night`; expected one of paper, strict");
        let details = status.get_error_details();
        assert_eq!(details.error_info().unwrap().reason, "UNKNOWN_RESOURCE");
        let resource = details.resource_info().unwrap();
        assert_eq!(
            (resource.resource_type.as_str(), resource.resource_name.as_str()),
            ("policy", "night")
        );
    }

    #[test]
    fn several_unknown_resources_are_violations() {
        let mut violations = Violations::default();
        violations.add_unknown("policy", "policy", "night", "expected one of paper, strict");
        violations.add_unknown("options.judge", "judge", "x", "expected one of rules/1");
        let status = violations.into_status();
        assert_eq!(status.code(), Code::InvalidArgument);
        let details = status.get_error_details();
        assert_eq!(details.error_info().unwrap().reason, "INVALID_FIELDS");
        let fields: Vec<_> = details
            .bad_request()
            .unwrap()
            .field_violations
            .iter()
            .map(|violation| violation.field.as_str())
            .collect();
        assert_eq!(fields, ["policy", "options.judge"]);
    }

    #[test]
    fn a_single_violation_is_invalid_argument() {
        let mut violations = Violations::default();
        violations.add("report", "is missing");
        assert_eq!(violations.into_status().code(), Code::InvalidArgument);
    }
}
