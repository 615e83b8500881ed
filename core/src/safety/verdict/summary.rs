//! Summarises a tool result in one line.

use std::borrow::Cow;

pub(super) const MAX_CHARACTERS: usize = 280;

/// Summarises a result in one line of at most 280 characters. Log lines are counted but not shown.
#[must_use]
pub fn summary(text: &str) -> String {
    let mut summary = String::new();
    let mut length = 0;
    let mut log_lines = 0usize;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if is_log_line(line) {
            log_lines += 1;
        } else if length < MAX_CHARACTERS {
            if !summary.is_empty() {
                summary.push_str("; ");
            }
            push_words(&mut summary, line);
            length = summary.chars().count();
        }
    }
    let log_count = match log_lines {
        0 => String::new(),
        1 => "1 log line".to_string(),
        count => format!("{count} log lines"),
    };
    match (summary.is_empty(), log_count.is_empty()) {
        (true, _) => log_count,
        (false, true) => truncate(summary, MAX_CHARACTERS),
        (false, false) => {
            let suffix = format!(" ({log_count})");
            let mut summary = truncate(summary, MAX_CHARACTERS - suffix.chars().count());
            summary.push_str(&suffix);
            summary
        }
    }
}

pub(super) fn excerpt(line: &str, characters: usize) -> String {
    let mut excerpt = String::new();
    // Twice as many characters are read, since generated parts of pod names are omitted.
    let end = line.char_indices().nth(characters * 2).map_or(line.len(), |(end, _)| end);
    push_words(&mut excerpt, line.get(..end).unwrap_or_default());
    truncate(excerpt, characters)
}

fn push_words(summary: &mut String, line: &str) {
    let mut first = true;
    let mut after_pod = false;
    for word in
        line.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty())
    {
        if !first {
            summary.push(' ');
        }
        first = false;
        summary.push_str(&strip_pod_name(word, after_pod));
        after_pod = matches!(word, "pod" | "pods" | "Pod" | "Pods");
    }
}

fn truncate(text: String, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text,
        Some(_) => {
            let mut truncated: String = text.chars().take(characters.saturating_sub(1)).collect();
            truncated.truncate(truncated.trim_end().len());
            truncated.push('…');
            truncated
        }
    }
}

const LEVELS: [&str; 12] = [
    "ERROR", "ERR", "FATAL", "CRITICAL", "SEVERE", "PANIC", "WARN", "WARNING", "INFO", "DEBUG",
    "TRACE", "NOTICE",
];

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn is_log_line(line: &str) -> bool {
    let mut fields = line.split_whitespace();
    let first = fields.next().unwrap_or_default().trim_matches(['[', ']', '(', ')', ':', ',']);
    let is_level = LEVELS.contains(&first);
    let is_frame = (first == "at" && line.contains('(') && line.ends_with(')'))
        || line.starts_with("File \"")
        || line.starts_with("Traceback ")
        || line.starts_with("Caused by:");
    let is_record = line.starts_with('{') && line.contains("\"level\"")
        || line.starts_with("level=")
        || line.starts_with("time=")
        || line.starts_with("ts=");
    is_level
        || is_frame
        || is_record
        || is_instant(first)
        || (MONTHS.contains(&first) && starts_with_digit(fields.next()))
}

/// Returns `true` for a timestamp such as `2024-05-01…`, `14:05:09.123` or `I0501` (klog).
fn is_instant(word: &str) -> bool {
    let has_shape = |pattern: &str| {
        word.len() >= pattern.len()
            && word.bytes().zip(pattern.bytes()).all(|(byte, expected)| match expected {
                b'0' => byte.is_ascii_digit(),
                other => byte == other,
            })
    };
    let is_klog = word.len() == 5
        && word.starts_with(['I', 'W', 'E', 'F'])
        && word.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    has_shape("0000-00-00")
        || has_shape("0000/00/00")
        || has_shape("00:00:00")
        || has_shape("0000000000.0")
        || is_klog
}

