//! Claims whose other side is the claim before: "…, half a minute after the first error".
//!
//! The claim before says when it was, and something of it is dated so; or it can be found as any event is. What the
//! claim itself names has to be found in full.

use crate::claim::ellipsis::{Continued, continued};
use crate::claim::lengths::Length;
use crate::claim::reading::{Role, Term};
use crate::claim::relations::Relation;
use crate::evidence::chronicle::{Chronicle, Event};
use crate::evidence::moments::{MINUTE, Moment};
use crate::matching::asked::{Asked, Pick, asked, is_plain_from};
use crate::matching::episodes::{Ages, Found, find_bounds, keep_related};
use crate::matching::places::{seat, terms_of};
use crate::rules::chronology::{compare, is_apart, is_told, keep_apart};
use crate::rules::instants::{is_at, times};
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// A claim put behind the one that it goes on from, and where it begins itself.
pub(crate) fn joined(before: &str, text: &str) -> Option<(String, usize)> {
    continued(text)?;
    let joined = format!("{}, {text}", before.trim_end_matches(['.', ',', ';', ' ']));
    let own = joined.len() - text.len();
    Some((joined, own))
}

/// Decides a claim that was put behind the one that it goes on from.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let own = reading.own;
    let text = reading.text.get(own..)?;
    let continued = shifted(continued(text)?, own);
    if !is_plain_from(reading, own) {
        return None;
    }
    let chronicle = case.cache.chronicle(case.corpus, case.day);
    let relation = Relation {
        link: continued.link,
        first: 0..own,
        second: continued.named.clone(),
        words: continued.words.clone(),
        length: Some(continued.length.clone()),
    };
    let before = asked(case, 0..own, &[]);
    let mut named =
        asked(case, relation.second.clone(), std::slice::from_ref(&continued.length.span));
    named.times = times(reading.text)
        .into_iter()
        .filter(|time| named.span.start <= time.span.start && time.span.end <= named.span.end)
        .collect();
    named.complete(reading.text, &before);
    let mut b = find_bounds(case, chronicle, &named, Ages::Without)?;
    let mut a = earlier(case, chronicle, &before)?;
    keep_related(case, &mut a, &b);
    keep_related(case, &mut b, &a);
    keep_apart(&mut a, &mut b);
    if is_apart(&a, &b) {
        return None;
    }
    let answer = compare(&relation, &a, &b)?;
    let (x, y) = (first(&a)?, first(&b)?);
    let cites = vec![Cite::Field(x.field), Cite::Field(y.field)];
    let said = note::in_order(case, x, y);
    if answer {
        let told = is_told(case, &relation, &before, &named);
        return (b.is_full && told).then(|| Ruling::grounded(Basis::Derived, cites, said));
    }
    // "The first" of several may be another than the one picked.
    let any = Asked { pick: Pick::All, ..named.clone() };
    let all = find_bounds(case, chronicle, &any, Ages::Without);
    let keeps = |place: usize| {
        let one = all.as_ref().and_then(|all| all.only(place));
        one.is_some_and(|one| compare(&relation, &a, &one) != Some(false))
    };
    if named.pick != Pick::All
        && (0..all.as_ref().map_or(0, |all| all.events.len()).min(12)).any(keeps)
    {
        return None;
    }
    let is_firm = a.is_firm && b.is_firm && b.is_full && !b.is_vague;
    let telling = (named.words | named.strict).count_ones() >= 2;
    (is_firm && telling && is_far(&continued.length))
        .then(|| Ruling::contradicted(Basis::Derived, cites, said))
}

/// Bounds like "within" are not what an ellipsis is read for.
fn is_far(length: &Length) -> bool {
    !length.is_bound
}

fn shifted(continued: Continued, by: usize) -> Continued {
    let move_on = |span: std::ops::Range<usize>| span.start + by..span.end + by;
    Continued {
        link: continued.link,
        named: move_on(continued.named),
        words: move_on(continued.words),
        length: Length { span: move_on(continued.length.span.clone()), ..continued.length },
    }
}

/// What the claim before speaks of: by the instant that it states, else by its words.
fn earlier<'a>(
    case: &Case<'a, '_, '_>,
    chronicle: &'a Chronicle,
    before: &Asked,
) -> Option<Found<'a>> {
    let stated: Vec<Moment> = times(case.reading.text.get(before.span.clone())?);
    match stated.as_slice() {
        [] => find_bounds(case, chronicle, before, Ages::Without)
            .filter(|found| found.is_full && !found.is_vague),
        [time] if time.grain <= MINUTE => dated(case, chronicle, before, time),
        _ => None,
    }
}

