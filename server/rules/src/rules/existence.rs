//! Claims that something is there or is not, decided by what a search or a listing answered.
//!
//! | the item | "no X" | "there is X" |
//! |---|---|---|
//! | was asked for X and found nothing | grounded | contradicted |
//! | lists what the claim says X would be among, and has nothing of X | grounded | |
//!
//! An item was asked for X when its request names every name of the claim and most of its other words. A refusal
//! decides nothing. Where another item shows X, this module is silent.

use gsar_core::evidence::EvidenceKind;
use gsar_core::text::figures::{CodeKind, Figure, Unit, figures};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::reading::{Reading, Role, Term};
use crate::claim::windows::{Window, window};
use crate::evidence::answers::{Answer, answer};
use crate::rules::absence::{self, covers_times};
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::lexicon::Sense;
use crate::vocabulary::words::{key, parts};

/// Decides a claim of existence or absence.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let sort = Claimed::of(reading)?;
    if is_sweeping(reading) {
        return None;
    }
    let items = 0..u32::try_from(case.corpus.evidence.len()).unwrap_or(u32::MAX);
    let hard = items.filter(|item| {
        case.corpus
            .item(*item)
            .is_some_and(|item| item.lane.is_hard() && item.kind != EvidenceKind::Signal)
    });
    for item in hard.clone() {
        if let Answer::Nothing(says) = answer(case.corpus, item)
            && was_asked(case, item, says)
        {
            if is_shown_elsewhere(case, item, sort) {
                return None;
            }
            let cite = says.map_or(Cite::Item(item), Cite::Field);
            let says =
                says.map_or_else(|| note::absent(case, item), |field| note::says(case, field));
            return Some(match sort {
                Claimed::Absent => Ruling::grounded(Basis::Absent, vec![cite], says),
                Claimed::Present => Ruling::contradicted(Basis::Absent, vec![cite], says),
            });
        }
    }
    if sort == Claimed::Present {
        return None;
    }
    let item = hard.into_iter().find(|item| lists_without(case, *item))?;
    Some(Ruling::grounded(Basis::Absent, vec![Cite::Item(item)], note::absent(case, item)))
}

/// What a claim of existence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claimed {
    Present,
    Absent,
}

impl Claimed {
    fn of(reading: &Reading<'_>) -> Option<Self> {
        let has = |table: &[&str]| {
            words(reading.text).any(|word| table.iter().any(|entry| word.is(entry)))
        };
        let denied: Vec<_> =
            reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation).collect();
        let unmarked = words(reading.text)
            .filter(|word| word.is("nothing") || word.is("neither"))
            .filter(|word| !denied.iter().any(|marker| marker.span.contains(&word.span.start)));
        let denials = denied.len() + unmarked.count();
        match denials {
            0 if has(&EXISTING) && !has(&["if", "would", "should"]) => Some(Self::Present),
            0 => None,
            1 => Some(Self::Absent),
            _ => None,
        }
    }
}

/// Words that say that something was met with.
const EXISTING: [&str; 16] = [
    "contain",
    "contains",
    "contained",
    "described",
    "exist",
    "exists",
    "existed",
    "found",
    "listed",
    "logged",
    "matched",
    "present",
    "recorded",
    "returned",
    "turned",
    "yielded",
];

/// Words about searching and listing: what was sought does not have to show them.
const SEEKING: [&str; 62] = [
    "among",
    "any",
    "appear",
    "appears",
    "are",
    "assigned",
    "been",
    "by",
    "carries",
    "carry",
    "cluster-wide",
    "contain",
    "contained",
    "contains",
    "could",
    "currently",
    "described",
    "entries",
    "entry",
    "even",
    "exist",
    "existed",
    "exists",
    "far",
    "filter",
    "filtering",
    "for",
    "found",
    "gave",
    "given",
    "got",
    "knows",
    "line",
    "lines",
    "listed",
    "logged",
    "look",
    "lookup",
    "marked",
    "match",
    "matched",
    "matches",
    "matching",
    "mention",
    "mentions",
    "name",
    "named",
    "points",
    "present",
    "queried",
    "query",
    "raised",
    "recorded",
    "result",
    "results",
    "returned",
    "search",
    "searched",
    "searching",
    "turned",
    "words",
    "yielded",
];

