//! Judges prose line by line: first the numbers, then the words.

use core::ops::Range;

use gsar_extraction::text::polarity::{Marker, MarkerKind, markers};
use gsar_extraction::text::tokens;

use super::findings::FindingKind;
use super::judge_value::{Context, NOT_A_NUMBER, Sample, is_not_a_number};
use super::lexicon::{LEXICON, Level, Sense};
use super::quantity::Quantity;
use super::summary::excerpt;
use super::{numbers, phrases};

const PHRASE_WORDS: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) span: Range<usize>,
    /// The text since the previous word.
    pub(super) gap: &'a str,
    /// The meaning of the phrase that starts here, with its length in words.
    pub(super) sense: Option<(Sense, usize)>,
    /// The negation or hedge that starts here, with its length in words.
    pub(super) cue: Option<(MarkerKind, usize)>,
    /// `true` if the word belongs to a number.
    pub(super) is_used: bool,
    /// `true` if the word is the zero of a bad signal, such as `0 errors`. It negates the following words.
    pub(super) negates: bool,
}

impl Token<'_> {
    pub(super) fn gap_has(&self, marks: &[char]) -> bool {
        self.gap.contains(marks)
    }
}

/// Judges the lines of a text. Returns `false` if a line is a sample, since the other fields are then only labels.
pub(super) fn judge_text(text: &str, level: Level, context: &mut Context<'_>) -> bool {
    let mut is_sample = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if is_tool_failure(line) {
            context.add_doubt("the line reports a tool failure");
        } else if ["# HELP", "# TYPE", "# UNIT", "# EOF"]
            .iter()
            .any(|start| line.starts_with(start))
        {
        } else if judge_exposition(line, context) {
            is_sample = true;
        } else {
            judge_line(line, level, context);
        }
    }
    !is_sample
}

pub(super) fn sense(phrase: &str) -> Option<Sense> {
    LEXICON.words.get(phrase).or_else(|| is_exception(phrase).then_some(Sense::Fault))
}

/// Returns `true` for an exception name such as `java.net.SocketTimeoutException` or `ConnectionError`.
fn is_exception(word: &str) -> bool {
    ["Exception", "Error"].iter().any(|suffix| {
        let stem = word.strip_suffix(suffix).unwrap_or_default();
        stem.ends_with(|c: char| c.is_ascii_lowercase())
            && stem.contains(|c: char| c.is_ascii_uppercase())
            && !stem.contains(' ')
    })
}

fn is_tool_failure(line: &str) -> bool {
    line.ends_with("command not found")
        || LEXICON.tool_failures.keys().any(|prefix| {
            line.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        })
}

/// Judges a sample `name{label="x"} value [time]`. Returns `false` if the line is not a sample.
fn judge_exposition(line: &str, context: &mut Context<'_>) -> bool {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let end = line.find(|c: char| !is_name_char(c)).unwrap_or(line.len());
    let Some((name, rest)) = line.split_at_checked(end) else { return false };
    let labels_end =
        if rest.starts_with('{') { rest.rfind('}').map(|brace| brace + 1) } else { None };
    let is_plain = rest.starts_with(' ') && (name.contains('_') || name == "up");
    if name.is_empty() || name.ends_with(':') || !(labels_end.is_some() || is_plain) {
        return false;
    }
    let mut fields = rest.get(labels_end.unwrap_or(0)..).unwrap_or_default().split_whitespace();
    let (Some(value), time, None) = (fields.next(), fields.next(), fields.next()) else {
        return false;
    };
    if time.is_some_and(|time| !time.bytes().all(|byte| byte.is_ascii_digit())) {
        return false;
    }
    match Quantity::parse(value) {
        Some(value) => {
            context.judge_sample(&Sample::new(name, value));
        }
        None if is_not_a_number(value) => context.add_doubt(NOT_A_NUMBER),
        None => return false,
    }
    true
}

