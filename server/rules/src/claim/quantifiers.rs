//! The quantifiers that a claim may begin with or turn on: only, all, both, no, half, most, between.

use std::ops::Range;

use gsar_core::text::figures::Figure;
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::phrases::{counts, demands_nothing_else, end_of_things, noun, terms_in};
use crate::claim::portions::{Portion, Quantifier, Share, content, portion};
use crate::claim::reading::{Reading, Role};
use crate::rules::counts::as_figure;

/// "X only", "only X", "X is the only pod in a crash loop": all of the others' words are true of X alone.
pub(crate) fn only(reading: &Reading<'_>) -> Option<Portion> {
    const ONLY: [&str; 5] = ["only", "alone", "solely", "exclusively", "sole"];
    let mut cues = words(reading.text).filter(|word| ONLY.iter().any(|only| word.is(only)));
    let cue = cues.next()?;
    if cues.next().is_some() || !reading.figures.figures.is_empty() {
        return None;
    }
    let focus = focus_of(reading, &cue.span)?;
    let taken = terms_in(reading, cue.span.clone());
    if !demands_nothing_else(reading, taken) {
        return None;
    }
    let subject = content(reading) & !focus;
    let portion = portion(reading, Quantifier::All(None), subject);
    (subject != 0).then_some(Portion { is_only: true, ..portion })
}

/// The thing of which "only" says that there is no other.
fn focus_of(reading: &Reading<'_>, cue: &Range<usize>) -> Option<u64> {
    let text = reading.text;
    let is_name = |role: Role| matches!(role, Role::Entity | Role::Name);
    let named = |place: usize| (0 < place + 1).then_some(1_u64 << place);
    let before = words(text.get(..cue.start)?).last();
    let is_the_only = before.as_ref().is_some_and(|word| word.is("the") || word.is("a"));
    let terms = || reading.terms.iter().enumerate().filter(|(_, term)| !term.span.is_empty());
    if is_the_only {
        // "crashpod is the only pod …": the name before the verb.
        let mut names =
            terms().filter(|(_, term)| is_name(term.role) && term.span.end <= cue.start);
        let (place, _) = names.next()?;
        return names.next().is_none().then(|| named(place)).flatten();
    }
    let after = terms().find(|(_, term)| term.span.start >= cue.end);
    let prior = terms().rfind(|(_, term)| term.span.end <= cue.start);
    let touches = |from: usize, to: usize| {
        text.get(from..to).is_some_and(|gap| {
            words(gap).all(|word| {
                [
                    "in",
                    "on",
                    "from",
                    "to",
                    "by",
                    "the",
                    "of",
                    "at",
                    "for",
                    "with",
                    "into",
                    "namespace",
                ]
                .iter()
                .any(|joining| word.is(joining))
            }) && !gap.contains([',', ';', ':', '.'])
        })
    };
    let ends_clause = text.get(cue.end..).is_some_and(|rest| {
        rest.trim_start().is_empty() || rest.trim_start().starts_with(['.', ',', ';'])
    });
    if ends_clause {
        return prior
            .filter(|(_, term)| is_name(term.role) && touches(term.span.end, cue.start))
            .and_then(|(place, _)| named(place));
    }
    after
        .filter(|(_, term)| is_name(term.role) && touches(cue.end, term.span.start))
        .and_then(|(place, _)| named(place))
}

/// "All pods are Running", "both calls fail", "memory went down on every node".
pub(crate) fn all(reading: &Reading<'_>) -> Option<Portion> {
    let cue = reading
        .markers
        .iter()
        .find(|marker| marker.kind == MarkerKind::All)
        .map(|marker| marker.span.clone());
    let both = words(reading.text).find(|word| word.is("both")).map(|word| word.span);
    let both = both
        .filter(|both| !reading.figures.figures.iter().any(|figure| figure.span.end <= both.start));
    let is_both = cue.is_none();
    let cue = cue.or(both)?;
    let before = words(reading.text.get(..cue.start)?).last();
    if before
        .is_some_and(|word| word.is("in") || word.is("at") || word.is("after") || word.is("not"))
    {
        return None;
    }
    let written = reading.text.get(cue.clone())?;
    let next = reading.text.get(cue.end..)?.trim_start();
    let is_period = reading
        .figures
        .figures
        .iter()
        .any(|figure| !counts(figure) && reading.text.get(figure.span.start..) == Some(next));
    if is_period
        || written.eq_ignore_ascii_case("entire")
        || written.eq_ignore_ascii_case("entirely")
    {
        return None;
    }
    if !demands_nothing_else(reading, 0) {
        return None;
    }
    let (end, has_verb) = end_of_things(reading, cue.end);
    let mut number = is_both.then(|| as_figure(2));
    let mut bounds = Vec::new();
    for (order, figure) in reading.figures.figures.iter().enumerate() {
        if counts(figure) && cue.end <= figure.span.start && figure.span.end <= end {
            if !follows(reading, cue.end, figure) {
                return None;
            }
            number = Some(figure.clone());
        } else {
            bounds.push(order);
        }
    }
    let subject = terms_in(reading, cue.end..end);
    let mut portion = portion(reading, Quantifier::All(number), subject);
    portion.bounds = bounds;
    portion.noun = noun(reading, cue.end).unwrap_or(0);
    let says_something =
        portion.predicate != 0 || portion.truth.is_some() || !portion.bounds.is_empty();
    (says_something && (has_verb || portion.predicate != 0 || !portion.bounds.is_empty()))
        .then_some(portion)
}

