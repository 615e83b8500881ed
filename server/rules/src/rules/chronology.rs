//! Claims about order and distance in time: "before", "half a minute after", "eleven seconds passed between".
//!
//! Both sides of the relation have to be found among the dated lines and records; then the instants decide, with
//! the grain at which they are stated as tolerance.

use gsar_core::Class;
use gsar_core::text::tokens::words;

use crate::claim::lengths::{Length, lengths};
use crate::claim::reading::Role;
use crate::claim::relations::{Link, Relation, relations};
use crate::evidence::chronicle::{Chronicle, Clock, Event};
use crate::evidence::moments::MINUTE;
use crate::matching::asked::{Asked, Pick, asked, is_plain};
use crate::matching::episodes::{Ages, Found, find_bounds, keep_related, lines};
use crate::rules::instants::times;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// Decides a claim that puts two events in order.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if !is_plain(reading) {
        return None;
    }
    if crate::rules::lasting::says_lasting(reading.text)
        && !words(reading.text).any(|word| word.is("between"))
    {
        return None;
    }
    let lengths = lengths(reading.text);
    let relations = relations(reading.text, &lengths);
    if relations.is_empty() {
        return None;
    }
    let chronicle = case.cache.chronicle(case.corpus, case.day);
    relations.iter().find_map(|relation| weigh(case, chronicle, relation))
}

fn weigh(case: &Case<'_, '_, '_>, chronicle: &Chronicle, relation: &Relation) -> Option<Ruling> {
    let text = case.reading.text;
    let apart: Vec<_> = relation.length.iter().map(|length| length.span.clone()).collect();
    let mut first = asked(case, relation.first.clone(), &apart);
    let mut second = asked(case, relation.second.clone(), &apart);
    for time in times(text) {
        for side in [&mut first, &mut second] {
            if side.span.start <= time.span.start && time.span.end <= side.span.end {
                side.times.push(time.clone());
            }
        }
    }
    second.complete(text, &first);
    let (a, b) = both(case, chronicle, &first, &second)?;
    if is_apart(&a, &b) {
        return None;
    }
    let answer = compare(relation, &a, &b)?;
    let class = if answer { Class::Grounded } else { Class::Contradicted };
    let same_item =
        |a: &Event, b: &Event| case.corpus.item_of(a.field) == case.corpus.item_of(b.field);
    let related = first.strict != 0 && second.strict != 0
        || a.events.iter().all(|a| b.events.iter().all(|b| same_item(a, b)));
    let is_firm = a.is_firm && b.is_firm && related && !a.is_vague && !b.is_vague;
    if class == Class::Contradicted && !is_firm {
        return None;
    }
    if class == Class::Contradicted && another_lies_so(case, chronicle, relation, (&first, &second))
    {
        return None;
    }
    let enough = match &relation.length {
        Some(length) if !length.is_bound => a.is_close && b.is_close,
        _ => a.is_full && b.is_full,
    };
    if class == Class::Grounded && !(enough && is_told(case, relation, &first, &second)) {
        return None;
    }
    let (x, y) = (pick(&a)?, pick(&b)?);
    let cites = vec![Cite::Field(x.field), Cite::Field(y.field)];
    let note = note::in_order(case, x, y);
    Some(Ruling { class, basis: Basis::Derived, cites, note })
}

/// Whether of several that the sides may mean by "first" or "last", others lie as far apart as is claimed.
fn another_lies_so(
    case: &Case<'_, '_, '_>,
    chronicle: &Chronicle,
    relation: &Relation,
    (first, second): (&Asked, &Asked),
) -> bool {
    if relation.length.is_none() || first.pick == Pick::All && second.pick == Pick::All {
        return false;
    }
    let any = |side: &Asked| Asked { pick: Pick::All, ..side.clone() };
    let Some((a, b)) = both(case, chronicle, &any(first), &any(second)) else { return false };
    const MOST: usize = 12;
    (0..a.events.len().min(MOST)).any(|x| {
        (0..b.events.len().min(MOST)).any(|y| {
            let pair = a.only(x).zip(b.only(y));
            pair.is_some_and(|(a, b)| compare(relation, &a, &b) == Some(true))
        })
    })
}

/// What both sides speak of, both by instants or both by ages.
fn both<'a>(
    case: &Case<'a, '_, '_>,
    chronicle: &'a Chronicle,
    first: &Asked,
    second: &Asked,
) -> Option<(Found<'a>, Found<'a>)> {
    [Ages::Without, Ages::Only].into_iter().find_map(|ages| {
        let mut b = find_bounds(case, chronicle, second, ages);
        let mut a = find_bounds(case, chronicle, first, ages);
        if first.is_any_line()
            && let Some(b) = &b
        {
            a = lines(case, chronicle, first, b);
        }
        if second.is_any_line()
            && let Some(a) = &a
        {
            b = lines(case, chronicle, second, a);
        }
        let (mut a, mut b) = (a?, b?);
        keep_related(case, &mut a, &b);
        keep_related(case, &mut b, &a);
        keep_apart(&mut a, &mut b);
        Some((a, b))
    })
}

