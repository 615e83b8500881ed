//! Quantities: a number with its unit, of one attribute of one thing.

use gsar_core::evidence::EvidenceKind;
use gsar_core::text::figures::{Agreement, CodeKind, Dimension, Figure, Unit, figures};
use gsar_core::text::tokens::words;

use super::super::counts::is_universal;
use super::super::magnitudes::is_covered;
use super::super::note;
use super::super::observations::{Field, NONE};
use super::super::reading::{Reading, Role};
use super::super::ruling::Case;
use super::super::values::{Value, compare};
use super::super::words::{Key, key};
use super::Found;
use super::concepts::{Spoken, spoken};
use super::mixups::is_other_unit;
use super::reach::{
    fields, headings, is_about_kind, is_bare, is_of_named, keys_of, needed, said_in, tie,
};

/// A quantity that a claim states.
pub(crate) struct Slot {
    figure: Figure,
    /// Terms that are the quantity itself: the number of an exit code.
    bits: u64,
}

/// The quantities of a claim, and the numbers of its exit codes.
pub(crate) fn slots(reading: &Reading<'_>) -> Vec<Slot> {
    let mut slots: Vec<Slot> = reading
        .figures
        .figures
        .iter()
        .filter(|figure| !counts_things(reading, figure))
        .map(|figure| share_of_core(reading, figure))
        .collect();
    for code in &reading.figures.codes {
        if matches!(code.kind, CodeKind::ExitCode | CodeKind::HttpStatus)
            && let Some(figure) = number(reading.text.get(code.span.clone()).unwrap_or(""))
        {
            let bits = reading.bits(|term| {
                matches!(term.role, Role::Code(_))
                    && term.span.start >= code.span.start
                    && term.span.end <= code.span.end
            });
            slots.push(Slot { figure: Figure { span: code.span.clone(), ..figure }, bits });
        }
    }
    slots
}

/// "5 % of a core" is a quantity of cores.
fn share_of_core(reading: &Reading<'_>, figure: &Figure) -> Slot {
    let after = reading.text.get(figure.span.end..).unwrap_or("");
    let mut next = words(after);
    let is_share = figure.unit == Unit::PERCENT
        && next.next().is_some_and(|word| word.is("of"))
        && next.next().is_some_and(|word| word.is("a") || word.is("one"))
        && next.next().is_some_and(|word| word.is("core") || word.is("cpu"));
    if !is_share {
        return Slot { figure: figure.clone(), bits: 0 };
    }
    let unit = Unit { factor: Unit::CORES.factor / 100, ..Unit::CORES };
    let core = reading.bits(|term| {
        term.span.start >= figure.span.end && (term.text == "core" || term.text == "CPU")
    });
    Slot { figure: Figure { unit, ..figure.clone() }, bits: core }
}

/// Whether a figure counts things of a kind: "three pods", "3 of 4 requests".
fn counts_things(reading: &Reading<'_>, figure: &Figure) -> bool {
    const NEAR: usize = 3;
    let after = reading.text.get(figure.span.end..).unwrap_or("");
    let counts_replicas =
        words(after).take(NEAR).any(|word| word.is("replica") || word.is("replicas"));
    let is_counting =
        !counts_replicas && figure.unit.dimension == Dimension::Count && figure.value.places == 0;
    is_counting
        && words(after).take(NEAR).any(|word| {
            let at = figure.span.end + word.span.start;
            word.is("of")
                || reading.terms.iter().any(|term| term.role == Role::Kind && term.span.start == at)
        })
}

/// A bare number.
fn number(text: &str) -> Option<Figure> {
    let digits = text.trim();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| figures(digits).figures.into_iter().next()).flatten()
}

/// How the evidence's figure relates to the claim's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    Different,
    /// The same number in another unit.
    OtherUnit,
}

