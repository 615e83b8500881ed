//! This module is the rule of absences: the claim denies a thing what one of its attributes tells of, and the attribute
//! is empty, false or nought, or is not.

use alloc::vec;
use alloc::vec::Vec;

use super::fit::{Fit, Found};
use super::members::truth;
use super::{Index, Outcome, Rule, RuleId, names_subject};
use crate::claim::{Kind, Sign, TypedClaim};
use crate::facts::RecordId;
use crate::text::polarity;

/// The rule.
pub(super) struct Absence;

impl Rule for Absence {
    fn id(&self) -> RuleId {
        RuleId("absence")
    }

    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], index: &Index<'_>) -> Outcome {
        let Some(denied) = denied(claim) else { return Outcome::Silent };
        let said: Vec<(RecordId, bool)> = fits
            .iter()
            .filter(|fit| {
                fit.left_over().all(|term| term + 1 == denied) && has_subject(claim, fit, index)
            })
            .filter_map(|fit| Some((fit.record, is_there(fit, denied)?)))
            .collect();
        let Some((first, is_there)) = said.first() else { return Outcome::Silent };
        if said.iter().any(|(_, other)| other != is_there) {
            Outcome::Silent
        } else if *is_there {
            Outcome::Refutes(vec![*first])
        } else {
            Outcome::Supports(vec![*first])
        }
    }
}

/// What stands right behind the one denial of the claim.
fn denied(claim: &TypedClaim<'_>) -> Option<usize> {
    let mut signs =
        claim.terms.iter().enumerate().filter(|(_, term)| matches!(term.kind, Kind::Sign(_)));
    let (at, sign) = signs.next()?;
    let is_denial = matches!(sign.kind, Kind::Sign(Sign::None))
        && ["no", "not", "without"].iter().any(|word| sign.text.eq_ignore_ascii_case(word));
    let next = claim.terms.get(at + 1)?;
    let is_named = matches!(next.kind, Kind::Word | Kind::Name);
    let has_figure = claim.terms.iter().any(|term| matches!(term.kind, Kind::Figure(_)));
    (is_denial && is_named && !has_figure && !claim.is_hedged && signs.next().is_none())
        .then_some(at + 1)
}

fn has_subject(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>, index: &Index<'_>) -> bool {
    let group = index.facts().record(fit.record).map(|record| record.group);
    let alone = group
        .and_then(|group| index.facts().group(group))
        .is_some_and(|group| group.records.len() == 1);
    names_subject(claim, fit) || alone
}

/// Whether what is denied is there, by the one attribute that is called so; `None` where none or several are.
fn is_there(fit: &Fit<'_, '_>, denied: usize) -> Option<bool> {
    let mut attributes = fit.found.get(denied)?.iter().filter_map(|found| match found {
        Found::Attribute(cell) => fit.cells.get(*cell).filter(|cell| cell.depth == 0),
        _ => None,
    });
    let cell = attributes.next().filter(|cell| cell.is_value() && !cell.is_asked())?;
    if attributes.next().is_some() {
        return None;
    }
    let text = cell.cell.text.trim();
    match truth(text) {
        Some(is_there) => Some(is_there),
        None if text.is_empty() || text == "-" || polarity::is_blank_answer(text) => Some(false),
        None => None,
    }
}
