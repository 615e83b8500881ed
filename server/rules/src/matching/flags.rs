//! A key with nothing under it denies what it names: `"endpoints": []`, `memory_pressure: False`.

use crate::claim::reading::{Role, Term};
use crate::evidence::observations::Corpus;
use crate::verdict::ruling::Case;

/// Whether a place has a word of the claim only as a key under which nothing stands, and the claim does not deny it;
/// or denies it of a key under which "true" stands.
pub(crate) fn are_denied(case: &Case<'_, '_, '_>, fields: impl Iterator<Item = u32>) -> bool {
    let words = case.reading.bits(|term| term.role == Role::Word);
    let denied = case.reading.bits(|term| term.negated);
    let (mut under_nothing, mut under_true, mut elsewhere) = (0_u64, 0_u64, 0_u64);
    for field in fields {
        let here = case.marks.field(field) & words;
        if here == 0 {
            continue;
        }
        let in_key = case.reading.bits(|term| is_in_key(case.corpus, field, term)) & here;
        match answer(case.corpus.value(field)) {
            Some(false) => under_nothing |= in_key,
            Some(true) => under_true |= in_key,
            None => elsewhere |= in_key,
        }
        elsewhere |= here & !in_key;
    }
    let not_there = under_nothing & !under_true & !elsewhere;
    let there = under_true & !under_nothing & !elsewhere;
    not_there & !denied != 0 && !case.reading.denies || there & denied != 0
}

fn is_in_key(corpus: &Corpus<'_>, field: u32, term: &Term<'_>) -> bool {
    corpus
        .field(field)
        .is_some_and(|found| corpus.key_words(found).iter().any(|key| term.keys.contains(key)))
}

/// What a value says to its key: nothing or no, yes, or more than that.
fn answer(value: &str) -> Option<bool> {
    const NOTHING: [&str; 10] =
        ["", "[]", "{}", "\"\"", "false", "no", "none", "null", "<none>", "nil"];
    const TRUE: [&str; 2] = ["true", "yes"];
    let value = value.trim().trim_matches('"');
    let is = |listed: &[&str]| listed.iter().any(|entry| value.eq_ignore_ascii_case(entry));
    if is(&NOTHING) { Some(false) } else { is(&TRUE).then_some(true) }
}
