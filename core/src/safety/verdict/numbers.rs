//! Numbers in a line of free text, with the signals they measure: `0 timeouts`, `error rate rose to 12%`,
//! `0/5 ready`, `value 0.93 threshold 0.80`.

use core::ops::Range;

use super::Polarity;
use super::decimal::{Decimal, Quantity};
use super::findings::Kind as Found;
use super::lexicon::Sense;
use super::lookup::{lookup, words};
use super::polarity::{is_generic, polarity_of, when_well};
use super::sample::{Bound, Context, Exposure, Reference, Sample};
use super::tokens::{Kind, Token};

/// How many words a signal's name may have.
const NAME_WORDS: usize = 4;

/// How many linking words and marks may stand between a name and its number.
const MAX_LINKS: usize = 12;

/// What a word beside a number does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Joins a name to its number: `is`, `at`, `reached`.
    Link,
    /// A fall: a value that falls and is not 0 decides nothing.
    Fall,
    /// A rise.
    Rise,
    /// Begins the value that is no longer: `from 12% to 3%`.
    From,
    /// Makes an upper bound of the number: `fewer than 5`, `up to 5`.
    AtMost,
    /// Makes a lower bound of the number: `at least 5`.
    AtLeast,
    /// Makes a reference of the number.
    Reference(Bound),
    /// Makes an identifier of the number: `node 3`.
    Identifier,
    /// Makes a status code of the number: `status 503`, `exit code 137`.
    Code,
    /// A unit of time: `5 minutes`.
    Span,
    /// Counts what is said before the number: `failed 3 times`.
    Times,
}

/// The words beside numbers, sorted.
const BESIDE: &[(&str, Role)] = &[
    ("about", Role::Link),
    ("above", Role::Reference(Bound::ByPolarity)),
    ("ago", Role::Span),
    ("are", Role::Link),
    ("at", Role::Link),
    ("attempt", Role::Identifier),
    ("averages", Role::Link),
    ("be", Role::Link),
    ("below", Role::AtMost),
    ("build", Role::Identifier),
    ("ceiling", Role::Reference(Bound::Upper)),
    ("climbed", Role::Rise),
    ("code", Role::Code),
    ("container", Role::Identifier),
    ("core", Role::Identifier),
    ("currently", Role::Link),
    ("day", Role::Span),
    ("days", Role::Span),
    ("declined", Role::Fall),
    ("decreased", Role::Fall),
    ("deploy", Role::Identifier),
    ("deployment", Role::Identifier),
    ("down", Role::Fall),
    ("dropped", Role::Fall),
    ("equals", Role::Link),
    ("exited", Role::Code),
    ("fell", Role::Fall),
    ("fewer", Role::AtMost),
    ("floor", Role::Reference(Bound::Lower)),
    ("from", Role::From),
    ("grew", Role::Rise),
    ("hit", Role::Link),
    ("hour", Role::Span),
    ("hours", Role::Span),
    ("http", Role::Code),
    ("increased", Role::Rise),
    ("instance", Role::Identifier),
    ("is", Role::Link),
    ("job", Role::Identifier),
    ("jumped", Role::Rise),
    ("least", Role::AtLeast),
    ("less", Role::AtMost),
    ("limit", Role::Reference(Bound::Upper)),
    ("line", Role::Identifier),
    ("max", Role::Reference(Bound::Upper)),
    ("maximum", Role::Reference(Bound::Upper)),
    ("min", Role::Span),
    ("minimum", Role::Reference(Bound::Lower)),
    ("mins", Role::Span),
    ("minute", Role::Span),
    ("minutes", Role::Span),
    ("more", Role::AtLeast),
    ("most", Role::AtMost),
    ("node", Role::Identifier),
    ("now", Role::Link),
    ("objective", Role::Reference(Bound::ByPolarity)),
    ("over", Role::AtLeast),
    ("partition", Role::Identifier),
    ("peaked", Role::Rise),
    ("pid", Role::Identifier),
    ("pod", Role::Identifier),
    ("port", Role::Identifier),
    ("pr", Role::Identifier),
    ("rank", Role::Identifier),
    ("reached", Role::Rise),
    ("reads", Role::Link),
    ("release", Role::Identifier),
    ("replica", Role::Identifier),
    ("returned", Role::Code),
    ("returning", Role::Code),
    ("revision", Role::Identifier),
    ("rose", Role::Rise),
    ("second", Role::Span),
    ("seconds", Role::Span),
    ("shard", Role::Identifier),
    ("shows", Role::Link),
    ("slo", Role::Reference(Bound::ByPolarity)),
    ("stands", Role::Link),
    ("status", Role::Code),
    ("statuscode", Role::Code),
    ("step", Role::Identifier),
    ("target", Role::Reference(Bound::ByPolarity)),
    ("than", Role::AtMost),
    ("thread", Role::Identifier),
    ("threshold", Role::Reference(Bound::ByPolarity)),
    ("times", Role::Times),
    ("to", Role::Link),
    ("turn", Role::Identifier),
    ("under", Role::AtMost),
    ("version", Role::Identifier),
    ("was", Role::Link),
    ("were", Role::Link),
    ("worker", Role::Identifier),
];

