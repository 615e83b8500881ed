//! Which dated line or record a stretch of a claim speaks of.
//!
//! The places that have every name and most of the words are meant; where several fit equally well, all are,
//! unless the stretch says which.

use gsar_core::evidence::EvidenceKind;
use gsar_core::text::tokens::entity_root;

use crate::evidence::chronicle::{Chronicle, Clock, Event};
use crate::evidence::observations::is_naming;
use crate::matching::asked::{Asked, Pick};
use crate::matching::candidates::Target;
use crate::matching::places::{Places, fields_of, has_figures, says_phase, seat};
use crate::verdict::ruling::Case;
use crate::vocabulary::event_words::any;
use crate::vocabulary::phases::Phase;
use crate::vocabulary::words::key;

/// What is meant by a stretch.
#[derive(Clone, Debug)]
pub(crate) struct Found<'a> {
    /// At least one; all fit equally well.
    pub(crate) events: Vec<&'a Event>,
    /// Whether every word of the stretch is accounted for.
    pub(crate) is_full: bool,
    /// Whether three in four words are.
    pub(crate) is_close: bool,
    /// Whether one of several things without a name was picked.
    pub(crate) is_vague: bool,
    /// Whether what is meant is certain enough to say that the claim is wrong: it has a name or a word of its own,
    /// and the very phase that is asked for.
    pub(crate) is_firm: bool,
}

/// Whether things dated by their age are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ages {
    /// Only what is dated by an instant.
    Without,
    /// Only what is dated by an age.
    Only,
}

impl<'a> Found<'a> {
    /// One of them.
    pub(crate) fn only(&self, place: usize) -> Option<Found<'a>> {
        let event = *self.events.get(place)?;
        Some(Found { events: vec![event], ..self.clone() })
    }

    pub(crate) fn earliest(&self) -> i64 {
        self.events.iter().map(|event| event.at).min().unwrap_or(0)
    }

    pub(crate) fn latest(&self) -> i64 {
        self.events.iter().map(|event| event.at).max().unwrap_or(0)
    }

    pub(crate) fn grain(&self) -> i64 {
        self.events.iter().map(|event| event.grain).max().unwrap_or(1)
    }
}

/// The events that a stretch speaks of.
pub(crate) fn find<'a>(
    case: &Case<'a, '_, '_>,
    chronicle: &'a Chronicle,
    asked: &Asked,
    ages: Ages,
) -> Option<Found<'a>> {
    (!asked.is_empty())
        .then(|| Places::of(case, chronicle, asked))
        .and_then(|places| find_among(case, chronicle, asked, ages, &places))
}

fn find_among<'a>(
    case: &Case<'a, '_, '_>,
    chronicle: &'a Chronicle,
    asked: &Asked,
    ages: Ages,
    places: &Places,
) -> Option<Found<'a>> {
    let total =
        count(asked.words | asked.demands) * WORD + if asked.phase.is_some() { WORD } else { 0 };
    let mut best: Vec<(&Event, Rank)> = Vec::new();
    let mut best_score = i64::MIN;
    for (place, terms) in places.each() {
        if asked.strict & !terms != 0 {
            continue;
        }
        for event in candidates(chronicle, place, asked) {
            if matches!(event.clock, Clock::Ago(_)) != (ages == Ages::Only) {
                continue;
            }
            let Some(rank) = rank(case, event, terms, asked, total) else { continue };
            let score = rank.score;
            if score < best_score || !is_then(event, asked) || !has_figures(case, place, asked) {
                continue;
            }
            if score > best_score {
                best.clear();
                best_score = score;
            }
            best.push((event, rank));
        }
    }
    let is_full = best.iter().all(|(_, rank)| rank.matched == total);
    let is_close = best.iter().all(|(_, rank)| rank.matched * 4 >= total * 3);
    let in_phase = best.iter().all(|(_, rank)| rank.in_very_phase);
    let is_named = asked.strict != 0
        || asked.words != 0
        || asked.of_alert && asked.phase.is_some()
        || asked.is_run;
    let mut events: Vec<&Event> = best.into_iter().map(|(event, _)| event).collect();
    if !are_comparable(&events) {
        return None;
    }
    if asked.is_unnamed() && asked.pick == Pick::All {
        keep_alerted(case, &mut events);
    }
    let first = *events.first()?;
    let is_vague = asked.is_unnamed() && events.iter().any(|event| event.at != first.at);
    // What "began" is told of by several lines began with the first.
    let is_onset = asked.phase == Some(Phase::Start)
        && events.iter().all(|event| matches!(event.place, Target::Line(_)));
    match asked.pick {
        Pick::All if !is_onset => {}
        Pick::All | Pick::First => {
            events = vec![events.into_iter().min_by_key(|event| (event.at, event.field))?];
        }
        Pick::Last => {
            events = vec![events.into_iter().max_by_key(|event| (event.at, event.field))?];
        }
    }
    let is_firm = in_phase && is_named;
    Some(Found { events, is_full, is_close, is_vague, is_firm })
}

