//! This module reads what prose says of which of several names: stretches between commas, order and denial. It decides
//! nothing.

use alloc::vec::Vec;
use core::ops::Range;

use super::fit::{Fit, Found};
use crate::claim::{Kind, TypedClaim};
use crate::text::polarity;
use crate::text::tokens::{Shape, Word, words};

/// Whether, in prose that tells of several names, what the claim says of one stands beside that one.
pub(super) fn same_segment(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>) -> bool {
    let prose = fit.cells.iter().enumerate().filter(|(_, cell)| !cell.is_value());
    prose.into_iter().all(|(at, cell)| {
        let segments = segments(&cell.cell.text);
        let named = |segment: &Range<usize>| -> Vec<&str> {
            let within =
                cell.words().filter(|word| segment.contains(&word.span.start) && is_name(word));
            within.map(|word| word.text).collect()
        };
        if segments.iter().filter(|segment| !named(segment).is_empty()).count() < 2 {
            return true;
        }
        let is_claimed =
            |name: &str| claim.names().any(|term| term.text.eq_ignore_ascii_case(name));
        // Each term that stands here stands in a segment whose names, or else the last names before, are of the claim.
        claim.terms.iter().zip(&fit.found).all(|(term, found)| {
            let mut here = found
                .iter()
                .filter_map(|found| match found {
                    Found::Value(of, span) if *of == at => Some(span.start),
                    _ => None,
                })
                .peekable();
            let elsewhere =
                found.iter().any(|found| !matches!(found, Found::Value(of, _) if *of == at));
            if here.peek().is_none() || elsewhere && matches!(term.kind, Kind::Name | Kind::Word) {
                return true;
            }
            here.any(|start| {
                let Some(own) = segments.iter().position(|segment| segment.contains(&start)) else {
                    return false;
                };
                let owner = segments
                    .get(..=own)
                    .unwrap_or_default()
                    .iter()
                    .rev()
                    .map(named)
                    .find(|names| !names.is_empty());
                owner.is_none_or(|names| names.into_iter().all(is_claimed))
            })
        })
    })
}

/// The stretches of prose between commas, semicolons and "and".
pub(super) fn segments(text: &str) -> Vec<Range<usize>> {
    let mut cuts: Vec<usize> = text.match_indices([',', ';', '(', ')']).map(|(at, _)| at).collect();
    cuts.extend(
        words(text)
            .filter(|word| word.is("and") || word.is("while") || word.is("but"))
            .map(|word| word.span.start),
    );
    cuts.sort_unstable();
    let mut start = 0;
    let mut found = Vec::new();
    for cut in cuts.into_iter().chain([text.len()]) {
        found.push(start..cut);
        start = cut;
    }
    found
}

/// Whether a word names a thing.
pub(super) fn is_name(word: &Word<'_>) -> bool {
    matches!(word.shape(), Shape::Identifier | Shape::Compound)
        && crate::text::figures::figures(word.text).figures.is_empty()
}

/// Whether names that stand in one stretch of prose stand there in the order of the claim. Fields between bars are
/// stretches of their own.
pub(super) fn same_order(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>) -> bool {
    let mut last: Option<(usize, usize)> = None;
    let is_other_field = |cell: usize, a: usize, b: usize| {
        let text = fit.cells.get(cell).map(|cell| &*cell.cell.text).unwrap_or_default();
        text.get(a.min(b)..a.max(b)).is_some_and(|between| between.contains(" | "))
    };
    for (term, found) in claim.terms.iter().zip(&fit.found) {
        if !matches!(term.kind, Kind::Name) {
            continue;
        }
        let in_prose = found.iter().find_map(|found| match found {
            Found::Value(cell, span)
                if fit.cells.get(*cell).is_some_and(|cell| !cell.is_value()) =>
            {
                Some((*cell, span.start))
            }
            _ => None,
        });
        let Some((cell, start)) = in_prose else { continue };
        if last.is_some_and(|(before, at)| {
            before == cell && at > start && !is_other_field(cell, at, start)
        }) {
            return false;
        }
        last = Some((cell, start));
    }
    true
}

/// Whether the stretches of prose that the claim rests on deny nothing that the claim does not deny.
pub(super) fn same_polarity(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>) -> bool {
    let denied = polarity::is_negated(claim.text);
    let places = fit.found.iter().flatten().filter_map(|found| match found {
        Found::Value(cell, span) => {
            Some((fit.cells.get(*cell).filter(|cell| !cell.is_value())?, span.start))
        }
        _ => None,
    });
    let mut negated = places.map(|(cell, start)| {
        let segments = segments(&cell.cell.text);
        let own = segments.iter().find(|segment| segment.contains(&start));
        own.and_then(|own| cell.cell.text.get(own.clone())).is_some_and(polarity::is_negated)
    });
    if denied {
        negated.next().is_none() || negated.any(|negated| negated)
    } else {
        !negated.any(|negated| negated)
    }
}