/// What the words of a line say by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Codes {
    /// Status codes that state a fault.
    pub(super) faults: u32,
}

/// Weighs every number of a line and masks what it used.
pub(super) fn read<'a>(
    line: &'a str,
    tokens: &mut [Token<'a>],
    context: &mut Context<'_>,
) -> Codes {
    let mut codes = Codes::default();
    let mut at = 0;
    while at < tokens.len() {
        match tokens.get(at).map(|token| (token.kind, token.masked)) {
            Some((Kind::Number(quantity), false)) => {
                number(line, tokens, at, quantity, context, &mut codes);
            }
            Some((Kind::Ratio(part, whole), false)) => {
                ratio(line, tokens, at..at + 1, (part, whole), context);
            }
            _ => {}
        }
        at += 1;
    }
    for at in 0..tokens.len() {
        stated_truth(line, tokens, at, context);
    }
    codes
}

fn number<'a>(
    line: &'a str,
    tokens: &mut [Token<'a>],
    at: usize,
    quantity: Quantity<'a>,
    context: &mut Context<'_>,
    codes: &mut Codes,
) {
    if let Some((whole, end)) = of_whole(tokens, at) {
        return ratio(line, tokens, at..end, (quantity, whole), context);
    }
    match role_before(tokens, at) {
        // A threshold is read with the value that it bounds.
        Some(Role::Identifier) => return mask(tokens, at..at + 1),
        Some(Role::Reference(_) | Role::From) => return,
        Some(Role::AtMost) => {
            let name = name_after(line, tokens, at + 1).or_else(|| named(line, tokens, at..at + 1));
            if let Some(name) = name {
                mask(tokens, name.tokens);
                context.doubt("an upper bound decides nothing");
            }
            return;
        }
        Some(Role::Code) => {
            mask(tokens, at..at + 1);
            let negated = (1..=3).filter_map(|back| tokens.get(at.checked_sub(back)?));
            if negated.into_iter().any(|token| token.sense() == Some(Sense::Negator)) {
                return context.doubt("a negated code decides nothing");
            }
            if is_failing_code(quantity, is_exit(tokens, at)) {
                codes.faults += 1;
            }
            return;
        }
        _ => {}
    }
    if follows_negation(tokens, at) {
        return;
    }
    let name = match role_of(tokens, at + 1) {
        // `failed 0 times`
        Some(Role::Times) => name_before(line, tokens, at)
            .filter(|name| polarity_of(name.text) == Some(Polarity::Fault)),
        Some(Role::Span) => None,
        _ => named(line, tokens, at..at + 1),
    };
    let Some(name) = name else { return };
    let reference = reference(tokens, at);
    if is_generic(name.text) && reference.is_none() && context.expectation.is_none() {
        return;
    }
    let falling = name.falling && !quantity.value.is_zero();
    mask(tokens, name.tokens.clone());
    mask(tokens, at..at + 1);
    if let Some((_, index)) = reference {
        mask(tokens, index..index + 1);
    }
    if falling && reference.is_none() {
        return context.doubt("a value that falls and is not 0 decides nothing");
    }
    context.sample(&Sample {
        name: name.text,
        value: quantity,
        reference: reference.map(|(reference, _)| reference),
        exposure: Exposure::Gauge,
    });
}

