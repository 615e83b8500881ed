//! This module is the rule of owners: what the claim says of one thing is what the evidence says of a like thing beside
//! it. It never supports.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use super::attribution::figures_belong;
use super::fit::{Fit, Found};
use super::prose::{self, segments};
use super::{Index, Outcome, Rule, RuleId};
use crate::claim::{Kind, TypedClaim};
use crate::facts::GroupId;

/// The rule.
pub(super) struct OfAnother;

impl Rule for OfAnother {
    fn id(&self) -> RuleId {
        RuleId("owner")
    }

    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], index: &Index<'_>) -> Outcome {
        let is_one_statement = segments(claim.text).len() == 1;
        if claim.is_hedged || !is_one_statement {
            return Outcome::Silent;
        }
        let names = (0..claim.terms.len()).filter(|term| is_name(claim, *term));
        let places: BTreeMap<usize, BTreeSet<(GroupId, Place<'_>)>> =
            names.map(|name| (name, places(fits, name, index))).collect();
        let mut of_another = None;
        for fit in fits {
            let left_over: Vec<usize> = fit.left_over().collect();
            match left_over.as_slice() {
                [name]
                    if places
                        .get(name)
                        .is_some_and(|places| has_another(claim, fit, *name, places, index)) =>
                {
                    match of_another {
                        None => of_another = Some((fit.record, *name)),
                        Some((_, other)) if other == *name => {}
                        Some(_) => return Outcome::Silent,
                    }
                }
                [] => return Outcome::Silent,
                _ => {}
            }
        }
        match of_another {
            Some((record, name)) if !fits.iter().any(|fit| may_be_own(claim, fit, name)) => {
                Outcome::Refutes(vec![record])
            }
            _ => Outcome::Silent,
        }
    }
}

fn is_name(claim: &TypedClaim<'_>, term: usize) -> bool {
    claim.terms.get(term).is_some_and(|term| matches!(term.kind, Kind::Name))
}

/// The groups in which records have a name of their own, and where they have it.
fn places<'r>(
    fits: &'r [Fit<'_, '_>],
    name: usize,
    index: &Index<'_>,
) -> BTreeSet<(GroupId, Place<'r>)> {
    let group = |fit: &Fit<'_, '_>| index.facts().record(fit.record).map(|record| record.group);
    fits.iter().filter_map(|fit| Some((group(fit)?, place(fit, name)?))).collect()
}

/// Whether the record is one of several like ones, another of which is the thing that the claim names, and says of its
/// own thing what the claim says.
fn has_another(
    claim: &TypedClaim<'_>,
    fit: &Fit<'_, '_>,
    name: usize,
    places: &BTreeSet<(GroupId, Place<'_>)>,
    index: &Index<'_>,
) -> bool {
    let is_own_value = |found: &Found| match found {
        Found::Value(cell, _) => fit.cells.get(*cell).is_some_and(|cell| cell.depth == 0),
        _ => false,
    };
    let says = claim.terms.iter().zip(&fit.found).enumerate().any(|(at, (term, found))| {
        at != name && !matches!(term.kind, Kind::Sign(_)) && found.iter().any(is_own_value)
    });
    let group = index.facts().record(fit.record).map(|record| record.group);
    says && figures_belong(claim, fit)
        && places.iter().any(|(other, place)| Some(*other) == group && has_like(fit, place))
}

/// Where a record has a name of its own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place<'f> {
    /// As the value of an attribute.
    Attribute(&'f [Cow<'f, str>]),
    /// As a key.
    Path,
    /// In prose.
    Prose,
}

fn place<'r>(fit: &'r Fit<'_, '_>, name: usize) -> Option<Place<'r>> {
    fit.found.get(name)?.iter().find_map(|found| match found {
        Found::Value(cell, _) => {
            let view = fit.cells.get(*cell).filter(|view| view.depth == 0)?;
            Some(if view.is_value() {
                Place::Attribute(&view.cell.attribute)
            } else {
                Place::Prose
            })
        }
        Found::Path => Some(Place::Path),
        _ => None,
    })
}

/// Whether a record has something else where another has the name.
fn has_like(fit: &Fit<'_, '_>, place: &Place<'_>) -> bool {
    match place {
        Place::Attribute(attribute) => fit
            .cells
            .iter()
            .any(|cell| cell.depth == 0 && cell.cell.attribute.as_slice() == *attribute),
        Place::Path => true,
        Place::Prose => fit.cells.iter().any(|cell| {
            cell.depth == 0 && !cell.is_value() && cell.words().any(|word| prose::is_name(&word))
        }),
    }
}

/// Whether a record of the thing has a quantity or name that the claim gives.
fn may_be_own(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>, name: usize) -> bool {
    fit.found.get(name).is_some_and(|found| !found.is_empty())
        && claim.terms.iter().zip(&fit.found).enumerate().any(|(at, (term, found))| {
            at != name
                && matches!(term.kind, Kind::Figure(_) | Kind::Time(_) | Kind::Name)
                && found.iter().any(|found| matches!(found, Found::Value(..)))
        })
}
