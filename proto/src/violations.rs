//! This module collects everything that is wrong with a request before it is answered.

use core::fmt::Display;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt as _};

use crate::ERROR_DOMAIN;
use crate::v1::ErrorReason;

/// The most bytes of violations that one answer carries; the rest is counted. Details travel in a header,
/// in base64, and common clients take no more than 8 KiB of headers.
const MAX_BYTES: usize = 4096;

/// Field violations in the order in which they were found.
#[derive(Debug, Default)]
pub struct Violations {
    found: Vec<FieldViolation>,
    unknown: Option<Unknown>,
    bytes: usize,
    more: usize,
}

/// A resource that a field names and the server does not have.
#[derive(Debug)]
struct Unknown {
    kind: &'static str,
    name: String,
}

impl Violations {
    /// Notes that a field names a resource of that kind, such as `policy`, that the server does not have. Alone it is
    /// NOT_FOUND; beside other violations it is one of them. `known` says which names there are.
    pub fn add_unknown(
        &mut self,
        field: impl Into<String>,
        kind: &'static str,
        name: &str,
        known: impl Display,
    ) {
        let name = shown(name);
        self.add(field, format!("{kind} `{name}` is not known; {known}"));
        self.unknown.get_or_insert(Unknown { kind, name });
    }

    /// Notes that a field is wrong. The description says what was given, what is allowed and the fix.
    pub fn add(&mut self, field: impl Into<String>, description: impl Display) {
        if self.bytes >= MAX_BYTES {
            self.more += 1;
            return;
        }
        let violation = FieldViolation::new(field, description.to_string());
        self.bytes += violation.field.len() + violation.description.len();
        self.found.push(violation);
    }

    /// The value, or `None` with the error noted under the field.
    pub fn note<T, E: Display>(
        &mut self,
        field: impl Into<String>,
        result: Result<T, E>,
    ) -> Option<T> {
        result.map_err(|error| self.add(field, error)).ok()
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// INVALID_ARGUMENT with every violation; NOT_FOUND where the only one is an unknown resource.
    #[must_use]
    pub fn into_status(self) -> Status {
        if let ([only], 0, Some(unknown)) = (self.found.as_slice(), self.more, &self.unknown) {
            return not_found(unknown.kind, &unknown.name, only.description.clone());
        }
        let first = self.found.first();
        let others = self.found.len().saturating_sub(1) + self.more;
        let message = match (first, others) {
            (None, _) => "invalid request".to_owned(),
            (Some(only), 0) => format!("{}: {}", only.field, only.description),
            (Some(first), others) => {
                format!("{}: {} (and {others} more)", first.field, first.description)
            }
        };
        let mut details = ErrorDetails::with_bad_request(self.found);
        details.set_error_info(ErrorReason::InvalidFields.code(), ERROR_DOMAIN, []);
        Status::with_error_details(Code::InvalidArgument, message, details)
    }

    /// The value when nothing was found, else the status.
    ///
    /// # Errors
    /// As [`Violations::into_status`] when anything was noted, or when there is no value.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Status> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            _ => Err(self.into_status()),
        }
    }
}

/// A name that a caller gave, as errors show it: control characters escaped, and cut where it is long.
#[must_use]
pub fn shown(name: &str) -> String {
    const MAX_BYTES: usize = 256;
    let end = name.floor_char_boundary(MAX_BYTES);
    let mut shown = String::new();
    for character in name.get(..end).unwrap_or_default().chars() {
        match character.is_control() {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    if end < name.len() {
        shown.push('…');
    }
    shown
}

/// NOT_FOUND for a resource of that kind and name.
#[must_use]
pub fn not_found(kind: &str, name: &str, message: String) -> Status {
    let name = &shown(name);
    let mut details = ErrorDetails::with_resource_info(kind, name, "", message.clone());
    details.set_error_info(ErrorReason::UnknownResource.code(), ERROR_DOMAIN, []);
    Status::with_error_details(Code::NotFound, message, details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_and_content_are_shown_safely() {
        let status = not_found("policy", &"\u{1b}é".repeat(1000), "unknown".to_owned());
        let name = status.get_error_details().resource_info().unwrap().resource_name.clone();
        assert!(name.starts_with("\\u{1b}é\\u{1b}é") && name.ends_with('…'), "{name}");
        assert!(name.len() < 1000, "{}", name.len());
    }

    #[test]
    fn an_unknown_resource_alone_is_not_found() {
        let mut violations = Violations::default();
        violations.add_unknown("policy", "policy", "night", "known are paper, strict");
        let status = violations.into_status();
        assert_eq!(status.code(), Code::NotFound);
        assert_eq!(status.message(), "policy `night` is not known; known are paper, strict");
        let details = status.get_error_details();
        assert_eq!(details.error_info().unwrap().reason, "UNKNOWN_RESOURCE");
        let resource = details.resource_info().unwrap();
        assert_eq!(
            (resource.resource_type.as_str(), resource.resource_name.as_str()),
            ("policy", "night")
        );
    }

    #[test]
    fn beside_other_faults_it_is_one_violation() {
        let mut violations = Violations::default();
        violations.add_unknown("policy", "policy", "night", "known are paper, strict");
        violations.add_unknown("options.judge", "judge", "x", "known are rules/1");
        let status = violations.into_status();
        assert_eq!(status.code(), Code::InvalidArgument);
        let details = status.get_error_details();
        assert_eq!(details.error_info().unwrap().reason, "INVALID_FIELDS");
        let fields: Vec<_> = details
            .bad_request()
            .unwrap()
            .field_violations
            .iter()
            .map(|found| found.field.as_str())
            .collect();
        assert_eq!(fields, ["policy", "options.judge"]);
    }

    #[test]
    fn a_field_that_is_wrong_alone_is_invalid() {
        let mut violations = Violations::default();
        violations.add("report", "is missing");
        assert_eq!(violations.into_status().code(), Code::InvalidArgument);
    }
}
