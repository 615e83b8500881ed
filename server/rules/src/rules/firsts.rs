//! Claims about what came first or last: "X was the first alert to fire", "the first error is a timeout", "the log
//! starts with a failed login".

use std::ops::Range;

use gsar_core::text::tokens::{Word, words};

use crate::claim::lengths::lengths;
use crate::claim::reading::Role;
use crate::evidence::chronicle::{Chronicle, Clock, Event};
use crate::matching::asked::{Asked, Pick, asked, is_plain};
use crate::matching::candidates::Target;
use crate::matching::episodes::{Ages, find};
use crate::matching::places::shown_of;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::event_words::is_left_out;
use crate::vocabulary::phases::phase_of_word;

/// Decides a claim about the first or last of several.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let plain = is_plain(reading) && reading.figures.is_empty() && lengths(reading.text).is_empty();
    if !plain || !reading.quotations.is_empty() {
        return None;
    }
    let all: Vec<Word<'_>> = words(reading.text).collect();
    let at = |table: &[&str]| all.iter().position(|word| table.iter().any(|entry| word.is(entry)));
    let chronicle = case.cache.chronicle(case.corpus, case.day);
    if let Some(edge) = edge_of_log(&all) {
        return log_edge(case, chronicle, edge);
    }
    let extreme = at(&["first", "earliest", "last", "latest", "final"])?;
    let copula = at(&["is", "was", "are", "were"])?;
    let (is_at, end) = (all.get(copula)?.span.clone(), reading.text.len());
    if extreme < copula {
        let subject = asked(case, 0..is_at.start, &[]);
        let said = asked(case, is_at.end..end, &[]);
        first_is(case, chronicle, &subject, &said)
    } else {
        let from = all.get(extreme)?.span.start;
        let thing = asked(case, 0..is_at.start, &[]);
        let several = asked(case, from..end, &[]);
        was_first(case, chronicle, &thing, &several)
    }
}

/// "The first error in the log is a redis timeout".
fn first_is(
    case: &Case<'_, '_, '_>,
    chronicle: &Chronicle,
    subject: &Asked,
    said: &Asked,
) -> Option<Ruling> {
    let wanted = said.strict | said.words;
    if subject.words | subject.strict == 0 || wanted == 0 || subject.pick == Pick::All {
        return None;
    }
    let found = find(case, chronicle, subject, Ages::Without)?;
    let [event] = found.events.as_slice() else { return None };
    let has = shown_of(case, event.place, said);
    if found.is_full && wanted & !has == 0 {
        return is_told(case, &[subject, said]).then(|| {
            Ruling::grounded(
                Basis::Derived,
                vec![Cite::Field(event.field)],
                note::says(case, event.field),
            )
        });
    }
    // It is said of a later one.
    let all = Asked { pick: Pick::All, ..subject.clone() };
    let others = find(case, chronicle, &all, Ages::Without)?;
    let later = others.events.iter().find(|other| {
        let terms = shown_of(case, other.place, said);
        other.at != event.at && wanted & !terms == 0
    })?;
    (found.is_full && (wanted & has).count_ones() * 2 <= wanted.count_ones()).then(|| {
        let cites = vec![Cite::Field(event.field), Cite::Field(later.field)];
        Ruling::contradicted(Basis::Derived, cites, note::in_order(case, event, later))
    })
}

/// "PaymentLatencyHigh was the first alert to fire".
fn was_first(
    case: &Case<'_, '_, '_>,
    chronicle: &Chronicle,
    thing: &Asked,
    several: &Asked,
) -> Option<Ruling> {
    if thing.strict | thing.words == 0 || several.pick == Pick::All || thing.pick != Pick::All {
        return None;
    }
    let found = find(case, chronicle, thing, Ages::Without)?;
    let own = *found.events.first()?;
    if !found.is_full || found.events.iter().any(|event| event.at != own.at) {
        return None;
    }
    let wanted = several.strict | several.words;
    if wanted & !shown_of(case, own.place, several) != 0 {
        return None;
    }
    let edge = siblings(case, chronicle, own)
        .into_iter()
        .filter(|event| wanted & !shown_of(case, event.place, several) == 0)
        .reduce(|best, event| match several.pick {
            Pick::Last if event.at > best.at => event,
            Pick::Last => best,
            _ if event.at < best.at => event,
            _ => best,
        })?;
    let apart = edge.at.abs_diff(own.at);
    let grain = u64::try_from(edge.grain.max(own.grain)).unwrap_or(1);
    let cites = vec![Cite::Field(own.field), Cite::Field(edge.field)];
    if apart == 0 {
        is_told(case, &[thing, several]).then(|| {
            Ruling::grounded(Basis::Derived, vec![Cite::Field(own.field)], note::at(case, own))
        })
    } else if apart >= grain {
        Some(Ruling::contradicted(Basis::Derived, cites, note::in_order(case, own, edge)))
    } else {
        None
    }
}

