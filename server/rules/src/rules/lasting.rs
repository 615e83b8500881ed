//! Claims about how long something lasted: "the failover took 40 seconds", "the last run was over within a second".
//!
//! The start and the end of the thing have to be found among the dated lines and records.

use gsar_core::Class;
use gsar_core::text::tokens::{Word, words};

use crate::claim::lengths::lengths;
use crate::claim::reading::Role;
use crate::evidence::chronicle::{Chronicle, Event};
use crate::evidence::moments::SECOND;
use crate::matching::asked::{Asked, Pick, asked, is_plain};
use crate::matching::candidates::Target;
use crate::matching::episodes::{Ages, Found, find};
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::event_words::is_left_out;
use crate::vocabulary::phases::Phase;

/// Decides a claim that something lasted so long.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if !is_plain(reading) {
        return None;
    }
    let all: Vec<Word<'_>> = words(reading.text).collect();
    let recurs = says_recurring(&all);
    if !recurs && !says_lasting(reading.text) {
        return None;
    }
    let lengths = lengths(reading.text);
    let at_once = lengths.is_empty() && says_at_once(&all);
    let length = match lengths.as_slice() {
        [length] => Some(length),
        [] if at_once => None,
        _ => return None,
    };
    let span = 0..reading.text.len();
    let apart: Vec<_> = length.iter().map(|length| length.span.clone()).collect();
    let mut thing = asked(case, span, &apart);
    thing.of_container |= thing.is_run();
    if thing.pick == Pick::Last {
        thing.pick = Pick::All;
    }
    thing.drop_phase(case);
    let chronicle = case.cache.chronicle(case.corpus, case.day);
    let (starts, ends) = if recurs {
        recurrence(case, chronicle, &thing)?
    } else {
        (
            find(case, chronicle, &thing.in_phase(Phase::Start), Ages::Without)?,
            find(case, chronicle, &thing.in_phase(Phase::End), Ages::Without)?,
        )
    };
    let mut pairs: Vec<(&Event, &Event)> = Vec::new();
    for end in &ends.events {
        let own = starts.events.iter().filter(|start| start.place == end.place);
        pairs.extend(own.map(|start| (*start, *end)));
    }
    if pairs.is_empty() {
        let item = |event: &Event| case.corpus.item_of(event.field);
        let all =
            starts.events.iter().flat_map(|start| ends.events.iter().map(|end| (*start, *end)));
        pairs.extend(all.filter(|(start, end)| item(start) == item(end)));
    }
    let answers: Vec<Option<bool>> = pairs
        .iter()
        .map(|(start, end)| {
            let measured = end.at.checked_sub(start.at).filter(|length| *length >= 0)?;
            let grain = start.grain.max(end.grain);
            match length {
                Some(length) => length.is(measured, grain - 1),
                None => Some(measured < grain.max(SECOND)),
            }
        })
        .collect();
    let first = (*answers.first()?)?;
    let is_told = reading.terms.iter().enumerate().all(|(place, term)| {
        thing.has(place)
            || length.is_some_and(|length| {
                length.span.start <= term.span.start && term.span.end <= length.span.end
            })
            || is_left_out(term.text)
            || matches!(term.role, Role::Kind | Role::Demand(_))
    });
    if answers.iter().any(|answer| *answer != Some(first)) || !starts.is_full || !ends.is_full {
        return None;
    }
    let class = if first { Class::Grounded } else { Class::Contradicted };
    if first && !is_told || !first && (starts.is_vague || ends.is_vague) {
        return None;
    }
    let (start, end) = pairs.first()?;
    let cites = vec![Cite::Field(start.field), Cite::Field(end.field)];
    Some(Ruling { class, basis: Basis::Derived, cites, note: note::in_order(case, start, end) })
}

/// When something that happened again and again was seen first and last: by its record, else by its lines.
fn recurrence<'a>(
    case: &Case<'a, '_, '_>,
    chronicle: &'a Chronicle,
    thing: &Asked,
) -> Option<(Found<'a>, Found<'a>)> {
    let by_record = |phase| find(case, chronicle, &thing.in_phase(phase), Ages::Without);
    if let (Some(first), Some(last)) = (by_record(Phase::Start), by_record(Phase::Last)) {
        return Some((first, last));
    }
    let by_line = |pick| {
        let several = Asked { pick, ..thing.clone() };
        find(case, chronicle, &several, Ages::Without)
            .filter(|found| found.events.iter().all(|event| matches!(event.place, Target::Line(_))))
    };
    Some((by_line(Pick::First)?, by_line(Pick::Last)?))
}

/// Whether the claim has a verb of lasting.
pub(crate) fn says_lasting(text: &str) -> bool {
    const PHRASES: [&[&str]; 18] = [
        &["lasted"],
        &["lasts"],
        &["took"],
        &["takes"],
        &["survived"],
        &["lived"],
        &["ran", "for"],
        &["running", "for"],
        &["went", "on", "for"],
        &["over", "within"],
        &["over", "after"],
        &["over", "in"],
        &["ended", "within"],
        &["ended", "in"],
        &["exited", "within"],
        &["exits", "within"],
        &["finished", "within"],
        &["completed", "within"],
    ];
    let all: Vec<Word<'_>> = words(text).collect();
    PHRASES.iter().any(|phrase| {
        all.windows(phrase.len())
            .any(|window| window.iter().zip(*phrase).all(|(word, wanted)| word.is(wanted)))
    })
}

/// Whether the claim speaks of something that happened again and again.
fn says_recurring(all: &[Word<'_>]) -> bool {
    const VERBS: [&str; 9] = [
        "recurred",
        "recurs",
        "repeated",
        "span",
        "spanned",
        "spans",
        "stretched",
        "kept",
        "continued",
    ];
    let over = all.windows(3).any(|window| {
        matches!(window, [over, _, period] if over.is("over") && (period.is("period") || period.is("span")))
    });
    over || all.iter().any(|word| VERBS.iter().any(|verb| word.is(verb)))
}

/// "Ended in the very second in which it had begun".
fn says_at_once(all: &[Word<'_>]) -> bool {
    all.windows(3).any(
        |window| matches!(window, [second, _, which] if second.is("second") && which.is("which")),
    )
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

    use crate::tests::{expect, json, text};

    #[test]
    fn a_run_lasts_from_its_start_to_its_end() {
        let described = "\
Name:             ledger-0
Containers:
  ledger:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Started:      Thu, 12 Mar 2026 14:00:03 +0000
      Finished:     Thu, 12 Mar 2026 14:01:05 +0000
";
        expect(
            &[text("pod", "kubectl describe pod ledger-0", described)],
            &[
                ("The last run of the container lasted 62 seconds.", Grounded),
                ("The last run of the container lasted 62 minutes.", Contradicted),
                ("The previous run of ledger took just over a minute.", Grounded),
                ("The container survived about five minutes before it was killed.", Contradicted),
                ("The last run of cart lasted 62 seconds.", Ungrounded),
            ],
        );
    }

    #[test]
    fn a_recurring_event_spans_its_first_and_last_time() {
        let events = r#"{"events":[{"reason":"BackOff","object":"Pod/ledger-0","count":8,"message":"back-off restarting container",
            "first_time":"2026-04-18T10:05:00Z","last_time":"2026-04-18T10:45:00Z"}]}"#;
        expect(
            &[json("events", "kubectl get events", events)],
            &[
                ("The BackOff of ledger-0 recurred over a period of 40 minutes.", Grounded),
                (
                    "The BackOff of ledger-0 recurred over a period of less than half an hour.",
                    Contradicted,
                ),
            ],
        );
    }
}
