//! Splitting a report into sentences and telling assertions from the rest.
//!
//! Markdown is read as people write it: headings, bullets, numbered lists, block quotes, tables, code
//! fences, emphasis. A full stop inside a number, time, file name, URL, version, code span or common
//! abbreviation ends nothing. Where the reading is doubtful the text is split and counts as asserted:
//! hiding a statement must be harder than stating it.

use alloc::vec::Vec;
use core::ops::Range;

use super::tokens::{Word, words};
use super::{byte_at, char_at, char_before, part};

/// One sentence of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its bytes: no bullet, no surrounding emphasis or white space. May hold line breaks.
    pub span: Range<usize>,
    /// What it is.
    pub kind: SentenceKind,
}

/// What a sentence does in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentenceKind {
    /// States something.
    Assertion,
    /// Names a section, or is a label that ends in a colon.
    Heading,
    /// Asks.
    Question,
    /// Proposes something to do.
    Recommendation,
    /// A row of a table.
    TableRow,
    /// A line inside a code fence.
    Code,
}

/// The sentences of a Markdown text, in order. Spans do not overlap.
#[must_use]
pub fn sentences(markdown: &str) -> Vec<Sentence> {
    let mut reader = Reader { text: markdown, found: Vec::new(), advice: Section::Other };
    reader.read();
    reader.found
}

/// Whether the section under the last heading is one of proposals.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Proposals,
    Other,
}

struct Reader<'a> {
    text: &'a str,
    found: Vec<Sentence>,
    advice: Section,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut paragraph: Option<Range<usize>> = None;
        let mut fence: Option<u8> = None;
        for line in lines(self.text) {
            let content = trimmed(self.text, line);
            if let Some(marker) = fence_marker(part(self.text, content.clone())) {
                self.flush(&mut paragraph);
                fence = match fence {
                    None => Some(marker),
                    Some(open) if open == marker => None,
                    open => open,
                };
                continue;
            }
            if fence.is_some() {
                self.push(content, SentenceKind::Code);
                continue;
            }
            let (content, begins_block) = without_marker(self.text, content);
            let line_text = part(self.text, content.clone());
            if !line_text.bytes().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()) {
                self.flush(&mut paragraph);
            } else if line_text.starts_with('#') {
                self.flush(&mut paragraph);
                self.heading(content);
            } else if is_table_row(line_text) {
                self.flush(&mut paragraph);
                self.push(content, SentenceKind::TableRow);
            } else if is_bold_line(line_text) {
                self.flush(&mut paragraph);
                self.flush(&mut Some(content));
            } else if let Some(open) = paragraph.as_mut().filter(|_| !begins_block) {
                open.end = content.end;
            } else {
                self.flush(&mut paragraph);
                paragraph = Some(content);
            }
        }
        self.flush(&mut paragraph);
    }

    fn heading(&mut self, line: Range<usize>) {
        let hashes = part(self.text, line.clone()).bytes().take_while(|byte| *byte == b'#').count();
        self.name_section(line.start + hashes..line.end);
    }

    fn name_section(&mut self, span: Range<usize>) {
        let span = bare(self.text, span);
        let proposes = |word: Word<'_>| PROPOSAL_SECTIONS.iter().any(|name| word.is(name));
        let proposals = words(part(self.text, span.clone())).any(proposes);
        self.advice = if proposals { Section::Proposals } else { Section::Other };
        self.push(span, SentenceKind::Heading);
    }

    fn flush(&mut self, paragraph: &mut Option<Range<usize>>) {
        let Some(block) = paragraph.take() else { return };
        let block = self.without_label(block);
        if is_label(self.text, &block) {
            self.name_section(block);
            return;
        }
        let mut start = block.start;
        while start < block.end {
            let end = end_of_sentence(self.text, start..block.end);
            let span = bare(self.text, start..end);
            let kind = self.kind_of(span.clone());
            self.push(span, kind);
            start = end;
        }
    }

    /// Takes a bold label such as `**Impact:**` off the start of a block.
    fn without_label(&mut self, block: Range<usize>) -> Range<usize> {
        let text = part(self.text, block.clone());
        let Some(inner) = text.strip_prefix("**") else { return block };
        let Some(close) = inner.find("**") else { return block };
        let (label, rest) = (part(inner, 0..close), part(inner, close + 2..inner.len()));
        let colon_outside = rest.starts_with(':');
        if close > 60 || rest.len() < 3 || !(label.ends_with(':') || colon_outside) {
            return block;
        }
        let end = block.start + 2 + close;
        self.push(block.start + 2..end, SentenceKind::Heading);
        end + 2 + usize::from(colon_outside)..block.end
    }

    fn kind_of(&self, span: Range<usize>) -> SentenceKind {
        let sentence = part(self.text, span);
        if sentence.trim_end_matches(['*', '_', '"', '\'', ')', ' ']).ends_with(['?', '？']) {
            SentenceKind::Question
        } else if is_recommendation(sentence, self.advice) {
            SentenceKind::Recommendation
        } else {
            SentenceKind::Assertion
        }
    }

    fn push(&mut self, span: Range<usize>, kind: SentenceKind) {
        if part(self.text, span.clone()).chars().any(char::is_alphanumeric) {
            self.found.push(Sentence { span, kind });
        }
    }
}

