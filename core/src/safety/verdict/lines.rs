//! Free text, line by line: tables, expositions, conditions, numbers, then words.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::decimal::Quantity;
use super::findings::Kind as Found;
use super::json::Json;
use super::lexicon::Sense;
use super::sample::{Context, Exposure, Level, Sample};
use super::structured;
use super::summary::excerpt;
use super::table::{Columns, Grid};
use super::tokens::{Kind, Token, tokenize};
use super::{numbers, phrases};

/// Reads every line.
pub(super) fn read(text: &str, context: &mut Context<'_>) {
    let mut columns: Option<Columns> = None;
    let mut condition = Condition::default();
    let mut grid: Option<Grid<'_>> = None;
    let mut tokens = Vec::new();
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            (columns, grid) = (None, None);
            continue;
        }
        if let Some(current) = grid {
            if current.row(line, context) {
                continue;
            }
            grid = None;
        }
        if let Some(heading) = Columns::of_heading(line) {
            columns = Some(heading);
            continue;
        }
        if let Some(columns) = columns {
            columns.row(line, context);
            continue;
        }
        if line.starts_with(['{', '['])
            && let Some(document) = Json::parse(line)
        {
            structured::read(&document, context);
            continue;
        }
        if let Some(next) = lines.peek() {
            grid = Grid::of_heading(line, next);
            if grid.is_some() {
                continue;
            }
        }
        if is_tool_failure(line) {
            context.doubt("the line is about the tool itself");
            continue;
        }
        if is_comment(line) || exposition(line, context) || condition.read(line, context) {
            continue;
        }
        statement(line, &mut tokens, context);
    }
}

/// Whether a line describes a metric in a text exposition.
fn is_comment(line: &str) -> bool {
    ["# HELP", "# TYPE", "# UNIT", "# EOF"].iter().any(|start| line.starts_with(start))
}

/// Whether a line says that the tool could not answer, or repeats the question: neither says anything
/// about what it was asked.
fn is_tool_failure(line: &str) -> bool {
    const BEGINNINGS: [&str; 9] = [
        "Error from server (",
        "error: You must be logged in",
        "error: the server doesn't have a resource type",
        "error: unknown ",
        "Error: unknown ",
        "Unable to connect to the server",
        "No resources found",
        "grep ",
        "usage: ",
    ];
    line.ends_with("command not found")
        || BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

/// Reads `name{label="x"} value [time]`; says whether the line is one.
fn exposition(line: &str, context: &mut Context<'_>) -> bool {
    let name_end = line
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')))
        .unwrap_or(line.len());
    let Some((name, rest)) = line.split_at_checked(name_end) else { return false };
    let labelled = rest.starts_with('{');
    let values = if labelled {
        match rest.rsplit_once('}') {
            Some((_, values)) => values,
            None => return false,
        }
    } else {
        rest
    };
    let bare_word = !name.contains(['_', ':']) && name != "up";
    if name.is_empty()
        || name.ends_with(':')
        || (!labelled && (bare_word || !rest.starts_with(' ')))
    {
        return false;
    }
    let mut fields = values.split_whitespace();
    let (Some(value), time, None) = (fields.next(), fields.next(), fields.next()) else {
        return false;
    };
    if time.is_some_and(|time| !time.bytes().all(|byte| byte.is_ascii_digit())) {
        return false;
    }
    match Quantity::parse(value) {
        Some(value) => {
            context.sample(&Sample { exposure: Exposure::Counter, ..Sample::new(name, value) });
        }
        None if is_no_number(value) => context.doubt("a value that is no number decides nothing"),
        None => return false,
    }
    true
}

/// Whether a text stands for no number at all.
pub(super) fn is_no_number(text: &str) -> bool {
    let text = text.trim_start_matches(['+', '-']);
    ["nan", "inf", "infinity", "null"].iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// A condition spread over lines: `type: Ready` and `status: "False"`, in either order.
#[derive(Debug, Default)]
struct Condition {
    name: Option<String>,
    status: Option<bool>,
}

impl Condition {
    fn read(&mut self, line: &str, context: &mut Context<'_>) -> bool {
        let (first_of_item, line) = match line.strip_prefix("- ") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if first_of_item {
            *self = Self::default();
        }
        let Some((key, value)) = line.split_once(':') else { return false };
        let value = value.trim().trim_matches(['"', '\'']);
        match key {
            "type" if numbers::is_condition(value) => self.name = Some(value.to_string()),
            "status" => match numbers::truth(value) {
                Some(status) => self.status = Some(status),
                None => return false,
            },
            _ => return false,
        }
        if let (Some(name), Some(status)) = (&self.name, self.status) {
            context.truth(name, status);
            *self = Self::default();
        }
        true
    }
}

/// Reads the numbers, then the words of one line.
pub(super) fn statement<'a>(line: &'a str, tokens: &mut Vec<Token<'a>>, context: &mut Context<'_>) {
    tokenize(line, tokens);
    let level = match level(tokens) {
        Level::Other => context.level,
        level => level,
    };
    let codes = numbers::read(line, tokens, context);
    let mut said = phrases::read(tokens);
    said.faults += codes.faults;
    // A heading names what follows it, and a 0 that no signal claimed may well count the faults.
    if line.ends_with(':') || line.starts_with('#') || unclaimed_zero(tokens) {
        said.doubts += said.faults;
        said.faults = 0;
    }
    let silent = said.cleared + said.recovered + said.doubts == 0;
    if level == Level::Error
        && silent
        && said.faults == 0
        && !tokens
            .iter()
            .any(|token| token.masked && matches!(token.kind, Kind::Number(_) | Kind::Ratio(..)))
    {
        said.faults = 1;
    }
    if level == Level::Quiet && said.faults > 0 {
        said.doubts += said.faults;
        said.faults = 0;
    }
    for (kind, count, what) in [
        (Found::Fault, said.faults, "a line states a fault"),
        (Found::Cleared, said.cleared, "a line states the absence of a fault"),
        (Found::Recovered, said.recovered, "a line states the end of a fault"),
        (Found::Fine, said.fine, "a line states health"),
        (Found::Doubt, said.doubts, "a line only touches on a fault"),
    ] {
        if count > 0 {
            context.findings.add(kind, || (format!("{what}: {}", excerpt(line, 120)), None));
        }
    }
}

/// Whether a line has a 0 that was not read.
fn unclaimed_zero(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| match token.kind {
        Kind::Number(number) => !token.masked && number.value.is_zero(),
        _ => false,
    })
}

