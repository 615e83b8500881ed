//! `key = value` lines of settings and plans, and Prometheus' `name{label="value"} number`.

use std::ops::Range;

use gsar_core::text::figures::Unit;

/// An assignment: where the key, the value and, in a plan, the value after it stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    /// The key without quotation marks.
    pub(crate) key: Range<usize>,
    /// The value, or the one before.
    pub(crate) value: Range<usize>,
    /// What it becomes.
    pub(crate) after: Option<Range<usize>>,
}

/// The assignment that a stretch of the text is.
pub(crate) fn assignment(text: &str, content: &Range<usize>) -> Option<Assignment> {
    const LONGEST_KEY: usize = 64;
    let written = text.get(content.clone())?;
    let equals = written.bytes().take(LONGEST_KEY).position(|byte| byte == b'=')?;
    let (before, rest) = (written.get(..equals)?, written.get(equals + 1..)?);
    if !before.ends_with(' ') || !rest.starts_with(' ') {
        return None;
    }
    let key = before.trim_end();
    let quoted = key.len() > 1 && key.starts_with('"') && key.ends_with('"');
    let name = if quoted { key.get(1..key.len() - 1)? } else { key };
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/');
    if !name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        || !name.bytes().all(plain)
    {
        return None;
    }
    let key_start = content.start + usize::from(quoted);
    let key = key_start..key_start + name.len();
    let at = content.start + equals + 1;
    let value = unquoted(text, at..content.end);
    let written = text.get(at..content.end)?;
    if written.trim().is_empty() || written.trim_end().ends_with(['{', '[', '(']) {
        return None;
    }
    let Some(arrow) = written.find(" -> ") else {
        return Some(Assignment { key, value, after: None });
    };
    let tail = at + arrow + 4..content.end;
    let note = text.get(tail.clone())?.find(" # ").map_or(tail.end, |note| tail.start + note);
    Some(Assignment {
        key,
        value: unquoted(text, at..at + arrow),
        after: Some(unquoted(text, tail.start..note)),
    })
}

fn unquoted(text: &str, span: Range<usize>) -> Range<usize> {
    let inner = crate::evidence::layout::trimmed(text, &span);
    let written = text.get(inner.clone()).unwrap_or("");
    if written.len() > 1 && written.starts_with('"') && written.ends_with('"') {
        return inner.start + 1..inner.end - 1;
    }
    inner
}

/// A line of Prometheus' exposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exposed {
    /// The name of the metric.
    pub(crate) name: Range<usize>,
    /// Labels with their values.
    pub(crate) labels: Vec<(Range<usize>, Range<usize>)>,
    /// The number.
    pub(crate) value: Range<usize>,
    /// The unit that the name states before `_total`, `_sum`.
    pub(crate) unit: Option<Unit>,
}

/// The metric that a stretch of the text is.
pub(crate) fn exposed(text: &str, content: &Range<usize>) -> Option<Exposed> {
    let written = text.get(content.clone())?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    let length = written.bytes().take_while(|byte| is_name(byte)).count();
    let name = written.get(..length)?;
    let rest = written.get(length..)?;
    let starts = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    if !starts || !name.contains('_') || !rest.starts_with(['{', ' ']) {
        return None;
    }
    let closing = if rest.starts_with('{') { rest.rfind('}')? + 1 } else { 0 };
    let tail = rest.get(closing..)?;
    let mut parts = tail.split_ascii_whitespace();
    let number = parts.next()?;
    let stamp = parts.next().is_none_or(|stamp| stamp.bytes().all(|byte| byte.is_ascii_digit()));
    if number.parse::<f64>().is_err() || !stamp || parts.next().is_some() {
        return None;
    }
    let start = content.start + length + closing + tail.find(number)?;
    let labels = labels(text, content.start + length..content.start + length + closing);
    let unit = Unit::of_field(name.trim_end_matches("_total").trim_end_matches("_sum"));
    Some(Exposed {
        name: content.start..content.start + length,
        labels,
        value: start..start + number.len(),
        unit,
    })
}

/// The labels between braces.
fn labels(text: &str, braces: Range<usize>) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = braces.start + 1;
    while let Some(rest) = text.get(at..braces.end) {
        let Some(equals) = rest.find("=\"") else { break };
        let opening = at + equals + 2;
        let Some(closing) = text.get(opening..braces.end).and_then(|rest| rest.find('"')) else {
            break;
        };
        let key = text.get(at..at + equals).unwrap_or("");
        let start = at + key.len() - key.trim_start_matches([',', ' ']).len();
        found.push((start..at + equals, opening..opening + closing));
        at = opening + closing + 1;
    }
    found
}
