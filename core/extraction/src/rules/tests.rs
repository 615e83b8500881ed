//! This module tests what each rule says of claims that hold, and of their contraries.

mod series;
mod sets;
mod unit;
mod words;

use super::*;
use crate::facts::{Facts, Item};

/// What the rules say of claims over one item, by the rule that spoke: `+value`, `-owner`, or nothing.
fn said(content: &str, claim: &str) -> String {
    let item = Item { tool: "", query: "", content, exhaustive: false };
    let index = Index::new(Facts::read([item]));
    let (outcome, rules) = Held::new(&TypedClaim::read(claim), &index).rule();
    let sign = match outcome {
        Outcome::Supports(_) => '+',
        Outcome::Refutes(_) => '-',
        Outcome::Silent => return String::new(),
    };
    format!("{sign}{}", rules.first().map_or("", |rule| rule.0))
}

fn check(content: &str, claims: &[(&str, &str)]) {
    for (claim, expected) in claims {
        assert_eq!(said(content, claim), *expected, "{claim}\n{content}");
    }
}

const PODS: &str = r#"{"pods": [
    {"name": "cart-1", "status": "Running", "restarts": 4, "memory_mib": 512},
    {"name": "stock-1", "status": "Pending", "restarts": 9, "memory_mib": 256}]}"#;

#[test]
fn a_value_is_that_of_its_subject() {
    check(
        PODS,
        &[
            ("cart-1 had 4 restarts.", "+value"),
            ("Pod cart-1 restarted 4 times.", "+value"),
            ("The memory of stock-1 was 256 MiB.", "+value"),
            ("Pod cart-1 is Running.", "+value"),
            ("cart-1 had 9 restarts.", "-value"),
            ("The memory of stock-1 was 512 MiB.", "-value"),
            ("Pod stock-1 is Running.", "-value"),
            ("cart-1 had 4 restarts because of its memory.", ""),
            ("cart-2 had 4 restarts.", ""),
            ("cart-1 had few restarts.", ""),
        ],
    );
}

#[test]
fn the_name_in_the_metadata_is_that_of_all_beside_it() {
    let pods = r#"{"items": [
        {"kind": "Pod", "metadata": {"name": "cart-1", "labels": {"app": "cart"}}, "status": {"phase": "Running"}},
        {"kind": "Pod", "metadata": {"name": "cart-2", "labels": {"app": "cart"}}, "status": {"phase": "Pending"}}]}"#;
    check(
        pods,
        &[
            ("Pod cart-2 is Pending.", "+value"),
            ("Pod cart-1 is Running.", "+value"),
            ("Pod cart-2 is Running.", "-value"),
            ("Pod cart-3 is Running.", ""),
        ],
    );
}

#[test]
fn a_kind_of_thing_is_no_attribute_and_no_count_of_another() {
    let targets = "|    Target     |     AZ     | Port |  State   |\n| 172.31.18.44  | us-east-2a | 9000 | draining |\n| 172.31.52.201 | us-east-2c | 9000 | healthy  |\n";
    check(targets, &[("The target in us-east-2c is still listed as healthy.", "")]);
    let pods = "NAME     READY   RESTARTS   VERSION\ncart-1   1/1     0          2024.8.4\ncart-2   1/1     0          2024.8.4\n";
    check(pods, &[("The three pods on 2024.8.4 are ready.", "")]);
}

