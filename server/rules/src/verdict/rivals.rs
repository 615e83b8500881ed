//! What a cited place says of the very slot that a claim fills otherwise: "client" where the claim says "server".
//!
//! Rules leave out words that tools often do; where the place has the other word of the pair, it says otherwise.

use gsar_core::text::tokens::{Word, words};

use crate::verdict::ruling::{Case, Cite};
use crate::vocabulary::words::parts;

/// Words of which a place has one.
const PAIRS: [(&str, &str); 13] = [
    ("client", "server"),
    ("consumer", "producer"),
    ("cpu", "memory"),
    ("incoming", "outgoing"),
    ("inbound", "outbound"),
    ("liveness", "readiness"),
    ("limit", "request"),
    ("limits", "requests"),
    ("primary", "replica"),
    ("read", "write"),
    ("receive", "transmit"),
    ("sent", "received"),
    ("user", "system"),
];

/// The most fields of one cited record that are read.
const MOST_FIELDS: u32 = 40;

/// Whether the cited places have the rival of a word of the claim and not the word.
pub(crate) fn say_otherwise(case: &Case<'_, '_, '_>, cites: &[Cite]) -> bool {
    let all: Vec<Word<'_>> = words(case.reading.text).collect();
    let claimed = |wanted: &str| all.iter().any(|word| is_or_has(word.text, wanted));
    let mut asked = PAIRS
        .iter()
        .flat_map(|(one, other)| [(*one, *other), (*other, *one)])
        .filter(|(one, other)| claimed(one) && !claimed(other))
        .peekable();
    let turned = turned(&all);
    if asked.peek().is_none() && turned.is_none() {
        return false;
    }
    let texts = texts(case, cites);
    let stands = |wanted: &str| {
        texts.iter().any(|text| words(text).any(|word| is_or_has(word.text, wanted)))
    };
    asked.any(|(one, other)| !stands(one) && stands(other))
        || turned.is_some_and(|(way, other, name)| {
            let leads = |way: &str| {
                texts.iter().any(|text| {
                    let all: Vec<Word<'_>> = words(text).collect();
                    all.windows(2).any(|pair| {
                        matches!(pair, [first, second]
                            if first.is(way) && second.text.eq_ignore_ascii_case(name))
                    })
                })
            };
            leads(other) && !leads(way)
        })
}

/// "Renamed from X", "a rollback to X": the preposition, its opposite and the name.
fn turned<'c>(all: &[Word<'c>]) -> Option<(&'static str, &'static str, &'c str)> {
    all.windows(2).find_map(|pair| {
        let [lead, name] = pair else { return None };
        let is_name = name.text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_');
        match () {
            () if is_name && lead.is("to") => Some(("to", "from", name.text)),
            () if is_name && lead.is("from") => Some(("from", "to", name.text)),
            () => None,
        }
    })
}

fn is_or_has(word: &str, wanted: &str) -> bool {
    word.eq_ignore_ascii_case(wanted) || parts(word).any(|part| part.eq_ignore_ascii_case(wanted))
}

/// What is written at the cited places: the fields with their keys, and the rest of small records.
fn texts<'e>(case: &Case<'_, 'e, '_>, cites: &[Cite]) -> Vec<&'e str> {
    let corpus = case.corpus;
    let mut found = Vec::new();
    for cite in cites {
        match cite {
            Cite::Field(field) => {
                let Some(cited) = corpus.field(*field) else { continue };
                let item = corpus.text(corpus.item_of(*field));
                let quote = |quote: (u32, u32)| item.get(quote.0 as usize..quote.1 as usize);
                found.extend(quote(cited.quote));
                found.push(corpus.name(*field));
                found.extend(corpus.around(cited.object).map(|(_, around)| corpus.heading(around)));
                let record = corpus.record(cited.object);
                let Some(object) = corpus.object(record) else { continue };
                if object.fields.1 - object.fields.0 <= MOST_FIELDS {
                    for other in object.fields.0..object.fields.1 {
                        found.extend(corpus.field(other).and_then(|other| quote(other.quote)));
                    }
                }
            }
            Cite::Sample { series, .. } => {
                let object = corpus.series.get(*series as usize).map(|series| series.object);
                let Some(object) = object.and_then(|object| corpus.object(object)) else { continue };
                for field in (object.fields.0..object.fields.1).take(MOST_FIELDS as usize) {
                    found.push(corpus.value(field));
                }
            }
            Cite::Item(_) => {}
        }
    }
    found
}
