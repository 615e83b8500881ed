//! Finds `key=value` pairs and groups them by subject.

use core::ops::Range;

use memchr::memchr_iter;

use crate::text::figures::Unit;
use crate::text::{byte_at, char_at, char_before, part};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::facts) struct Pair {
    pub(in crate::facts) key: Range<usize>,
    /// The range of the value, without quotes.
    pub(in crate::facts) value: Range<usize>,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) head: Option<Range<usize>>,
    pub(super) span: Range<usize>,
    pub(super) pairs: Range<usize>,
}

const MAX_KEY: usize = 64;

pub(super) fn pairs(text: &str) -> Vec<Pair> {
    first_pairs(text, usize::MAX)
}

pub(in crate::facts) fn first_pairs(text: &str, max: usize) -> Vec<Pair> {
    let mut found: Vec<Pair> = Vec::new();
    let mut next_start = 0;
    for sign in memchr_iter(b'=', text.as_bytes()) {
        if sign < next_start {
            continue;
        }
        let parsed_to = found.last().map_or(0, |pair| pair.span.end);
        let pair = key_before(text, parsed_to, sign)
            .and_then(|key| value_after(text, sign + 1).map(|(value, end)| (key, value, end)));
        if let Some((key, value, end)) = pair {
            next_start = end;
            found.push(Pair { span: key.start..end, key, value });
            if found.len() == max {
                break;
            }
        }
    }
    found
}

fn key_before(text: &str, limit: usize, sign: usize) -> Option<Range<usize>> {
    let before = part(text, limit..sign);
    let is_key_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-/@[]:".contains(byte);
    let length = before.bytes().rev().take(MAX_KEY + 1).take_while(is_key_byte).count();
    let dashes = part(text, sign - length..sign).bytes().take_while(|byte| *byte == b'-').count();
    let start = sign - length + dashes;
    let key = part(text, start..sign);
    let key = key
        .rsplit(['[', ':'])
        .next()
        .filter(|rest| !rest.is_empty() && !key.ends_with(']'))
        .unwrap_or(key);
    let start = sign - key.len();
    let first = byte_at(text, start);
    let is_name =
        (first.is_ascii_alphabetic() || first == b'_' || first == b'@') && key.len() <= MAX_KEY;
    let is_separate = char_before(text, start - dashes.min(start)).is_none_or(|c| {
        c.is_whitespace() || matches!(c, '(' | '[' | '{' | ',' | ';' | '|' | '"' | '\'' | '<' | ':')
    });
    let ends_as_name = key
        .as_bytes()
        .last()
        .is_some_and(|last| last.is_ascii_alphanumeric() || matches!(last, b'_' | b']'));
    (is_name && is_separate && ends_as_name).then_some(start..sign)
}

/// Returns the value at an offset, and its end including the quote.
fn value_after(text: &str, offset: usize) -> Option<(Range<usize>, usize)> {
    let rest = part(text, offset..text.len());
    match byte_at(text, offset) {
        quote @ (b'"' | b'\'') => {
            let end = quoted(rest.as_bytes(), quote)?;
            Some((offset + 1..offset + end, offset + end + 1))
        }
        b'=' | b'>' | b'~' | b' ' | b'\t' | b'\n' | 0 => None,
        open @ (b'[' | b'{' | b'(') => {
            let close = match open {
                b'[' => ']',
                b'{' => '}',
                _ => ')',
            };
            let window = part(rest, 0..rest.floor_char_boundary(400));
            let end = window.find(close).map_or_else(|| bare_value_end(rest), |end| end + 1);
            Some((offset..offset + end, offset + end))
        }
        _ => {
            let end = with_unit(rest, bare_value_end(rest));
            (end > 0).then_some((offset..offset + end, offset + end))
        }
    }
}

/// Returns the position of the closing quote; the opening quote is at the start.
fn quoted(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    bytes.iter().enumerate().skip(1).find_map(|(position, byte)| {
        let is_closing = *byte == quote && !escaped;
        escaped = *byte == b'\\' && !escaped;
        is_closing.then_some(position)
    })
}

fn bare_value_end(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut end = rest.len();
    let mut next = 0;
    while next < rest.len() {
        if byte_at(rest, next).is_ascii_alphanumeric() {
            next += 1;
            continue;
        }
        let position = next;
        let Some(character) = char_at(rest, position) else { break };
        next += character.len_utf8();
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => {
                end = position;
                break;
            }
            ')' => depth -= 1,
            ']' | '}' | '"' | '|' | ';' => {
                end = position;
                break;
            }
            ',' => {
                let following =
                    part(rest, position + 1..rest.floor_char_boundary(position + 1 + MAX_KEY));
                let word = following
                    .split(|c: char| !(c.is_ascii_alphanumeric() || "_.-".contains(c)))
                    .next();
                let ends_value = word.is_some_and(|word| {
                    (word.is_empty() && !following.starts_with(['"', '\'']))
                        || byte_at(following, word.len()) == b'='
                });
                if ends_value {
                    end = position;
                    break;
                }
            }
            _ if character.is_whitespace() => {
                end = position;
                break;
            }
            _ => {}
        }
    }
    part(rest, 0..end).trim_end_matches(['.', ':', ',']).len()
}

