//! This module reads how many of a kind a claim speaks of: "three of the five", "all", "none", "only". It knows no
//! evidence.

use alloc::vec;
use alloc::vec::Vec;

use crate::claim::{Kind, Sign, Term, TypedClaim};
use crate::lexicon::LEXICON;
use crate::text::figures::{Figure, Unit};
use crate::text::tokens::words;

/// How many.
#[derive(Clone, Copy, Debug)]
pub(super) enum Amount<'c> {
    /// A count, perhaps of a total.
    Count(&'c Figure, Option<&'c Figure>),
    /// Every one, perhaps of a total.
    All(Option<&'c Figure>),
    /// Both of two.
    Both,
    /// Not one, perhaps of a total.
    None(Option<&'c Figure>),
    /// Neither of two.
    Neither,
    /// These and no others.
    Only,
}

/// A claim that speaks of how many.
#[derive(Debug)]
pub(super) struct Quantified<'c> {
    pub(super) amount: Amount<'c>,
    /// The place, among the terms, of the noun that is counted.
    pub(super) noun: Option<usize>,
    /// The places of the terms that say which are meant.
    pub(super) among: Vec<usize>,
    /// The places of the terms that say what holds for them.
    pub(super) holds: Vec<usize>,
}

/// Words behind which a noun with its adjectives has ended.
#[rustfmt::skip]
const AFTER_NOUN: [&str; 24] = [
    "of", "in", "on", "with", "from", "for", "to", "at", "by", "under", "between", "across", "that", "which", "who",
    "whose", "into", "within", "without", "behind", "near", "per", "and", "or",
];

/// Words that part what is spoken of from what is said of it.
#[rustfmt::skip]
const VERBS: [&str; 61] = [
    "is", "are", "was", "were", "has", "have", "had", "be", "been", "show", "shows", "showed", "come", "comes", "came",
    "use", "uses", "used", "request", "requests", "asks", "ask", "runs", "run", "ran", "fail", "fails", "failed",
    "take", "takes", "took", "go", "goes", "went", "belong", "belongs", "remain", "remains", "remained", "stayed",
    "stay", "carry", "carries", "carried", "contain", "contains", "contained", "returned", "logged", "raised",
    "reported", "concern", "concerns", "involve", "involves", "exist", "exists", "sit", "sits", "appear", "appears",
];

/// Reads it; `None` where the claim speaks of no amount, or of several.
pub(super) fn read<'c>(claim: &'c TypedClaim<'_>) -> Option<Quantified<'c>> {
    let (at, amount, taken) = amount(claim)?;
    let end_of_amount =
        taken.iter().filter_map(|term| Some(claim.terms.get(*term)?.span.end)).max()?;
    let start = claim.terms.get(at)?.span.start;
    let rest = claim.text.get(end_of_amount..)?;
    let boundary = |list: &[&str]| {
        words(rest)
            .find(|word| list.iter().any(|known| word.is(known)))
            .map_or(claim.text.len(), |word| end_of_amount + word.span.start)
    };
    let mut rest_words = words(rest);
    let first_end = rest_words
        .find(|word| !word.is("of") && !word.is("the") && !word.is("these") && !word.is("its"))
        .map_or(end_of_amount, |word| end_of_amount + word.span.end);
    let end_of_noun = words(claim.text.get(first_end..)?)
        .find(|word| AFTER_NOUN.iter().chain(&VERBS).any(|known| word.is(known)))
        .map_or(claim.text.len(), |word| first_end + word.span.start);
    let verb = boundary(&VERBS);
    let own = |term: &usize| !taken.contains(term);
    let spanned = |from: usize, to: usize| -> Vec<usize> {
        let within = |term: &Term<'_>| from <= term.span.start && term.span.start < to;
        let terms = claim.terms.iter().enumerate().filter(|(_, term)| within(term));
        terms.map(|(at, _)| at).filter(own).collect()
    };
    let noun = spanned(end_of_amount, end_of_noun)
        .into_iter()
        .rfind(|term| claim.terms.get(*term).is_some_and(|term| matches!(term.kind, Kind::Word)));
    let before = spanned(0, start);
    let (among, holds) = if before.is_empty() {
        (spanned(end_of_amount, verb), spanned(verb, claim.text.len()))
    } else {
        (before, spanned(end_of_amount, claim.text.len()))
    };
    Some(Quantified { amount, noun, among, holds })
}