pub(crate) fn is_seeking(term: &Term<'_>) -> bool {
    SEEKING.iter().any(|word| term.text.eq_ignore_ascii_case(word))
}

/// Whether a claim reaches beyond what one search covers.
fn is_sweeping(reading: &Reading<'_>) -> bool {
    let text = reading.text.to_ascii_lowercase();
    [
        "anything",
        "anywhere",
        "any form",
        "any kind",
        "any sort",
        "at all",
        "either",
        "elsewhere",
        "ever ",
        "other ",
        "whatsoever",
    ]
    .iter()
    .any(|reach| text.contains(reach))
}

/// Whether an item's request is for what the claim says was or was not there.
fn was_asked(case: &Case<'_, '_, '_>, item: u32, says: Option<u32>) -> bool {
    let reading = case.reading;
    let asked = case.marks.tool(item) | says.map_or(0, |says| case.marks.field(says));
    let window = window(reading);
    let is_of_window = |term: &Term<'_>| {
        window.as_ref().is_some_and(|window| {
            window.span.start <= term.span.start && term.span.end <= window.span.end
        })
    };
    let sought = reading.bits(|term| {
        !is_seeking(term) && !matches!(term.role, Role::Demand(_)) && !is_of_window(term)
    });
    let strict = reading.bits(Term::is_strict) & sought;
    let plain = reading.bits(|term| matches!(term.role, Role::Word | Role::Kind)) & sought;
    let telling = strict | plain & !reading.bits(|term| matches!(term.role, Role::Kind));
    let quoted = reading.bits(|term| {
        reading
            .quotations
            .iter()
            .any(|span| span.start <= term.span.start && term.span.end <= span.end)
    });
    let denied = sought
        & reading.bits(|term| term.negated && !matches!(term.role, Role::Common | Role::Kind));
    let unasked = reading.terms.iter().any(|term| match term.role {
        Role::Demand(Sense::Compare) => false,
        Role::Demand(Sense::Order) => reading.figures.figures.is_empty(),
        Role::Demand(_) => true,
        _ => false,
    });
    !unasked
        && strict & !asked == 0
        && denied & !asked == 0
        && quoted & sought & !asked == 0
        && asked & telling != 0
        && sorts_agree(case, asked | reading.bits(is_of_window))
        && reading.weight(sought & asked) * 3 >= reading.weight(sought) * 2
        && is_window(case, item)
        && window.is_none_or(|window| is_asked_window(case, item, &window))
}

/// Whether a request is for the day and the length that a claim states in words.
fn is_asked_window(case: &Case<'_, '_, '_>, item: u32, window: &Window) -> bool {
    let is_day = window.day.is_none_or(|(month, day)| {
        let written = format!("-{month:02}-{day:02}");
        case.corpus.item(item).is_some_and(|found| {
            found.tool.contains(&written)
                || found.query.contains(&written)
                || absence::request(case.corpus, item).contains(&written)
        })
    });
    let length = window.unit.map(|unit| figures(unit).figures);
    is_day
        && length
            .is_none_or(|length| length.first().is_some_and(|length| asks_for(case, item, length)))
}

/// The sorts of what is searched: a search of the events says nothing of the logs.
const SORTS: [&[&str]; 7] = [
    &["log", "logs", "logging"],
    &["event", "events"],
    &["change", "changes", "revision", "revisions"],
    &["metric", "metrics", "series"],
    &["trace", "traces", "span", "spans"],
    &["alert", "alerts", "alarm", "alarms"],
    &["secret", "secrets"],
];

fn sorts_agree(case: &Case<'_, '_, '_>, asked: u64) -> bool {
    let reading = case.reading;
    SORTS.iter().all(|sort| {
        let bits =
            reading.bits(|term| sort.iter().any(|word| term.text.eq_ignore_ascii_case(word)));
        bits == 0 || bits & asked != 0
    })
}

