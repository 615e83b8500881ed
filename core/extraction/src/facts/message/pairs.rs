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
    let mut from = 0;
    for sign in memchr_iter(b'=', text.as_bytes()) {
        if sign < from {
            continue;
        }
        let parsed_to = found.last().map_or(0, |pair| pair.span.end);
        let pair = key_before(text, parsed_to, sign)
            .and_then(|key| value_after(text, sign + 1).map(|(value, end)| (key, value, end)));
        if let Some((key, value, end)) = pair {
            from = end;
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
    let named =
        (first.is_ascii_alphabetic() || first == b'_' || first == b'@') && key.len() <= MAX_KEY;
    let apart = char_before(text, start - dashes.min(start)).is_none_or(|c| {
        c.is_whitespace() || matches!(c, '(' | '[' | '{' | ',' | ';' | '|' | '"' | '\'' | '<' | ':')
    });
    let ends = key
        .as_bytes()
        .last()
        .is_some_and(|last| last.is_ascii_alphanumeric() || matches!(last, b'_' | b']'));
    (named && apart && ends).then_some(start..sign)
}

/// Returns the value at an offset, and its end including the quote.
fn value_after(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let rest = part(text, at..text.len());
    match byte_at(text, at) {
        quote @ (b'"' | b'\'') => {
            let end = quoted(rest.as_bytes(), quote)?;
            Some((at + 1..at + end, at + end + 1))
        }
        b'=' | b'>' | b'~' | b' ' | b'\t' | b'\n' | 0 => None,
        open @ (b'[' | b'{' | b'(') => {
            let close = match open {
                b'[' => ']',
                b'{' => '}',
                _ => ')',
            };
            let near = part(rest, 0..rest.floor_char_boundary(400));
            let end = near.find(close).map_or_else(|| bare_value_end(rest), |end| end + 1);
            Some((at..at + end, at + end))
        }
        _ => {
            let end = with_unit(rest, bare_value_end(rest));
            (end > 0).then_some((at..at + end, at + end))
        }
    }
}

/// Returns the position of the closing quote; the opening quote is at the start.
fn quoted(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    bytes.iter().enumerate().skip(1).find_map(|(at, byte)| {
        let closes = *byte == quote && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes.then_some(at)
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
        let at = next;
        let Some(character) = char_at(rest, at) else { break };
        next += character.len_utf8();
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => {
                end = at;
                break;
            }
            ')' => depth -= 1,
            ']' | '}' | '"' | '|' | ';' => {
                end = at;
                break;
            }
            ',' => {
                let after = part(rest, at + 1..rest.floor_char_boundary(at + 1 + MAX_KEY));
                let word =
                    after.split(|c: char| !(c.is_ascii_alphanumeric() || "_.-".contains(c))).next();
                let ends = word.is_some_and(|word| {
                    (word.is_empty() && !after.starts_with(['"', '\'']))
                        || byte_at(after, word.len()) == b'='
                });
                if ends {
                    end = at;
                    break;
                }
            }
            _ if character.is_whitespace() => {
                end = at;
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
/// Returns `None` if all pairs have one subject.
///
/// A run starts with a bare word before a pair if the first pair has one too, or with a repeated key.
pub(super) fn runs(text: &str, pairs: &[Pair]) -> Option<(usize, Vec<Run>)> {
    if pairs.len() < 2 {
        return None;
    }
    if let Some(runs) = runs_by_key_prefix(text, pairs) {
        return Some((0, runs));
    }
    let mut heads: Vec<Option<Range<usize>>> =
        (0..pairs.len()).map(|at| word_before(text, pairs, at)).collect();
    // If another subject repeats the first key, the word before the first pair names a subject too.
    let key = |at: usize| pairs.get(at).map(|pair| part(text, pair.key.clone()));
    let is_parallel =
        heads.iter().enumerate().any(|(at, head)| head.is_some() && key(at) == key(0));
    if let (Some(slot @ None), true) = (heads.first_mut(), is_parallel) {
        *slot = last_word_before(text, pairs.first()?.span.start);
    }
    let headed = || heads.iter().enumerate().filter(|(_, head)| head.is_some()).map(|(at, _)| at);
    let starts: Vec<usize> = if heads.first()?.is_some() && headed().count() > 1 {
        headed().collect()
    } else {
        let repeated = first_repeated_key(text, pairs)?;
        let key = part(text, pairs.get(repeated)?.key.clone());
        let same =
            |at: &usize| pairs.get(*at).is_some_and(|pair| part(text, pair.key.clone()) == key);
        (repeated..pairs.len()).filter(same).collect()
    };
    let begin = |at: usize| {
        let head = heads.get(at).cloned().flatten();
        head.map(|head| head.start).or_else(|| pairs.get(at).map(|pair| pair.span.start))
    };
    let mut runs = Vec::new();
    for (place, start) in starts.iter().enumerate() {
        let next = starts.get(place + 1).copied().unwrap_or(pairs.len());
        let end = if next < pairs.len() { begin(next)? } else { text.len() };
        let written = part(text, begin(*start)?..end).trim_end_matches([' ', '\t', ',', ';', '|']);
        let written = written.strip_suffix(" and").unwrap_or(written).trim_end_matches(',');
        runs.push(Run {
            head: heads.get(*start).cloned().flatten(),
            span: begin(*start)?..begin(*start)? + written.len(),
            pairs: *start..next,
        });
    }
    Some((*starts.first()?, runs))
}

/// Groups pairs by key prefix: `cart.errors=5 stock.errors=9`.
fn runs_by_key_prefix(text: &str, pairs: &[Pair]) -> Option<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, pair) in pairs.iter().enumerate() {
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
                run.pairs.end = at + 1;
            }
            _ => runs.push(Run { head: Some(head), span: pair.span.clone(), pairs: at..at + 1 }),
        }
    }
    (runs.len() > 1).then_some(runs)
}

fn last_word_before(text: &str, at: usize) -> Option<Range<usize>> {
    let before = part(text, 0..at).trim_end_matches([' ', ':']);
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    (!word.is_empty()).then(|| before.len() - word.len()..before.len())
}

fn first_repeated_key(text: &str, pairs: &[Pair]) -> Option<usize> {
    let mut keys: Vec<(&str, usize)> =
        pairs.iter().enumerate().map(|(at, pair)| (part(text, pair.key.clone()), at)).collect();
    keys.sort_unstable();
    let same = keys.windows(2).filter_map(|pair| match pair {
        [(key, at), (next, _)] if key == next => Some(*at),
        _ => None,
    });
    same.min()
}

/// Returns the word between a pair and the previous one if there is exactly one.
fn word_before(text: &str, pairs: &[Pair], at: usize) -> Option<Range<usize>> {
    let from = at.checked_sub(1).and_then(|at| pairs.get(at)).map_or(0, |pair| pair.span.end);
    let to = pairs.get(at)?.span.start;
    let gap = part(text, from..to);
    let word = gap.trim_matches([' ', '\t', ',', ';', '|', ':', '(', '[', '{']);
    // "exceeded quota, requested: cpu=5, used: cpu=9"
    let labels = gap.trim_end().ends_with(':');
    let word = if labels { word.rsplit([' ', '\t']).next().unwrap_or(word) } else { word };
    let word = word.strip_prefix("and ").unwrap_or(word).trim_start();
    let is_word = word.len() <= MAX_KEY
        && word.starts_with(|c: char| c.is_alphanumeric())
        && !word.contains(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | ')' | ']' | ','));
    if !is_word {
        return None;
    }
    let start = from + gap.rfind(word)?;
    Some(start..start + word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Vec<String> {
        let of = |pair: &Pair| {
            format!("{}={}", part(text, pair.key.clone()), part(text, pair.value.clone()))
        };
        pairs(text).iter().map(of).collect()
    }

    fn split_text(text: &str) -> Vec<&str> {
        let found = pairs(text);
        runs(text, &found).map_or_else(Vec::new, |(_, runs)| {
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
            assert_eq!(written(text), expected, "{text}");
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
