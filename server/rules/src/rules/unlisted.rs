//! Claims that nothing of some sort is there, decided by listings and logs that would show it and do not.
//!
//! "No event has the reason Evicted", "the log of web-1 contains no deadlock". The claim names a sort of record or a
//! thing whose item is there whole; what it denies must be concrete, and stand nowhere in the evidence under any of
//! its names. Words that judge ("slow", "unusual") are never decided by their absence.

use std::ops::Range;

use gsar_core::evidence::{EvidenceItem, EvidenceKind, Lane};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::{Word, words};

use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::answers::{Answer, answer};
use crate::evidence::closed::{Extent, asks_for, extent, is_cut, requests};
use crate::evidence::observations::first_line;
use crate::matching::fit::holds;
use crate::rules::absence::{covers_times, request};
use crate::rules::attributes::is_light;
use crate::rules::existence::is_seeking;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::denied_words::{
    forms, is_mishap, is_vague, is_written_as_name, is_written_as_state, stem,
};
use crate::vocabulary::lexicon::Sense;
use crate::vocabulary::words::key;

/// Decides a claim that nothing of some sort is there.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let cue = cue(reading)?;
    let asked = (0_u32..)
        .zip(case.corpus.evidence)
        .filter(|(_, item)| item.kind != EvidenceKind::Signal)
        .fold(0, |bits, (number, _)| bits | case.marks.tool(number));
    let signals = case.corpus.evidence.iter().filter(|item| item.kind == EvidenceKind::Signal);
    let is_told = |word: &str| signals.clone().any(|item| holds(item.content.as_str(), word));
    let denied = Denied::of(reading, &cue, asked, is_told)?;
    let rest = reading.bits(|term| !denied.has(term));
    let scope: Vec<u32> = (0_u32..)
        .zip(case.corpus.evidence)
        .filter(|(number, item)| is_asked(case, *number, item, rest, &denied))
        .map(|(number, _)| number)
        .collect();
    let whole = |number: &&u32| is_whole(case, **number);
    let id = |number: &&u32| case.corpus.item(**number).map_or("", |item| item.id.as_str());
    let first = *scope.iter().filter(whole).min_by_key(id)?;
    // A search in what another item shows whole takes nothing from it.
    let is_whole = scope.iter().all(|number| {
        whole(&number) || scope.iter().filter(whole).any(|other| searches(case, *number, *other))
    });
    let is_shown = scope.iter().any(|number| denied.is_in(case.corpus.text(*number)));
    (is_whole && !is_shown).then(|| {
        Ruling::grounded(Basis::Absent, vec![Cite::Item(first)], lists_none(case, first, &denied))
    })
}

fn lists_none(case: &Case<'_, '_, '_>, item: u32, denied: &Denied<'_>) -> String {
    let id = case.corpus.item(item).map_or("", |item| item.id.as_str());
    format!("{id} shows all that was asked for, and nothing of {}", denied.words.join(", "))
}

/// Whether one item was asked for a part of what another was asked for.
fn searches(case: &Case<'_, '_, '_>, part: u32, whole: u32) -> bool {
    let (part, whole) = (request(case.corpus, part), request(case.corpus, whole));
    part.split_once('|').is_some_and(|(before, _)| before.trim() == whole.trim())
}

/// The denial of a claim that denies once, flatly and without reservation.
fn cue(reading: &Reading<'_>) -> Option<Range<usize>> {
    const RESERVED: [&str; 26] = [
        "again",
        "another",
        "any more",
        "anymore",
        "anything",
        "anywhere",
        "because",
        "besides",
        "elsewhere",
        "ever",
        "except",
        "further",
        "if",
        "kind",
        "more",
        "longer",
        "new",
        "only",
        "other",
        "second",
        "sort",
        "than",
        "that",
        "until",
        "which",
        "yet",
    ];
    let mut denials =
        reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation).peekable();
    let first = denials.next()?.span.clone();
    let is_flat = ["no", "none of", "neither", "nothing"].iter().any(|flat| {
        reading.text.get(first.clone()).is_some_and(|cue| cue.eq_ignore_ascii_case(flat))
    });
    // "Neither … nor" denies twice, and so does no other claim that is read here.
    let goes_on = denials.all(|marker| {
        reading.text.get(marker.span.clone()).is_some_and(|cue| cue.eq_ignore_ascii_case("nor"))
    });
    let is_reserved = words(reading.text).any(|word| RESERVED.iter().any(|entry| word.is(entry)));
    let is_figured =
        reading.figures.figures.iter().any(|figure| figure.span.start > first.end + 12);
    let demands = reading.bits(|term| {
        !is_seeking(term) && matches!(term.role, Role::Demand(sense) if !matches!(sense, Sense::Order) || reading.figures.times.is_empty())
    });
    (is_flat
        && goes_on
        && !is_reserved
        && !is_figured
        && demands == 0
        && !reading.has(MarkerKind::Hedge)
        && !reading.is_causal()
        && reading.quotations.is_empty()
        && !reading.text.contains(" '"))
    .then_some(first)
}

