//! Parses any bytes as an answer. Everything parsed must occur in the answer, each expected claim is reported once, and
//! a truncated answer gives nothing.
#![no_main]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gsar_answer::{Bounds, Form, Reading, Rung, Unreadable, read, repair_prompt};
use gsar_core::{Claim, ClaimId, Class};
use libfuzzer_sys::fuzz_target;

static CLAIMS: LazyLock<Vec<Claim>> = LazyLock::new(|| {
    let ids = (1..=5).filter_map(|number| ClaimId::new(format!("c{number}")).ok());
    ids.map(|id| Claim { id, text: String::from("checkout restarted"), span: None }).collect()
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let outcome = read(&text, Form::Judgement, &CLAIMS, &Bounds::default());
    assert_eq!(outcome, read(&text, Form::Judgement, &CLAIMS, &Bounds::default()));
    let _ = repair_prompt(&outcome);
    let Ok(reading) = outcome else { return };
    assert_ne!(reading.rung, Rung::Salvaged(Vec::new()));
    assert_claims_reported_once(&reading);
    if !text.contains('\\') {
        assert_parts_occur_in_text(&reading, &text);
    }
    if reading.rung == Rung::Structured {
        assert_prefixes_are_truncated(&text);
        assert_prose_changes_nothing(reading, &text);
    }
});

fn assert_claims_reported_once(reading: &Reading) {
    let judged = reading.judged.iter().map(|judged| &judged.claim.id);
    let reported: Vec<&ClaimId> = judged.chain(reading.unsettled()).collect();
    let distinct: BTreeSet<&ClaimId> = reported.iter().copied().collect();
    assert_eq!(reported.len(), CLAIMS.len());
    assert_eq!(distinct.len(), CLAIMS.len());
}

fn assert_parts_occur_in_text(reading: &Reading, text: &str) {
    let small = text.to_ascii_lowercase();
    let all = small.matches(Class::Grounded.name()).count();
    let ungrounded = small.matches(Class::Ungrounded.name()).count();
    let grounded = reading.judged.iter().filter(|judged| judged.class == Class::Grounded).count();
    assert!(grounded <= all - ungrounded);
    for judged in &reading.judged {
        assert!(text.contains(judged.claim.id.as_str()));
        assert!(small.contains(judged.class.name()));
        assert!(text.contains(&judged.note));
        for citation in &judged.citations {
            assert!(text.contains(&citation.quote));
        }
    }
}

fn assert_prefixes_are_truncated(text: &str) {
    let whole = text.trim();
    let cuts = (1..whole.len()).filter(|cut| whole.is_char_boundary(*cut));
    for cut in cuts.step_by(1 + whole.len() / 64) {
        let part = &whole[..cut];
        let outcome = read(part, Form::Judgement, &CLAIMS, &Bounds::default());
        assert_eq!(outcome, Err(Unreadable::Truncated { bytes: part.trim().len() }), "{part}");
    }
}

fn assert_prose_changes_nothing(reading: Reading, text: &str) {
    let Ok(in_prose) = read(&format!("My answer: {text}\nThat is all."), Form::Judgement, &CLAIMS, &Bounds::default()) else {
        panic!("prose around an answer makes it unreadable: {text}");
    };
    assert!(matches!(in_prose.rung, Rung::Salvaged(_)));
    assert_eq!(Reading { rung: Rung::Structured, usage: reading.usage, ..in_prose }, reading);
}
