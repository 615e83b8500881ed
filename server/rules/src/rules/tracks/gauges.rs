//! Gauges that a log tells again and again: `Memory usage: 1789MB / 2048MB`, `heap in use 384Mi / 512Mi`.
//!
//! Lines of one item that give a figure for the same quantity are one track; where each gives the whole as
//! well, the shares in percent are another.

use std::collections::HashMap;

use gsar_core::text::figures::{Decimal, Dimension, Figure, Unit, figures};
use gsar_core::text::tokens::words;

use super::draft::Draft;
use super::gather::{Known, moment};
use crate::evidence::observations::Corpus;
use crate::verdict::ruling::Cite;
use crate::vocabulary::words::{Key, exact, key, parts};

/// What gauges measure.
const QUANTITIES: [&str; 10] = [
    "memory",
    "heap",
    "cpu",
    "disk",
    "connections",
    "queue",
    "lag",
    "goroutines",
    "threads",
    "storage",
];

/// Whether a text speaks of what gauges measure.
pub(super) fn are_meant(text: &str) -> bool {
    words(text).any(|word| {
        QUANTITIES.iter().any(|quantity| key(word.text) == key(quantity)) || word.is("mem")
    })
}

/// The gauges of all logs.
pub(super) fn gather(corpus: &Corpus<'_>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut keyed: Vec<(u32, &str, Draft)> = Vec::new();
    for quantity in QUANTITIES {
        let mut lines: Vec<u32> = corpus.by_word.of(key(quantity)).collect();
        if lines.len() > MOST_LINES {
            continue;
        }
        lines.sort_unstable();
        let mut names = Names { wanted: key(quantity), known: HashMap::new() };
        let mut open: Vec<(u32, Unit, Draft)> = Vec::new();
        for line in lines {
            pair(corpus, line, &mut names, &mut keyed);
            let Some(told) = told(corpus, line, quantity) else { continue };
            let item = corpus.item_of(line);
            let percent = told.share.map(|share| (Unit::PERCENT, share));
            for (unit, value) in std::iter::once((told.unit, told.value)).chain(percent) {
                let place =
                    open.iter().position(|(of, in_unit, _)| *of == item && *in_unit == unit);
                let point = (told.micros, value, Cite::Field(line));
                match place.and_then(|place| open.get_mut(place)) {
                    Some((_, _, draft)) => draft.points.push(point),
                    None => open.push((item, unit, draft(corpus, line, quantity, unit, point))),
                }
            }
        }
        let several = open.into_iter().map(|(_, _, draft)| draft).filter(|d| d.points.len() > 1);
        drafts.extend(several);
    }
    drafts.extend(keyed.into_iter().map(|(_, _, draft)| draft).filter(|d| d.points.len() > 1));
    drafts
}

/// A quantity that more lines tell of is not looked at.
const MOST_LINES: usize = 20_000;

/// Which names before a `=` are of one quantity; a log has few names and many lines.
struct Names<'e> {
    wanted: Key,
    known: HashMap<&'e str, bool>,
}

impl<'e> Names<'e> {
    fn are_of_quantity(&mut self, name: &'e str) -> bool {
        let wanted = self.wanted;
        *self
            .known
            .entry(name)
            .or_insert_with(|| key(name) == wanted || parts(name).any(|part| key(part) == wanted))
    }
}

/// Adds what a `heap_mib=402` in a line says.
fn pair<'e>(
    corpus: &Corpus<'e>,
    line: u32,
    names: &mut Names<'e>,
    keyed: &mut Vec<(u32, &'e str, Draft)>,
) {
    let found = corpus
        .value(line)
        .split_ascii_whitespace()
        .filter_map(|word| word.split_once('='))
        .find(|(name, _)| names.are_of_quantity(name));
    let Some((name, value)) = found else { return };
    let (Some(value), Some(micros)) =
        (super::exact::parse(value.trim_end_matches([',', ';'])), moment(corpus, line))
    else {
        return;
    };
    let item = corpus.item_of(line);
    let point = (micros, value, Cite::Field(line));
    match keyed.iter_mut().find(|(of, known, _)| *of == item && *known == name) {
        Some((_, _, draft)) if draft.points.last().is_none_or(|(_, _, cite)| *cite != point.2) => {
            draft.points.push(point);
        }
        Some(_) => {}
        None => {
            let mut new = draft(corpus, line, name, Unit::COUNT, point);
            new.unit = Unit::of_field(name);
            keyed.push((item, name, new));
        }
    }
}

