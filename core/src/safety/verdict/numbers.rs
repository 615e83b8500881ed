//! Finds the signals that numbers in prose measure: `0 timeouts`, `error rate rose to 12%`, `0/5 ready`.

use core::ops::Range;

use gsar_extraction::text::figures::{CodeKind, Comparator, Dimension, figures};

use super::Polarity;
use super::findings::FindingKind;
use super::judge_value::{Context, Reference, Sample};
use super::lexicon::{Bound, LEXICON, NumberCue, Sense};
use super::quantity::Quantity;
use super::signal::{is_generic, polarity_of, words};
use super::statement::Token;

const NAME_WORDS: usize = 4;

const NUMBER_FOLLOWS: [char; 12] = [' ', '\t', '(', '[', ':', '=', '|', '"', '>', '<', '~', '-'];

const MAX_LINKS: usize = 8;

/// The findings from the numbers in a line, except for samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    pub(super) faults: u32,
    /// The number of failing codes that are negated.
    pub(super) doubts: u32,
    pub(super) has_sample: bool,
    /// `true` if the line contains a 0 that measures no signal.
    pub(super) has_zero_without_signal: bool,
}

struct Number<'a> {
    tokens: Range<usize>,
    value: Quantity<'a>,
    /// The total, if the number is a part of it.
    whole: Option<Quantity<'a>>,
    comparator: Option<Comparator>,
    cue: Option<NumberCue>,
}

/// Judges the numbers in a line and marks the words that belong to them.
pub(super) fn judge_numbers<'a>(
    line: &'a str,
    tokens: &mut [Token<'a>],
    context: &mut Context<'_>,
) -> Numbers {
    let mut result = Numbers::default();
    let line_figures = figures(line);
    let mut numbers: Vec<Number<'_>> = Vec::new();
    for figure in line_figures.figures {
        let Some(value) = line.get(figure.span.clone()).and_then(Quantity::parse) else { continue };
        let range = token_range(tokens, &figure.span);
        // The numbers in `N+1`, `#3` and `v-2` are parts of words.
        let is_boundary = |gap: &str| gap.is_empty() || gap.ends_with(&NUMBER_FOLLOWS[..]);
        let is_whole_word = tokens.get(range.start).is_some_and(|token| is_boundary(token.gap));
        let between =
            numbers.last().and_then(|last| words_between(line, tokens, last, range.start));
        if let (Some(last), Some("/" | "of" | "out of")) = (numbers.last_mut(), between) {
            last.whole = Some(value);
            last.tokens.end = range.end;
            continue;
        }
        if !is_whole_word {
            continue;
        }
        let cue = cue_before(tokens, range.start);
        numbers.push(Number {
            tokens: range,
            value,
            whole: None,
            comparator: figure.comparator,
            cue,
        });
    }
    for number in &numbers {
        set_used(tokens, number.tokens.clone());
    }
    for index in 0..numbers.len() {
        let has_signal = judge_number(line, tokens, &numbers, index, context);
        let is_zero = numbers.get(index).is_some_and(|number| number.value.is_zero());
        result.has_zero_without_signal |= is_zero && !has_signal;
        result.has_sample |= has_signal;
    }
    for code in line_figures.codes {
        let is_exit = code.kind == CodeKind::ExitCode;
        let range = token_range(tokens, &code.span);
        let Some(text) =
            line.get(code.span).filter(|_| is_exit || code.kind == CodeKind::HttpStatus)
        else {
            continue;
        };
        let has_used_token =
            tokens.get(range.clone()).unwrap_or_default().iter().any(|token| token.is_used);
        if is_failing_code(text, is_exit) && !has_used_token {
            let preceding_tokens =
                tokens.get(range.start.saturating_sub(3)..range.start).unwrap_or_default();
            let is_negated = preceding_tokens.iter().any(|token| token.cue.is_some());
            result.doubts += u32::from(is_negated);
            result.faults += u32::from(!is_negated);
        }
    }
    result
}

/// Returns `true` for an HTTP status of 500 or above, or a nonzero exit status.
pub(super) fn is_failing_code(code: &str, is_exit: bool) -> bool {
    let digits = code.parse::<u32>();
    digits.is_ok_and(|code| if is_exit { code != 0 } else { (500..600).contains(&code) })
}