/// What a claim denies: words each of which the evidence would have to show.
struct Denied<'c> {
    /// Under each, the forms in which it may stand.
    words: Vec<&'c str>,
    /// Those that are names and no compounds: the question or the alert has them as they are.
    names: Vec<&'c str>,
}

impl<'c> Denied<'c> {
    fn of(
        reading: &Reading<'c>,
        cue: &Range<usize>,
        asked: u64,
        is_told: impl Fn(&str) -> bool,
    ) -> Option<Self> {
        let is_named = |term: &Term<'_>| {
            matches!(term.role, Role::Name | Role::Code(_)) || is_written_as_name(term.text)
        };
        // What a tool was asked for tells where to look, not what is missing there.
        let is_asked = reading.bits(|term| term.role != Role::Word || !is_sort(term.text)) & asked;
        let scope = start_of_scope(reading.text, cue);
        let concrete = || {
            reading.terms.iter().enumerate().filter_map(|(place, term)| {
                let is_content =
                    matches!(term.role, Role::Name | Role::Word | Role::Entity | Role::Code(_));
                (term.span.start >= cue.end
                    && term.span.start < scope
                    && is_content
                    && is_asked >> place & 1 == 0
                    && !is_seeking(term)
                    && !is_light(term.text)
                    && !is_sort(term.text))
                .then_some(term)
            })
        };
        let plain: Vec<&str> =
            concrete().filter(|term| !is_named(term)).map(|term| term.text).collect();
        let names: Vec<&str> = concrete()
            .filter(|term| is_named(term) && term.role != Role::Entity)
            .map(|term| term.text)
            .collect();
        // One name that stands nowhere is enough, unless the claim denies one thing or another.
        let are_several =
            words(reading.text).any(|word| ["or", "nor", "and"].iter().any(|or| word.is(or)));
        let words = if names.is_empty() || are_several {
            let vague = plain.iter().any(|word| is_vague(word));
            let nouns: Vec<&str> = plain.iter().copied().filter(|word| !is_mishap(word)).collect();
            if vague {
                return None;
            }
            names.into_iter().chain(nouns).collect()
        } else {
            names
        };
        let names = words
            .iter()
            .copied()
            .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()) || is_told(word))
            .collect();
        (!words.is_empty()).then_some(Self { words, names })
    }

    fn has(&self, term: &Term<'_>) -> bool {
        self.words.contains(&term.text)
    }

    /// Whether a text has one of the words in some form.
    fn is_in(&self, text: &str) -> bool {
        self.words.iter().any(|word| {
            let is_name = self.names.contains(word);
            let has_part = |part: &str| part.len() > 3 && has_form(text, stem(part));
            forms(word).any(|form| has_form(text, form))
                || !is_name && word.contains('-') && word.split('-').any(has_part)
        })
    }
}

/// Where a claim says where it looked: "of pod web-1" in "no deadlock in the log of pod web-1".
fn start_of_scope(text: &str, cue: &Range<usize>) -> usize {
    const LEADS: [&str; 6] = ["by", "for", "from", "in", "of", "on"];
    let rest: Vec<Word<'_>> =
        words(text).skip_while(|word| word.span.start < cue.end).skip(1).collect();
    rest.windows(2)
        .find_map(|pair| match pair {
            [sort, lead] => (is_sort(sort.text) && LEADS.iter().any(|known| lead.is(known)))
                .then_some(lead.span.start),
            _ => None,
        })
        .unwrap_or(text.len())
}

