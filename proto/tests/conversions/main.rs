//! Tests the conversions between messages and core types, the JSON mapping, and the rejection of hostile input.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests and their helpers fail by panicking"
)]

mod answers;
mod hostile;
mod investigations;
mod json_mapping;
mod requests;
mod round_trips;

use gsar_proto::violations::Violations;
use tonic_types::StatusExt as _;

/// Returns the parsed value of a valid message.
fn parse_valid<T>(parse: impl FnOnce(&mut Violations) -> Option<T>) -> T {
    let mut violations = Violations::default();
    let parsed = parse(&mut violations);
    assert!(violations.is_empty(), "{:?}", fields_and_descriptions(violations));
    parsed.unwrap()
}

/// Returns the violations of an invalid message.
fn parse_invalid<T>(parse: impl FnOnce(&mut Violations) -> Option<T>) -> Violations {
    let mut violations = Violations::default();
    assert!(parse(&mut violations).is_none());
    violations
}

/// Returns the field and the description of each violation.
fn fields_and_descriptions(violations: Violations) -> Vec<(String, String)> {
    if violations.is_empty() {
        return Vec::new();
    }
    let status = violations.into_status();
    assert_eq!(status.code(), tonic::Code::InvalidArgument);
    let request =
        status.get_details_bad_request().expect("a status with violations contains BadRequest");
    let reported = request.field_violations.into_iter();
    reported.map(|violation| (violation.field, violation.description)).collect()
}

/// Returns the fields of the violations.
fn fields(violations: Violations) -> Vec<String> {
    fields_and_descriptions(violations).into_iter().map(|(field, _)| field).collect()
}
