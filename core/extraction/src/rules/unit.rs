//! This module is the rule of units: the claim gives the figure of the evidence in another unit of the same dimension,
//! which makes it another quantity: "600 minutes" of 600 s. It never supports.

use alloc::vec;
use alloc::vec::Vec;

use super::attribution::nearness;
use super::fit::{Fit, Found, differ};
use super::prose::same_polarity;
use super::{Index, Outcome, Rule, RuleId};
use crate::claim::{Kind, TypedClaim};
use crate::text::figures::{Agreement, Dimension, Figure, Unit, agree};

/// The rule.
pub(super) struct OfUnit;

impl Rule for OfUnit {
    fn id(&self) -> RuleId {
        RuleId("unit")
    }

    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], _: &Index<'_>) -> Outcome {
        if claim.is_hedged {
            return Outcome::Silent;
        }
        let mut mistaken = None;
        for fit in fits {
            let kind = |term: usize| claim.terms.get(term).map(|term| &term.kind);
            let (figures, others): (Vec<usize>, Vec<usize>) =
                fit.left_over().partition(|term| matches!(kind(*term), Some(Kind::Figure(_))));
            let ([term], true) = (figures.as_slice(), others.len() <= MAX_OTHERS) else { continue };
            let term = *term;
            let Some(Kind::Figure(figure)) = kind(term) else { continue };
            let is_plain =
                others.iter().all(|term| matches!(kind(*term), Some(Kind::Word | Kind::Sign(_))));
            if !is_plain || !others.is_empty() && figure.value.mantissa.unsigned_abs() < 10 {
                continue;
            }
            if has_other_unit(claim, fit, term, figure) && same_polarity(claim, fit) {
                mistaken = mistaken.or(Some((fit.record, term)));
            }
        }
        let Some((record, term)) = mistaken else { return Outcome::Silent };
        let is_stated = |fit: &Fit<'_, '_>| {
            fit.found
                .get(term)
                .is_some_and(|found| found.iter().any(|f| matches!(f, Found::Value(..))))
        };
        if fits.iter().any(is_stated) { Outcome::Silent } else { Outcome::Refutes(vec![record]) }
    }
}

/// The most words that the record may lack; the same digits elsewhere are no chance.
const MAX_OTHERS: usize = 5;

/// Whether the record has the figure, beside what the claim has it beside, but in another unit.
fn has_other_unit(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>, term: usize, figure: &Figure) -> bool {
    let of_dimension = |other: &&Figure| other.unit.dimension == figure.unit.dimension;
    let alone = fit.cells.iter().flat_map(|cell| &*cell.figures).filter(of_dimension).count() == 1;
    fit.cells.iter().enumerate().any(|(at, cell)| {
        cell.figures.iter().filter(of_dimension).any(|other| {
            is_mistaken(figure, other)
                && (alone || nearness(claim, fit, term, at, Some(&other.span)) > 0)
        })
    })
}

/// Whether a figure would agree with another if only its unit were different.
fn is_mistaken(figure: &Figure, other: &Figure) -> bool {
    let has_more_digits = figure.value.mantissa.unsigned_abs() >= 10;
    let exact = Figure { comparator: None, approximate: false, ..figure.clone() };
    differ(figure, other)
        && units(figure.unit.dimension).iter().filter_map(|name| Unit::named(name)).any(|unit| {
            is_far(unit, figure.unit)
                && (has_more_digits || unit == other.unit)
                && agree(&Figure { unit, ..exact.clone() }, other) == Agreement::Same
        })
}

/// Whether two units are more than two systems' names for nearly one size: MB and MiB.
fn is_far(a: Unit, b: Unit) -> bool {
    a.factor / 4 > b.factor || b.factor / 4 > a.factor
}

/// The units that are taken for each other.
fn units(dimension: Dimension) -> &'static [&'static str] {
    match dimension {
        Dimension::Duration => &["us", "ms", "s", "min", "h", "d", "w"],
        Dimension::Bytes => &["B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"],
        Dimension::Bits => &["Kbit", "Mbit", "Gbit"],
        Dimension::BitRate => &["Kbps", "Mbps", "Gbps"],
        Dimension::Cores => &["cores", "millicores"],
        _ => &[],
    }
}
