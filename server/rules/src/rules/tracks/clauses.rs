//! A claim as clauses of tokens: cues, figures, times and the words between them.

use gsar_core::text::figures::{ClockTime, CodeKind, Comparator, Figure, Figures};
use gsar_core::text::tokens::{Word, words};

use super::cues::cue_at;
use super::phrases::Cue;

/// A word, phrase, figure or time of a clause.
#[derive(Clone, Debug)]
pub(super) enum Token<'c> {
    Cue(Cue, &'c str),
    Figure(Figure),
    Time(ClockTime),
    Word(Word<'c>),
    /// A comma, colon or the like.
    Break,
}

/// The clauses of a claim, each as tokens.
pub(super) fn clauses<'c>(text: &'c str, figures: &Figures) -> Vec<Vec<Token<'c>>> {
    let all: Vec<Word<'c>> = words(text).collect();
    let mut clauses = vec![Vec::new()];
    let mut end = 0;
    let mut place = 0;
    while let Some(word) = all.get(place) {
        let gap = text.get(end.min(word.span.start)..word.span.start).unwrap_or("");
        let rest = all.get(place..).unwrap_or_default();
        if gap.contains(';') || joins_clauses(rest) {
            clauses.push(Vec::new());
        }
        let Some(clause) = clauses.last_mut() else { break };
        if gap.contains([',', ':', '(', ')']) {
            clause.push(Token::Break);
        }
        if joins_clauses(rest) {
            if word.is("when") {
                clause.push(Token::Cue(Cue::Moment, word.text));
            }
            end = word.span.end;
            place += 1;
            continue;
        }
        let inside = |span: &std::ops::Range<usize>| {
            span.start <= word.span.start && word.span.end <= span.end
                || span.start == word.span.start
        };
        let taken =
            |span_end: usize| rest.iter().take_while(|word| word.span.start < span_end).count();
        if let Some(time) = figures.times.iter().find(|time| inside(&time.span)) {
            clause.push(Token::Time(time.clone()));
            place += taken(time.span.end).max(1);
        } else if let Some(figure) = figures.figures.iter().find(|figure| inside(&figure.span)) {
            let mut covered = figure.span.end;
            clause.push(Token::Figure(stated(text, figure)));
            // "87-93" is one word and two figures.
            for next in &figures.figures {
                if next.span.start >= covered && next.span.start < word.span.end {
                    covered = next.span.end;
                    clause.push(Token::Figure(stated(text, next)));
                }
            }
            place += taken(covered).max(1);
        } else if figures.codes.iter().any(|code| code.kind == CodeKind::Date && inside(&code.span))
        {
            clause.push(Token::Word(word.clone()));
            place += 1;
        } else if let Some((cue, length)) = cue_at(rest) {
            clause.push(Token::Cue(cue, word.text));
            place += length;
        } else {
            clause.push(Token::Word(word.clone()));
            place += 1;
        }
        end = all.get(place.saturating_sub(1)).map_or(end, |word| word.span.end);
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

/// Whether a word begins another clause.
fn joins_clauses(rest: &[Word<'_>]) -> bool {
    const JOINING: [&str; 10] =
        ["although", "though", "while", "whereas", "but", "because", "when", "so", "then", "once"];
    let Some(first) = rest.first() else { return false };
    if JOINING.iter().any(|word| first.is(word)) {
        return true;
    }
    let compares = ["well", "of", "a", "much", "high", "low", "many"];
    first.is("as") && rest.get(1).is_some_and(|next| !compares.iter().any(|word| next.is(word)))
}

/// A figure as the clause means it: "shot up to 31 s" states a value, no bound.
fn stated(text: &str, figure: &Figure) -> Figure {
    let before = text.get(..figure.span.start).unwrap_or("");
    let mut last = words(before).collect::<Vec<_>>();
    while last.last().is_some_and(|word| {
        ["about", "roughly", "some", "around", "nearly", "almost", "just", "over"]
            .iter()
            .any(|a| word.is(a))
    }) {
        last.pop();
    }
    let is_up_to = matches!(last.as_slice(), [.., up, to] if up.is("up") && to.is("to"));
    let rose = is_up_to && last.len() > 2;
    let is_near = last.last().is_some_and(|word| word.is("near"));
    let ends_with =
        |noun: &str| matches!(last.as_slice(), [.., most, of] if most.is(noun) && of.is("of"));
    let is_extreme = ends_with("maximum") || ends_with("minimum");
    match figure.comparator {
        Some(Comparator::AtMost | Comparator::AtLeast) if is_extreme => {
            Figure { comparator: None, ..figure.clone() }
        }
        Some(Comparator::AtMost) if rose => Figure { comparator: None, ..figure.clone() },
        None if is_near => Figure { approximate: true, ..figure.clone() },
        _ => figure.clone(),
    }
}

/// Parts a clause at an "and" that joins two predicates.
pub(super) fn halves<'a, 'c>(clause: &'a [Token<'c>]) -> Vec<&'a [Token<'c>]> {
    let says = |tokens: &[Token<'_>]| {
        tokens.iter().any(|token| {
            matches!(
                token,
                Token::Cue(
                    Cue::Rise
                        | Cue::Fall
                        | Cue::Keep
                        | Cue::Reach
                        | Cue::Peak
                        | Cue::Pass
                        | Cue::Be
                        | Cue::Return
                        | Cue::Flat
                        | Cue::Never
                        | Cue::AtStart
                        | Cue::AtEnd
                        | Cue::Settle,
                    _
                )
            )
        })
    };
    for (place, token) in clause.iter().enumerate() {
        let Some((left, right)) = clause.split_at_checked(place) else { continue };
        let is_and = matches!(token, Token::Cue(Cue::And, _));
        let joins_figures = matches!(left.last(), Some(Token::Figure(_) | Token::Time(_)))
            && left.iter().any(|token| matches!(token, Token::Cue(Cue::Between, _)));
        if is_and && !joins_figures && says(left) && right.get(1..).is_some_and(says) {
            let mut both = vec![left];
            both.extend(right.get(1..).map(halves).into_iter().flatten());
            return both;
        }
    }
    vec![clause]
}
