//! What a cited place says of the very slot that a claim fills otherwise: "client" where the claim says "server".
//!
//! Rules leave out words that tools often do; where the place has the other word of the pair, it says otherwise.

use gsar_core::text::tokens::{Word, words};

use crate::claim::reading::{Role, Term};
use crate::verdict::decide::item_of;
use crate::verdict::ruling::{Case, Cite};
use crate::vocabulary::words::parts;

/// Words of which a record has one.
const OF_RECORD: [(&str, &str); 13] = [
    ("busy", "idle"),
    ("client", "server"),
    ("consumer", "producer"),
    ("inbound", "outbound"),
    ("incoming", "outgoing"),
    ("limit", "request"),
    ("limits", "requests"),
    ("liveness", "readiness"),
    ("primary", "replica"),
    ("read", "write"),
    ("receive", "transmit"),
    ("received", "sent"),
    ("system", "user"),
];

/// Words of which the very field has one, with its key and headings.
const OF_FIELD: [(&str, &str); 2] = [("cpu", "memory"), ("cpu", "storage")];

/// Words of which the line with the claim's name has one.
const OF_LINE: [(&str, &str); 1] = [("false", "true")];

/// Words of a beginning and of an end, as keys and as verbs.
const STARTS: [&str; 8] =
    ["began", "begin", "begins", "fired", "start", "started", "starts", "opened"];
const ENDS: [&str; 14] = [
    "closed",
    "complete",
    "completed",
    "end",
    "ended",
    "ends",
    "expired",
    "failed",
    "finish",
    "finished",
    "finishes",
    "resolved",
    "stopped",
    "terminated",
];

/// The most bytes of one cited record that are read.
const MOST_BYTES: usize = 3_000;

/// Whether the cited places have the rival of a word of the claim and not the word.
pub(crate) fn say_otherwise(case: &Case<'_, '_, '_>, cites: &[Cite]) -> bool {
    let all: Vec<Word<'_>> = words(case.reading.text).collect();
    let claims = |wanted: &str| all.iter().any(|word| is_or_has(word.text, wanted));
    let (of_record, of_field) = (claimed(&OF_RECORD, &claims), claimed(&OF_FIELD, &claims));
    let turned = turned(&all);
    if is_of_another_doer(case, &all, cites)
        || are_of_who_asked(case, cites)
        || is_other_phase(case, &all, cites)
        || is_other_line(case, &claimed(&OF_LINE, &claims), cites)
    {
        return true;
    }
    let of_switch = switched(&all);
    let roles = claimed_roles(case);
    let asks_nothing = of_record.is_empty() && of_field.is_empty() && roles.is_empty();
    if asks_nothing && turned.is_none() && of_switch.is_none() {
        return false;
    }
    let close = close(case, cites);
    let has = |texts: &[&str], wanted: &str| {
        texts.iter().any(|text| words(text).any(|word| is_or_has(word.text, wanted)))
    };
    if of_field.iter().any(|(one, other)| !has(&close, one) && has(&close, other)) {
        return true;
    }
    let is_switched = |line: &str, way: &str| {
        line.split([' ', ',', ';', '"', '\\']).any(|part| {
            part.rsplit(['=', ':']).next().is_some_and(|value| value.eq_ignore_ascii_case(way))
        })
    };
    let any_line = |way: &str| close.iter().any(|line| is_switched(line, way));
    if of_switch.is_some_and(|(way, other)| any_line(other) && !any_line(way)) {
        return true;
    }
    let whole = records(case, cites);
    let stands = |wanted: &str| has(&close, wanted) || has(&whole, wanted);
    if roles.iter().any(|role| !stands(role)) && !close.is_empty() {
        return true;
    }
    of_record.iter().any(|(one, other)| !stands(one) && stands(other))
        || turned.is_some_and(|(way, other, name)| {
            leads(&close, other, name) && !leads(&close, way, name) && !leads(&whole, way, name)
        })
}