/// Of several events that fit one side, leaves out the one that is the other side.
pub(crate) fn keep_apart(a: &mut Found<'_>, b: &mut Found<'_>) {
    fn leave(several: &mut Found<'_>, one: &Found<'_>) {
        let [only] = one.events.as_slice() else { return };
        let is_other = |event: &&Event| event.at != only.at || event.field != only.field;
        if several.events.iter().any(is_other) {
            several.events.retain(is_other);
        }
    }
    leave(a, b);
    leave(b, a);
}

/// Whether two things cannot be put in order: their clocks differ, or they are the same event.
pub(crate) fn is_apart(a: &Found<'_>, b: &Found<'_>) -> bool {
    a.events.iter().any(|a| {
        b.events.iter().any(|b| {
            !a.is_comparable(b) || a.field == b.field && a.at == b.at && a.place == b.place
        })
    })
}

fn pick<'a>(found: &Found<'a>) -> Option<&'a Event> {
    found.events.iter().copied().min_by_key(|event| (event.at, event.field))
}

/// Whether two things lie in time as is claimed.
pub(crate) fn compare(relation: &Relation, a: &Found<'_>, b: &Found<'_>) -> Option<bool> {
    let grain = grain(a, b);
    let low = a.earliest().checked_sub(b.latest())?;
    let high = a.latest().checked_sub(b.earliest())?;
    let order = match relation.link {
        Link::Before => is_below(low, high, grain),
        Link::After => is_below(high.checked_neg()?, low.checked_neg()?, grain),
        Link::Together => {
            let far = low.abs().min(high.abs());
            return if low.abs().max(high.abs()) < grain.max(1) {
                Some(true)
            } else if far > grain * 2 {
                Some(false)
            } else {
                None
            };
        }
        Link::Apart => Some(true),
    };
    // "X came 26 s after Y" is of the first X where there are several.
    let onset = a.earliest().checked_sub(b.earliest())?;
    let length = relation.length.as_ref().map(|length| match length.is(onset.abs(), grain - 1) {
        Some(true) if relation.link != Link::Apart => Some(true),
        _ => apart(length, low, high, grain),
    });
    match (order, length) {
        (Some(false), _) => Some(false),
        (order, Some(Some(false))) if order.is_some() => Some(false),
        (Some(true), None | Some(Some(true))) => Some(true),
        // Both in one grain: "within a second", "in the same second".
        (None, Some(Some(true)))
            if low == high && relation.length.as_ref().is_some_and(|length| length.is_bound) =>
        {
            Some(true)
        }
        _ => None,
    }
}

/// How finely the difference of two can be told. Two listings with ages are made minutes apart.
fn grain(a: &Found<'_>, b: &Found<'_>) -> i64 {
    let clock = |found: &Found<'_>| found.events.first().map(|event| event.clock);
    let listings =
        matches!((clock(a), clock(b)), (Some(Clock::Ago(a)), Some(Clock::Ago(b))) if a != b);
    let grain = a.grain().max(b.grain());
    if listings { grain.max(15 * MINUTE) } else { grain }
}

/// Whether a difference between two bounds is certainly negative.
fn is_below(low: i64, high: i64, grain: i64) -> Option<bool> {
    if high <= -grain.max(1) {
        Some(true)
    } else if low >= grain.max(1) {
        Some(false)
    } else {
        None
    }
}

fn apart(length: &Length, low: i64, high: i64, grain: i64) -> Option<bool> {
    let (low, high) = (low.abs(), high.abs());
    let (one, other) = (length.is(low, grain - 1), length.is(high, grain - 1));
    if one == other { one } else { None }
}