/// Judges a number. Returns `false` if it measures no signal.
fn judge_number<'a>(
    line: &'a str,
    tokens: &mut [Token<'a>],
    numbers: &[Number<'a>],
    index: usize,
    context: &mut Context<'_>,
) -> bool {
    let Some(number) = numbers.get(index) else { return true };
    if matches!(
        number.cue,
        Some(
            NumberCue::Threshold
                | NumberCue::Upper
                | NumberCue::Lower
                | NumberCue::From
                | NumberCue::Identifier
        )
    ) {
        return true;
    }
    let previous = number.tokens.start.checked_sub(1).and_then(|previous| tokens.get(previous));
    if previous.is_some_and(|token| token.cue.is_some()) {
        return false;
    }
    let Some(name) = signal_name(line, tokens, number) else { return false };
    let reference = match number.whole {
        Some(quantity) => Some(Reference { quantity, bound: Bound::Whole }),
        None => reference(numbers, index),
    };
    if !name.is_linked && reference.is_none() {
        return false;
    }
    if is_generic(name.text) && reference.is_none() && context.expectation.is_none() {
        return false;
    }
    set_used(tokens, name.tokens.clone());
    if !is_generic(name.text) && !context.is_measured(name.text) {
        context.add_doubt("the healthy value of the number is unknown");
        return true;
    }
    if matches!(number.comparator, Some(Comparator::AtMost | Comparator::Under)) {
        context.add_doubt("an upper bound is inconclusive");
    } else if name.is_falling && !number.value.is_zero() && reference.is_none() {
        context.add_doubt("a falling value above 0 is inconclusive");
    } else {
        let sample = Sample { reference, ..Sample::new(name.text, number.value) };
        let kind = context.judge_sample(&sample);
        if let Some(token) = tokens.get_mut(number.tokens.start) {
            token.negates =
                kind == FindingKind::SignalHealth && name.tokens.start >= number.tokens.end;
        }
    }
    true
}

/// Returns the reference directly after the number, or else the one directly before it.
fn reference<'a>(numbers: &[Number<'a>], index: usize) -> Option<Reference<'a>> {
    let as_reference = |number: &Number<'a>| {
        let bound = number.cue?.bound()?;
        Some(Reference { quantity: number.value, bound })
    };
    let previous = index.checked_sub(1).and_then(|previous| numbers.get(previous));
    numbers.get(index + 1).and_then(as_reference).or_else(|| previous.and_then(as_reference))
}

struct Name<'a> {
    text: &'a str,
    tokens: Range<usize>,
    is_falling: bool,
    /// `true` if the last word is part of a signal's name, or if a linking word follows.
    is_linked: bool,
}

/// Finds the name of the signal that a number measures: an assigned name, or else the words after or before the number.
fn signal_name<'a>(line: &'a str, tokens: &[Token<'a>], number: &Number<'a>) -> Option<Name<'a>> {
    let range = &number.tokens;
    let (before, is_assigned) = match name_before(line, tokens, range.start) {
        Some((name, is_assigned)) => (Some(name), is_assigned),
        None => (None, false),
    };
    let has_polarity = |name: &Option<Name<'_>>| {
        name.as_ref().is_some_and(|name| polarity_of(name.text).is_some())
    };
    let next_cue =
        tokens.get(range.end).and_then(|next_cue| LEXICON.number_cues.get(next_cue.text));
    if next_cue == Some(NumberCue::Times) {
        // `failed 0 times`
        return before.filter(|name| polarity_of(name.text) == Some(Polarity::Fault));
    }
    let is_duration = number.value.unit.dimension == Dimension::Duration;
    let after = if is_duration { None } else { name_after(line, tokens, range.end) };
    // `up to 5 errors`
    if number.comparator.is_some() && has_polarity(&after) {
        return after;
    }
    if is_assigned && (has_polarity(&before) || !has_polarity(&after)) {
        return before;
    }
    match (has_polarity(&before), has_polarity(&after)) {
        // `errors 0 timeouts 3` is ambiguous.
        (true, true) => {
            let tokens = before?.tokens.start..after?.tokens.end;
            Some(Name { text: "unclear", tokens, is_falling: false, is_linked: true })
        }
        (false, true) => after,
        (true, false) => before,
        (false, false) => before.filter(|name| is_generic(name.text)),
    }
}