/// "Turned on", "switched off": the way and the other.
fn switched(all: &[Word<'_>]) -> Option<(&'static str, &'static str)> {
    const VERBS: [&str; 8] =
        ["turn", "turned", "turns", "switched", "switch", "flipped", "toggled", "set"];
    all.windows(2).find_map(|pair| {
        let [verb, way] = pair else { return None };
        match () {
            () if !VERBS.iter().any(|entry| verb.is(entry)) => None,
            () if way.is("on") => Some(("on", "off")),
            () if way.is("off") => Some(("off", "on")),
            () => None,
        }
    })
}

/// The parts that a claim says a thing plays and does not name further: the replica, the canary.
fn claimed_roles<'c>(case: &Case<'_, '_, 'c>) -> Vec<&'c str> {
    const ROLES: [&str; 8] =
        ["canary", "follower", "reader", "replica", "secondary", "staging", "standby", "writer"];
    let reading = case.reading;
    let after_the = |term: &Term<'_>| {
        let before = reading.text.get(..term.span.start).unwrap_or("");
        words(before).last().is_some_and(|word| word.is("the"))
    };
    let mut found = Vec::new();
    for term in reading.terms.iter().filter(|term| !term.span.is_empty() && after_the(term)) {
        let is_role = ROLES.iter().any(|role| term.text.eq_ignore_ascii_case(role));
        let is_followed = reading.terms.iter().any(|next| {
            matches!(next.role, Role::Entity | Role::Name | Role::Word | Role::Kind | Role::Common)
                && next.span.start > term.span.end
                && next.span.start - term.span.end <= 1
        });
        if is_role && !is_followed {
            found.push(term.text);
        }
    }
    found
}

/// The words of pairs that a claim has, each with its rival that it has not.
fn claimed(
    pairs: &[(&'static str, &'static str)],
    claims: &impl Fn(&str) -> bool,
) -> Vec<(&'static str, &'static str)> {
    pairs
        .iter()
        .flat_map(|(one, other)| [(*one, *other), (*other, *one)])
        .filter(|(one, other)| claims(one) && !claims(other))
        .collect()
}

/// Whether the line that names what the claim names has the rival and not the word.
fn is_other_line(case: &Case<'_, '_, '_>, asked: &[(&str, &str)], cites: &[Cite]) -> bool {
    let strict = case.reading.bits(Term::is_strict);
    asked.iter().any(|(one, other)| {
        cites.iter().any(|cite| {
            let Cite::Field(field) = cite else { return false };
            let has = |wanted: &str| {
                words(case.corpus.line(*field)).any(|word| is_or_has(word.text, wanted))
            };
            case.marks.field(*field) & strict != 0 && has(other) && !has(one)
        })
    })
}

/// "Merged by alice" where the cited record says under a key of its own by whom: `mergedBy`.
fn is_of_another_doer(case: &Case<'_, '_, '_>, all: &[Word<'_>], cites: &[Cite]) -> bool {
    const MOST: usize = 200;
    let corpus = case.corpus;
    all.windows(3).any(|three| {
        let [deed, by, doer] = three else { return false };
        if !by.is("by") || !deed.text.ends_with("ed") {
            return false;
        }
        let says_by_whom = |field: u32| {
            corpus.field(field).is_some_and(|found| {
                corpus.pointer(found.place, found.object).split('/').any(|key| {
                    let mut said = parts(key).peekable();
                    said.next().is_some_and(|first| first.eq_ignore_ascii_case(deed.text))
                        && said.next().is_some_and(|second| second.eq_ignore_ascii_case("by"))
                })
            })
        };
        let told: Vec<u32> = cites
            .iter()
            .filter_map(|cite| match cite {
                Cite::Field(field) => corpus
                    .field(*field)
                    .and_then(|found| corpus.object(corpus.record(found.object))),
                Cite::Sample { .. } | Cite::Item(_) => None,
            })
            .flat_map(|record| (record.fields.0..record.fields.1).take(MOST))
            .filter(|field| says_by_whom(*field))
            .collect();
        let is_doer = |field: &u32| {
            words(corpus.value(*field)).any(|word| word.text.eq_ignore_ascii_case(doer.text))
        };
        !told.is_empty() && !told.iter().any(is_doer)
    })
}