/// What the evidence says to a quantity.
pub(crate) fn weigh(case: &Case<'_, '_, '_>, slot: &Slot) -> Found {
    let spoken = spoken(case.reading, slot.figure.unit.dimension);
    let mut agreeing: Option<u32> = None;
    let mut differing: Option<(u32, String)> = None;
    let mut is_disputed = false;
    for field in fields(case, &spoken) {
        for value in case.cache.values(case.corpus, field) {
            if std::env::var("DBG").is_ok()
                && compare(&slot.figure, &value.figure) != Agreement::Incomparable
            {
                let t = tie(case, field);
                eprintln!(
                    "Q {:?} key={:?} name={:?} cmp={:?} spoken={} held={} lacks={:?} text={:?}",
                    value.figure.value,
                    value.key,
                    case.corpus.name(field),
                    compare(&slot.figure, &value.figure),
                    spoken.len(),
                    hold(case, slot, &spoken, field, value).is_some(),
                    t.map(|t| {
                        let l = needed(case, slot.bits) & !t.all;
                        case.reading
                            .terms
                            .iter()
                            .enumerate()
                            .filter(|(p, _)| l >> p & 1 == 1)
                            .map(|(_, t)| t.text.to_owned())
                            .collect::<Vec<_>>()
                    }),
                    case.corpus.value(field).chars().take(60).collect::<String>()
                );
            }
            let Some(hold) = hold(case, slot, &spoken, field, value) else { continue };
            let Some(relation) = relation(slot, value, &hold) else { continue };
            match relation {
                Relation::Same => {
                    agreeing.get_or_insert(field);
                }
                Relation::Different if hold.is_keyed && hold.is_close => {
                    is_disputed = true;
                    differing.get_or_insert_with(|| {
                        (field, note::other_figure(case, &slot.figure, field, value))
                    });
                }
                Relation::Different => is_disputed |= is_universal(case.reading),
                Relation::OtherUnit => {
                    differing.get_or_insert_with(|| {
                        (field, note::other_figure(case, &slot.figure, field, value))
                    });
                }
            }
        }
    }
    let is_named = case.reading.bits(|term| term.role == Role::Entity) != 0;
    match (agreeing, differing) {
        (Some(field), _) if !is_disputed || is_named && !is_universal(case.reading) => {
            Found::Agrees(field)
        }
        (None, Some((field, says))) if is_only(case, slot) => Found::Differs(field, says),
        _ => Found::Open,
    }
}

/// Whether the claim has no other quantity of the same dimension: of two, it is open which is which.
fn is_only(case: &Case<'_, '_, '_>, slot: &Slot) -> bool {
    let dimension = slot.figure.unit.dimension;
    let figures = &case.reading.figures.figures;
    figures.iter().filter(|figure| figure.unit.dimension == dimension).count() <= 1
}

/// How a value is tied to the attribute and the subject of a claim.
struct Hold {
    /// Whether a key states the attribute.
    is_keyed: bool,
    /// Whether all that is needed stands at the value itself or names what it is of.
    is_close: bool,
    /// Whether the attribute is a bound itself.
    is_bound: bool,
    /// The unit that a heading states, where the key has none.
    unit: Option<Unit>,
}