/// The lines of a text without their line breaks.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let span = start..start + line.len();
        start = span.end + 1;
        span
    })
}

fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let inner = part(text, span.clone());
    let start = span.start + (inner.len() - inner.trim_start().len());
    let end = start + inner.trim().len();
    start..end
}

/// A span without white space and emphasis around it.
fn bare(text: &str, span: Range<usize>) -> Range<usize> {
    let mut span = trimmed(text, span);
    loop {
        let inner = part(text, span.clone());
        let leading = inner.len() - inner.trim_start_matches(['*', ' ', '~']).len();
        let leading = leading + usize::from(opens_underscore(part(inner, leading..inner.len())));
        let kept = part(inner, leading..inner.len());
        let without = kept.trim_end_matches(['*', ' ', '#']);
        let without = without
            .strip_suffix('_')
            .filter(|rest| rest.ends_with(|c: char| c.is_ascii_punctuation()) || leading > 0)
            .unwrap_or(without);
        let next = span.start + leading..span.start + leading + without.len();
        if next == span {
            return span;
        }
        span = trimmed(text, next);
    }
}

fn opens_underscore(text: &str) -> bool {
    text.strip_prefix('_').is_some_and(|rest| {
        rest.starts_with(char::is_alphanumeric)
            && rest.contains('_')
            && rest.find('_').is_some_and(|close| {
                !part(rest, close + 1..rest.len()).starts_with(char::is_alphanumeric)
            })
    })
}

fn fence_marker(line: &str) -> Option<u8> {
    ["```", "~~~"]
        .iter()
        .find(|fence| line.starts_with(**fence))
        .and_then(|fence| fence.bytes().next())
}

/// A line that is bold from end to end, which people use as a heading.
fn is_bold_line(line: &str) -> bool {
    line.strip_prefix("**")
        .and_then(|inner| inner.strip_suffix("**"))
        .is_some_and(|inner| !inner.is_empty() && !inner.contains("**"))
}

fn is_table_row(line: &str) -> bool {
    let bars = line.bytes().filter(|byte| *byte == b'|').count();
    line.starts_with('|') && bars >= 2
}

/// Takes block quotes, bullets, list numbers and check boxes off a line; says whether there were any.
fn without_marker(text: &str, line: Range<usize>) -> (Range<usize>, bool) {
    let mut span = line.clone();
    loop {
        let rest = part(text, span.clone());
        let marker = marker_length(rest);
        if marker == 0 {
            return (span.clone(), span.start != line.start);
        }
        span = trimmed(text, span.start + marker..span.end);
    }
}

fn marker_length(line: &str) -> usize {
    let spaced = |length: usize| {
        let after = char_at(line, length);
        if after.is_none_or(char::is_whitespace) { length } else { 0 }
    };
    match char_at(line, 0) {
        Some('>') => 1,
        Some('-' | '*' | '+') => spaced(1),
        Some(bullet @ ('•' | '‣' | '◦' | '▪' | '–' | '—')) => spaced(bullet.len_utf8()),
        Some('[') if matches!(byte_at(line, 1), b' ' | b'x' | b'X') && byte_at(line, 2) == b']' => {
            spaced(3)
        }
        Some(digit) if digit.is_ascii_digit() => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let closed = matches!(byte_at(line, digits), b'.' | b')') && digits <= 3;
            // A number that ends its line is content, not a marker.
            if closed && digits + 1 < line.len() { spaced(digits + 1) } else { 0 }
        }
        _ => 0,
    }
}

