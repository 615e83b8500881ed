use super::*;
use proptest::prelude::*;

#[test]
fn phrases_are_sorted() {
    assert!(PHRASES.is_sorted_by(|a, b| a.0 < b.0));
}

#[test]
fn finds_negations() {
    for denied in [
        "checkout did not restart",
        "The pool is no longer exhausted",
        "it ran without errors",
        "0 errors were logged",
        "None of the pods restarted",
        "it didn’t recover",
        "The probe failed to connect",
    ] {
        assert!(is_negated(denied), "{denied}");
    }
    for stated in [
        "node-6 restarted",
        "it took no longer than 5 s",
        "no more than 3 pods restarted",
        "Incident No. 5 hit checkout",
        "not only checkout but payments restarted",
        "the notification service restarted",
        "10 errors at 14:00",
    ] {
        assert!(!is_negated(stated), "{stated}");
    }
}

#[test]
fn negations_apply_to_their_own_clause() {
    let text = "payments did not restart, but checkout restarted";
    let span_of = |word: &str| {
        let start = text.rfind(word).unwrap();
        start..start + word.len()
    };
    assert!(!negates(text, &span_of("checkout")));
    let start = text.find("restart").unwrap();
    assert!(negates(text, &(start..start + 7)));
}

#[test]
fn finds_hedges() {
    assert!(hedge("The pool was likely exhausted").is_some());
    assert!(hedge("A leak may have caused it").is_some());
    for plain in ["The pool was exhausted", "The container may use 50Mi", "No logs could be found"]
    {
        assert!(hedge(plain).is_none(), "{plain}");
    }
}

#[test]
fn finds_causal_links() {
    let text = "p99 rose to 1.8 s because the pool was exhausted";
    let at = causal_link(text).unwrap();
    assert_eq!(part(text, at), "because");
    assert!(causal_link("The rollout led to restarts").is_some());
    assert!(causal_link("p99 rose at 14:02").is_none());
}

#[test]
fn negated_actions_are_not_completed() {
    assert!(action_done("The deployment was rolled back at 14:20").is_some());
    assert!(action_done("The deployment was not rolled back").is_none());
}

proptest! {
    #[test]
    fn marker_spans_are_valid(text in "(\\PC|no |not |don’t |may have |because of ){0,20}") {
        for marker in markers(&text) {
            prop_assert!(text.get(marker.span).is_some());
        }
        let _: String = text;
    }
}
