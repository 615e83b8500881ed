//! What the rule of absences says.

use super::check;

#[test]
fn what_is_denied_is_empty_or_is_not() {
    let services = r#"{"services": [
        {"name": "db", "endpoints": "[]", "ready": false, "limit": 5},
        {"name": "web", "endpoints": "10.0.0.1:80", "ready": true, "limit": 0}]}"#;
    check(
        services,
        &[
            ("db has no endpoints.", "+absence"),
            ("db is not ready.", "+absence"),
            ("web runs without a limit.", "+absence"),
            ("web is not ready.", "-absence"),
            ("db runs without a limit.", "-absence"),
            ("web has no endpoints.", ""),
            ("db has no owner.", ""),
        ],
    );
}