/// How well an event fits a stretch.
struct Rank {
    /// What it has of it.
    matched: i64,
    /// That, and what tells it from others that have as much.
    score: i64,
    /// Whether its key or the claim's own verb says the phase, and no other verb.
    in_very_phase: bool,
}

/// Several events: their first is when they began.
const PLURAL: [&str; 6] = ["alerts", "calls", "entries", "events", "lines", "messages"];

/// What a word counts.
const WORD: i64 = 4;

fn count(bits: u64) -> i64 {
    i64::from(bits.count_ones())
}

/// Whether all events can be put in one order.
fn are_comparable(events: &[&Event]) -> bool {
    let any = |accepts: &dyn Fn(&Event) -> bool| events.iter().any(|event| accepts(event));
    let local = any(&|event| event.clock == Clock::Local);
    let elsewhere = any(&|event| event.clock == Clock::Zoned && event.offset != 0);
    let dated = any(&|event| event.is_dated);
    let undated = any(&|event| !event.is_dated);
    !(local && elsewhere || dated && undated)
}

/// How much of a stretch an event has, and how well it fits beyond that; `None` where it is another thing.
fn rank(
    case: &Case<'_, '_, '_>,
    event: &Event,
    terms: u64,
    asked: &Asked,
    total: i64,
) -> Option<Rank> {
    let of_sort = is_of_sort(case, event, asked);
    let is_of_run = asked.is_run && !is_bound_of_request(case.corpus.name(event.field));
    if asked.is_unnamed() && terms & asked.kinds == 0 && !of_sort && !is_of_run {
        return None;
    }
    let made = asked.phase == Some(Phase::Created) && event.phase == Phase::Start && of_sort;
    let by_key = made || phase_fits(asked.phase, event.phase);
    let by_word = terms & asked.phase_bits != 0 || event.phase == Phase::Stamp && says_phase(terms);
    let in_phase = asked.phase.is_some() && (by_key || by_word);
    let matched =
        count(terms & (asked.words | asked.demands)) * WORD + if in_phase { WORD } else { 0 };
    let is_other_phase = asked.phase.is_some() && !in_phase && total <= 2 * WORD;
    let is_nothing = matched == 0 && asked.strict | asked.kinds & terms == 0;
    if matched * 3 < total * 2 || is_nothing || is_other_phase {
        return None;
    }
    // The first of several is the first of all of them, however well each fits.
    let finer =
        if asked.pick == Pick::All { count(terms & (asked.kinds | asked.light)) } else { 0 };
    let (object, _) = seat(case, event.place);
    let earlier_run = key("last");
    let is_earlier_run = case
        .corpus
        .around(object)
        .take(3)
        .any(|(_, around)| case.corpus.heading_words(around).contains(&earlier_run));
    let run = match (is_earlier_run, asked.is_previous) {
        (true, true) => 2,
        (true, false) => -2,
        _ => 0,
    };
    let score = matched * WORD
        + finer
        + i64::from(by_key && event.phase != Phase::Stamp)
        + i64::from(of_sort) * 2
        + i64::from(bears(case, object, asked)) * 3
        + i64::from(bears_exactly(case, object, asked))
        + run;
    let in_very_phase = asked.phase.is_none() || by_key || terms & asked.phase_bits != 0;
    Some(Rank { matched, score, in_very_phase })
}