/// Whether the times and the span of time that the claim states are those of the request.
fn is_window(case: &Case<'_, '_, '_>, item: u32) -> bool {
    let reading = case.reading;
    let dates = reading.figures.codes.iter().any(|code| code.kind == CodeKind::Date);
    let by_date = !dates
        || reading.figures.times.len() >= 2
        || case.corpus.item(item).is_some_and(|item| {
            reading.figures.codes.iter().filter(|code| code.kind == CodeKind::Date).all(|code| {
                let written = reading.text.get(code.span.clone()).unwrap_or("");
                item.tool.contains(written) || item.query.contains(written)
            })
        });
    let spans = &reading.figures.figures;
    by_date
        && match spans.as_slice() {
            [] => true,
            [span] => asks_for(case, item, span),
            _ => false,
        }
        && covers_times(case, item)
}

/// Whether a request is for a window as long as a figure says.
fn asks_for(case: &Case<'_, '_, '_>, item: u32, figure: &Figure) -> bool {
    let request = absence::request(case.corpus, item);
    let times: Vec<i64> = figures(request)
        .times
        .iter()
        .filter_map(|time| crate::evidence::values::moment(time, case.day))
        .collect();
    let length = match times.as_slice() {
        [from, to] => Some((to - from) / 1_000_000),
        _ => request
            .split(|c: char| !(c.is_ascii_digit() || c == '-'))
            .filter_map(|part| part.strip_prefix('-'))
            .find_map(|seconds| seconds.parse().ok()),
    };
    let stated = i64::try_from(figure.value.mantissa)
        .ok()
        .filter(|_| figure.value.places == 0)
        .and_then(|value| value.checked_mul(i64::try_from(figure.unit.factor).ok()?));
    let seconds = Unit::of_field("seconds").and_then(|unit| i64::try_from(unit.factor).ok());
    let length = length.zip(seconds).and_then(|(length, second)| length.checked_mul(second));
    length.is_some() && length == stated
}

/// Whether what the claim names is there after all: another item has a record of that name, or a line with all of
/// what was sought.
fn is_shown_elsewhere(case: &Case<'_, '_, '_>, searched: u32, sort: Claimed) -> bool {
    let reading = case.reading;
    let named = reading.terms.iter().filter(|term| term.role == Role::Entity).any(|term| {
        let names = term.keys.first().map(|key| case.corpus.by_name.of(*key).take(64));
        names.into_iter().flatten().filter_map(|name| case.corpus.names.get(name as usize)).any(
            |name| {
                let is_own = case.corpus.name(name.field).eq_ignore_ascii_case("name");
                is_own && tells(case, case.corpus.item_of(name.field), searched)
            },
        )
    });
    let sought = reading.bits(|term| {
        !is_seeking(term) && matches!(term.role, Role::Word | Role::Name | Role::Entity)
    });
    sort == Claimed::Present && named
        || sought.count_ones() > 1
            && case.candidates.iter().any(|candidate| {
                tells(case, absence::item_of(case, candidate.target), searched)
                    && candidate.terms & sought == sought
            })
}

/// Whether another item than the one searched tells of things.
fn tells(case: &Case<'_, '_, '_>, item: u32, searched: u32) -> bool {
    item != searched
        && case.corpus.item(item).is_some_and(|item| item.kind != EvidenceKind::Signal)
        && answer(case.corpus, item) == Answer::Content
}

/// Whether an item lists the sort of thing that the claim names and has nothing of what it denies.
fn lists_without(case: &Case<'_, '_, '_>, item: u32) -> bool {
    let reading = case.reading;
    let asked = case.marks.tool(item);
    let Some(root) =
        case.corpus.roots.get(item as usize).and_then(|root| case.corpus.object(*root))
    else {
        return false;
    };
    let sort = reading.bits(|term| LISTED.iter().any(|sort| term.text.eq_ignore_ascii_case(sort)));
    let headed = case.marks.headings(case.corpus, item);
    let denied = reading.bits(|term| {
        term.negated
            && !is_seeking(term)
            && matches!(term.role, Role::Word | Role::Name)
            && !LISTED.iter().any(|sort| term.text.eq_ignore_ascii_case(sort))
    });
    let specific = denied & !reading.bits(|term| term.is_mishap || is_generic(term.text));
    let strict = reading.bits(Term::is_strict) & !denied;
    sort & (asked | headed) != 0
        && specific != 0
        && !reading.has(MarkerKind::Hedge)
        && reading.figures.times.is_empty()
        && reading.figures.figures.iter().all(|figure| figure.value.mantissa == 0)
        && strict
            & !(asked
                | case.marks.content(*case.corpus.roots.get(item as usize).unwrap_or(&u32::MAX)))
            == 0
        && reading.bits(|term| matches!(term.role, Role::Demand(_))) == 0
        && case.corpus.item(item).is_some_and(|item| item.exhaustive)
        && !absence::is_filtered_item(case.corpus, item)
        && (root.fields.0..root.fields.1).all(|field| case.marks.field(field) & specific == 0)
        && !has_part(case, root.fields, specific)
        && reading.bits(|term| term.role == Role::Word && !term.negated && !is_seeking(term))
            & !(asked | headed | sort)
            == 0
}