fn ratio<'a>(
    line: &'a str,
    tokens: &mut [Token<'a>],
    at: Range<usize>,
    (part, whole): (Quantity<'a>, Quantity<'a>),
    context: &mut Context<'_>,
) {
    let Some(name) = named(line, tokens, at.clone()) else { return };
    mask(tokens, name.tokens.clone());
    mask(tokens, at);
    let reference = Some(Reference { quantity: whole, bound: Bound::Whole });
    let sample = Sample { reference, ..Sample::new(name.text, part) };
    if context.sample(&sample) == Found::Doubt {
        context.doubt("a ratio of something unknown decides nothing");
    }
}

/// Marks tokens as used up.
fn mask(tokens: &mut [Token<'_>], used: Range<usize>) {
    for token in tokens.get_mut(used).into_iter().flatten() {
        token.masked = true;
    }
}

/// A signal's name and the tokens that make it.
struct Name<'a> {
    text: &'a str,
    tokens: Range<usize>,
    falling: bool,
}

/// The name of the signal that the number at `at` measures: before it when it is assigned, else the words
/// after it, else the words right before it.
fn named<'a>(line: &'a str, tokens: &[Token<'a>], at: Range<usize>) -> Option<Name<'a>> {
    let assigned = at.start > 0
        && tokens.get(at.start - 1).is_some_and(|token| {
            is_assignment(tokens, at.start - 1)
                || matches!(role(token), Some(Role::Link | Role::Rise | Role::Fall))
        });
    let before = name_before(line, tokens, at.start);
    if assigned {
        return before;
    }
    // In `500 errors: 0` the number belongs to the name.
    let after =
        name_after(line, tokens, at.end).filter(|name| !is_assignment(tokens, name.tokens.end));
    let says = |name: &Option<Name<'_>>| {
        name.as_ref().is_some_and(|name| polarity_of(name.text).is_some())
    };
    match (says(&before), says(&after)) {
        // `errors 0 timeouts 3`: which it counts cannot be told.
        (true, true) => {
            let (before, after) = (before?, after?);
            let tokens = before.tokens.start..after.tokens.end;
            Some(Name { text: "unclear", tokens, falling: false })
        }
        (false, true) => after,
        (true, false) => before,
        (false, false) => before.filter(|name| is_generic(name.text) && !name.text.is_empty()),
    }
}

/// Whether a token assigns: `errors: 0`, `errors = 0`, `errors -> 0`, `| errors | 0 |`.
fn is_assignment(tokens: &[Token<'_>], at: usize) -> bool {
    let is = |at: Option<usize>, marks: &[char]| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| token.is_mark(marks))
    };
    is(Some(at), &[':', '=', '|']) || (is(Some(at), &['>']) && is(at.checked_sub(1), &['-', '=']))
}