/// Returns the name before a number. The flag is `true` if the name is linked to the number.
fn name_before<'a>(line: &'a str, tokens: &[Token<'a>], index: usize) -> Option<(Name<'a>, bool)> {
    let assigns =
        |index: usize| tokens.get(index).is_some_and(|token| token.gap_has(&[':', '=', '>', '|']));
    let (mut end, mut is_falling, mut has_link) = (index, false, assigns(index));
    if !has_link && tokens.get(index).is_some_and(|number| number.gap_has(&[','])) {
        return None;
    }
    while end > 0 && index - end < MAX_LINKS && !ends_name(tokens.get(end)?) {
        let token = tokens.get(end - 1)?;
        match LEXICON.number_cues.get(token.text) {
            // A word before an assignment is a name (`dropped: 0`).
            Some(NumberCue::Rise | NumberCue::Fall) if assigns(end) => break,
            Some(NumberCue::Fall) => is_falling = true,
            Some(NumberCue::Link | NumberCue::Rise | NumberCue::From) => {}
            _ if token.is_used && (end < index) => {}
            _ => break,
        }
        has_link = true;
        end -= 1;
    }
    let mut start = end;
    while start > 0
        && end - start < NAME_WORDS
        && tokens
            .get(start)
            .is_none_or(|token| !ends_name(token) && (start == end || !has_mark(token)))
        && tokens.get(start - 1).is_some_and(is_name_word)
    {
        start -= 1;
    }
    if start == end {
        return None;
    }
    let text = line.get(tokens.get(start)?.span.start..tokens.get(end - 1)?.span.end)?;
    let text = text.trim_end_matches(':');
    // `error-reporter flushed 14 events`
    let last = words(text).last().unwrap_or_default();
    let is_linked = has_link || LEXICON.signals.has(last) || is_generic(last);
    Some((Name { text, tokens: start..index, is_falling, is_linked }, has_link))
}

/// Returns the words after a number, up to the first word with a polarity.
fn name_after<'a>(line: &'a str, tokens: &[Token<'a>], index: usize) -> Option<Name<'a>> {
    let first = tokens.get(index)?;
    for end in index..index + NAME_WORDS {
        let token = tokens.get(end)?;
        if ends_name(token) || has_mark(token) || !(is_name_word(token) || is_aux(token)) {
            return None;
        }
        let text = line.get(first.span.start..token.span.end)?;
        // In `500 errors: 0`, the number is part of the name.
        let is_assigned = tokens.get(end + 1).is_some_and(|next| next.gap_has(&[':', '=']));
        if polarity_of(text).is_some() {
            let name = Name { text, tokens: index..end + 1, is_falling: false, is_linked: true };
            return (!is_assigned).then_some(name);
        }
    }
    None
}

fn ends_name(token: &Token<'_>) -> bool {
    token.gap_has(&[';', '!', '?', '(', ')']) || token.gap.contains(". ")
}

/// Returns `true` if the word follows punctuation other than a percent sign.
fn has_mark(token: &Token<'_>) -> bool {
    !matches!(token.gap.trim_start_matches('%'), "" | " ")
}

fn is_aux(token: &Token<'_>) -> bool {
    matches!(token.sense, Some((Sense::Aux, _)))
}

fn is_name_word(token: &Token<'_>) -> bool {
    let is_break = matches!(
        token.sense,
        Some((Sense::Contrast | Sense::Doubt | Sense::Intent | Sense::Aux, _))
    ) || ["and", "or"].iter().any(|word| word.eq_ignore_ascii_case(token.text));
    let is_negation = token.cue.is_some() && !token.text.eq_ignore_ascii_case("not");
    !token.is_used && !is_break && !is_negation
}

fn cue_before(tokens: &[Token<'_>], index: usize) -> Option<NumberCue> {
    for distance in 1..=4 {
        let token = tokens.get(index.checked_sub(distance)?)?;
        match LEXICON.number_cues.get(token.text) {
            Some(NumberCue::Link) => {}
            Some(cue) => return Some(cue),
            None => {
                let last = words(token.text).last().and_then(|last| LEXICON.number_cues.get(last));
                return last.filter(|cue| cue.bound().is_some());
            }
        }
    }
    None
}

fn words_between<'a>(
    line: &'a str,
    tokens: &[Token<'_>],
    last: &Number<'_>,
    next: usize,
) -> Option<&'a str> {
    let from = tokens.get(last.tokens.end.checked_sub(1)?)?.span.end;
    Some(line.get(from..tokens.get(next)?.span.start)?.trim())
}

fn token_range(tokens: &[Token<'_>], span: &Range<usize>) -> Range<usize> {
    let start = tokens.partition_point(|token| token.span.end <= span.start);
    let end = tokens.partition_point(|token| token.span.start < span.end);
    start..end.max(start)
}

fn set_used(tokens: &mut [Token<'_>], range: Range<usize>) {
    for token in tokens.get_mut(range).into_iter().flatten() {
        token.is_used = true;
    }
}
