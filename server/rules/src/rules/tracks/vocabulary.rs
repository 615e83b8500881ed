//! The words of metrics' names: what reports say instead, what they leave out, what turns a quantity round.
//!
//! Tables only.

/// Words of a report beside the words of metrics' names that mean the same.
const SYNONYMS: [(&str, &str); 46] = [
    ("available", "free freeable"),
    ("bandwidth", "throughput network"),
    ("busy", "utilization usage"),
    ("connections", "conn conns"),
    ("consumption", "usage utilization used"),
    ("cores", "cpu"),
    ("disk", "storage filesystem fs"),
    ("drive", "storage disk"),
    ("duration", "latency"),
    ("durations", "latency"),
    ("error", "failed 5xx"),
    ("errors", "error failed 5xx"),
    ("failures", "error failed 5xx"),
    ("failed", "5xx error"),
    ("failing", "5xx error"),
    ("free", "freeable available"),
    ("heap", "heap"),
    ("i", "iowait"),
    ("i/o", "iowait io"),
    ("latencies", "latency duration"),
    ("latency", "duration"),
    ("load", "utilization"),
    ("logs", "transaction generation"),
    ("mem", "memory"),
    ("memory", "mem rss"),
    ("processor", "cpu"),
    ("processors", "cpu"),
    ("queue", "depth"),
    ("ram", "memory"),
    ("rate", "iops generation"),
    ("reads", "read"),
    ("remaining", "free freeable"),
    ("replication", "replica"),
    ("requests", "rps throughput"),
    ("sessions", "load"),
    ("space", "storage disk free"),
    ("storage", "disk space"),
    ("swapping", "swap"),
    ("throughput", "requests rps"),
    ("traffic", "throughput iops requests total"),
    ("use", "usage utilization used"),
    ("used", "usage utilization"),
    ("wal", "transaction logs generation"),
    ("written", "write generation"),
    ("wrote", "write generation"),
    ("generated", "generation"),
];

/// Words of metrics' names that mean the same as a word of a report.
pub(super) fn synonyms(word: &str) -> impl Iterator<Item = &'static str> {
    SYNONYMS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(word))
        .into_iter()
        .flat_map(|(_, others)| others.split(' '))
}

/// Words of metrics' names that a report leaves out.
pub(super) const SOFT: [&str; 47] = [
    "http",
    "code",
    "target",
    "average",
    "avg",
    "bytes",
    "container",
    "count",
    "current",
    "database",
    "db",
    "depth",
    "docker",
    "gb",
    "generation",
    "gib",
    "iops",
    "kb",
    "kib",
    "maximum",
    "max",
    "mb",
    "mean",
    "mib",
    "min",
    "minimum",
    "ms",
    "node",
    "number",
    "of",
    "pct",
    "per",
    "percent",
    "percentage",
    "rate",
    "ratio",
    "second",
    "seconds",
    "space",
    "stats",
    "sum",
    "system",
    "total",
    "usage",
    "used",
    "utilization",
    "value",
];

/// Words of metrics' names that turn them round: memory in use and memory that is free.
pub(super) const TURNING: [&str; 8] =
    ["available", "failed", "free", "freeable", "idle", "remaining", "unused", "waiting"];