fn with_unit(rest: &str, end: usize) -> usize {
    let is_number =
        part(rest, 0..end).bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && end > 0;
    if !is_number || byte_at(rest, end) != b' ' {
        return end;
    }
    let word = part(rest, end + 1..rest.len())
        .split(|c: char| !(c.is_ascii_alphabetic() || c == '%'))
        .next();
    match word.filter(|word| word.len() <= 12 && byte_at(rest, end + 1 + word.len()) != b'=') {
        Some(word) if Unit::from_name(word).is_some() => end + 1 + word.len(),
        _ => end,
    }
}

/// Splits pairs with several subjects into runs. Also returns the number of leading pairs that apply to all runs.
/// Returns `None` if all pairs have the same subject.
///
/// If a bare word precedes the first pair and at least one other pair, each such word starts a run. If not, each
/// occurrence of the first key that is repeated starts a run.
pub(super) fn runs(text: &str, pairs: &[Pair]) -> Option<(usize, Vec<Run>)> {
    if pairs.len() < 2 {
        return None;
    }
    if let Some(runs) = runs_by_key_prefix(text, pairs) {
        return Some((0, runs));
    }
    let mut heads: Vec<Option<Range<usize>>> =
        (0..pairs.len()).map(|index| word_before(text, pairs, index)).collect();
    // If another subject repeats the first key, the word before the first pair names a subject too.
    let key = |index: usize| pairs.get(index).map(|pair| part(text, pair.key.clone()));
    let is_parallel =
        heads.iter().enumerate().any(|(index, head)| head.is_some() && key(index) == key(0));
    if let (Some(slot @ None), true) = (heads.first_mut(), is_parallel) {
        *slot = last_word_before(text, pairs.first()?.span.start);
    }
    let indices_with_head =
        || heads.iter().enumerate().filter(|(_, head)| head.is_some()).map(|(index, _)| index);
    let starts: Vec<usize> = if heads.first()?.is_some() && indices_with_head().count() > 1 {
        indices_with_head().collect()
    } else {
        let repeated = first_repeated_key(text, pairs)?;
        let key = part(text, pairs.get(repeated)?.key.clone());
        let has_repeated_key = |index: &usize| {
            pairs.get(*index).is_some_and(|pair| part(text, pair.key.clone()) == key)
        };
        (repeated..pairs.len()).filter(has_repeated_key).collect()
    };
    let run_start = |index: usize| {
        let head = heads.get(index).cloned().flatten();
        head.map(|head| head.start).or_else(|| pairs.get(index).map(|pair| pair.span.start))
    };
    let mut runs = Vec::new();
    for (position, start) in starts.iter().enumerate() {
        let next = starts.get(position + 1).copied().unwrap_or(pairs.len());
        let end = if next < pairs.len() { run_start(next)? } else { text.len() };
        let run_text =
            part(text, run_start(*start)?..end).trim_end_matches([' ', '\t', ',', ';', '|']);
        let run_text = run_text.strip_suffix(" and").unwrap_or(run_text).trim_end_matches(',');
        runs.push(Run {
            head: heads.get(*start).cloned().flatten(),
            span: run_start(*start)?..run_start(*start)? + run_text.len(),
            pairs: *start..next,
        });
    }
    Some((*starts.first()?, runs))
}

/// Groups pairs by key prefix: `cart.errors=5 stock.errors=9`.
fn runs_by_key_prefix(text: &str, pairs: &[Pair]) -> Option<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        let dot = part(text, pair.key.clone()).rfind('.')?;
        let head = pair.key.start..pair.key.start + dot;
        match runs.last_mut() {
            Some(run)
                if run
                    .head
                    .clone()
                    .is_some_and(|last| part(text, last) == part(text, head.clone())) =>
            {
                run.span.end = pair.span.end;
                run.pairs.end = index + 1;
            }
            _ => runs.push(Run {
                head: Some(head),
                span: pair.span.clone(),
                pairs: index..index + 1,
            }),
        }
    }
    (runs.len() > 1).then_some(runs)
}

fn last_word_before(text: &str, offset: usize) -> Option<Range<usize>> {
    let before = part(text, 0..offset).trim_end_matches([' ', ':']);
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    (!word.is_empty()).then(|| before.len() - word.len()..before.len())
}

