//! This module is the rule of sets: the claim says for how many of several records something holds: a count, all,
//! none, only these.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::fit::Fit;
use super::members::{Holds, Members};
use super::quantifier::{self, Amount, Quantified};
use super::{Index, MAX_CANDIDATES, Outcome, Rule, RuleId};
use crate::claim::{Kind, TypedClaim};
use crate::facts::{Form, GroupId, RecordId};
use crate::text::figures::{Agreement, Decimal, Figure, Unit, agree};
use crate::text::tokens::words;

/// The rule.
pub(super) struct Sets;

impl Rule for Sets {
    fn id(&self) -> RuleId {
        RuleId("sets")
    }

    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], index: &Index<'_>) -> Outcome {
        if claim.is_hedged {
            return Outcome::Silent;
        }
        let Some(quantified) = quantifier::read(claim) else { return Outcome::Silent };
        let facts = index.facts();
        let groups: BTreeSet<GroupId> =
            fits.iter().filter_map(|fit| facts.record(fit.record)).map(|r| r.group).collect();
        let rows = |group: &GroupId| facts.group(*group).map_or(0, |group| group.records.len());
        if groups.iter().map(rows).sum::<usize>() > MAX_CANDIDATES {
            return Outcome::Silent;
        }
        let (mut supports, mut refutes) = (Vec::new(), Vec::new());
        for group in groups {
            let Some(members) = Members::read(claim, group, index) else { continue };
            match of_group(claim, &quantified, &members) {
                Outcome::Supports(records) => supports.push(records),
                Outcome::Refutes(records) => refutes.push(records),
                Outcome::Silent => {}
            }
        }
        match (supports.into_iter().next(), refutes.into_iter().next()) {
            (Some(records), None) => Outcome::Supports(records),
            (None, Some(records)) => Outcome::Refutes(records),
            _ => Outcome::Silent,
        }
    }
}

/// What the records of one group say of the claim.
fn of_group(
    claim: &TypedClaim<'_>,
    quantified: &Quantified<'_>,
    members: &Members<'_, '_>,
) -> Outcome {
    let count = members.fits.len();
    let is_kind = quantified.noun.is_none_or(|noun| members.is_kind(claim, noun));
    let is_table = members.group.form == Form::Rows;
    if matches!(quantified.amount, Amount::None(None))
        && is_kind
        && is_table
        && quantified.noun.is_some()
        && lacks(claim, quantified, members)
    {
        let records = members.fits.iter().map(|fit| fit.record);
        return Outcome::Supports(records.take(MAX_SHOWN).collect());
    }
    let Some((among, is_restricted)) = select(claim, &quantified.among, members) else {
        return Outcome::Silent;
    };
    let Some((holds, says)) = select(claim, &quantified.holds, members) else {
        return Outcome::Silent;
    };
    if count < 2 {
        return Outcome::Silent;
    }
    let both: Vec<bool> = among.iter().zip(&holds).map(|(a, b)| *a && *b).collect();
    let (size_among, size_holds, size_both) = (size(&among), size(&holds), size(&both));
    let is_so = |holds: bool, can_refute: bool| {
        let records = |set: &[bool]| -> Vec<RecordId> {
            let within = members.fits.iter().zip(set).filter(|(_, is_in)| **is_in);
            within.map(|(fit, _)| fit.record).take(MAX_SHOWN).collect()
        };
        let shown = if size_both > 0 { &both } else { &among };
        if holds {
            Outcome::Supports(records(shown))
        } else if can_refute {
            Outcome::Refutes(records(shown))
        } else {
            Outcome::Silent
        }
    };
    // Which records a time or a bound selects is not certain enough to refute what is said of each of them.
    let is_selected_by_value = quantified.among.iter().chain(&quantified.holds).any(|term| {
        let kind = claim.terms.get(*term).map(|term| &term.kind);
        matches!(kind, Some(Kind::Figure(_) | Kind::Time(_)))
    });
    let is_of = |of: Option<&Figure>| of.is_none_or(|of| is_number(of, size_among));
    match quantified.amount {
        Amount::Count(figure, of)
            if is_kind
                && (is_restricted || says)
                && size_both > 0
                && quantified.noun.is_some_and(|noun| !members.is_attribute(noun)) =>
        {
            let is_of = is_of(of) || of.is_some_and(|of| is_number(of, count));
            is_so(is_number(figure, size_both) && is_of, is_table)
        }
        Amount::All(of) if says && size_among > 1 && size_both > 0 => {
            let holds = size_both == size_among && is_of(of);
            is_so(holds, is_table && is_kind && !is_selected_by_value)
        }
        Amount::Both if says && size_among == 2 && size_both > 0 => {
            is_so(size_both == 2, is_table && is_kind)
        }
        Amount::None(of) if says && is_kind && size_among > 0 && size_holds > 0 => {
            is_so(size_both == 0 && is_of(of), is_kind && !is_selected_by_value)
        }
        Amount::Neither if says && is_kind && size_among == 2 && size_holds > 0 => {
            is_so(size_both == 0, is_table)
        }
        Amount::Only if says && is_restricted && size_holds > 0 && size_among < count => {
            is_so(size_both == size_holds, is_table && is_kind)
        }
        _ => Outcome::Silent,
    }
}

