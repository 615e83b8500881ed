//! Phrases of quantified claims: which words only tell of a list, where the things that are counted end, and what
//! the counted noun is.

use std::ops::Range;
use std::sync::LazyLock;

use gsar_core::text::figures::{Dimension, Figure};
use gsar_core::text::tokens::words;

use crate::claim::reading::{Reading, Role};
use crate::vocabulary::lexicon::Sense;
use crate::vocabulary::wordlists::WordList;

/// Nouns that a number measures or counts in a field, not in a list.
static MEASURED: LazyLock<WordList> = LazyLock::new(|| {
    WordList::of(
        "attempts bytes characters connections copies core cores cpu cpus day days gpu gpus hours \
         minutes ms partitions percent points replica replicas restart restarts retries runs \
         samples seconds sessions threads tokens units weeks workers",
    )
});

/// Words that only say that things are listed, named or told of.
pub(crate) static TELLING: LazyLock<WordList> = LazyLock::new(|| {
    WordList::of(
        "across altogether apart appear appeared appears application assigned attached bear bears \
         begin belong belonged belongs besides bigger called captured carries carry combined \
         comes comprise comprised comprises concern concerned concerning concerns consist \
         consists count counted counts different displayed distinct emitted encompasses entries \
         entry ever exactly except exist existed exists faster fired flagged go goes group half \
         holding holds individual involve involved involves issued item items kind label labeled \
         labelled larger least list listed listing lists live lives logged longer made majority \
         makes match matches matching mention mentions message messages named need needs number \
         object objects occur occurred occurs one output part place precisely present printed put \
         quarter quarters quicker raised ran reach reached refer reference referenced refers \
         regard regarding relate related relates remaining reside resides resource resources \
         result resulting results returned row rows run runs separate series set shorter single \
         sit sits slower smaller sort stand stands table tagged take takes targets text there \
         things third thirds together took total type types under unique use uses various visible \
         whose word words written",
    )
});

/// Words that say that a claim speaks of what an item shows.
pub(crate) static LISTING: LazyLock<WordList> = LazyLock::new(|| {
    WordList::of(
        "captured displayed entries entry excerpt extract file line lines list listed listing \
         lists log logged logs output printed result returned rows shown table tail visible",
    )
});

/// Verbs that end what a quantifier speaks of.
static VERBS: LazyLock<WordList> = LazyLock::new(|| {
    WordList::of(
        "appear appears are authenticate be been belong belonged belongs came carried carries \
         carry come comes concern concerns contain contains crash crashed did do does dropped \
         exist exists fail failed fails fall falls fell fired get gets go goes got grew had has \
         have is live lives need needed needs raised ran reach reached received remain remained \
         remains report reported reports request requests reside resides restart restarted return \
         returned returns rises rose run runs show showed shows sit sits stayed succeed succeeded \
         succeeds take takes took use used uses wait waited waits was went were",
    )
});

/// Whether a word only says that something is listed, or where.
pub(crate) fn tells_only(word: &str) -> bool {
    TELLING.has(word) || LISTING.has(word)
}

/// The terms in a stretch of the claim.
pub(crate) fn terms_in(reading: &Reading<'_>, span: Range<usize>) -> u64 {
    reading.bits(|term| {
        !term.span.is_empty() && span.start <= term.span.start && term.span.end <= span.end
    })
}

/// Where the things that begin at a place end: at the next verb, or with the claim.
pub(crate) fn end_of_things(reading: &Reading<'_>, from: usize) -> (usize, bool) {
    let rest = reading.text.get(from..).unwrap_or("");
    let verb = words(rest).find(|word| VERBS.has(word.text)).map(|word| from + word.span.start);
    match verb {
        Some(at) => (at, true),
        None => (reading.text.len(), false),
    }
}

/// Whether a figure counts things: whole, without a unit.
pub(crate) fn counts(figure: &Figure) -> bool {
    figure.unit.dimension == Dimension::Count && figure.value.places == 0
}

/// Whether the demands of a claim are only those that a portion can answer.
pub(crate) fn demands_nothing_else(reading: &Reading<'_>, taken: u64) -> bool {
    let open = reading.bits(|term| {
        let is_preposition =
            ["under", "over", "least"].iter().any(|word| term.text.eq_ignore_ascii_case(word));
        matches!(term.role, Role::Demand(sense) if !matches!(sense, Sense::Raise | Sense::Lower))
            && !is_preposition
    });
    open & !taken == 0
}

/// What is counted: the last of the words that follow the number up to a preposition or verb.
pub(crate) fn noun(reading: &Reading<'_>, from: usize) -> Option<u64> {
    let rest = reading.text.get(from..)?;
    let (mut from, mut rest) = (from, rest);
    let of =
        words(rest).take_while(|word| word.is("of") || word.is("the") || word.is("its")).last();
    if let Some(of) = of {
        from += of.span.end;
        rest = reading.text.get(from..)?;
    }
    let end = words(rest)
        .find(|word| {
            VERBS.has(word.text)
                || [
                    "of", "in", "on", "for", "from", "with", "to", "by", "at", "that", "which",
                    "whose", "across", "per", "into", "under", "and",
                ]
                .iter()
                .any(|joining| word.is(joining))
                    && word.span.start > 0
        })
        .map_or(reading.text.len(), |word| from + word.span.start);
    let in_phrase = terms_in(reading, from..end);
    let measures = |text: &str| MEASURED.has(text);
    if reading
        .terms
        .iter()
        .enumerate()
        .any(|(place, term)| in_phrase >> place & 1 == 1 && measures(term.text))
    {
        return None;
    }
    let (place, _) = reading
        .terms
        .iter()
        .enumerate()
        .rfind(|(place, term)| in_phrase >> place & 1 == 1 && !tells_only(term.text))?;
    Some(1 << place)
}