/// The events that a stretch speaks of; what "began" is dated by its first line, what "ended" by its last.
pub(crate) fn find_bounds<'a>(
    case: &Case<'a, '_, '_>,
    chronicle: &'a Chronicle,
    asked: &Asked,
    ages: Ages,
) -> Option<Found<'a>> {
    let found = find(case, chronicle, asked, ages);
    let pick = match asked.phase {
        Some(Phase::Start) => Pick::First,
        Some(Phase::End) if asked.says_ended => Pick::Last,
        _ => return found,
    };
    if found.as_ref().is_some_and(|found| found.is_full) || asked.strict | asked.words == 0 {
        return found;
    }
    let several = Asked {
        phase: None,
        phase_bits: 0,
        pick,
        light: asked.light | asked.phase_bits,
        ..asked.clone()
    };
    let is_plural = case.reading.bits(|term| any(term.text, &PLURAL)) & several.light != 0;
    find(case, chronicle, &several, ages)
        .filter(|several| several.is_full)
        .map(|several| Found { is_firm: several.is_firm && is_plural, ..several })
        .or(found)
}

/// Whether an instant is of the sort of thing that is asked for: `Start Time` is a pod's, `Started` a container's.
fn is_of_sort(case: &Case<'_, '_, '_>, event: &Event, asked: &Asked) -> bool {
    let key = case.corpus.name(event.field);
    let is = |keys: &[&str]| any(key, keys);
    let item = case.corpus.item(case.corpus.item_of(event.field));
    asked.of_alert && item.is_some_and(|item| item.kind == EvidenceKind::Signal)
        || asked.of_restart && is(&["restarts", "restart count"])
        || asked.of_pod
            && is(&["start time", "starttime", "start_time", "creationtimestamp", "age"])
        || asked.of_container
            && is(&["started", "finished", "startedat", "finishedat", "started_at", "finished_at"])
}

/// Whether a key may say from when to when a tool was asked, and not when something ran.
fn is_bound_of_request(key: &str) -> bool {
    any(key, &["end", "end_time", "endtime", "from", "start", "start_time", "starttime", "to"])
        || key.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("window"))
}

/// Whether the nearest thing with a name is the one that is asked for.
fn bears(case: &Case<'_, '_, '_>, object: u32, asked: &Asked) -> bool {
    let nearest = case.corpus.around(object).find(|(_, around)| around.is_named);
    nearest.is_some_and(|(number, _)| case.marks.own(number) & (asked.strict | asked.words) != 0)
}

/// Whether the nearest thing with a name has that very name: the container, not its pod.
fn bears_exactly(case: &Case<'_, '_, '_>, object: u32, asked: &Asked) -> bool {
    let nearest = case.corpus.around(object).find(|(_, around)| around.is_named);
    let Some((bearer, _)) = nearest else { return false };
    let terms = case.reading.terms.iter().enumerate();
    terms.filter(|(place, _)| asked.strict >> place & 1 == 1).any(|(_, term)| {
        let names = term.keys.first().map(|key| case.corpus.by_name.of(*key).take(64));
        names.into_iter().flatten().filter_map(|name| case.corpus.names.get(name as usize)).any(
            |name| {
                name.object == bearer
                    && case.corpus.value(name.field).eq_ignore_ascii_case(term.text)
            },
        )
    })
}

/// Of several things that fit equally well, keeps those whose names the other side has.
pub(crate) fn keep_related(case: &Case<'_, '_, '_>, found: &mut Found<'_>, other: &Found<'_>) {
    let distinct = found.events.iter().any(|event| event.at != found.earliest());
    let [only] = other.events.as_slice() else { return };
    if !distinct {
        return;
    }
    let texts: Vec<&str> =
        fields_of(case, only.place).into_iter().map(|field| case.corpus.value(field)).collect();
    let related = |event: &&Event| {
        bears_name(case, event, is_naming, |name| texts.iter().any(|text| text.contains(name)))
    };
    let kept: Vec<&Event> = found.events.iter().copied().filter(related).collect();
    if !kept.is_empty() && kept.len() < found.events.len() {
        found.events.retain(|event| kept.iter().any(|kept| std::ptr::eq(*kept, *event)));
    }
}

/// Whether the nearest named thing around an event has a name, under a key of some sort, that is meant.
fn bears_name(
    case: &Case<'_, '_, '_>,
    event: &Event,
    is_key: impl Fn(&str) -> bool,
    is_meant: impl Fn(&str) -> bool,
) -> bool {
    const MOST_FIELDS: usize = 40;
    const SHORTEST: usize = 6;
    let Target::Object(object) = event.place else { return false };
    let nearest = case.corpus.around(object).find(|(_, around)| around.is_named);
    let Some((bearer, around)) = nearest else { return false };
    (around.fields.0..around.fields.1).take(MOST_FIELDS).any(|field| {
        let name = case.corpus.value(field);
        case.corpus.is_direct(bearer, field)
            && is_key(case.corpus.name(field))
            && name.len() >= SHORTEST
            && is_meant(name)
    })
}