/// A block that names what follows: ends in a colon, or is bold from end to end without a full stop.
fn is_label(text: &str, block: &Range<usize>) -> bool {
    const MOST_WORDS: usize = 8;
    let inner = part(text, block.clone());
    let bold = inner.len() > 4 && inner.starts_with("**") && inner.ends_with("**");
    let core = inner.trim_matches('*').trim_end();
    let short = words(core).take(MOST_WORDS + 1).count() <= MOST_WORDS;
    let one_line = !core.contains('\n');
    let ends_open = !core.ends_with(['.', '!', '?', '。']);
    let holds_figure = core.bytes().any(|byte| byte.is_ascii_digit());
    let finite = words(core).any(|word| is_finite(word.text));
    short && one_line && !finite && (core.ends_with(':') || bold && ends_open && !holds_figure)
}

/// Where the sentence that starts at `block.start` ends.
fn end_of_sentence(text: &str, block: Range<usize>) -> usize {
    let mut position = block.start;
    while position < block.end {
        let Some(character) = char_at(text, position) else { return block.end };
        let after = position + character.len_utf8();
        match character {
            '`' => position = end_of_code(text, position, block.end),
            '。' | '！' | '？' => return with_closers(text, after, block.end),
            '.' | '!' | '?' => {
                let end = with_closers(text, after, block.end);
                let followed_by_space =
                    end >= block.end || char_at(text, end).is_some_and(char::is_whitespace);
                let goes_on = character == '.'
                    && (is_abbreviation(text, &block, position)
                        || is_pause(text, position..end, block.end));
                if followed_by_space && !goes_on {
                    return end;
                }
                position = after;
            }
            _ => position = after,
        }
    }
    block.end
}

/// Dots that trail off in mid-sentence: `...` before a small letter.
fn is_pause(text: &str, dots: Range<usize>, limit: usize) -> bool {
    part(text, dots.clone()).starts_with("..")
        && part(text, dots.end..limit).trim_start().starts_with(char::is_lowercase)
}

/// Past a code span that closes soon, or past the back-tick alone.
fn end_of_code(text: &str, open: usize, limit: usize) -> usize {
    const LONGEST: usize = 160;
    let run = part(text, open..limit).bytes().take_while(|byte| *byte == b'`').count();
    let inner = part(text, open + run..limit);
    match inner.find('`').filter(|at| *at <= LONGEST) {
        Some(at) => {
            let close = open + run + at;
            close + part(text, close..limit).bytes().take_while(|byte| *byte == b'`').count()
        }
        None => open + run,
    }
}

/// Past further terminators, closing quotes, brackets, emphasis.
fn with_closers(text: &str, mut position: usize, limit: usize) -> usize {
    while position < limit {
        match char_at(text, position) {
            Some(
                c @ ('.' | '!' | '?' | '"' | '\'' | ')' | ']' | '*' | '_' | '”' | '’' | '»' | '」'),
            ) => {
                position += c.len_utf8();
            }
            _ => break,
        }
    }
    position
}

fn is_abbreviation(text: &str, block: &Range<usize>, dot: usize) -> bool {
    let before = part(text, block.start..dot);
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || c == '.'))
        .map_or(0, |at| at + char_at(before, at).map_or(1, char::len_utf8));
    let word = part(before, start..before.len());
    let rest = part(text, dot + 1..block.end).trim_start();
    let is = |table: &[&str]| table.iter().any(|entry| word.eq_ignore_ascii_case(entry));
    let next_digit = rest.starts_with(|c: char| c.is_ascii_digit() || c == '#');
    let next_capital = rest.starts_with(char::is_uppercase);
    is(&NEVER_LAST)
        || (is(&BEFORE_NUMBERS) && next_digit)
        || (is(&SOMETIMES_LAST) && !next_capital && !rest.is_empty())
        || (char_before(before, before.len()) == Some('.') && !next_capital && !rest.is_empty())
}

/// Abbreviations that never end a sentence.
const NEVER_LAST: [&str; 14] = [
    "e.g", "i.e", "eg", "ie", "vs", "approx", "ca", "cf", "viz", "resp", "incl", "excl", "dr", "mr",
];
/// Abbreviations only in front of a number.
const BEFORE_NUMBERS: [&str; 11] =
    ["no", "nr", "fig", "figs", "sec", "ch", "ver", "v", "vol", "p", "pp"];
