//! Tests the rules with true and false statements.

mod faults;
mod swaps;

use super::*;
use crate::budget::Budget;
use crate::facts::{Facts, Item};

/// Returns the outcome for a statement: `+value`, `-unit`, or "" for silent.
fn verdict(content: &str, claim: &str) -> String {
    let item = Item { tool: "", query: "", content, exhaustive: false };
    match Index::new(Facts::extract([item], &Budget::unlimited()), &Budget::unlimited())
        .check(claim)
    {
        Outcome::Supports(rule, _) => format!("+{}", rule.name()),
        Outcome::Refutes(rule, _) => format!("-{}", rule.name()),
        Outcome::Silent => String::new(),
    }
}

fn check(content: &str, claims: &[(&str, &str)]) {
    let failures: Vec<String> = claims
        .iter()
        .filter(|(claim, expected)| verdict(content, claim) != *expected)
        .map(|(claim, expected)| {
            format!("expected {expected:?} for {claim:?}, found {:?}", verdict(content, claim))
        })
        .collect();
    assert!(failures.is_empty(), "{failures:#?}\n{content}");
}

const PODS: &str = r#"{"pods": [
    {"name": "cart-1", "status": "Running", "restarts": 4, "memory_mib": 512},
    {"name": "stock-1", "status": "Pending", "restarts": 9, "memory_mib": 256}]}"#;

#[test]
fn checks_values_of_entities() {
    check(
        PODS,
        &[
            ("cart-1 had 4 restarts.", "+value"),
            ("Pod cart-1 restarted 4 times.", "+value"),
            ("The memory of stock-1 was 256 MiB.", "+value"),
            ("Pod cart-1 is Running.", "+value"),
            ("cart-1 had 9 restarts.", "-value"),
            ("The memory of stock-1 was 512 MiB.", "-value"),
            ("The memory of stock-1 was 256 GiB.", "-unit"),
            ("Pod stock-1 is Running.", "-value"),
            ("Pod stock-1 was Running.", ""),
            ("cart-1 had 4 restarts because of its memory.", ""),
            ("cart-1 had 4 restarts before stock-1.", ""),
            ("cart-1 restarted 4 times as often as stock-1.", ""),
            ("cart-2 had 4 restarts.", ""),
            ("cart-1 had few restarts.", ""),
            ("cart-1 had only 4 restarts.", ""),
            ("cart-1 and stock-1 had 4 restarts.", ""),
            ("cart-1 is not Running.", ""),
            ("cart-1 was probably Running.", ""),
            ("Is cart-1 Running?", ""),
        ],
    );
}

#[test]
fn metadata_names_apply_to_the_whole_object() {
    let pods = r#"{"items": [
        {"kind": "Pod", "metadata": {"name": "cart-1", "labels": {"app": "cart"}}, "status": {"phase": "Running"}},
        {"kind": "Pod", "metadata": {"name": "cart-2", "labels": {"app": "cart"}}, "status": {"phase": "Pending"}}]}"#;
    check(
        pods,
        &[
            ("Pod cart-2 is Pending.", "+value"),
            ("The phase of cart-1 is Running.", "+value"),
            ("Pod cart-2 is Running.", "-value"),
            ("Pod cart-3 is Running.", ""),
            ("Node cart-1 is Running.", ""),
        ],
    );
}

#[test]
fn table_rows_are_entities() {
    let table = "NAME     READY   STATUS             RESTARTS   AGE\ncart-1   1/1     Running            4          6h\nstock-1  0/1     CrashLoopBackOff   9          2d\n";
    check(
        table,
        &[
            ("cart-1 had 4 restarts.", "+value"),
            ("stock-1 is in CrashLoopBackOff.", "+value"),
            ("cart-1 had 9 restarts.", "-value"),
            ("cart-1 is in CrashLoopBackOff.", "-value"),
            ("All pods had 4 restarts.", ""),
        ],
    );
}

#[test]
fn conflicting_records_decide_nothing() {
    let series =
        "time,node,connections\n12:00,db-1,40\n12:05,db-1,90\n12:00,db-2,70\n12:05,db-2,70\n";
    check(
        series,
        &[
            ("db-1 had 40 connections.", ""),
            ("db-2 had 70 connections.", "+value"),
            ("db-2 had 90 connections.", ""),
        ],
    );
}

#[test]
fn queries_and_empty_values_decide_nothing() {
    check(r#"{"query": "errors of cart-1", "result": []}"#, &[("cart-1 had errors.", "")]);
    check("campaign: gw-5\napproved_by: null\nowner: dana", &[("gw-5 was approved by dana.", "")]);
}

#[test]
fn verbatim_lines_are_supported() {
    let log = "2026-05-05T06:14:40Z ERROR cart: connection to db-1 refused\n2026-05-05T06:14:41Z WARN cart: limit >= 5 reached\n";
    check(
        log,
        &[
            ("connection to db-1 refused", "+verbatim"),
            ("  Connection to db-1 refused.", "+verbatim"),
            ("connection to db-2 refused", ""),
            ("limit <= 5 reached", ""),
        ],
    );
}

#[test]
fn item_order_is_irrelevant() {
    let items = [PODS, "cart-1 depth=40", "name,region\ncart-1,eu-west-1\n"].map(|content| Item {
        tool: "",
        query: "",
        content,
        exhaustive: false,
    });
    let mut reversed = items;
    reversed.reverse();
    for claim in ["cart-1 had 4 restarts.", "cart-1 had 9 restarts.", "The depth of cart-1 was 41."]
    {
        let outcome = |items| match Index::new(
            Facts::extract(items, &Budget::unlimited()),
            &Budget::unlimited(),
        )
        .check(claim)
        {
            Outcome::Supports(rule, _) => Some((true, rule)),
            Outcome::Refutes(rule, _) => Some((false, rule)),
            Outcome::Silent => None,
        };
        assert_eq!(outcome(items), outcome(reversed));
    }
}