/// Whether a claim gives a deed to somebody of whom only a ticket says that they wrote it.
fn are_of_who_asked(case: &Case<'_, '_, '_>, cites: &[Cite]) -> bool {
    const ASKING: [&str; 12] = [
        "asked",
        "authored",
        "commented",
        "created",
        "filed",
        "opened",
        "proposed",
        "raised",
        "reported",
        "requested",
        "wrote",
        "written",
    ];
    let corpus = case.corpus;
    let is_asker = |cite: &Cite| {
        let Cite::Field(field) = cite else { return false };
        let is_ticket = item_of(case, *cite).is_some_and(|item| {
            words(&item.tool).any(|word| word.is("issue") || word.is("ticket") || word.is("jira"))
        });
        let path = corpus.field(*field).map(|found| corpus.pointer(found.place, found.object));
        is_ticket && path.is_some_and(|path| path.contains("author") || path.contains("reporter"))
    };
    let asks = words(case.reading.text).any(|word| ASKING.iter().any(|verb| word.is(verb)));
    !asks && cites.iter().any(is_asker)
}

/// Whether a claim says "ended" of what the only cited field calls a start, or the other way round.
fn is_other_phase(case: &Case<'_, '_, '_>, all: &[Word<'_>], cites: &[Cite]) -> bool {
    let [Cite::Field(field), ..] = cites else { return false };
    let says = |table: &[&str]| all.iter().any(|word| table.iter().any(|entry| word.is(entry)));
    let (starts, ends) = (says(&STARTS), says(&ENDS));
    if starts == ends || case.reading.figures.times.is_empty() {
        return false;
    }
    let name = case.corpus.name(*field);
    let line = case.corpus.line(*field);
    let key = if name.is_empty() { line.split_once(": ").map_or("", |(key, _)| key) } else { name };
    let is = |table: &[&str]| {
        key.len() < 40
            && words(key).any(|word| table.iter().any(|entry| is_or_has(word.text, entry)))
    };
    let (is_start, is_end) = (is(&STARTS), is(&ENDS));
    is_start != is_end && starts == is_end
}

/// Whether a preposition stands right before a name.
fn leads(texts: &[&str], way: &str, name: &str) -> bool {
    texts.iter().any(|text| {
        let all: Vec<Word<'_>> = words(text).collect();
        all.windows(2).any(|pair| {
            matches!(pair, [first, second]
                if first.is(way) && second.text.eq_ignore_ascii_case(name))
        })
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

/// What is written in the cited fields, with their keys and headings.
fn close<'e>(case: &Case<'_, 'e, '_>, cites: &[Cite]) -> Vec<&'e str> {
    let corpus = case.corpus;
    let mut found = Vec::new();
    for cite in cites {
        let object = match cite {
            Cite::Field(field) => {
                found.push(corpus.line(*field));
                found.push(corpus.name(*field));
                corpus.field(*field).map(|found| found.object)
            }
            Cite::Sample { series, .. } => {
                let object = corpus.series.get(*series as usize).map(|series| series.object);
                found.extend(object.and_then(|object| record(case, corpus.record(object))));
                object
            }
            Cite::Item(_) => None,
        };
        if let Some(object) = object {
            found.extend(corpus.around(object).map(|(_, around)| corpus.heading(around)));
        }
    }
    found
}

/// The records of the cited fields as they are written.
fn records<'e>(case: &Case<'_, 'e, '_>, cites: &[Cite]) -> Vec<&'e str> {
    cites
        .iter()
        .filter_map(|cite| match cite {
            Cite::Field(field) => {
                let object = case.corpus.field(*field)?.object;
                record(case, case.corpus.record(object))
            }
            Cite::Sample { .. } | Cite::Item(_) => None,
        })
        .collect()
}

/// What is written from the first to the last field of an object.
fn record<'e>(case: &Case<'_, 'e, '_>, object: u32) -> Option<&'e str> {
    let corpus = case.corpus;
    let found = corpus.object(object)?;
    let last = found.fields.1.checked_sub(1).filter(|last| *last >= found.fields.0)?;
    let (start, end) = (corpus.field(found.fields.0)?.quote.0, corpus.field(last)?.quote.1);
    let text = corpus.text(found.item);
    let mut end = (end as usize).min((start as usize).checked_add(MOST_BYTES)?);
    while end > 0 && !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(start as usize..end)
}