/// The events that are listed beside one: the other lines of its log, the other records of its list.
fn siblings<'a>(case: &Case<'_, '_, '_>, chronicle: &'a Chronicle, own: &Event) -> Vec<&'a Event> {
    let corpus = case.corpus;
    let around = match own.place {
        Target::Line(field) => {
            let root = corpus.roots.get(corpus.item_of(field) as usize).copied();
            root.and_then(|root| corpus.object(root))
        }
        Target::Object(object) => {
            corpus.object(object).and_then(|found| corpus.object(found.parent))
        }
    };
    let Some(around) = around else { return Vec::new() };
    let is_line = matches!(own.place, Target::Line(_));
    chronicle
        .within(around.fields.0..around.fields.1)
        .iter()
        .filter(|event| {
            event.phase == own.phase
                && matches!(event.place, Target::Line(_)) == is_line
                && !matches!(event.clock, Clock::Ago(_))
                && (is_line || corpus.name(event.field) == corpus.name(own.field))
        })
        .collect()
}

/// "The log starts with …": which end of the log is spoken of, and what is said of it.
fn edge_of_log(all: &[Word<'_>]) -> Option<(Pick, Range<usize>)> {
    let is = |at: usize, table: &[&str]| {
        all.get(at).is_some_and(|word| table.iter().any(|entry| word.is(entry)))
    };
    let log = (0..all.len().min(4)).find(|at| is(*at, &["log", "logs", "output"]))?;
    let verb = log + 1;
    let pick =
        if is(verb, &["starts", "start", "started", "begins", "begin", "began", "opens", "opened"])
        {
            Pick::First
        } else if is(verb, &["ends", "end", "ended", "closes", "closed", "stops", "stopped"]) {
            Pick::Last
        } else {
            return None;
        };
    is(verb + 1, &["with"])
        .then(|| all.get(verb + 1).map(|word| (pick, word.span.end..usize::MAX)))?
}

/// "The log starts with a failed login".
fn log_edge(
    case: &Case<'_, '_, '_>,
    chronicle: &Chronicle,
    (pick, span): (Pick, Range<usize>),
) -> Option<Ruling> {
    let said = asked(case, span.start..case.reading.text.len(), &[]);
    let wanted = said.strict | said.words;
    let found = find(case, chronicle, &Asked { pick: Pick::All, ..said.clone() }, Ages::Without)?;
    let own = *found.events.first()?;
    let item = case.corpus.item_of(own.field);
    let one_log = found.events.iter().all(|event| case.corpus.item_of(event.field) == item);
    if !one_log || !found.is_full || wanted == 0 || !matches!(own.place, Target::Line(_)) {
        return None;
    }
    let edge = siblings(case, chronicle, own).into_iter().reduce(|best, event| match pick {
        Pick::Last if event.at > best.at => event,
        Pick::First if event.at < best.at => event,
        _ => best,
    })?;
    let has = shown_of(case, edge.place, &said);
    if wanted & !has == 0 {
        is_told(case, &[&said]).then(|| {
            Ruling::grounded(
                Basis::Derived,
                vec![Cite::Field(edge.field)],
                note::says(case, edge.field),
            )
        })
    } else {
        let cites = vec![Cite::Field(edge.field)];
        Some(Ruling::contradicted(Basis::Derived, cites, note::says(case, edge.field)))
    }
}

/// Whether the stretches are all that the claim says.
fn is_told(case: &Case<'_, '_, '_>, parts: &[&Asked]) -> bool {
    case.reading.terms.iter().enumerate().all(|(place, term)| {
        parts.iter().any(|part| part.has(place))
            || is_left_out(term.text)
            || phase_of_word(term.text).is_some()
            || matches!(
                term.role,
                Role::Kind | Role::Demand(crate::vocabulary::lexicon::Sense::Extreme)
            )
    })
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

    use crate::tests::{expect, json, text};

    #[test]
    fn the_first_and_last_of_a_list_are_those_of_its_instants() {
        let alerts = r#"{"alerts":[
            {"alert_name":"LedgerLatencyHigh","fired_at":"2026-05-04T09:30:02Z"},
            {"alert_name":"GatewayErrorRate","fired_at":"2026-05-04T09:30:28Z"},
            {"alert_name":"SearchCPUHigh","fired_at":"2026-05-04T09:34:28Z"}]}"#;
        expect(
            &[json("alerts", "alertmanager", alerts)],
            &[
                ("LedgerLatencyHigh was the first alert to fire.", Grounded),
                ("GatewayErrorRate was the first alert to fire.", Contradicted),
                ("SearchCPUHigh was the last alert to fire.", Grounded),
                ("CartLatencyHigh was the first alert to fire.", Ungrounded),
            ],
        );
    }

    #[test]
    fn the_first_line_of_its_sort_says_what_it_was() {
        let log = "\
2026-05-04T09:30:02Z INFO session opened for user 7
2026-05-04T09:30:05Z ERROR certificate expired for user 8
2026-05-04T09:30:09Z ERROR redis timeout for user 9
";
        expect(
            &[text("log", "kubectl logs auth-0", log)],
            &[
                ("The first error in the log is an expired certificate.", Grounded),
                ("The first error in the log is a redis timeout.", Contradicted),
                ("The log starts with a redis timeout.", Contradicted),
                ("The log ends with a redis timeout.", Grounded),
                ("The first error in the log is a kafka timeout.", Ungrounded),
            ],
        );
    }
}