/// Whether a number belongs to the quantifier before it: "all three", "none of the three".
fn follows(reading: &Reading<'_>, from: usize, figure: &Figure) -> bool {
    reading.text.get(from..figure.span.start).is_some_and(|gap| {
        words(gap).all(|word| ["of", "the", "its", "these"].iter().any(|joining| word.is(joining)))
    })
}

/// "No pod is Pending", "none of the calls failed", "neither container is running".
pub(crate) fn no(reading: &Reading<'_>) -> Option<Portion> {
    let none = reading.markers.iter().filter(|marker| marker.kind == MarkerKind::None);
    let cue = none.map(|marker| marker.span.clone()).next()?;
    let negations =
        reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation).count();
    if negations > 1 || !demands_nothing_else(reading, 0) {
        return None;
    }
    let (end, _) = end_of_things(reading, cue.end);
    let is_number = |figure: &Figure| {
        counts(figure) && figure.span.end <= end && follows(reading, cue.end, figure)
    };
    let number = reading.figures.figures.iter().find(|figure| is_number(figure)).cloned();
    let neither =
        reading.text.get(cue.clone()).is_some_and(|cue| cue.eq_ignore_ascii_case("neither"));
    let number = number.or_else(|| neither.then(|| as_figure(2)));
    let others =
        reading.figures.figures.iter().enumerate().filter(|(_, figure)| !is_number(figure));
    let bounds: Vec<usize> = others.map(|(place, _)| place).collect();
    let mut portion = portion(reading, Quantifier::No(number), terms_in(reading, cue.end..end));
    portion.bounds = bounds;
    portion.noun = noun(reading, cue.end).unwrap_or(0);
    Some(portion)
}

/// "Half of the alerts are critical", "two thirds of the pods", "most of the calls".
pub(crate) fn share(reading: &Reading<'_>) -> Option<Portion> {
    const SHARES: [(&str, Share); 10] = [
        ("half", Share::Parts(1, 2)),
        ("a third", Share::Parts(1, 3)),
        ("one third", Share::Parts(1, 3)),
        ("two thirds", Share::Parts(2, 3)),
        ("a quarter", Share::Parts(1, 4)),
        ("one quarter", Share::Parts(1, 4)),
        ("three quarters", Share::Parts(3, 4)),
        ("a fifth", Share::Parts(1, 5)),
        ("most", Share::Most),
        ("the majority", Share::Most),
    ];
    let lower = reading.text.to_ascii_lowercase();
    let (at, length, share) = SHARES.iter().find_map(|(written, share)| {
        let at = lower.find(written)?;
        let whole_word =
            lower.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(' '));
        let rest = lower.get(at + written.len()..)?;
        let of =
            rest.trim_start().starts_with("of ") || *share == Share::Most && rest.starts_with(' ');
        (whole_word && of).then_some((at, written.len(), *share))
    })?;
    let before = words(reading.text.get(..at)?).last();
    let bounded =
        ["than", "over", "under", "nearly", "almost", "about", "roughly", "at", "the", "not"];
    if before.is_some_and(|word| bounded.iter().any(|bound| word.is(bound))) {
        return None;
    }
    let cue = at..at + length;
    if !demands_nothing_else(reading, terms_in(reading, cue.clone())) {
        return None;
    }
    let (end, has_verb) = end_of_things(reading, cue.end);
    let inside = |figure: &&Figure| cue.start <= figure.span.start && figure.span.end <= cue.end;
    let mut others = reading.figures.figures.iter().filter(|figure| !inside(figure));
    let whole = others.next();
    let counted = whole
        .is_none_or(|whole| counts(whole) && cue.end <= whole.span.start && whole.span.end <= end);
    if others.next().is_some() || !counted || !has_verb {
        return None;
    }
    let quantifier = Quantifier::Share { share, whole: whole.cloned() };
    let portion = portion(reading, quantifier, terms_in(reading, cue.end..end));
    (portion.predicate != 0).then_some(portion)
}

/// "Database calls take between 5 and 10 seconds": each of them does.
pub(crate) fn range(reading: &Reading<'_>) -> Option<Portion> {
    let [low, high] = reading.figures.figures.as_slice() else { return None };
    let (end, has_verb) = end_of_things(reading, 0);
    let before = reading.text.get(..low.span.start)?;
    let joins = words(reading.text.get(low.span.end..high.span.start)?).all(|word| word.is("and"));
    let between = words(before).last().is_some_and(|word| word.is("between"));
    if !(has_verb && between && joins && demands_nothing_else(reading, 0)) {
        return None;
    }
    let mut portion = portion(reading, Quantifier::All(None), terms_in(reading, 0..end));
    portion.bounds = vec![0, 1];
    Some(portion)
}
