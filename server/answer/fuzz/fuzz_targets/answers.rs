//! Parses arbitrary bytes as an answer. Checks that all results occur in the answer, that each expected claim
//! is reported exactly once, and that truncated answers are rejected.
#![no_main]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gsar_answer::{Bounds, Form, ParseError, ParseMode, ParsedAnswer, parse, repair_prompt};
use gsar_core::{Claim, ClaimId, Class};
use libfuzzer_sys::fuzz_target;

static CLAIMS: LazyLock<Vec<Claim>> = LazyLock::new(|| {
    let ids = (1..=5).filter_map(|number| ClaimId::new(format!("c{number}")).ok());
    ids.map(|id| Claim::new(id, "checkout restarted")).collect()
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let outcome = parse(&text, Form::Judgement, &CLAIMS, &Bounds::default());
    assert_eq!(outcome, parse(&text, Form::Judgement, &CLAIMS, &Bounds::default()));
    let _ = repair_prompt(&outcome);
    let Ok(answer) = outcome else { return };
    assert_ne!(answer.mode, ParseMode::Salvaged(Vec::new()));
    assert_claims_reported_once(&answer);
    if !text.contains('\\') {
        assert_parts_occur_in_text(&answer, &text);
    }
    if answer.mode == ParseMode::Structured {
        assert_prefixes_are_truncated(&text);
        assert_prose_is_ignored(answer, &text);
    }
});

fn assert_claims_reported_once(answer: &ParsedAnswer) {
    let judged = answer.judged.iter().map(|judged| &judged.claim.id);
    let reported: Vec<&ClaimId> = judged.chain(answer.unjudged()).collect();
    let distinct: BTreeSet<&ClaimId> = reported.iter().copied().collect();
    assert_eq!(reported.len(), CLAIMS.len());
    assert_eq!(distinct.len(), CLAIMS.len());
}

fn assert_parts_occur_in_text(answer: &ParsedAnswer, text: &str) {
    let lower = text.to_ascii_lowercase();
    let total = lower.matches(Class::Grounded.name()).count();
    let ungrounded = lower.matches(Class::Ungrounded.name()).count();
    let grounded = answer.judged.iter().filter(|judged| judged.class == Class::Grounded).count();
    assert!(grounded <= total - ungrounded);
    for judged in &answer.judged {
        assert!(text.contains(judged.claim.id.as_str()));
        assert!(lower.contains(judged.class.name()));
        assert!(text.contains(&judged.note));
        for citation in &judged.citations {
            assert!(text.contains(&citation.quote));
        }
    }
}

fn assert_prefixes_are_truncated(text: &str) {
    let trimmed = text.trim();
    let lengths = (1..trimmed.len()).filter(|length| trimmed.is_char_boundary(*length));
    for length in lengths.step_by(1 + trimmed.len() / 64) {
        let part = &trimmed[..length];
        let outcome = parse(part, Form::Judgement, &CLAIMS, &Bounds::default());
        assert_eq!(outcome, Err(ParseError::Truncated { bytes: part.trim().len() }), "{part}");
    }
}

fn assert_prose_is_ignored(answer: ParsedAnswer, text: &str) {
    let Ok(in_prose) = parse(
        &format!("My answer: {text}\nThat is all."),
        Form::Judgement,
        &CLAIMS,
        &Bounds::default(),
    ) else {
        panic!("prose around an answer breaks parsing: {text}");
    };
    assert!(matches!(in_prose.mode, ParseMode::Salvaged(_)));
    assert_eq!(ParsedAnswer { mode: ParseMode::Structured, ..in_prose }, answer);
}