fn tokenize(line: &str) -> Vec<Token<'_>> {
    let mut end = 0;
    let token = |word: tokens::Word<'_>| {
        let gap = line.get(end..word.span.start).unwrap_or_default();
        end = word.span.end;
        let text = line.get(word.span.clone()).unwrap_or_default();
        Token { text, span: word.span, gap, sense: None, cue: None, is_used: false, negates: false }
    };
    let mut tokens: Vec<Token<'_>> = tokens::words(line).map(token).collect();
    let senses: Vec<Option<(Sense, usize)>> =
        (0..tokens.len()).map(|index| phrase_at(line, &tokens, index)).collect();
    let is_cue = |marker: &Marker| {
        let begins_with_digit =
            line.as_bytes().get(marker.span.start).is_some_and(u8::is_ascii_digit);
        matches!(marker.kind, MarkerKind::Negation | MarkerKind::Hedge) && !begins_with_digit
    };
    let mut cues = markers(line).into_iter().filter(is_cue).peekable();
    for (token, sense) in tokens.iter_mut().zip(senses) {
        token.sense = sense;
        if let Some(cue) = cues.next_if(|cue| cue.span.start <= token.span.start) {
            let word_count = line.get(cue.span).unwrap_or_default().split_whitespace().count();
            token.cue = Some((cue.kind, word_count.max(1)));
        }
    }
    tokens
}

fn phrase_at(line: &str, tokens: &[Token<'_>], index: usize) -> Option<(Sense, usize)> {
    let start = tokens.get(index)?.span.start;
    (1..=PHRASE_WORDS).rev().find_map(|count| {
        let end = tokens.get(index + count - 1)?.span.end;
        Some((sense(line.get(start..end)?)?, count))
    })
}

fn judge_line(line: &str, level: Level, context: &mut Context<'_>) {
    let mut tokens = tokenize(line);
    let level = match (level, take_level(&mut tokens)) {
        (Level::Other, line_level) => line_level,
        (level, _) => level,
    };
    let numbers = numbers::judge_numbers(line, &mut tokens, context);
    for index in 0..tokens.len() {
        judge_truth(&mut tokens, index, context);
    }
    let mut counts = phrases::count_statements(&tokens, line.ends_with('?'));
    counts.faults += numbers.faults;
    counts.doubts += numbers.doubts;
    if level == Level::Error && tokens.len() == 1 && sense(line) == Some(Sense::None) {
        counts.cleared += 1;
    }
    let is_silent = counts.cleared + counts.recovered + counts.doubts + counts.faults == 0;
    if level == Level::Error && is_silent && !numbers.has_sample {
        counts.faults = 1;
    }
    // Headings, quiet lines, and lines with a 0 that measures no signal do not report faults.
    let is_heading = line.ends_with(':') || line.starts_with('#');
    if is_heading || numbers.has_zero_without_signal || level == Level::Quiet {
        counts.doubts += counts.faults;
        counts.faults = 0;
    }
    for (kind, count, description) in [
        (FindingKind::StatedFault, counts.faults, "a line states a fault"),
        (FindingKind::StatedAbsence, counts.cleared, "a line states the absence of a fault"),
        (FindingKind::Recovered, counts.recovered, "a line states the end of a fault"),
        (FindingKind::StatedHealth, counts.fine, "a line states health"),
        (FindingKind::Inconclusive, counts.doubts, "a line mentions a fault inconclusively"),
    ] {
        if count > 0 {
            context.add_finding(kind, || format!("{description}: {}", excerpt(line, 120)));
        }
    }
}

/// Returns the level at the start of a line, and clears the meaning of the word that states it.
fn take_level(tokens: &mut [Token<'_>]) -> Level {
    for index in 0..tokens.len().min(3) {
        let has_value = tokens.get(index + 1).is_some_and(|next| {
            next.gap_has(&[':', '='])
                && matches!(next.sense, Some((Sense::None | Sense::Absent, _)))
        });
        let Some(token) = tokens.get_mut(index).filter(|token| !has_value && token.cue.is_none())
        else {
            break;
        };
        let is_upper =
            token.text.len() > 1 && token.text.bytes().all(|byte| byte.is_ascii_uppercase());
        if let Some(level) = LEXICON.levels.get(token.text).filter(|_| is_upper) {
            token.sense = None;
            return level;
        }
        if token.text.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
    }
    Level::Other
}

/// Judges a condition such as `Ready: False`, `Ready=False` or `Ready   False`.
fn judge_truth(tokens: &mut [Token<'_>], index: usize, context: &mut Context<'_>) {
    let Some([name, value]) =
        index.checked_sub(1).and_then(|name_index| tokens.get_mut(name_index..=index))
    else {
        return;
    };
    let is_true = value.text.eq_ignore_ascii_case("true");
    let is_assigned = value.gap_has(&[':', '=']);
    let is_condition = is_assigned || name.text.starts_with(|c: char| c.is_ascii_uppercase());
    let is_truth = is_true || value.text.eq_ignore_ascii_case("false");
    if is_truth && is_condition && !name.is_used && context.judge_condition(name.text, is_true) {
        (name.is_used, value.is_used) = (true, true);
    }
}