/// Whether the two sides and the length are all that the claim says.
pub(crate) fn is_told(
    case: &Case<'_, '_, '_>,
    relation: &Relation,
    first: &Asked,
    second: &Asked,
) -> bool {
    let reading = case.reading;
    let inside = |start: usize, end: usize| {
        let within = |span: &std::ops::Range<usize>| span.start <= start && end <= span.end;
        within(&first.span)
            || within(&second.span)
            || within(&relation.words)
            || relation.length.as_ref().is_some_and(|length| within(&length.span))
    };
    let terms = reading.terms.iter().all(|term| {
        term.span.is_empty()
            || inside(term.span.start, term.span.end)
            || matches!(
                term.role,
                Role::Demand(crate::vocabulary::lexicon::Sense::Order) | Role::Kind
            )
            || crate::vocabulary::event_words::is_left_out(term.text)
    });
    terms
        && reading.figures.figures.iter().all(|figure| inside(figure.span.start, figure.span.end))
        && reading.figures.times.iter().all(|time| inside(time.span.start, time.span.end))
        && reading.quotations.is_empty()
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

    use crate::tests::{expect, json, text};

    const ALERTS: &str = r#"{"alerts":[
        {"alert_name":"LedgerLatencyHigh","fired_at":"2026-05-04T09:30:02Z","service":"ledger","description":"p99 latency of ledger exceeded 2 s"},
        {"alert_name":"LedgerErrorRate","fired_at":"2026-05-04T09:30:15Z","service":"ledger","description":"error rate of ledger exceeded 10 %"},
        {"alert_name":"GatewayPoolExhausted","fired_at":"2026-05-04T09:30:28Z","service":"gateway","description":"connection pool of gateway exhausted"},
        {"alert_name":"SearchCPUHigh","fired_at":"2026-05-04T09:34:28Z","service":"search","description":"CPU of search above 90 %"}]}"#;

    #[test]
    fn alerts_are_put_in_order_by_when_they_fired() {
        expect(
            &[json("alerts", "alertmanager", ALERTS)],
            &[
                (
                    "The exhaustion of the gateway pool came 26 s after the ledger latency alert.",
                    Grounded,
                ),
                (
                    "The exhaustion of the gateway pool came 26 minutes after the ledger latency alert.",
                    Contradicted,
                ),
                (
                    "The exhaustion of the gateway pool came 26 s after the ledger error rate alert.",
                    Contradicted,
                ),
                (
                    "The exhaustion of the gateway pool came 26 s after the billing latency alert.",
                    Ungrounded,
                ),
                (
                    "The ledger error rate alert fired before the gateway pool was exhausted.",
                    Grounded,
                ),
                (
                    "The ledger error rate alert fired after the gateway pool was exhausted.",
                    Contradicted,
                ),
                (
                    "The search CPU alert fired exactly four minutes after the gateway pool was exhausted.",
                    Grounded,
                ),
                (
                    "The search CPU alert fired less than three minutes after the gateway pool was exhausted.",
                    Contradicted,
                ),
                ("The search CPU alert perhaps fired before the ledger latency alert.", Ungrounded),
            ],
        );
    }

    const DESCRIBED: &str = "\
Name:             orders-6c8868cb6d-qcv2t
Start Time:       Wed, 01 Jul 2026 12:50:07 +0200
Init Containers:
  wait-for-queue:
    Args:
      until nc -z queue 5672; do
        sleep 2
      done

    State:          Terminated
      Reason:       Completed
      Started:      Fri, 03 Jul 2026 06:54:53 +0200
      Finished:     Fri, 03 Jul 2026 06:55:43 +0200
Containers:
  orders:
    State:          Running
      Started:      Fri, 03 Jul 2026 06:55:46 +0200
    Last State:     Terminated
      Started:      Thu, 02 Jul 2026 08:05:46 +0200
      Finished:     Fri, 03 Jul 2026 06:54:28 +0200
";

    #[test]
    fn containers_are_put_in_order_by_their_states() {
        expect(
            &[text("pod", "kubectl describe pod orders-6c8868cb6d-qcv2t", DESCRIBED)],
            &[
                (
                    "orders started three seconds after its wait-for-queue container had finished.",
                    Grounded,
                ),
                ("orders was already running when wait-for-queue finished.", Contradicted),
                ("orders started three seconds before wait-for-queue had finished.", Contradicted),
                ("orders started three minutes after wait-for-queue had finished.", Contradicted),
                ("invoices started three seconds after wait-for-queue had finished.", Ungrounded),
            ],
        );
    }

    const LOG: &str = "\
2026-05-04 12:30:15,892 INFO main - Started LedgerApplication in 0.658 seconds
2026-05-04 12:30:45,567 INFO exec-2 - Payment processed successfully
2026-05-04 12:51:24,856 ERROR exec-20 - Failed to acquire database connection
2026-05-04 12:51:25,102 ERROR exec-21 - Failed to acquire database connection
2026-05-04 12:51:25,204 ERROR exec-21 - Payment rejected
";

    #[test]
    fn lines_of_a_log_are_as_far_apart_as_their_stamps() {
        expect(
            &[text("log", "kubectl logs ledger-0", LOG)],
            &[
                (
                    "The first failure to get a database connection came about 21 minutes after the application had started.",
                    Grounded,
                ),
                (
                    "The first failure to get a database connection came about 12 minutes after the application had started.",
                    Contradicted,
                ),
                (
                    "The payment was rejected about a tenth of a second after the last failure to acquire a database connection.",
                    Grounded,
                ),
                (
                    "The payment was rejected before the first failure to acquire a database connection.",
                    Contradicted,
                ),
                (
                    "The first failure to acquire a cache connection came before the payment was rejected.",
                    Ungrounded,
                ),
            ],
        );
    }
}