fn hold(
    case: &Case<'_, '_, '_>,
    slot: &Slot,
    spoken: &[Spoken],
    field: u32,
    value: &Value<'_>,
) -> Option<Hold> {
    let found = case.corpus.field(field)?;
    let is_line = case.corpus.name(field).is_empty();
    let is_prose = is_line || words(case.corpus.value(field)).nth(4).is_some();
    let second = Unit::named("s")?;
    let tie = tie(case, field)?;
    // In a document the words of other fields say little of this one.
    let record = case.corpus.record(found.object);
    let is_document = case.corpus.object(record).is_some_and(|object| object.parent == NONE);
    let close = if is_document {
        tie.own
            | case.marks.around(case.corpus, found.object)
            | case.marks.tool(case.corpus.item_of(field))
    } else {
        tie.all
    };
    let is_of_kind = is_about_kind(case, &tie);
    let lacks = |accounted: u64, stands: u64| {
        let lacking = needed(case, accounted | slot.bits) & !stands;
        if is_negligible(case, field, lacking, stands, accounted) { 0 } else { lacking }
    };
    if let Some(name) = value.key {
        let (own, path) = path(case, found, field, name);
        let stated = spoken.iter().find(|spoken| spoken.concept.is_stated(&own, &path));
        if let Some(stated) = stated {
            let is_tied = lacks(stated.bits, tie.all) == 0
                && (is_of_kind || !speaks_of_nodes(case))
                && !is_of_sibling(case, found, field, stated.bits | said_in(case, &path));
            let unit = match slot.figure.unit.dimension {
                Dimension::Cores => Some(Unit::CORES),
                _ if is_bare(name) => unit_of_headings(case, found),
                _ => None,
            };
            return is_tied.then_some(Hold {
                is_keyed: true,
                is_close: lacks(stated.bits, close | said_in(case, &path)) == 0,
                is_bound: stated.concept.is_bound,
                unit,
            });
        }
        let said = said_in(case, &own);
        let is_rate = slot.figure.unit.dimension == Dimension::Rate;
        let said = said | if is_rate { u64::from(is_rate_of(case, slot, &own)) << 63 } else { 0 };
        let is_stated = if is_rate && said >> 63 == 1 {
            true
        } else if is_bare(name) {
            is_of_named(case, field)
                || slot.figure.unit.dimension == Dimension::Count
                    && counts_noun(case, slot, tie.near)
        } else {
            said != 0 && is_covered(case, field, name)
        };
        if is_stated {
            let is_tied = lacks(said, tie.all) == 0
                && is_of_kind
                && !is_of_sibling(case, found, field, said | said_in(case, &path));
            return is_tied.then_some(Hold {
                is_keyed: true,
                is_close: lacks(said, close | said_in(case, &path)) == 0,
                is_bound: false,
                unit: if is_rate { Unit::COUNT.per(second) } else { None },
            });
        }
    }
    const LONGEST_PROSE: usize = 600;
    if !is_prose || !is_of_kind || case.corpus.value(field).len() > LONGEST_PROSE {
        return None;
    }
    let window = keys_of(window(case.corpus.value(field), &value.figure));
    let stated = spoken.iter().find(|spoken| {
        spoken.concept.paths.iter().any(|path| path.iter().all(|word| window.contains(word)))
    });
    let accounted = stated.map_or(0, |stated| stated.bits);
    let beside = said_in(case, &window);
    let others = said_in_line(case, tie.own);
    if std::env::var("DBG").is_ok() {
        eprintln!(
            "  prose acc={accounted:b} lacks={:b} beside={beside:b} others={others:b} stated={}",
            lacks(accounted, tie.all),
            stated.is_some()
        );
    }
    let is_tied = lacks(accounted, tie.all) == 0
        && (beside != 0 || stated.is_some())
        && (others.count_ones() + u32::from(stated.is_some()) + u32::from(is_alert(case, field)))
            >= 2;
    is_tied.then_some(Hold { is_keyed: false, is_close: false, is_bound: false, unit: None })
}

/// Nouns for what a thing holds, whatever it is.
const CONTENTS: [&str; 6] = ["messages", "records", "data", "entries", "items", "rows"];

/// Whether a claim without names speaks of a node, whose resources are not those of a pod.
fn speaks_of_nodes(case: &Case<'_, '_, '_>) -> bool {
    case.reading.terms.iter().any(|term| {
        term.role == Role::Kind
            && ["node", "nodes", "host", "hosts", "cluster"]
                .iter()
                .any(|kind| term.text.eq_ignore_ascii_case(kind))
    })
}

/// Whether a word of the claim is the key of another field of the record: the delay of the readiness probe is not
/// that of the liveness probe.
fn is_of_sibling(case: &Case<'_, '_, '_>, found: &Field, field: u32, accounted: u64) -> bool {
    let record = case.corpus.record(found.object);
    let open = needed(case, accounted) & !case.marks.around(case.corpus, found.object);
    if open == 0 {
        return false;
    }
    let values = said_in(case, case.corpus.value_words(found));
    case.marks.marked_fields().iter().any(|other| {
        *other != field
            && case.corpus.holds(record, *other)
            && case.corpus.field(*other).is_some_and(|other| {
                said_in(case, case.corpus.key_words(other)) & open & !values != 0
            })
    })
}

/// Whether what is missing beside a value is one word that the item does not have at all, while others tie the two:
/// "messages in finance" for the topic `finance`.
fn is_negligible(
    case: &Case<'_, '_, '_>,
    field: u32,
    lacking: u64,
    stands: u64,
    accounted: u64,
) -> bool {
    let words = case.reading.bits(|term| term.role == Role::Word);
    let names = case.reading.bits(|term| matches!(term.role, Role::Entity | Role::Name));
    let tied = names & stands != 0 || accounted != 0 && words & stands & !accounted != 0;
    let item = case.corpus.item_of(field);
    let is_unit = case
        .reading
        .terms
        .iter()
        .enumerate()
        .any(|(place, term)| lacking == 1 << place && Unit::named(term.text).is_some());
    if is_unit {
        return false;
    }
    let is_content = case.reading.terms.iter().enumerate().any(|(place, term)| {
        lacking == 1 << place && CONTENTS.iter().any(|noun| term.text.eq_ignore_ascii_case(noun))
    });
    if is_content && names & stands != 0 {
        return true;
    }
    lacking.count_ones() == 1
        && lacking & words == lacking
        && tied
        && !case.marks.marked_fields().iter().any(|other| {
            case.marks.field(*other) & lacking != 0 && case.corpus.item_of(*other) == item
        })
}

