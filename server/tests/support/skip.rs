//! Skips tests whose requirements are not available.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "included by path in the tests of several crates"
)]

/// Reports a skipped test. Panics if the comma-separated list `GSAR_REQUIRE` has the requirement.
pub fn skipped(requirement: &str, reason: impl std::fmt::Display) {
    let required = std::env::var("GSAR_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(',').any(|name| name == requirement),
        "GSAR_REQUIRE names {requirement}, but {reason}"
    );
    eprintln!("skipped: {reason}");
}