fn starts_with_digit(word: Option<&str>) -> bool {
    word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Strips the generated parts of pod names: `checkout-7f9c4d-x2x1z` becomes `checkout`.
fn strip_pod_name(word: &str, after_pod: bool) -> Cow<'_, str> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !word.contains('-') {
        return Cow::Borrowed(word);
    }
    let mut stripped = String::new();
    let mut rest = word;
    let mut is_pod = after_pod;
    while !rest.is_empty() {
        let name_end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, remaining) = rest.split_at_checked(name_end).unwrap_or((rest, ""));
        stripped.push_str(workload(name, is_pod));
        is_pod = name == "pod" || name == "pods";
        let separator_end = remaining.find(is_name).unwrap_or(remaining.len());
        let (separator, remaining) =
            remaining.split_at_checked(separator_end).unwrap_or((remaining, ""));
        stripped.push_str(separator);
        rest = remaining;
    }
    Cow::Owned(stripped)
}

/// Strips the generated suffixes of a pod name. Ordinals are only stripped if the name is known to be a pod name.
fn workload(name: &str, is_pod: bool) -> &str {
    let Some((stem, suffix)) = name.rsplit_once('-') else { return name };
    if stem.is_empty() {
        return name;
    }
    if let Some((owner, hash)) = stem.rsplit_once('-')
        && !owner.is_empty()
        && (5..=10).contains(&hash.len())
        && suffix.len() == 5
        && is_generated(hash)
        && is_generated(suffix)
    {
        return owner;
    }
    let is_daemon_set_suffix = suffix.len() == 5
        && suffix.bytes().all(|byte| b"bcdfghjklmnpqrstvwxz2456789".contains(&byte))
        && suffix.bytes().any(|byte| byte.is_ascii_digit());
    let is_ordinal =
        is_pod && suffix.len() <= 3 && suffix.bytes().all(|byte| byte.is_ascii_digit());
    if is_daemon_set_suffix || (is_ordinal && !suffix.is_empty()) { stem } else { name }
}

fn is_generated(part: &str) -> bool {
    part.bytes().any(|byte| byte.is_ascii_digit())
        || !part.bytes().any(|byte| b"aeiouy".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn omits_the_generated_parts_of_pod_names() {
        for (text, expected) in [
            ("checkout-7f9c4d-x2x1z is not ready", "checkout is not ready"),
            ("pod/payments-api-66b6c48dd5-8w7xz: 0/1", "pod/payments-api: 0/1"),
            ("fluentd-h2x5z, node-exporter", "fluentd, node-exporter"),
            ("pod kafka-0 and us-east-1", "pod kafka and us-east-1"),
            ("pod/kafka-12", "pod/kafka"),
            ("(batch-28391040-abcde)", "(batch-28391040-abcde)"),
            ("backup-28391040-x7k2p", "backup"),
            (
                "http-proxy redis-mysql checkout-payment-proxy",
                "http-proxy redis-mysql checkout-payment-proxy",
            ),
        ] {
            assert_eq!(summary(text), expected);
        }
    }

    #[test]
    fn log_lines_are_counted_but_not_shown() {
        let text = "3 restarts of checkout\n2024-05-01T14:02:11Z ERROR token=secret\n\tat com.shop.Pay(Pay.java:7)\nI0501 14:02:11.1 1 main.go:1] x\n{\"level\":\"error\",\"msg\":\"x\"}\nERROR: boom";
        assert_eq!(summary(text), "3 restarts of checkout (5 log lines)");
        assert_eq!(summary("2024-05-01 boom"), "1 log line");
    }

    #[test]
    fn long_results_are_truncated_at_a_character_boundary() {
        let text = "é".repeat(500);
        let truncated = summary(&text);
        assert_eq!(truncated.chars().count(), MAX_CHARACTERS);
        assert!(truncated.ends_with('…'));
        let with_logs = format!("{text}\nERROR x");
        assert_eq!(summary(&with_logs).chars().count(), MAX_CHARACTERS);
        assert!(summary(&with_logs).ends_with("… (1 log line)"));
    }

    proptest! {
        #[test]
        fn a_summary_is_one_line_of_at_most_280_characters(text in "(\\PC|\n|\r|\t|\u{0}|\u{85}|\u{2028}){0,600}") {
            let summary = summary(&text);
            prop_assert!(summary.chars().count() <= MAX_CHARACTERS);
            let is_break = |c: char| c.is_control() || (c.is_whitespace() && c != ' ');
            prop_assert!(!summary.contains(is_break));
        }
    }
}