/// The events at an instant that have most of what a stretch names.
fn dated<'a>(
    case: &Case<'a, '_, '_>,
    chronicle: &'a Chronicle,
    before: &Asked,
    time: &Moment,
) -> Option<Found<'a>> {
    const MOST: usize = 2_000;
    let telling = case.reading.bits(|term| is_telling(term, before));
    let mut best: Vec<&Event> = Vec::new();
    let mut most = 0;
    let at = chronicle.all().iter().filter(|event| is_at(time, event) == Some(true));
    for event in at.take(MOST) {
        let (_, item) = seat(case, event.place);
        if !case.corpus.item(item).is_some_and(|item| item.lane.is_hard()) {
            continue;
        }
        let shared = (terms_of(case, event.place) & telling).count_ones();
        if shared > most {
            best.clear();
            most = shared;
        }
        if shared == most && shared > 0 {
            best.push(event);
        }
    }
    let is_firm = most >= 2 || most == telling.count_ones() && most > 0;
    (!best.is_empty()).then_some(Found {
        events: best,
        is_full: true,
        is_close: true,
        is_vague: false,
        is_firm,
    })
}

/// Whether a term tells one event from another.
fn is_telling(term: &Term<'_>, before: &Asked) -> bool {
    !term.span.is_empty()
        && before.span.start <= term.span.start
        && term.span.end <= before.span.end
        && (term.is_strict() || term.role == Role::Word)
}

fn first<'a>(found: &Found<'a>) -> Option<&'a Event> {
    found.events.iter().copied().min_by_key(|event| (event.at, event.field))
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{self, Contradicted, Grounded, Ungrounded};
    use gsar_core::evidence::EvidenceItem;
    use gsar_core::{Claim, ClaimId};

    use crate::Observations;
    use crate::tests::{json, text};

    fn evidence() -> Vec<EvidenceItem> {
        vec![
            json(
                "alert",
                "alertmanager",
                r#"{"alerts":[{"alertname":"LedgerErrors","startsAt":"2026-05-04T12:53:00Z","labels":{"service":"ledger"}}]}"#,
            ),
            text(
                "log",
                "kubectl logs ledger-0",
                "2026-05-04T12:51:02Z INFO main - Started LedgerApplication\n\
                 2026-05-04T12:51:24Z ERROR exec-20 - Connection to vault refused\n\
                 2026-05-04T12:51:44Z ERROR exec-21 - Connection to vault refused\n\
                 2026-05-04T12:55:10Z WARN main - Shutting down: deadline exceeded\n",
            ),
        ]
    }

    fn second(before: &str, claim: &str) -> Class {
        let evidence = evidence();
        let claims: Vec<Claim> = [("c1", before), ("c2", claim)]
            .into_iter()
            .map(|(id, text)| Claim {
                id: ClaimId::new(id).unwrap(),
                text: text.to_owned(),
                span: None,
            })
            .collect();
        Observations::read(&evidence).judge(&claims, || true).unwrap().pop().unwrap().class
    }

    #[test]
    fn the_other_side_is_the_claim_before() {
        const FIRED: &str = "LedgerErrors started firing at 12:53:00 UTC";
        const STARTED: &str = "At 12:51:02 the ledger application started";
        for (before, claim, expected) in [
            (
                FIRED,
                "about a minute and a half after the first refused connection to vault",
                Grounded,
            ),
            (FIRED, "about ten minutes after the first refused connection to vault", Contradicted),
            (
                FIRED,
                "about a minute and a half before the first refused connection to vault",
                Contradicted,
            ),
            (
                FIRED,
                "about a minute and a half after the first refused connection to redis",
                Ungrounded,
            ),
            (STARTED, "the first connection to vault was refused 22 seconds later", Grounded),
            (STARTED, "the first connection to vault was refused 22 minutes later", Contradicted),
            (STARTED, "the first connection to vault was refused 22 seconds earlier", Contradicted),
            (STARTED, "the first connection to vault was accepted 22 seconds later", Ungrounded),
        ] {
            assert_eq!(second(before, claim), expected, "{before}; {claim}");
        }
    }
}