/// Whether a text has a form as it is, in small letters, in capitals or with a first capital.
fn has_form(text: &str, form: &str) -> bool {
    let find = |form: &str| memchr::memmem::find(text.as_bytes(), form.as_bytes()).is_some();
    let small = form.to_ascii_lowercase();
    let mut first = small.clone();
    if let Some(initial) = first.get_mut(..1) {
        initial.make_ascii_uppercase();
    }
    find(form) || find(&small) || find(&first) || find(&small.to_ascii_uppercase())
}

/// Sorts of records, with the words by which requests ask for them.
const SORTS: [(&[&str], &[&str]); 10] = [
    (
        &["log", "logs", "line", "lines", "entry", "entries", "message", "messages", "journal"],
        &["log", "logs", "journal", "journalctl", "dmesg"],
    ),
    (&["event", "events"], &["event", "events"]),
    (&["warning", "warnings"], &["event", "events", "warning", "warnings"]),
    (
        &["alert", "alerts", "alarm", "alarms"],
        &["alert", "alerts", "alarm", "alarms", "anomaly", "anomalies"],
    ),
    (&["monitor", "monitors"], &["monitor", "monitors"]),
    (&["span", "spans", "trace", "traces"], &["span", "spans", "trace", "traces"]),
    (&["series", "metric", "metrics"], &["metric", "metrics", "series"]),
    (&["commit", "commits"], &["commit", "commits"]),
    (&["pod", "pods"], &["pod", "pods"]),
    (&["node", "nodes"], &["node", "nodes"]),
];

fn is_sort(word: &str) -> bool {
    SORTS.iter().any(|(said, _)| said.iter().any(|sort| word.eq_ignore_ascii_case(sort)))
}

/// Whether an item was asked for the sort of record that the claim names, of the things that it names besides.
fn is_asked(
    case: &Case<'_, '_, '_>,
    number: u32,
    item: &EvidenceItem,
    rest: u64,
    denied: &Denied<'_>,
) -> bool {
    if item.kind == EvidenceKind::PriorClaim
        || !item.lane.is_hard()
        || item.kind == EvidenceKind::Signal
    {
        return false;
    }
    let reading = case.reading;
    let sorts: Vec<&(&[&str], &[&str])> = SORTS
        .iter()
        .filter(|(said, _)| {
            words(reading.text).any(|word| {
                said.iter().any(|sort| word.is(sort))
                    && !denied.words.iter().any(|denied| word.is(denied))
            })
        })
        .collect();
    let asks = |(_, asked): &&(&[&str], &[&str])| {
        let has = |word: &str| asked.contains(&word);
        let is_any = |part: &str| asked.iter().any(|word| part.eq_ignore_ascii_case(word));
        if has("pods") || has("nodes") {
            return asks_for(item, is_any);
        }
        let is_of_lane = match item.lane {
            Lane::Logs => has("logs"),
            Lane::Traces => has("spans"),
            Lane::Metrics => has("series"),
            _ => false,
        };
        let is_word =
            |request: &&str| request.split(|c: char| !c.is_ascii_alphanumeric()).any(is_any);
        is_of_lane
            || requests(item).iter().any(is_word)
            || !has("logs") && is_keyed(case, number, asked)
    };
    let is_thing = |sort: &&(&[&str], &[&str])| sort.0.contains(&"pod") || sort.0.contains(&"node");
    let records: Vec<&(&[&str], &[&str])> =
        sorts.iter().copied().filter(|sort| !is_thing(sort)).collect();
    // "No node is NotReady in the events": the events tell.
    let sorts = if records.is_empty() { sorts } else { records };
    let entities = rest & reading.bits(|term| matches!(term.role, Role::Entity | Role::Name));
    let others = rest
        & reading.bits(|term| {
            term.role == Role::Word
                && !term.negated
                && !is_seeking(term)
                && !is_light(term.text)
                && !is_sort(term.text)
        });
    let root = case.corpus.roots.get(number as usize).copied().unwrap_or(u32::MAX);
    // The end of a pod's name, as in "the log of 4tqzw".
    let by_ending = reading.bits(|term| {
        term.is_strict() && requests(item).iter().any(|request| request.contains(term.text))
    });
    let here = case.marks.tool(number) | case.marks.content(root) | by_ending;
    let is_of_things = sorts.iter().all(is_thing);
    let is_label = |word: &str| {
        reading.text.match_indices(word).any(|(at, _)| {
            reading.text.get(..at).is_some_and(|before| before.ends_with('='))
                || reading.text.get(at + word.len()..).is_some_and(|after| after.starts_with('='))
        })
    };
    let is_state = |word: &&str| is_written_as_state(word) || is_label(word);
    if is_of_things && !denied.words.iter().all(is_state) {
        return false;
    }
    !sorts.is_empty() && sorts.iter().all(asks) && (entities | others) & !here == 0
}

