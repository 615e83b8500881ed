//! What a claim says was switched on or off, against the one switch of a place: `value=on`, `enabled: false`.
//!
//! A place with several switches that the claim does not tell apart says nothing.

use gsar_core::text::tokens::words;

use crate::claim::reading::{Reading, Term};
use crate::evidence::observations::ValueKind;
use crate::matching::fit::{Outcome, Span};
use crate::matching::magnitudes::bits_in;
use crate::verdict::note;
use crate::verdict::ruling::{Case, Cite};
use crate::vocabulary::words::key;

const ON: [&str; 4] = ["on", "true", "enabled", "yes"];
const OFF: [&str; 4] = ["off", "false", "disabled", "no"];

/// What a place says to a term that tells of a switch; `None` where the term is none, or the place has none.
pub(crate) fn switch_outcome(
    case: &Case<'_, '_, '_>,
    fields: Span,
    place: usize,
    term: &Term<'_>,
) -> Option<(Outcome, u64)> {
    let wanted = switched(case.reading, term)? != term.negated;
    let mut found: Option<(u32, bool)> = None;
    for field in fields.each(case.corpus) {
        let Some(stated) = stated(case, field, 1 << place) else { continue };
        if found.is_some_and(|(_, before)| before != stated) {
            return None;
        }
        found = found.or(Some((field, stated)));
    }
    let (field, stated) = found?;
    let outcome = if stated == wanted {
        Outcome::Supported(Cite::Field(field))
    } else {
        Outcome::Refuted(Cite::Field(field), note::says(case, field))
    };
    Some((outcome, 1 << place))
}

/// Whether a term says that something was switched on, or off.
pub(crate) fn switched(reading: &Reading<'_>, term: &Term<'_>) -> Option<bool> {
    const MOST_BETWEEN: usize = 4;
    let stem = key(term.text);
    let is = |wanted: &[&str]| wanted.iter().any(|word| key(word) == stem);
    if is(&["enable", "activate"]) {
        return Some(true);
    }
    if is(&["disable", "deactivate"]) {
        return Some(false);
    }
    if !is(&["switch", "turn", "flip", "toggle"]) {
        return None;
    }
    let after = reading.text.get(term.span.end..)?;
    let particle =
        words(after).take(MOST_BETWEEN + 1).find(|word| word.is("on") || word.is("off"))?;
    Some(particle.is("on"))
}

/// How the one switch of a field stands: its value, or a pair in a line that has a word of the claim.
fn stated(case: &Case<'_, '_, '_>, field: u32, own: u64) -> Option<bool> {
    let found = case.corpus.field(field)?;
    let value = case.corpus.value(field);
    let is_told = |keys: u64| keys & !own != 0;
    let keys = bits_in(case.reading, case.corpus.key_words(found), u64::MAX);
    let name = case.corpus.name(field);
    let is_general = ["value", "enabled", "state", "active"]
        .iter()
        .any(|general| name.eq_ignore_ascii_case(general));
    match found.kind {
        ValueKind::True | ValueKind::False => {
            return (is_told(keys) || is_general).then_some(found.kind == ValueKind::True);
        }
        ValueKind::Text if is_told(keys) || is_general => {
            if let Some(is_on) = position(value) {
                return Some(is_on);
            }
        }
        ValueKind::Text | ValueKind::Number | ValueKind::Nothing => {}
    }
    if !is_told(case.marks.field(field)) {
        return None;
    }
    let mut pairs = value.match_indices('=').filter_map(|(at, _)| {
        let after = value.get(at + 1..)?.trim_start_matches(['"', '\'', '\\']);
        position(after.split(|c: char| !c.is_ascii_alphanumeric()).next()?)
    });
    let first = pairs.next()?;
    pairs.all(|other| other == first).then_some(first)
}

fn position(value: &str) -> Option<bool> {
    let is = |table: &[&str]| table.iter().any(|entry| value.eq_ignore_ascii_case(entry));
    if is(&ON) { Some(true) } else { is(&OFF).then_some(false) }
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

    use crate::tests::{expect, text};

    #[test]
    fn a_switch_stands_as_its_pair_says() {
        let log = text(
            "flags",
            "logs flagd",
            "2026-03-02T10:00:01Z level=info msg=\"flag changed\" flag=search.prefetch value=on by=m.rossi\n\
             2026-03-02T11:30:00Z level=info msg=\"flag changed\" flag=search.fuzzy value=off by=m.rossi\n",
        );
        expect(
            &[log],
            &[
                ("search.prefetch was switched on by m.rossi", Grounded),
                ("search.prefetch was turned off by m.rossi", Contradicted),
                ("search.fuzzy was disabled by m.rossi", Grounded),
                ("m.rossi turned search.fuzzy on", Contradicted),
                ("search.ranking was switched on by m.rossi", Ungrounded),
            ],
        );
    }
}