#[test]
fn a_row_of_a_table_is_one_thing() {
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
fn keys_that_name_things_bind_their_values() {
    let document = r#"{"cart": "v2.4.1", "stock": "v2.5.0"}"#;
    check(
        document,
        &[
            ("cart runs v2.4.1.", "+value"),
            ("stock runs v2.5.0.", "+value"),
            ("cart runs v2.5.0.", "-value"),
        ],
    );
}

#[test]
fn what_a_neighbour_has_is_not_shown() {
    for (content, truth, swapped) in [
        (
            "12:00:01 WARN cart-svc answered in 8 ms; stock-svc timed out after 12 s",
            "stock-svc timed out after 12 s.",
            "cart-svc timed out after 12 s.",
        ),
        (
            "queue-in depth=40 queue-out depth=900",
            "The depth of queue-out was 900.",
            "The depth of queue-in was 900.",
        ),
        (
            r#"<cases><case name="login-test" result="failed"/><case name="cart-test" result="passed"/></cases>"#,
            "The result of login-test was failed.",
            "The result of cart-test was failed.",
        ),
        (
            "name,region,connections\npg-1,eu-west-1,40\npg-2,us-east-1,90\n",
            "pg-2 had 90 connections.",
            "pg-1 had 90 connections.",
        ),
    ] {
        assert!(!said(content, swapped).starts_with('+'), "{swapped}");
        assert_eq!(said(content, truth), "+value", "{truth}");
    }
}

#[test]
fn the_owner_of_a_value_is_reported() {
    check(
        "12:00:01 WARN cart-svc answered in 8 ms; stock-svc timed out after 12 s",
        &[
            ("cart-svc timed out after 12 s.", "-owner"),
            ("stock-svc timed out after 12 s.", "+value"),
        ],
    );
}

#[test]
fn a_rank_is_among_the_records_of_a_group() {
    check(
        PODS,
        &[
            ("stock-1 has the most restarts.", "+rank"),
            ("cart-1 has the highest memory.", "+rank"),
            ("cart-1 has the fewest restarts.", "+rank"),
            ("cart-1 has the most restarts.", "-rank"),
            ("stock-1 has the highest memory.", "-rank"),
            ("cart-1 has the most errors.", ""),
        ],
    );
}

#[test]
fn a_change_goes_from_one_sample_to_a_later_one() {
    let series =
        "time,node,connections\n12:00,db-1,40\n12:05,db-1,90\n12:00,db-2,70\n12:05,db-2,30\n";
    check(
        series,
        &[
            ("The connections of db-1 rose from 40 to 90.", "+change"),
            ("The connections of db-2 fell from 70 at 12:00 to 30 at 12:05.", "+change"),
            ("The connections of db-1 fell from 40 to 90.", "-change"),
            ("The connections of db-1 rose from 50 to 90.", ""),
        ],
    );
}

#[test]
fn what_was_asked_and_what_has_no_value_shows_nothing() {
    check(r#"{"query": "errors of cart-1", "result": []}"#, &[("cart-1 had errors.", "")]);
    check("campaign: gw-5\napproved_by: null\nowner: dana", &[("gw-5 was approved by dana.", "")]);
}

#[test]
fn the_order_of_items_changes_nothing() {
    let items = [PODS, "cart-1 depth=40", "name,region\ncart-1,eu-west-1\n"].map(|content| Item {
        tool: "",
        query: "",
        content,
        exhaustive: false,
    });
    let mut turned = items;
    turned.reverse();
    for claim in ["cart-1 had 4 restarts.", "cart-1 had 9 restarts.", "The depth of cart-1 was 41."]
    {
        let claim = TypedClaim::read(claim);
        let of = |items| {
            let index = Index::new(Facts::read(items));
            let (outcome, rules) = Held::new(&claim, &index).rule();
            (core::mem::discriminant(&outcome), rules)
        };
        assert_eq!(of(items), of(turned));
    }
}

#[test]
fn rules_that_speak_against_each_other_say_nothing() {
    let (shown, refuted) = (Outcome::Supports(Vec::new()), Outcome::Refutes(Vec::new()));
    assert_eq!(together([&shown, &shown, &Outcome::Silent]), shown);
    assert_eq!(together([&Outcome::Silent, &refuted]), refuted);
    assert_eq!(together([&shown, &refuted]), Outcome::Silent);
    assert_eq!(together([]), Outcome::Silent);
}

#[test]
fn every_rule_has_a_name_of_its_own() {
    let names: BTreeSet<RuleId> = rule_ids().collect();
    assert_eq!(names.len(), rule_ids().count());
}