/// Whether a key states the rate that the claim does: `calls_per_sec` for "847 calls per second".
fn is_rate_of(case: &Case<'_, '_, '_>, slot: &Slot, own: &[Key]) -> bool {
    let written = case.reading.text.get(slot.figure.span.clone()).unwrap_or("");
    let said = keys_of(written);
    let by_second = [key("sec"), key("second"), key("s")];
    own.iter().any(|word| by_second.contains(word))
        && own
            .iter()
            .any(|word| said.contains(word) && !by_second.contains(word) && *word != key("per"))
        && words(written).any(|word| by_second.contains(&key(word.text)))
}

/// Whether a field is part of the alert and the claim speaks of the alert.
fn is_alert(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let item = case.corpus.item(case.corpus.item_of(field));
    item.is_some_and(|item| item.kind == EvidenceKind::Signal)
        && words(case.reading.text).any(|word| word.is("alert"))
}

/// The content words of a claim in a line.
fn said_in_line(case: &Case<'_, '_, '_>, own: u64) -> u64 {
    own & case.reading.bits(|term| matches!(term.role, Role::Word | Role::Name | Role::Entity))
}

/// Whether the record of a bare count names what the claim counts.
fn counts_noun(case: &Case<'_, '_, '_>, slot: &Slot, near: u64) -> bool {
    let noun = case.reading.noun(&slot.figure.span);
    let words = case.reading.bits(|term| matches!(term.role, Role::Word | Role::Name));
    noun & words != 0 && noun & near == noun
}

/// The words of a value's key, and those with the headings above it.
fn path(case: &Case<'_, '_, '_>, found: &Field, field: u32, name: &str) -> (Vec<Key>, Vec<Key>) {
    let mut own = keys_of(name);
    let headings = headings(case.corpus, found);
    let is_own = name == case.corpus.name(field);
    if is_bare(name) {
        own.extend_from_slice(&headings);
    }
    let mut path = own.clone();
    path.extend_from_slice(&headings);
    if !is_own {
        path.extend_from_slice(case.corpus.key_words(found));
    }
    (own, path)
}

fn unit_of_headings(case: &Case<'_, '_, '_>, found: &Field) -> Option<Unit> {
    case.corpus
        .around(found.object)
        .take_while(|(_, object)| object.parent != super::super::observations::NONE)
        .find_map(|(_, object)| Unit::of_field(case.corpus.heading(object)))
}

/// The words around a figure of a text: eight before, five after, within the sentence.
pub(crate) fn window<'t>(text: &'t str, figure: &Figure) -> &'t str {
    const BEFORE: usize = 8;
    const AFTER: usize = 5;
    let before = text.get(..figure.span.start).unwrap_or("");
    let ends = [". ", "; ", "\" ", "! "];
    let from = ends.iter().filter_map(|end| before.rfind(end)).max().map_or(0, |at| at + 2);
    let starts: Vec<usize> = words(before).map(|word| word.span.start).collect();
    let start =
        starts.len().checked_sub(BEFORE).and_then(|at| starts.get(at)).copied().unwrap_or(0);
    let after = text.get(figure.span.end..).unwrap_or("");
    let to = ends.iter().filter_map(|end| after.find(end)).min().unwrap_or(after.len());
    let end = words(after).nth(AFTER - 1).map_or(after.len(), |word| word.span.end).min(to);
    text.get(start.max(from)..figure.span.end + end).unwrap_or(text)
}

fn relation(slot: &Slot, value: &Value<'_>, hold: &Hold) -> Option<Relation> {
    let mut stated = value.figure.clone();
    if let Some(unit) = hold.unit
        && stated.unit == Unit::COUNT
    {
        stated.unit = unit;
    }
    let mut claimed = slot.figure.clone();
    if hold.is_bound {
        claimed.comparator = None;
    }
    match compare(&claimed, &stated) {
        Agreement::Same => Some(Relation::Same),
        Agreement::Different if is_other_unit(&claimed, &stated) => Some(Relation::OtherUnit),
        Agreement::Different => Some(Relation::Different),
        Agreement::Incomparable => None,
    }
}