fn draft(
    corpus: &Corpus<'_>,
    line: u32,
    quantity: &str,
    unit: Unit,
    point: (i64, Decimal, Cite),
) -> Draft {
    let mut labels: Vec<Key> = Vec::new();
    let item = corpus.item(corpus.item_of(line));
    let mut add = |text: &str| {
        for word in words(text) {
            labels.push(exact(word.text));
            labels.push(key(word.text));
        }
    };
    item.iter().for_each(|item| add(&item.tool));
    if let Some(object) = corpus.field(line).map(|field| field.object) {
        for (_, around) in corpus.around(object) {
            for field in (around.fields.0..around.fields.1).take(8) {
                if crate::evidence::observations::is_naming(corpus.name(field)) {
                    add(corpus.value(field));
                }
            }
        }
    }
    Draft {
        known: Known::Logged,
        name: quantity.to_owned(),
        labels: Vec::new(),
        traits: Vec::new(),
        named: Vec::new(),
        context: labels,
        unit: Some(unit),
        points: vec![point],
    }
}

struct Told {
    micros: i64,
    unit: Unit,
    value: Decimal,
    /// Its share of the whole in percent, where the line gives the whole.
    share: Option<Decimal>,
}

/// Whether a word like a quantity stands in a text that is no part of a key: not the one of `heap_mib=402`.
fn may_name(text: &str, quantity: &str) -> bool {
    const LIKE: usize = 3;
    let (Some(first), Some(like)) = (quantity.bytes().next(), quantity.get(..LIKE)) else {
        return true;
    };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text.as_bytes()).any(|start| {
        let is_like = text.get(start..start + LIKE).is_some_and(|w| w.eq_ignore_ascii_case(like));
        let rest = text.get(start..).unwrap_or("");
        let after = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        is_like && !after.starts_with(['=', '_'])
    })
}

/// What a line says of a quantity: a figure just after its name.
fn told(corpus: &Corpus<'_>, line: u32, quantity: &str) -> Option<Told> {
    const LONGEST: usize = 400;
    const NEAREST: usize = 4;
    let text = corpus.value(line);
    let text = text.get(..LONGEST.min(text.len()))?;
    let wanted = key(quantity);
    if !may_name(text, quantity) {
        return None;
    }
    let found = figures(text);
    let mut named = words(text).filter(|word| key(word.text) == wanted);
    let (figure, next) = named.find_map(|word| {
        let place = found.figures.iter().position(|figure| figure.span.start >= word.span.end)?;
        let figure = found.figures.get(place)?;
        let gap = text.get(word.span.end..figure.span.start)?;
        let near = words(gap).count() <= NEAREST && !gap.contains([',', ';', '|', '=']);
        near.then(|| (figure, found.figures.get(place + 1)))
    })?;
    if figure.unit.dimension == Dimension::Duration || figure.comparator.is_some() {
        return None;
    }
    let whole = next.filter(|next| {
        let gap = text.get(figure.span.end..next.span.start).unwrap_or("").trim();
        gap == "/" || gap.eq_ignore_ascii_case("of")
    });
    Some(Told {
        micros: moment(corpus, line)?,
        unit: figure.unit,
        value: figure.value,
        share: whole.and_then(|whole| share(figure, whole)),
    })
}

/// A part of a whole in percent, with four decimal places.
fn share(part: &Figure, whole: &Figure) -> Option<Decimal> {
    if part.unit.dimension != whole.unit.dimension {
        return None;
    }
    let scaled = |figure: &Figure, places: u32| {
        figure
            .value
            .mantissa
            .checked_mul(i128::from(figure.unit.factor))?
            .checked_mul(10_i128.checked_pow(places)?)
    };
    let upper = scaled(part, whole.value.places)?.checked_mul(1_000_000)?;
    let lower = scaled(whole, part.value.places)?;
    (lower > 0 && upper >= 0).then(|| Decimal { mantissa: upper / lower, places: 4 })
}
