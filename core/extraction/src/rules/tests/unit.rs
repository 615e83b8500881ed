//! This module tests the rule of units.

use super::check;

#[test]
fn the_same_digits_in_another_unit_are_another_quantity() {
    let limits = r#"{"containers": [{"name": "stress", "memory": "512Mi", "timeout": "600s"}, {"name": "web", "memory": "64Mi", "timeout": "5s"}]}"#;
    check(
        limits,
        &[
            ("stress is stopped after its timeout of 600 minutes.", "-unit"),
            ("The timeout of stress is ten minutes.", "+value"),
            ("web has 64 KiB of memory configured for its cache.", "-unit"),
        ],
    );
    check(
        "Pulled image bash in 2 s. Image size: 6335174 bytes.",
        &[
            ("The bash image has a size of 6.3 GB.", "-unit"),
            ("The bash image has a size of 6.3 MB.", ""),
        ],
    );
}

#[test]
fn near_sizes_of_two_systems_are_no_other_unit() {
    check(
        "cache-b biggest string 402653184 bytes",
        &[("The biggest string of cache-b has 384 MB.", "")],
    );
}