/// Abbreviations that end a sentence only in front of a capital.
const SOMETIMES_LAST: [&str; 13] =
    ["etc", "al", "inc", "ltd", "co", "corp", "a.m", "p.m", "u.s", "u.k", "est", "min", "max"];

/// Words in a heading that announce proposals.
const PROPOSAL_SECTIONS: [&str; 12] = [
    "recommendation",
    "recommendations",
    "recommended",
    "next",
    "action",
    "actions",
    "remediation",
    "mitigation",
    "mitigations",
    "prevention",
    "follow-up",
    "follow-ups",
];

fn is_recommendation(sentence: &str, section: Section) -> bool {
    let mut all = words(sentence);
    let Some(first) = all.next() else { return false };
    let rest = all.clone();
    let second = all.next();
    let reports = || {
        let assertive =
            |word: Word<'_>| is_past(word.text) || CAUSES.iter().any(|cause| word.is(cause));
        words(sentence).any(assertive)
    };
    let imperative = IMPERATIVES.binary_search_by(|verb| compare_lower(verb, first.text)).is_ok();
    if imperative {
        let participle = |word: &Word<'_>| {
            super::tokens::ends_ignoring_case(word.text, "ed") || is_finite(word.text)
        };
        return !reports()
            && (section == Section::Proposals
                || !rest.clone().take(4).any(|word| participle(&word)));
    }
    if starts_with_any(sentence, &OPENERS) {
        return !reports();
    }
    let is_subject = |word: &Word<'_>| {
        ["we", "you", "i", "operators", "teams", "engineers"].iter().any(|s| word.is(s))
    };
    let is_modal =
        |word: &Word<'_>| ["should", "recommend", "suggest", "propose"].iter().any(|s| word.is(s));
    is_subject(&first) && second.as_ref().is_some_and(is_modal) && !reports()
}

fn compare_lower(entry: &str, word: &str) -> core::cmp::Ordering {
    entry.bytes().cmp(word.bytes().map(|byte| byte.to_ascii_lowercase()))
}

fn starts_with_any(text: &str, openers: &[&str]) -> bool {
    openers.iter().any(|opener| {
        text.get(..opener.len()).is_some_and(|start| start.eq_ignore_ascii_case(opener))
            && !char_at(text, opener.len()).is_some_and(char::is_alphanumeric)
    })
}

/// Auxiliaries that make a statement of what precedes or follows.
fn is_finite(word: &str) -> bool {
    [
        "is", "are", "has", "have", "had", "did", "does", "was", "were", "rose", "fell", "fired",
        "failed", "hit", "ran", "grew",
    ]
    .iter()
    .any(|verb| word.eq_ignore_ascii_case(verb))
}

fn is_past(word: &str) -> bool {
    [
        "was", "were", "had", "did", "rose", "fell", "fired", "failed", "went", "grew", "began",
        "showed",
    ]
    .iter()
    .any(|verb| word.eq_ignore_ascii_case(verb))
}

const CAUSES: [&str; 6] = ["because", "caused", "led", "triggered", "resulted", "since"];

const OPENERS: [&str; 14] = [
    "recommendation",
    "recommended",
    "next step",
    "next steps",
    "action item",
    "action items",
    "please",
    "let's",
    "it is recommended",
    "to prevent",
    "to avoid",
    "to mitigate",
    "suggested",
    "follow-up",
];

