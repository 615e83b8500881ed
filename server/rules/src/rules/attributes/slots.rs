//! The quantities that a claim states: its figures, the numbers of its exit codes, and "no restarts".

use std::ops::Range;

use gsar_core::text::figures::{CodeKind, Dimension, Figure, Unit, figures};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use super::concepts::spoken;
use crate::claim::reading::{Reading, Role};
use crate::vocabulary::words::key;

/// A quantity that a claim states.
pub(crate) struct Slot {
    pub(crate) figure: Figure,
    /// Terms that are the quantity itself: the number of an exit code.
    pub(crate) bits: u64,
}

/// The quantities of a claim, and the numbers of its exit codes.
pub(crate) fn slots(reading: &Reading<'_>) -> Vec<Slot> {
    let mut slots: Vec<Slot> = reading
        .figures
        .figures
        .iter()
        .filter(|figure| !counts_things(reading, figure) && !is_article(reading, figure))
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
    slots.extend(none_of(reading));
    // What one quantity is called by need not stand beside another.
    let all = slots.iter().fold(0, |bits, slot| {
        let spoken = spoken(reading, slot.figure.unit.dimension);
        spoken.iter().fold(bits | slot.bits, |bits, spoken| bits | spoken.bits)
    });
    for slot in &mut slots {
        slot.bits = all;
    }
    slots
}

/// "No restarts", "without a restart": none of what a tool counts.
fn none_of(reading: &Reading<'_>) -> Option<Slot> {
    let cue = denial_of_restarts(reading)?;
    let zero = figures("0 restarts").figures.into_iter().next()?;
    Some(Slot { figure: Figure { span: cue, ..zero }, bits: 0 })
}

/// Where a claim denies restarts, and nothing else.
pub(crate) fn denial_of_restarts(reading: &Reading<'_>) -> Option<Range<usize>> {
    let mut denials = reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation);
    let (denial, None) = (denials.next()?, denials.next()) else { return None };
    let after = reading.text.get(denial.span.end..)?;
    let next = words(after).take(2).any(|word| key(word.text) == key("restart"));
    (next && after.len() < 40).then(|| denial.span.clone())
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

/// "One login request took ...": one at the start is an article.
pub(crate) fn is_article(reading: &Reading<'_>, figure: &Figure) -> bool {
    let written = reading.text.get(figure.span.clone()).unwrap_or("");
    figure.span.start == 0 && written.eq_ignore_ascii_case("one")
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

/// The terms that name quantities of a claim: they need not stand beside its states and labels.
pub(crate) fn naming(slots: &[Slot]) -> u64 {
    slots.first().map_or(0, |slot| slot.bits)
}