/// Whether the keys of an item name the sort: `"alert_name"`.
fn is_keyed(case: &Case<'_, '_, '_>, number: u32, asked: &[&str]) -> bool {
    const MOST: usize = 2_000;
    let corpus = case.corpus;
    asked.iter().any(|word| {
        let word = key(word);
        corpus.by_word.of(word).take(MOST).any(|field| {
            corpus.item_of(field) == number
                && corpus.field(field).is_some_and(|found| corpus.key_words(found).contains(&word))
        })
    })
}

/// Whether an item shows all that it was asked for, of the times that the claim names.
fn is_whole(case: &Case<'_, '_, '_>, number: u32) -> bool {
    let Some(item) = case.corpus.item(number) else { return false };
    let text = item.content.as_str();
    let is_answer = answer(case.corpus, number) == Answer::Content;
    // Its scope is known where the caller states it, or the answer begins with the request.
    let is_known = item.shows_absence() || first_line(text) == request(case.corpus, number);
    is_answer
        && is_known
        && extent(item, 0, is_cut(text)) == Extent::Whole
        && !text.contains("cut here")
        && covers_times(case, number)
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{self, Contradicted, Grounded, Ungrounded};

    use crate::tests::{class, expect, text};

    const EVENTS: &str = "\
$ kubectl get events -n shop
LAST SEEN   TYPE      REASON        OBJECT        MESSAGE
4m          Warning   BackOff       pod/cart-1    Back-off restarting failed container
9m          Warning   FailedMount   pod/cart-2    MountVolume.SetUp failed for volume \"tls\"
";

    const LOG: &str = "\
$ kubectl logs cart-1 -n shop
2026-03-12T14:02:17Z INFO order ORD-771 was refunded
2026-03-12T14:02:19Z ERROR connection to the payment gateway was reset by peer
2026-03-12T14:02:21Z WARN request of user 17 took 4.2 s
";

    #[test]
    fn a_whole_listing_shows_what_is_not_there() {
        let evidence = [
            text("events", "kubectl get events -n shop", EVENTS),
            text("log", "kubectl logs cart-1 -n shop", LOG),
        ];
        expect(
            &evidence,
            &[
                ("There is no FailedScheduling event.", Grounded),
                ("No OOMKilled events were recorded.", Grounded),
                ("There are no liveness or readiness probe failures among the events.", Grounded),
                ("The log of cart-1 contains no NullPointerException.", Grounded),
                ("The log of cart-1 mentions no deadlock.", Grounded),
                ("There is no FailedMount event.", Contradicted),
                ("The events show no problem with volumes.", Ungrounded),
                ("The log of cart-1 shows no slow request.", Ungrounded),
                ("The log of cart-1 shows no network trouble.", Ungrounded),
                ("The log of billing-1 contains no deadlock.", Ungrounded),
                ("There is no deadlock in the log of pod cart-1.", Grounded),
                ("There is no deadlock in the log of pod cart-7.", Ungrounded),
                ("There is no FailedScheduling event for pod billing-9.", Ungrounded),
                ("There is no second FailedScheduling event.", Ungrounded),
                ("No alert fired for the cart.", Ungrounded),
            ],
        );
    }

    #[test]
    fn a_part_of_a_listing_shows_no_absence() {
        let parts = [
            LOG.replace("-n shop", "--tail=50"),
            LOG.replace("-n shop", "| grep ERROR"),
            LOG.replace("$ kubectl logs cart-1 -n shop\n", ""),
        ];
        for part in parts {
            let evidence = [text("log", "kubectl logs cart-1", &part)];
            let judged = class("The log of cart-1 contains no NullPointerException.", &evidence);
            assert_eq!(judged, Class::Ungrounded, "{part}");
        }
    }
}
