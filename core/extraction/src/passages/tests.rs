use proptest::prelude::*;

use crate::budget::Budget;
use crate::facts::{Facts, Item};

use super::Passages;

fn premise(tool: &str, content: &str, claim: &str, max_bytes: usize) -> String {
    let facts = Facts::extract(
        [Item { tool, query: "", content, exhaustive: false }],
        &Budget::unlimited(),
    );
    Passages::new(&facts, &Budget::unlimited()).premise(claim, max_bytes, &Budget::unlimited()).text
}

#[test]
fn renders_values_with_column_names() {
    let content =
        "NAME    READY  STATUS\ncart-1  1/1    Running\ncart-2  0/1    CrashLoopBackOff\n";
    assert_eq!(
        premise("kubectl get pods", content, "cart-2 is in CrashLoopBackOff", 80),
        "[kubectl get pods]\nNAME cart-2; READY 0/1; STATUS CrashLoopBackOff\n"
    );
}

#[test]
fn renders_a_series_as_one_passage() {
    let content = r#"{"data": {"result": [{"metric": {"service": "cart"}, "values": [[1742288400, "0.412"], [1742288700, "2.87"]]}]}}"#;
    let text = premise("query_range", content, "The latency of cart rose at 09:05.", 400);
    assert!(text.contains("cart: 09:00 0.412, 09:05 2.87"), "{text}");
}

#[test]
fn renders_shared_context_once() {
    let content = r#"{"trace": "t1", "spans": [{"service": "cart", "ms": 41}, {"service": "pay", "ms": 7850}]}"#;
    let text = premise("jaeger", content, "pay took 7850 ms and cart 41 ms", 400);
    assert_eq!(text.matches("trace t1").count(), 1, "{text}");
    assert!(text.contains("service pay; ms 7850"), "{text}");
}

#[test]
fn prefers_lines_with_rare_words() {
    let lines: String =
        (10..40).map(|minute| format!("10:{minute}:00 INFO cart-svc heartbeat ok\n")).collect();
    let content = format!("{lines}10:41:07 ERROR cart-svc pool exhausted: 50 of 50 in use\n");
    let text = premise("logs", &content, "The pool of cart-svc was exhausted.", 64);
    assert_eq!(text, "[logs]\n10:41:07 ERROR cart-svc pool exhausted: 50 of 50 in use\n");
}

#[test]
fn unrelated_claims_have_an_empty_premise() {
    assert_eq!(premise("logs", "10:41 pool exhausted", "Zebras graze.", 400), "");
    assert_eq!(premise("", "", "The pool was exhausted.", 400), "");
}

const DIFF: &str = "diff --git a/cart.yaml b/cart.yaml\nindex 1..2 100644\n--- a/cart.yaml\n+++ b/cart.yaml\n@@ -1,6 +1,6 @@ resources\n   limits:\n-    memory: 512Mi\n-    cpu: 2\n+    memory: 256Mi\n+    cpu: 1\n\n   replicas: 3\n@@ -20,2 +20,1 @@\n--- drop table carts;\n note: none\n";

#[test]
fn renders_changed_lines_with_signs() {
    let claim = "The memory limit fell from 512Mi to 256Mi, replicas stay 3 and drop table went.";
    let expected = "[git show]\ncart.yaml:\n  limits:\n- memory: 512Mi\n+ memory: 256Mi\n- cpu: 2\n+ cpu: 1\n  replicas: 3\n--- drop table carts;\n note: none\n";
    assert_eq!(premise("git show", DIFF, claim, 700), expected);
}

#[test]
fn finds_unchanged_lines() {
    let text = premise("git show", DIFF, "There are 3 replicas.", 40);
    assert_eq!(text, "[git show]\ncart.yaml:\n  replicas: 3\n");
}

#[test]
fn renders_signs_for_a_diff_in_a_string() {
    let content = format!("{{\"diff\": \"{}\"}}", DIFF.replace('\n', "\\n"));
    let text = premise("get_diff", &content, "memory fell from 512Mi to 256Mi", 700);
    for line in ["- memory: 512Mi\n", "+ memory: 256Mi\n", "limits:\n", "--- drop table carts"] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

proptest! {
    #[test]
    fn rendered_changes_match_the_diff(
        removed in prop::collection::vec("[a-z]{2,5}: [a-z0-9]{1,9}", 1..4),
        added in prop::collection::vec("[a-z]{2,5}: [a-z0-9]{1,9}", 1..4),
        context in prop::collection::vec("[a-z]{2,5}: [a-z0-9]{1,9}", 0..3),
    ) {
        let with_sign = |sign: &str, lines: &[String]| -> String {
            lines.iter().map(|line| format!("{sign}  {line}\n")).collect()
        };
        let (before, after) = (context.len() + removed.len(), context.len() + added.len());
        let hunk = format!("{}{}{}", with_sign(" ", &context), with_sign("-", &removed), with_sign("+", &added));
        let content = format!("--- a/x.yaml\n+++ b/x.yaml\n@@ -1,{before} +1,{after} @@\n{hunk}");
        let text = premise("git", &content, &hunk, 4_000);
        for (sign, lines) in [("-", &removed), ("+", &added), (" ", &context)] {
            for line in lines {
                prop_assert!(text.lines().any(|rendered| rendered == format!("{sign} {line}")), "{line} in {text}");
            }
        }
    }


    #[test]
    fn premises_are_bounded_and_deterministic(
        content in "([a-z]{1,6}=|[0-9]{1,5}|\n| |\"|\\{|\\}|:|,|\\PC){0,120}",
        claim in "([a-z]{1,6} |[0-9]{1,4} ){0,8}",
        max_bytes in 0_usize..300,
    ) {
        let text = premise("tool", &content, &claim, max_bytes);
        prop_assert!(text.len() <= max_bytes);
        prop_assert_eq!(text, premise("tool", &content, &claim, max_bytes));
    }
}