fn first_repeated_key(text: &str, pairs: &[Pair]) -> Option<usize> {
    let mut keys: Vec<(&str, usize)> = pairs
        .iter()
        .enumerate()
        .map(|(index, pair)| (part(text, pair.key.clone()), index))
        .collect();
    keys.sort_unstable();
    let repeated = keys.windows(2).filter_map(|pair| match pair {
        [(key, index), (next, _)] if key == next => Some(*index),
        _ => None,
    });
    repeated.min()
}

/// Returns the word between a pair and the previous pair if there is exactly one word.
fn word_before(text: &str, pairs: &[Pair], index: usize) -> Option<Range<usize>> {
    let start =
        index.checked_sub(1).and_then(|index| pairs.get(index)).map_or(0, |pair| pair.span.end);
    let end = pairs.get(index)?.span.start;
    let gap = part(text, start..end);
    let word = gap.trim_matches([' ', '\t', ',', ';', '|', ':', '(', '[', '{']);
    // "exceeded quota, requested: cpu=5, used: cpu=9"
    let is_label = gap.trim_end().ends_with(':');
    let word = if is_label { word.rsplit([' ', '\t']).next().unwrap_or(word) } else { word };
    let word = word.strip_prefix("and ").unwrap_or(word).trim_start();
    let is_word = word.len() <= MAX_KEY
        && word.starts_with(|c: char| c.is_alphanumeric())
        && !word.contains(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | ')' | ']' | ','));
    if !is_word {
        return None;
    }
    let start = start + gap.rfind(word)?;
    Some(start..start + word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted_pairs(text: &str) -> Vec<String> {
        let format_pair = |pair: &Pair| {
            format!("{}={}", part(text, pair.key.clone()), part(text, pair.value.clone()))
        };
        pairs(text).iter().map(format_pair).collect()
    }

    fn split_text(text: &str) -> Vec<&str> {
        let pairs_found = pairs(text);
        runs(text, &pairs_found).map_or_else(Vec::new, |(_, runs)| {
            runs.into_iter().map(|run| part(text, run.span)).collect()
        })
    }

    #[test]
    fn finds_keys_and_values() {
        for (text, expected) in [
            (
                "level=warn msg=\"cache bypass: key \\\"a\\\"\" dur=386ms",
                &["level=warn", "msg=cache bypass: key \\\"a\\\"", "dur=386ms"][..],
            ),
            (
                "anon-rss:30753204kB, gfp_mask=0x100cca(GFP_HIGHUSER), order=0.",
                &["gfp_mask=0x100cca(GFP_HIGHUSER)", "order=0"],
            ),
            (
                "groupSet=[sg-a, sg-b] t=5 s a=1,b=2 list=x,y,z",
                &["groupSet=[sg-a, sg-b]", "t=5 s", "a=1", "b=2", "list=x,y,z"],
            ),
            (
                "ALERTS{alertname=\"Disk\",severity=\"warning\"} 1",
                &["alertname=Disk", "severity=warning"],
            ),
            ("GET /a?x=1&y=2 x == 3 a => b c >= 4 --tail=5", &["tail=5"]),
            ("k=\"never closed", &[]),
        ] {
            assert_eq!(formatted_pairs(text), expected, "{text}");
        }
    }

    #[test]
    fn pairs_are_grouped_by_subject() {
        assert_eq!(
            split_text("queue-in depth=40 queue-out depth=900"),
            ["queue-in depth=40", "queue-out depth=900"]
        );
        assert_eq!(split_text("zone=a pod=x r=1 pod=y r=2"), ["pod=x r=1", "pod=y r=2"]);
        assert_eq!(
            split_text("cart timeouts=3, stock errors=5"),
            ["cart timeouts=3", "stock errors=5"]
        );
        assert_eq!(split_text("zone=a in depth=4 out depth=9"), ["in depth=4", "out depth=9"]);
        assert_eq!(
            split_text("stats node-c1 latency=8ms node-a1 latency=5ms"),
            ["node-c1 latency=8ms", "node-a1 latency=5ms"]
        );
        assert_eq!(
            split_text("monitor pg-1 region=us and pg-5 region=eu"),
            ["pg-1 region=us", "pg-5 region=eu"]
        );
        assert_eq!(
            split_text("cart.errors=5 cart.ms=8 stock.errors=9"),
            ["cart.errors=5 cart.ms=8", "stock.errors=9"]
        );
        assert_eq!(split_text("at\u{a0}cart a=1 stock a=2"), ["cart a=1", "stock a=2"]);
        assert!(split_text("level=info Started job=5").is_empty());
        assert!(split_text("worker heartbeat lost host=a age=5").is_empty());
    }
}