/// The words before a number, without what links them to it.
fn name_before<'a>(line: &'a str, tokens: &[Token<'a>], at: usize) -> Option<Name<'a>> {
    let mut end = at;
    let mut falling = false;
    while end > 0 && at - end < MAX_LINKS {
        let token = tokens.get(end - 1)?;
        // What is assigned is a name, not a movement: `dropped: 0`.
        let moved = !(end < at && is_assignment(tokens, end));
        let linking = match role(token) {
            Some(Role::Link) => true,
            Some(Role::Rise) => moved,
            Some(Role::Fall) if !moved => false,
            Some(Role::Fall) => {
                falling = true;
                true
            }
            Some(Role::From) => end < at,
            None | Some(_) => {
                token.is_mark(&[':', '=', '"', '\'', '~', '|', '>', '-'])
                    || (matches!(token.kind, Kind::Number(_))
                        && role_before(tokens, end - 1) == Some(Role::From))
            }
        };
        if !linking {
            break;
        }
        end -= 1;
    }
    let mut start = end;
    while start > 0 && end - start < NAME_WORDS {
        let per = start > 1
            && tokens.get(start - 2).is_some_and(|word| word.text.eq_ignore_ascii_case("per"));
        if !is_name_word(tokens.get(start - 1)?) && !per {
            break;
        }
        start -= 1;
    }
    (start < end).then_some(())?;
    let (first, last) = (tokens.get(start)?, tokens.get(end - 1)?);
    let text = line.get(first.start..last.end())?;
    Some(Name { text, tokens: start..at, falling })
}

/// The words after a number, up to the first that says which way the signal points.
fn name_after<'a>(line: &'a str, tokens: &[Token<'a>], at: usize) -> Option<Name<'a>> {
    let first = tokens.get(at)?;
    let mut end = at;
    while end < at + NAME_WORDS {
        let token = tokens.get(end)?;
        let linking = matches!(token.sense(), Some(Sense::Aux | Sense::Of));
        if !(is_name_word(token) || linking) {
            return None;
        }
        end += 1;
        let text = line.get(first.start..token.end())?;
        if polarity_of(text).is_some() {
            return Some(Name { text, tokens: at..end, falling: false });
        }
    }
    None
}

/// Whether a token may stand in a signal's name.
fn is_name_word(token: &Token<'_>) -> bool {
    let Kind::Word(sense) = token.kind else { return false };
    let breaks = matches!(
        sense,
        Some(
            Sense::Nor
                | Sense::Lack
                | Sense::Unable
                | Sense::Cannot
                | Sense::Could
                | Sense::Contrast
                | Sense::Hedge
                | Sense::And
                | Sense::Or
                | Sense::To
                | Sense::Aux
                | Sense::On
                | Sense::Of
        )
    );
    let breaks = breaks && !token.text.eq_ignore_ascii_case("free");
    let negates = sense == Some(Sense::Negator) && !token.text.eq_ignore_ascii_case("not");
    !token.masked
        && !breaks
        && !negates
        && !matches!(role(token), Some(Role::Span | Role::Identifier))
}

/// The reference in the same statement as the number at `at`, and where its number stands.
fn reference<'a>(tokens: &[Token<'a>], at: usize) -> Option<(Reference<'a>, usize)> {
    let bound_at = |index: usize| match (tokens.get(index)?.kind, role_before(tokens, index)?) {
        (Kind::Number(quantity), Role::Reference(bound)) => {
            Some((Reference { quantity, bound }, index))
        }
        _ => None,
    };
    let is_value = |index: usize| {
        tokens.get(index).is_some_and(|token| {
            let value = matches!(token.kind, Kind::Number(_)) && bound_at(index).is_none();
            value || token.is_mark(&[';']) || token.sense() == Some(Sense::Contrast)
        })
    };
    let after = (at + 1..at + 9).take_while(|index| !is_value(*index)).find_map(bound_at);
    after.or_else(|| {
        let before = (at.saturating_sub(8)..at).rev().take_while(|index| !is_value(*index));
        before
            .filter(|index| tokens.get(*index).is_some_and(|token| !token.masked))
            .find_map(bound_at)
    })
}

/// What the nearest word before a number makes of it, marks and linking words set aside.
fn role_before(tokens: &[Token<'_>], at: usize) -> Option<Role> {
    let mut less = false;
    for back in 1..=4 {
        let Some(token) = at.checked_sub(back).and_then(|at| tokens.get(at)) else { break };
        less |= token.is_mark(&['<']);
        let skipped = token.is_mark(&[':', '=', '<', '>', '"'])
            || matches!(token.sense(), Some(Sense::Of))
            || ["with", "the", "a", "approximately", "up"]
                .iter()
                .any(|word| word.eq_ignore_ascii_case(token.text));
        let to = |at: usize| tokens.get(at).is_some_and(|word| word.sense() == Some(Sense::To));
        if token.text.eq_ignore_ascii_case("up") {
            return to(at - back + 1).then_some(Role::AtMost);
        }
        match role(token) {
            Some(Role::Link) if back < 4 => {}
            Some(Role::From) if token.text.eq_ignore_ascii_case("from") => return Some(Role::From),
            Some(Role::AtMost) if token.text.eq_ignore_ascii_case("than") => {
                let compared = at.checked_sub(back + 1).and_then(|at| role_of(tokens, at));
                return Some(compared.unwrap_or(Role::AtMost));
            }
            Some(role) => return Some(role),
            None if skipped => {}
            None => {
                let named = name_role(token);
                return named.or_else(|| less.then_some(Role::AtMost));
            }
        }
    }
    less.then_some(Role::AtMost)
}

/// What the last word of a compound name makes of a number: `status_code`, `cpu_threshold`.
fn name_role(token: &Token<'_>) -> Option<Role> {
    if !matches!(token.kind, Kind::Word(_)) {
        return None;
    }
    if token.text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("http/")) {
        return Some(Role::Code);
    }
    let last = words(token.text).last()?;
    lookup(BESIDE, last).filter(|role| matches!(role, Role::Reference(_) | Role::Code))
}