/// The amount with its first term and all its terms.
fn amount<'c>(claim: &'c TypedClaim<'_>) -> Option<(usize, Amount<'c>, Vec<usize>)> {
    let mut signs = claim.terms.iter().enumerate().filter_map(|(at, term)| match term.kind {
        Kind::Sign(sign) => Some((at, sign, term.text)),
        _ => None,
    });
    let sign = signs.next();
    if signs.next().is_some() {
        return None;
    }
    let Some((at, sign, text)) = sign else {
        let (at, figure) = counts(claim).next()?;
        let (of, taken) = of_figure(claim, at);
        return is_before_noun(claim, *taken.last()?).then_some((
            at,
            Amount::Count(figure, of),
            taken,
        ));
    };
    let is = |known: &[&str]| known.iter().any(|known| text.eq_ignore_ascii_case(known));
    let (of, mut taken) = of_figure(claim, at);
    Some(match sign {
        Sign::All if is(&["all", "each", "every"]) => (at, Amount::All(of), taken),
        Sign::Both if is(&["both"]) => (at, Amount::Both, vec![at]),
        Sign::None if is(&["neither"]) => (at, Amount::Neither, vec![at]),
        Sign::None if is(&["no", "none", "nothing"]) => (at, Amount::None(of), taken),
        Sign::Only if is(&["only", "sole"]) => {
            let next = at + 1;
            if let Some((_, figure)) = counts(claim).find(|(figure, _)| *figure == next)
                && is_before_noun(claim, next)
            {
                let (of, more) = of_figure(claim, next);
                taken.extend(more);
                (at, Amount::Count(figure, of), taken)
            } else {
                let before = claim.text.get(..claim.terms.get(at)?.span.start)?;
                let is_of_noun = words(before).last().is_none_or(|word| word.is("the"));
                return is_of_noun.then(|| (at, Amount::Only, vec![at]));
            }
        }
        _ => return None,
    })
}

/// The whole numbers of a claim.
fn counts<'c>(claim: &'c TypedClaim<'_>) -> impl Iterator<Item = (usize, &'c Figure)> {
    claim.terms.iter().enumerate().filter_map(|(at, term)| match &term.kind {
        Kind::Figure(figure) if figure.unit == Unit::COUNT && figure.value.places == 0 => {
            Some((at, figure))
        }
        _ => None,
    })
}

/// Of how many an amount is: "five" of "two of the five", "all five"; with the terms that this takes.
fn of_figure<'c>(claim: &'c TypedClaim<'_>, at: usize) -> (Option<&'c Figure>, Vec<usize>) {
    let next = at + 1;
    let of = counts(claim).find(|(figure, _)| *figure == next).map(|(_, figure)| figure);
    let between = claim
        .terms
        .get(at)
        .zip(claim.terms.get(next))
        .and_then(|(first, second)| claim.text.get(first.span.end..second.span.start))
        .unwrap_or_default();
    let joined = words(between)
        .all(|word| ["of", "the", "its", "these", "those", "all"].iter().any(|w| word.is(w)));
    match of.filter(|_| joined) {
        Some(of) => (Some(of), vec![at, next]),
        None => (None, vec![at]),
    }
}

/// Whether a number stands right before what it counts, as far as words tell.
fn is_before_noun(claim: &TypedClaim<'_>, at: usize) -> bool {
    let (Some(term), Some(next)) = (claim.terms.get(at), claim.terms.get(at + 1)) else {
        return false;
    };
    let between = claim.text.get(term.span.end..next.span.start).unwrap_or_default();
    // "task 2 paused": the number is a name.
    let before = claim.text.get(..term.span.start).and_then(|before| words(before).last());
    if before.is_some_and(|word| LEXICON.is_kind(&word)) {
        return false;
    }
    matches!(next.kind, Kind::Word | Kind::Name)
        && words(between).all(|word| word.is("of") || word.is("the") || word.is("its"))
}
