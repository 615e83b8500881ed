//! The words before a length that say how exactly it is meant: "about", "just under", "at least".

use gsar_core::text::tokens::Word;

/// How a length is qualified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Qualified {
    Plainly,
    Exactly,
    About,
    JustUnder,
    JustOver,
    AtLeast,
    AtMost,
}

/// The words before a length that qualify it, and where they start.
pub(crate) fn qualification(text: &str, all: &[Word<'_>], at: usize) -> (Qualified, usize) {
    const PHRASES: [(&[&str], Qualified); 53] = [
        (&["not", "more", "than"], Qualified::AtMost),
        (&["no", "more", "than"], Qualified::AtMost),
        (&["no", "longer", "than"], Qualified::AtMost),
        (&["not", "longer", "than"], Qualified::AtMost),
        (&["no", "less", "than"], Qualified::AtLeast),
        (&["not", "less", "than"], Qualified::AtLeast),
        (&["a", "little", "more", "than"], Qualified::JustOver),
        (&["a", "little", "less", "than"], Qualified::JustUnder),
        (&["a", "bit", "more", "than"], Qualified::JustOver),
        (&["a", "bit", "less", "than"], Qualified::JustUnder),
        (&["slightly", "more", "than"], Qualified::JustOver),
        (&["slightly", "less", "than"], Qualified::JustUnder),
        (&["a", "little", "over"], Qualified::JustOver),
        (&["a", "little", "under"], Qualified::JustUnder),
        (&["a", "bit", "over"], Qualified::JustOver),
        (&["a", "bit", "under"], Qualified::JustUnder),
        (&["slightly", "over"], Qualified::JustOver),
        (&["slightly", "under"], Qualified::JustUnder),
        (&["just", "over"], Qualified::JustOver),
        (&["just", "under"], Qualified::JustUnder),
        (&["just", "above"], Qualified::JustOver),
        (&["just", "below"], Qualified::JustUnder),
        (&["well", "over"], Qualified::AtLeast),
        (&["well", "under"], Qualified::AtMost),
        (&["more", "than"], Qualified::AtLeast),
        (&["longer", "than"], Qualified::AtLeast),
        (&["less", "than"], Qualified::AtMost),
        (&["shorter", "than"], Qualified::AtMost),
        (&["fewer", "than"], Qualified::AtMost),
        (&["at", "least"], Qualified::AtLeast),
        (&["at", "most"], Qualified::AtMost),
        (&["up", "to"], Qualified::AtMost),
        (&["close", "to"], Qualified::About),
        (&["not", "quite"], Qualified::JustUnder),
        (&["within"], Qualified::AtMost),
        (&["inside"], Qualified::AtMost),
        (&["under"], Qualified::AtMost),
        (&["below"], Qualified::AtMost),
        (&["over"], Qualified::AtLeast),
        (&["above"], Qualified::AtLeast),
        (&["exceeding"], Qualified::AtLeast),
        (&["a", "good"], Qualified::JustOver),
        (&["exactly"], Qualified::Exactly),
        (&["precisely"], Qualified::Exactly),
        (&["about"], Qualified::About),
        (&["around"], Qualified::About),
        (&["roughly"], Qualified::About),
        (&["approximately"], Qualified::About),
        (&["approx"], Qualified::About),
        (&["some"], Qualified::About),
        (&["nearly"], Qualified::JustUnder),
        (&["almost"], Qualified::JustUnder),
        (&["circa"], Qualified::About),
    ];
    let start = all.get(at).map_or(0, |word| word.span.start);
    let tilde = text.get(..start).unwrap_or("").trim_end();
    if tilde.ends_with(['~', '≈']) {
        return (
            Qualified::About,
            tilde.len() - tilde.chars().next_back().map_or(1, char::len_utf8),
        );
    }
    let before = all.get(..at).unwrap_or_default();
    let found = PHRASES.iter().find(|(phrase, _)| {
        before.len() >= phrase.len()
            && before
                .get(before.len() - phrase.len()..)
                .is_some_and(|tail| tail.iter().zip(*phrase).all(|(word, wanted)| word.is(wanted)))
    });
    let Some((phrase, qualified)) = found else { return (Qualified::Plainly, start) };
    let start = before.get(before.len() - phrase.len()).map_or(start, |word| word.span.start);
    (*qualified, start)
}
