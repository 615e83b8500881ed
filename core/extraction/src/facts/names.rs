//! Recognizes the names of time fields, aspects and log levels.

/// Returns `true` if a key names an aspect of its parent, such as a side or a bound, and not a separate subject.
pub(super) fn is_aspect(key: &str) -> bool {
    const ASPECTS: [&str; 27] = [
        "value", "raw", "$date", "$oid", "stringValue", "limits", "requests", "from", "to", "old",
        "new", "before", "after", "min", "max", "avg", "desired", "current", "hard", "used",
        "labels", "annotations", "tags", "metric", "stream", "expected", "actual",
    ];
    ASPECTS.contains(&key)
}

pub(super) fn is_time_name(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "time", "ts", "t", "date", "datetime", "when", "at", "_time", "time_local", "minute",
        "start", "logged_at", "timegenerated", "occurred_at", "created_at", "startsat",
    ];
    const ENDINGS: [&str; 6] =
        ["timestamp", "eventtime", "event_time", "start_time", "starttime", "timecreated"];
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '@' && c != '_');
    let name = name.split([' ', '(']).next().unwrap_or_default();
    let has_ending = |ending: &&str| {
        let tail = name.len().checked_sub(ending.len()).and_then(|from| name.get(from..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(ending))
    };
    let is_listed =
        name.len() <= 13 && NAMES.iter().any(|listed| listed.eq_ignore_ascii_case(name));
    is_listed || name.len() <= 24 && ENDINGS.iter().any(has_ending)
}

pub(super) fn is_level(word: &str) -> bool {
    const LEVELS: [&str; 23] = [
        "info", "information", "warn", "warning", "error", "err", "debug", "trace", "fatal",
        "critical", "crit", "notice", "alert", "emerg", "inf", "wrn", "dbg", "log", "severe",
        "panic", "hint", "detail", "statement",
    ];
    (3..=11).contains(&word.len()) && LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
}
