//! Any bytes as the answer of a chat model. What is taken from it stands in it, each expected claim is reported once, and
//! an answer that is cut anywhere gives nothing.
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
    every_claim_is_reported_once(&reading);
    if !text.contains('\\') {
        what_is_taken_stands_there(&reading, &text);
    }
    if reading.rung == Rung::Structured {
        nothing_is_taken_from_a_part(&text);
        words_around_change_nothing(reading, &text);
    }
});

fn every_claim_is_reported_once(reading: &Reading) {
    let judged = reading.judged.iter().map(|judged| &judged.claim.id);
    let reported: Vec<&ClaimId> = judged.chain(reading.unsettled()).collect();
    let distinct: BTreeSet<&ClaimId> = reported.iter().copied().collect();
    assert_eq!(reported.len(), CLAIMS.len());
    assert_eq!(distinct.len(), CLAIMS.len());
}

fn what_is_taken_stands_there(reading: &Reading, text: &str) {
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

fn nothing_is_taken_from_a_part(text: &str) {
    let whole = text.trim();
    let cuts = (1..whole.len()).filter(|cut| whole.is_char_boundary(*cut));
    for cut in cuts.step_by(1 + whole.len() / 64) {
        let part = &whole[..cut];
        let outcome = read(part, Form::Judgement, &CLAIMS, &Bounds::default());
        assert_eq!(outcome, Err(Unreadable::Truncated { bytes: part.trim().len() }), "{part}");
    }
}

fn words_around_change_nothing(reading: Reading, text: &str) {
    let Ok(among_words) = read(&format!("My answer: {text}\nThat is all."), Form::Judgement, &CLAIMS, &Bounds::default()) else {
        panic!("words around it make an answer unreadable: {text}");
    };
    assert!(matches!(among_words.rung, Rung::Salvaged(_)));
    assert_eq!(Reading { rung: Rung::Structured, usage: reading.usage, ..among_words }, reading);
}