/// Verbs that open a proposal. Sorted.
const IMPERATIVES: [&str; 69] = [
    "add",
    "adjust",
    "adopt",
    "alert",
    "apply",
    "ask",
    "audit",
    "avoid",
    "check",
    "collect",
    "configure",
    "confirm",
    "consider",
    "continue",
    "create",
    "define",
    "delete",
    "deploy",
    "disable",
    "document",
    "drain",
    "enable",
    "ensure",
    "escalate",
    "establish",
    "evaluate",
    "examine",
    "expand",
    "fix",
    "gather",
    "harden",
    "implement",
    "improve",
    "increase",
    "inspect",
    "install",
    "introduce",
    "investigate",
    "keep",
    "limit",
    "lower",
    "make",
    "migrate",
    "monitor",
    "move",
    "notify",
    "optimise",
    "optimize",
    "provision",
    "raise",
    "rebuild",
    "reduce",
    "remove",
    "replace",
    "restart",
    "restore",
    "revert",
    "review",
    "roll",
    "rollback",
    "run",
    "scale",
    "schedule",
    "set",
    "test",
    "tune",
    "update",
    "upgrade",
    "verify",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn read(text: &str) -> Vec<(&str, SentenceKind)> {
        sentences(text).into_iter().map(|s| (part(text, s.span), s.kind)).collect()
    }

    fn assertions(text: &str) -> Vec<&str> {
        read(text)
            .into_iter()
            .filter(|(_, kind)| *kind == SentenceKind::Assertion)
            .map(|(s, _)| s)
            .collect()
    }

    #[test]
    fn full_stops_inside_things_end_nothing() {
        for whole in [
            "At 2024-05-01T14:02:31.250Z p99 was 1.8 s in v2.3.1 of app.py.",
            "See https://grafana.example.com/d/abc?x=1.5&y=2 for approx. 3 panels.",
            "Errors (e.g. timeouts, i.e. no answer vs. a late one) rose.",
            "Incident No. 4711 hit checkout.service on 10.0.3.4:5432.",
            "The call `conn.close(). retry()` failed.",
            "The restart took place at 2 p.m. on Tuesday.",
            "Memory grew to 1.5 Gi ... and stayed there.",
        ] {
            assert_eq!(assertions(whole), [whole]);
        }
    }

    #[test]
    fn sentences_split_with_closers_and_lower_case_starts() {
        assert_eq!(
            assertions(
                "It said \"out of memory.\" checkout restarted! Then **all was calm.** Nothing else"
            ),
            [
                "It said \"out of memory.\"",
                "checkout restarted!",
                "Then **all was calm.",
                "Nothing else"
            ],
        );
        assert_eq!(
            assertions("池は空になった。再起動した。"),
            ["池は空になった。", "再起動した。"]
        );
        assert_eq!(
            assertions("It took 5 ms. Then it failed."),
            ["It took 5 ms.", "Then it failed."]
        );
    }

    #[test]
    fn markdown_blocks() {
        use SentenceKind::{Assertion, Code, Heading, Question, Recommendation, TableRow};
        let text = "# Root cause\n\n**Impact:** 5 % of requests failed.\n- *The pool was exhausted*\n  at 14:02.\n2. `checkout` restarted 3 times\n> p99 rose.\n\n| pod | restarts |\n|---|---|\n```\nkubectl get pods\n```\nWhy did it happen?\n\n## Next steps\n1. Increase the provisioned memory.\n- [ ] Add an alert.\n**Details**\n";
        assert_eq!(
            read(text),
            [
                ("Root cause", Heading),
                ("Impact:", Heading),
                ("5 % of requests failed.", Assertion),
                ("The pool was exhausted*\n  at 14:02.", Assertion),
                ("`checkout` restarted 3 times", Assertion),
                ("p99 rose.", Assertion),
                ("| pod | restarts |", TableRow),
                ("kubectl get pods", Code),
                ("Why did it happen?", Question),
                ("Next steps", Heading),
                ("Increase the provisioned memory.", Recommendation),
                ("Add an alert.", Recommendation),
                ("Details", Heading),
            ],
        );
    }

    #[test]
    fn a_statement_dressed_as_advice_or_heading_still_asserts() {
        for hidden in [
            "Restart count was 5.",
            "Scale events caused the outage.",
            "We should note that the pool was exhausted.",
            "Update rolled out at 14:02.",
            "**The pool was exhausted**",
            "To prevent recurrence, the limit was doubled.",
            "Consider that payments failed because of DNS.",
        ] {
            let kinds: Vec<_> = read(hidden).into_iter().map(|(_, kind)| kind).collect();
            assert_eq!(kinds, [SentenceKind::Assertion], "{hidden}");
        }
        assert!(IMPERATIVES.is_sorted());
    }

    proptest! {
        #[test]
        fn sentences_cover_every_word_and_never_panic(text in "(\\PC|[\n\r\t#*_`|>.!?\\-0-9: ]){0,120}") {
            let found = sentences(&text);
            let mut last = 0;
            for sentence in &found {
                prop_assert!(sentence.span.start >= last);
                prop_assert!(!text.get(sentence.span.clone()).unwrap().is_empty());
                last = sentence.span.end;
            }
        }

        #[test]
        fn plain_prose_is_covered_entirely(text in "([A-Za-z]{1,8}[ .!?]{1,2}){1,12}") {
            let found = sentences(&text);
            for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric()) {
                prop_assert!(found.iter().any(|s| s.span.contains(&at)), "{at} {byte}");
            }
        }
    }
}