fn role(token: &Token<'_>) -> Option<Role> {
    match token.kind {
        Kind::Word(_) => lookup(BESIDE, token.text),
        _ => None,
    }
}

fn role_of(tokens: &[Token<'_>], at: usize) -> Option<Role> {
    role(tokens.get(at)?)
}

/// Whether a negation stands right before the number: `not 5 errors`.
fn follows_negation(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    before.is_some_and(|token| token.sense() == Some(Sense::Negator))
}

/// `2 of 5`, `2 out of 5`: the whole, and where it ends.
fn of_whole<'a>(tokens: &[Token<'a>], at: usize) -> Option<(Quantity<'a>, usize)> {
    let mut next = at + 1;
    if tokens.get(next)?.sense() == Some(Sense::Out) {
        next += 1;
    }
    if !tokens.get(next)?.text.eq_ignore_ascii_case("of") {
        return None;
    }
    match tokens.get(next + 1)?.kind {
        Kind::Number(whole) if whole.unit.is_none() => Some((whole, next + 2)),
        _ => None,
    }
}

fn is_exit(tokens: &[Token<'_>], at: usize) -> bool {
    (1..=4).filter_map(|back| tokens.get(at.checked_sub(back)?)).any(|token| {
        ["exit", "exited", "exitcode", "exit_code"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(token.text))
    })
}

/// Whether a code is that of a failure: an HTTP status from 500 on, or an exit status other than 0.
pub(super) fn is_failing_code(code: Quantity<'_>, exit: bool) -> bool {
    let at_least = |literal: &str| {
        Decimal::parse(literal).is_some_and(|bound| code.value.compare(bound).is_ge())
    };
    if exit { !code.value.is_zero() } else { at_least("500") && !at_least("600") }
}

/// `Ready: False`, `Ready=False`, `Ready   False`: a condition and whether it holds.
fn stated_truth(line: &str, tokens: &mut [Token<'_>], at: usize, context: &mut Context<'_>) {
    let Some(value) =
        tokens.get(at).filter(|token| !token.masked).and_then(|token| truth(token.text))
    else {
        return;
    };
    let marked = at.checked_sub(1).and_then(|before| tokens.get(before));
    let name_end = match marked {
        Some(token) if token.is_mark(&[':', '=', '"']) => (0..at)
            .rev()
            .find(|index| tokens.get(*index).is_some_and(|token| !token.is_mark(&[':', '=', '"']))),
        Some(_) => Some(at - 1),
        None => None,
    };
    let Some(name) = name_end.and_then(|index| tokens.get(index)) else { return };
    let is_word = matches!(name.kind, Kind::Word(_)) && !name.masked;
    let Some(text) = line.get(name.start..name.end()).filter(|_| is_word) else { return };
    // Between bare words only the name of a condition makes a statement of `true`.
    let adjacent = name_end == at.checked_sub(1);
    if adjacent && !text.starts_with(|c: char| c.is_ascii_uppercase()) {
        return;
    }
    if context.truth(text, value)
        && let Some(index) = name_end
    {
        mask(tokens, index..at + 1);
    }
}

/// Whether a text is true or false; `None` for anything else, `Unknown` included.
pub(super) fn truth(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// Whether a name is one of which true or false says something.
pub(super) fn is_condition(name: &str) -> bool {
    when_well(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::lookup::misplaced;
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert_eq!(misplaced(BESIDE), None);
    }
}
