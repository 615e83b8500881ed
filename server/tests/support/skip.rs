//! Reports tests that are skipped because a requirement is not available.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "the tests of several crates include this file by path"
)]

/// Reports a skipped test. Panics if the environment variable `GSAR_REQUIRE`, a comma-separated list, contains the
/// requirement.
pub fn report_skip(requirement: &str, reason: impl std::fmt::Display) {
    let required = std::env::var("GSAR_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(',').any(|name| name == requirement),
        "GSAR_REQUIRE contains {requirement}, but {reason}"
    );
    eprintln!("skipped: {reason}");
}