/// The level of a log line, its word masked.
fn level(tokens: &mut [Token<'_>]) -> Level {
    for at in 0..tokens.len().min(12) {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).copied();
        let key = at.checked_sub(2).and_then(|key| tokens.get(key)).copied();
        let next = tokens.get(at + 1).copied();
        let value = tokens.get(at + 2).and_then(Token::sense);
        let Some(token) = tokens.get_mut(at) else { break };
        let Kind::Word(_) = token.kind else { continue };
        let assigned = before.is_some_and(|mark| mark.is_mark(&['=', ':']))
            && key.is_some_and(|key| matches!(key.text, "level" | "lvl" | "severity"));
        let bracketed = before.is_some_and(|mark| mark.is_mark(&['[']))
            && next.is_some_and(|mark| mark.is_mark(&[']']));
        let level = match token.text {
            "ERROR" | "ERR" | "FATAL" | "CRITICAL" | "CRIT" | "SEVERE" | "PANIC" | "EMERG" => {
                Level::Error
            }
            "WARN" | "WARNING" | "Warning" => Level::Other,
            "INFO" | "DEBUG" | "TRACE" | "NOTICE" => Level::Quiet,
            "Normal" if at < 3 => Level::Quiet,
            text if assigned || bracketed => match Level::named(text) {
                Level::Other => continue,
                level => level,
            },
            _ => continue,
        };
        let negated = before
            .is_some_and(|word| matches!(word.sense(), Some(Sense::Negator | Sense::Nothing)));
        let valued = next.is_some_and(|mark| mark.is_mark(&[':', '=']))
            && matches!(value, Some(Sense::Nothing | Sense::Absent | Sense::Negator));
        let counted = before.is_some_and(|number| matches!(number.kind, Kind::Number(_)));
        if !(negated || valued || counted) {
            token.masked = true;
            return level;
        }
    }
    Level::Other
}