/// What listings list.
const LISTED: [&str; 12] = [
    "alert",
    "alerts",
    "event",
    "events",
    "warning",
    "warnings",
    "series",
    "commits",
    "changes",
    "monitors",
    "deployments",
    "rollouts",
];

/// Words too general for their absence to say anything.
fn is_generic(word: &str) -> bool {
    [
        "anomaly",
        "anomalies",
        "issue",
        "issues",
        "problem",
        "problems",
        "trouble",
        "unusual",
        "warning",
        "warnings",
        "related",
        "abnormal",
    ]
    .iter()
    .any(|generic| word.eq_ignore_ascii_case(generic))
}

/// Whether a field has a part of one of the hyphenated words: "probe-failure" is there where a probe failed.
fn has_part(case: &Case<'_, '_, '_>, fields: (u32, u32), wanted: u64) -> bool {
    let hyphenated = case
        .reading
        .terms
        .iter()
        .enumerate()
        .filter(|(place, term)| wanted >> place & 1 == 1 && term.text.contains('-'));
    hyphenated.flat_map(|(_, term)| parts(term.text)).filter(|part| part.len() > 3).any(|part| {
        let mut fields_with = case.corpus.by_word.of(key(part));
        fields_with.any(|field| fields.0 <= field && field < fields.1)
    })
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{self, Contradicted, Grounded, Ungrounded};

    use crate::tests::{class, expect, text};

    #[test]
    fn a_search_that_found_nothing_decides() {
        let evidence = [
            text("search", "kubectl get pods -A | grep rabbit", "No resources found\n"),
            text(
                "logs",
                "fetch_logs {\"pod\": \"cart-5d8f7c9b64-aa2bb\", \"filter\": \"deadlock\"}",
                "[]\n",
            ),
            text(
                "job",
                "kubectl describe job sweep -n shop",
                "Error from server (NotFound): jobs.batch \"sweep\" not found\n",
            ),
        ];
        expect(
            &evidence,
            &[
                ("No pod matches 'rabbit'", Grounded),
                ("A search of the pods for rabbit found nothing", Grounded),
                ("The search turned up a rabbit pod", Contradicted),
                ("The logs of cart-5d8f7c9b64-aa2bb contain no deadlock", Grounded),
                ("The logs of cart-5d8f7c9b64-aa2bb contain no panic", Ungrounded),
                ("The logs of web-1 contain no deadlock", Ungrounded),
                ("The job sweep exists in shop", Contradicted),
                ("The job sweep was not found in shop", Grounded),
                ("No deadlock occurred anywhere", Ungrounded),
            ],
        );
    }

    #[test]
    fn a_refusal_decides_nothing() {
        let refused = [text(
            "secrets",
            "kubectl get secrets -A",
            "Error from server (Forbidden): secrets is forbidden\n",
        )];
        assert_eq!(class("No secrets were found", &refused), Class::Ungrounded);
    }

    #[test]
    fn what_another_item_shows_is_there() {
        let evidence = [
            text("old", "kubectl get pods -n shop | grep rabbit", "No resources found\n"),
            text(
                "new",
                "kubectl get pods -A",
                "NAME       READY   STATUS\nrabbit-0   1/1     Running\n",
            ),
        ];
        assert_ne!(class("The pod rabbit-0 exists", &evidence), Contradicted);
    }
}