fn size(set: &[bool]) -> usize {
    set.iter().filter(|is_in| **is_in).count()
}

/// The most records that are shown for a claim.
const MAX_SHOWN: usize = 16;

/// Which records all these terms hold for, and whether any of them parts the records; `None` where one is not
/// understood.
fn select(
    claim: &TypedClaim<'_>,
    terms: &[usize],
    members: &Members<'_, '_>,
) -> Option<(Vec<bool>, bool)> {
    let mut selected = alloc::vec![true; members.fits.len()];
    let mut parts = false;
    let mut last: Option<(usize, Vec<bool>)> = None;
    for term in terms {
        match members.holds(claim, *term, terms) {
            Holds::Unknown if is_total(claim, *term, members) => {}
            Holds::Unknown => return None,
            Holds::Above | Holds::Kind => {}
            Holds::For(own) => {
                parts = true;
                let joined = last.take().filter(|(before, set)| {
                    is_listed(claim, *before, *term)
                        && set.iter().zip(&own).all(|(a, b)| !(*a && *b))
                });
                if let Some((_, set)) = joined {
                    // One of a list: "Running or Completed", "cart-1 and cart-2".
                    let union: Vec<bool> = set.iter().zip(&own).map(|(a, b)| *a || *b).collect();
                    last = Some((*term, union));
                    continue;
                }
                if let Some((_, set)) = last.replace((*term, own)) {
                    selected.iter_mut().zip(set).for_each(|(is_in, own)| *is_in &= own);
                }
            }
        }
    }
    if let Some((_, set)) = last {
        selected.iter_mut().zip(set).for_each(|(is_in, own)| *is_in &= own);
    }
    Some((selected, parts))
}

/// Whether a term is the number of all records: "three of the pod's five conditions".
fn is_total(claim: &TypedClaim<'_>, term: usize, members: &Members<'_, '_>) -> bool {
    match claim.terms.get(term).map(|term| &term.kind) {
        Some(Kind::Figure(figure)) => {
            figure.unit == Unit::COUNT && is_number(figure, members.fits.len())
        }
        _ => false,
    }
}

/// Whether two terms follow each other in a list.
fn is_listed(claim: &TypedClaim<'_>, first: usize, second: usize) -> bool {
    let (Some(a), Some(b)) = (claim.terms.get(first), claim.terms.get(second)) else {
        return false;
    };
    let Some(between) = claim.text.get(a.span.end..b.span.start) else { return false };
    let like = core::mem::discriminant::<Kind>(&a.kind) == core::mem::discriminant(&b.kind);
    let is_join = |word: &str| ["and", "or", "nor"].iter().any(|w| word.eq_ignore_ascii_case(w));
    like && second == first + 1
        && (between.trim() == "," || words(between).next().is_some())
        && words(between).all(|word| is_join(word.text))
}

/// Whether a count is what a figure says.
fn is_number(figure: &Figure, count: usize) -> bool {
    let Ok(mantissa) = i128::try_from(count) else { return false };
    let counted = Figure {
        span: 0..0,
        value: Decimal { mantissa, places: 0 },
        unit: Unit::COUNT,
        approximate: false,
        comparator: None,
    };
    agree(figure, &counted) == Agreement::Same
}

/// Whether the records are all there is of their kind and none has the names that the claim denies, nor has anything
/// else.
fn lacks(claim: &TypedClaim<'_>, quantified: &Quantified<'_>, members: &Members<'_, '_>) -> bool {
    let terms = || quantified.among.iter().chain(&quantified.holds).copied();
    let is_name =
        |term: usize| claim.terms.get(term).is_some_and(|term| matches!(term.kind, Kind::Name));
    let is_missing = |term: usize| is_name(term) && members.is_nowhere(claim, term);
    members.group.complete
        && terms().any(is_missing)
        && terms().all(|term| match members.holds(claim, term, &[]) {
            Holds::Unknown => is_missing(term),
            Holds::Above | Holds::Kind => true,
            Holds::For(own) => !own.contains(&false),
        })
}
