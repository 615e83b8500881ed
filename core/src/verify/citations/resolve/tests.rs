//! Tests for resolving citations.

use super::super::super::testing::{
    claims, codes, json, judged, tool, verify_claims, verify_with_preset,
};
use super::*;
use crate::claim::Class;
use crate::claim::EvidenceType::{SignalMatch, ToolMatch};
use crate::policy::Preset;

fn cite(id: &str, field_path: &str, quote: &str) -> Citation {
    let id = EvidenceId::new(id).unwrap();
    let target = Target::Evidence { id, field_path: String::from(field_path) };
    Citation { target, quote: String::from(quote), bytes: None }
}

const PODS: &str = r#"{"pods": [{"name": "checkout", "state": "restarted", "ready": true, "restarts": 3},
    {"name": "payments", "state": "running", "ready": true, "restarts": 0}]}"#;

#[test]
fn h09_a_citation_of_an_unknown_item_or_field_is_invalid() {
    let claims = claims(&["the pod was restarted"]);
    let items = [json("e1", r#"{"pod": {"state": "restarted"}}"#)];
    let mut answer = judged(&claims[0], Class::Grounded, ToolMatch, &[("e9", "restarted")]);
    answer.citations.push(cite("e1", "/pod/phase", ""));
    let result = verify_claims(&claims, &[answer], &items);
    assert_eq!(result.claims[0].judged.class, Class::Ungrounded);
    assert_eq!(
        codes(&result),
        [
            CorrectionCode::UnknownEvidence,
            CorrectionCode::UnknownField,
            CorrectionCode::NoValidCitation
        ],
    );
}

#[test]
fn a_field_that_exists_is_a_valid_citation() {
    let claims = claims(&["the pod was restarted"]);
    let items = [json("e1", r#"{"pod": {"state": "restarted"}}"#)];
    let mut answer = judged(&claims[0], Class::Grounded, ToolMatch, &[]);
    answer.citations.push(cite("e1", "/pod/state", "restarted"));
    let result = verify_claims(&claims, &[answer], &items);
    assert!(result.corrections.is_empty(), "{:?}", result.corrections);
    assert_eq!(result.claims[0].judged.citations[0].bytes, Some(19..28));
}

#[test]
fn an_unresolved_pointer_is_dropped_if_the_quote_is_found() {
    let claims = claims(&["checkout was restarted"]);
    for content in [PODS.replace("pods", "items"), format!("state of checkout: {PODS}")] {
        let mut answer = judged(&claims[0], Class::Grounded, ToolMatch, &[]);
        answer.citations.push(cite("e1", "/pods/0/state", "\"state\": \"restarted\""));
        let result = verify_claims(&claims, &[answer], &[tool("e1", &content)]);
        assert_eq!(codes(&result), [CorrectionCode::UnknownField]);
        let result = &result.claims[0].judged;
        assert_eq!(result.class, Class::Grounded);
        assert_eq!(result.citations[0].target, cite("e1", "", "").target);
    }
}

#[test]
fn a_pointer_resolves_in_texts_and_in_strings() {
    let claims = claims(&["checkout was restarted"]);
    let blocks = serde_json::json!({"content": [{"type": "text", "text": PODS}]});
    for item in [
        json("e1", PODS),
        tool("e1", PODS),
        tool("e1", &format!("$ kubectl get pods -o json\n{PODS}")),
        json("e1", &blocks.to_string()),
    ] {
        for quote in [
            "restarted",
            "\"restarted\"",
            "\"state\":\"restarted\"",
            "checkout\", \"state\": \"restarted",
        ] {
            let mut answer = judged(&claims[0], Class::Grounded, ToolMatch, &[]);
            answer.citations.push(cite("e1", "/pods/0/state", quote));
            let result = verify_claims(&claims, &[answer], core::slice::from_ref(&item));
            assert!(result.corrections.is_empty(), "{quote}: {:?}", result.corrections);
            assert!(result.claims[0].judged.citations[0].bytes.is_some());
        }
    }
}

#[test]
fn h09_a_citation_whose_quote_is_outside_the_cited_field_loses_its_pointer() {
    let claims = claims(&["checkout was running and ready"]);
    for content in [json("e1", PODS), tool("e1", PODS)] {
        let mut answer = judged(&claims[0], Class::Grounded, ToolMatch, &[]);
        answer.citations.push(cite("e1", "/pods/0/state", "running"));
        let result = verify_claims(&claims, &[answer.clone()], core::slice::from_ref(&content));
        assert_eq!(codes(&result), [CorrectionCode::QuoteOutsideField]);
        let claim = &result.claims[0].judged;
        assert_eq!(claim.class, Class::Grounded);
        assert_eq!(claim.citations[0].target, cite("e1", "", "").target);
        let bytes = claim.citations[0].bytes.clone().unwrap();
        assert_eq!(PODS.get(bytes), Some("running"));
        answer.citations.push(cite("e1", "/pods/1/state", "running"));
        let result = verify_claims(&claims, &[answer], core::slice::from_ref(&content));
        assert_eq!(codes(&result), [CorrectionCode::QuoteOutsideField]);
        assert_eq!(
            result.claims[0].judged.citations[1].target,
            cite("e1", "/pods/1/state", "").target
        );
    }
}

#[test]
fn h09_an_ambiguous_value_is_noted() {
    let restart_claims = claims(&["payments has restarted 0 times and is ready"]);
    for (field_path, quote, is_noted) in
        [("", "0", true), ("", "\"restarts\": 0", false), ("/pods/1/restarts", "0", false)]
    {
        let mut answer = judged(&restart_claims[0], Class::Grounded, ToolMatch, &[]);
        answer.citations.push(cite("e1", field_path, quote));
        let result = verify_claims(&restart_claims, &[answer], &[json("e1", PODS)]);
        let is_ambiguous = codes(&result).contains(&CorrectionCode::QuoteAmbiguous);
        assert_eq!(is_ambiguous, is_noted, "{field_path} {quote}");
        assert_eq!(result.claims[0].judged.class, Class::Grounded, "{field_path} {quote}");
    }
    let repeated = "checkout Running, payments Running, cart Running, mail Running, ads Running";
    let claims = claims(&["payments is running"]);
    let answer = judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "Running")]);
    let result = verify_claims(&claims, &[answer], &[tool("e1", repeated)]);
    assert_eq!(codes(&result), [CorrectionCode::QuoteAmbiguous]);
}

#[test]
fn a_citation_moves_to_the_only_other_item_that_contains_its_quote() {
    let claims = claims(&["checkout logged an exhausted pool"]);
    let line = "checkout: connection pool exhausted after 15 errors";
    let log = tool("e2", line);
    let answer = judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", line)]);
    let cited = tool("e1", "checkout is fine");
    let result =
        verify_claims(&claims, core::slice::from_ref(&answer), &[cited.clone(), log.clone()]);
    assert_eq!(codes(&result), [CorrectionCode::QuoteMoved]);
    assert_eq!(result.claims[0].judged.citations[0].target, cite("e2", "", "").target);
    assert_eq!(result.claims[0].judged.citations[0].bytes, Some(0..line.len()));

    let inferred = EvidenceItem { lane: Lane::LlmInferred, ..log.clone() };
    let prior = EvidenceItem { kind: EvidenceKind::PriorClaim, ..log.clone() };
    let twice = [log.clone(), tool("e3", line)];
    let other_figure = tool("e2", &line.replace("15", "16"));
    for others in [&[inferred][..], &[prior], &twice, &[other_figure]] {
        let items = [core::slice::from_ref(&cited), others].concat();
        let result = verify_claims(&claims, core::slice::from_ref(&answer), &items);
        assert_eq!(result.claims[0].judged.class, Class::Ungrounded);
        assert!(codes(&result).contains(&CorrectionCode::QuoteNotFound));
    }
}

#[test]
fn a_citation_with_a_trivial_quote_is_not_moved() {
    let claims = claims(&["checkout logged a full disk"]);
    let items = [tool("e1", "checkout is fine"), tool("e2", "checkout: / is 100% full")];
    for quote in ["/", ":", " / "] {
        let answer = judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", quote)]);
        let result = verify_claims(&claims, &[answer], &items);
        assert_eq!(result.claims[0].judged.class, Class::Ungrounded, "{quote}");
        assert!(codes(&result).contains(&CorrectionCode::QuoteNotFound), "{quote}");
        assert!(!codes(&result).contains(&CorrectionCode::QuoteMoved), "{quote}");
    }
}

#[test]
fn h10_a_moved_citation_does_not_allow_a_better_type() {
    let claims = claims(&["checkout logged an exhausted pool"]);
    let log = EvidenceItem { attested: true, ..tool("e2", "checkout: connection pool exhausted") };
    let quoted: &[(&str, &str)] = &[("e1", "connection pool exhausted")];
    let answer = [judged(&claims[0], Class::Grounded, ToolMatch, quoted)];
    let alert = EvidenceItem { kind: EvidenceKind::Signal, ..tool("e1", "checkout fires") };
    let result = verify_claims(&claims, &answer, &[alert, log.clone()]);
    assert_eq!(result.claims[0].judged.evidence_type, SignalMatch);
    let result = verify_with_preset(Preset::Strict, &claims, &answer, &[tool("e1", "fine"), log]);
    assert!(codes(&result).contains(&CorrectionCode::NotAttested));
}