/// Of several things without a name, keeps those that the alert names.
fn keep_alerted(case: &Case<'_, '_, '_>, events: &mut Vec<&Event>) {
    let is_one = events.first().is_none_or(|first| events.iter().all(|event| event.at == first.at));
    if is_one {
        return;
    }
    let signals: Vec<&str> = case
        .corpus
        .evidence
        .iter()
        .filter(|item| item.kind == EvidenceKind::Signal)
        .map(|item| item.content.as_str())
        .collect();
    let is_alerted = |event: &&Event| {
        let is_key = |key: &str| key.eq_ignore_ascii_case("name");
        bears_name(case, event, is_key, |name| {
            signals.iter().any(|text| text.contains(name) || text.contains(entity_root(name)))
        })
    };
    let kept: Vec<&Event> = events.iter().copied().filter(is_alerted).collect();
    if !kept.is_empty() {
        *events = kept;
    }
}

/// The first or last line of the log that the other side is about.
pub(crate) fn lines<'a>(
    case: &Case<'a, '_, '_>,
    chronicle: &'a Chronicle,
    asked: &Asked,
    other: &Found<'a>,
) -> Option<Found<'a>> {
    let item = case.corpus.item_of(other.events.first()?.field);
    let root = case.corpus.roots.get(item as usize).and_then(|root| case.corpus.object(*root))?;
    let all = chronicle.within(root.fields.0..root.fields.1).iter();
    let stamps =
        all.filter(|event| event.phase == Phase::Stamp && !matches!(event.clock, Clock::Ago(_)));
    let event = match asked.pick {
        Pick::Last => stamps.max_by_key(|event| (event.at, event.field)),
        _ => stamps.min_by_key(|event| (event.at, event.field)),
    }?;
    Some(Found {
        events: vec![event],
        is_full: true,
        is_close: true,
        is_vague: false,
        is_firm: true,
    })
}

/// The events of a place that a stretch may mean.
fn candidates<'a>(chronicle: &'a Chronicle, place: Target, asked: &Asked) -> Vec<&'a Event> {
    let all = chronicle.at(place);
    let is = |phases: &[Phase]| {
        all.iter().copied().filter(|event| phases.contains(&event.phase)).collect::<Vec<_>>()
    };
    let order: &[&[Phase]] = match (asked.phase, asked.pick) {
        (Some(Phase::Start), Pick::Last) => {
            &[&[Phase::Last], &[Phase::Start], &[Phase::Stamp], &[Phase::Created]]
        }
        (Some(Phase::Start), _) => &[&[Phase::Start], &[Phase::Stamp], &[Phase::Created]],
        (Some(Phase::End), _) => &[&[Phase::End], &[Phase::Stamp], &[Phase::Last]],
        (Some(Phase::Created), _) => &[&[Phase::Created], &[Phase::Start, Phase::Stamp]],
        (Some(Phase::Last), _) => &[&[Phase::Last]],
        (Some(Phase::Planned), _) => &[&[Phase::Planned]],
        (_, Pick::Last) => &[&[Phase::Last], &[Phase::Stamp], &[Phase::End], &[Phase::Start]],
        _ => &[&[Phase::Stamp], &[Phase::Start], &[Phase::Created], &[Phase::Last]],
    };
    order.iter().map(|phases| is(phases)).find(|found| !found.is_empty()).unwrap_or_default()
}

fn phase_fits(asked: Option<Phase>, event: Phase) -> bool {
    match asked {
        Some(Phase::Start) => event == Phase::Start,
        Some(Phase::End) => event == Phase::End,
        Some(Phase::Planned) => event == Phase::Planned,
        Some(Phase::Last) => event == Phase::Last,
        Some(Phase::Created) => matches!(event, Phase::Created),
        _ => false,
    }
}

/// Whether an event happened when a stretch says it did.
fn is_then(event: &Event, asked: &Asked) -> bool {
    asked.times.iter().all(|time| crate::rules::instants::is_at(time, event) == Some(true))
}
