//! Words for what a claim says is not there: the forms in which evidence would have it, and the words that are too
//! general for their absence to say anything.

use std::sync::LazyLock;

use crate::vocabulary::wordlists::WordList;

static VAGUE: LazyLock<WordList> = LazyLock::new(|| {
    WordList::of(
        "abnormal above active activity amount available below big close complete critical different early \
         empty enough equal exceeded excess fast few full good heavy important large least less limit \
         limits long low many margin maximum minimum near number numbers open pressure quota ready \
         room same serious severe share short small threshold value values wrong activity anomalies anomaly attempt attempts bad behaviour behavior broken call calls cause \
         change changed changes component components concern concerns condition configuration degraded delay \
         delayed difference down drop elevated evidence fault faults gap healthy high impact incident \
         increase increased indication issue issues late load loss lost normal outage peak problem problems \
         request requests resource resources rise saturation service sign slow spike spikes success trouble \
         unhealthy unusual",
    )
});

/// The forms in which a word may stand: its beginning, and its other names.
pub(crate) fn forms(word: &str) -> impl Iterator<Item = &str> {
    const OTHERS: [&[&str]; 22] = [
        &["oom", "out of memory", "OutOfMemory"],
        &["memory", "oom", "heap", "rss"],
        &["database", "postgres", "mysql", "sql", "rds", "-db", "db-", "mongo", "redis"],
        &["db", "database"],
        &["network", "connection", "dns", "tcp", "packet", "socket", "unreachable"],
        &["disk", "storage", "volume", "filesystem", "fs_", "diskio"],
        &["storage", "disk", "volume", "space"],
        &["cpu", "processor", "throttl"],
        &["probe", "liveness", "readiness", "health"],
        &["liveness", "probe"],
        &["readiness", "probe"],
        &["eviction", "evict"],
        &["scheduling", "schedul"],
        &["scaling", "scale"],
        &["timeout", "timed out", "deadline"],
        &["certificate", "cert", "tls", "ssl", "x509"],
        &["authentication", "auth", "login", "unauthorized", "401"],
        &["image", "pull"],
        &["deadlock", "dead lock", "lock wait"],
        &["deployment", "deploy", "rollout", "release"],
        &["rollback", "roll back", "rolled back", "revert"],
        &["signature", "sign"],
    ];
    let others = OTHERS
        .iter()
        .filter(move |group| {
            group.first().is_some_and(|first| {
                stem(word).eq_ignore_ascii_case(stem(first)) || word.eq_ignore_ascii_case(first)
            })
        })
        .flat_map(|group| group.iter().copied());
    std::iter::once(stem(word)).chain(others)
}

/// The beginning of a word that its inflections share.
pub(crate) fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 9] = ["ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "y"];
    ENDINGS
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|stem| stem.len() > 3)
        .unwrap_or(word)
}

/// Whether a word is written as tools write the names of things: `FailedMount`, `FATAL`, `OOMKilled`.
pub(crate) fn is_written_as_name(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    word.len() > 3 && (capitals >= 2 || word.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether a word is written as tools write states and labels: `Pending`, `disktype=ssd`.
pub(crate) fn is_written_as_state(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_uppercase())
        || word.contains(['=', '/', '_'])
        || word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a word judges, or is too general for its absence to say anything.
pub(crate) fn is_vague(word: &str) -> bool {
    VAGUE.has(word) || word.ends_with("ed") && !is_mishap(word) || word.ends_with("ly")
}

/// Whether a word says only that something went wrong, in whatever words a tool has for it.
pub(crate) fn is_mishap(word: &str) -> bool {
    const MISHAPS: [&str; 13] = [
        "abort",
        "crash",
        "error",
        "exception",
        "fail",
        "failed",
        "failing",
        "failure",
        "kill",
        "killed",
        "refus",
        "reject",
        "warning",
    ];
    MISHAPS.iter().any(|mishap| stem(word).eq_ignore_ascii_case(stem(mishap)))
}
