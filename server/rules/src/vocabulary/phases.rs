//! Phases of what happens, as keys and verbs name them: a start, an end, the coming to be.

use gsar_core::text::tokens::words;

use crate::vocabulary::event_words::any;
use crate::vocabulary::words::parts;

/// What an instant is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It came to be.
    Created,
    /// It began, or was seen for the first time.
    Start,
    /// It ended.
    End,
    /// It was seen for the last time.
    Last,
    /// It is to happen: an expiry, a deadline.
    Planned,
    /// It happened.
    Stamp,
}

/// "Running" begins only where it is "already running when".
pub(crate) const STARTING: [&str; 16] = [
    "running",
    "began",
    "begin",
    "begins",
    "begun",
    "booted",
    "initiated",
    "launched",
    "onset",
    "opened",
    "start",
    "started",
    "starting",
    "starts",
    "startup",
    "beginning",
];

pub(crate) const ENDING: [&str; 24] = [
    "closed",
    "complete",
    "completed",
    "completion",
    "crash",
    "crashed",
    "died",
    "done",
    "end",
    "ended",
    "ends",
    "exit",
    "exited",
    "finish",
    "finished",
    "kill",
    "killed",
    "over",
    "resolved",
    "returned",
    "stopped",
    "terminated",
    "termination",
    "finishing",
];

pub(crate) const CREATING: [&str; 6] =
    ["create", "created", "creation", "existed", "exists", "existing"];

pub(crate) const EXPIRING: [&str; 6] =
    ["expire", "expired", "expires", "expiry", "expiration", "expiring"];

/// The phase that a verb means.
pub(crate) fn phase_of_word(word: &str) -> Option<Phase> {
    if any(word, &STARTING) {
        Some(Phase::Start)
    } else if any(word, &ENDING) {
        Some(Phase::End)
    } else if any(word, &CREATING) {
        Some(Phase::Created)
    } else if any(word, &EXPIRING) {
        Some(Phase::Planned)
    } else {
        None
    }
}

/// Whether an instant of one phase cannot be of the other: the end of a thing is not its start.
pub(crate) fn exclude(one: Phase, other: Phase) -> bool {
    use Phase::{Created, End, Last, Planned, Start};
    matches!(
        (one, other),
        (Start | Created, End | Last | Planned) | (End | Last | Planned, Start | Created)
    )
}

/// What the instant under a key is of; `None` where the key does not speak of time.
pub(crate) fn phase_of_key(key: &str) -> Option<Phase> {
    const KEYS: [(&str, Phase); 41] = [
        ("expires", Phase::Planned),
        ("expiry", Phase::Planned),
        ("expiration", Phase::Planned),
        ("expire", Phase::Planned),
        ("expired", Phase::Planned),
        ("deadline", Phase::Planned),
        ("exp", Phase::Planned),
        ("until", Phase::Planned),
        ("first", Phase::Start),
        ("last", Phase::Last),
        ("latest", Phase::Last),
        ("finished", Phase::End),
        ("finish", Phase::End),
        ("end", Phase::End),
        ("ends", Phase::End),
        ("ended", Phase::End),
        ("stop", Phase::End),
        ("stopped", Phase::End),
        ("completed", Phase::End),
        ("completion", Phase::End),
        ("resolved", Phase::End),
        ("closed", Phase::End),
        ("deleted", Phase::End),
        ("deletion", Phase::End),
        ("terminated", Phase::End),
        ("start", Phase::Start),
        ("starts", Phase::Start),
        ("started", Phase::Start),
        ("begin", Phase::Start),
        ("began", Phase::Start),
        ("opened", Phase::Start),
        ("active", Phase::Start),
        ("created", Phase::Created),
        ("creation", Phase::Created),
        ("launch", Phase::Created),
        ("time", Phase::Stamp),
        ("timestamp", Phase::Stamp),
        ("date", Phase::Stamp),
        ("datetime", Phase::Stamp),
        ("ts", Phase::Stamp),
        ("at", Phase::Stamp),
    ];
    let mut found: Option<usize> = None;
    let mut consider = |part: &str| {
        let place = KEYS.iter().position(|(entry, _)| part.eq_ignore_ascii_case(entry));
        if let Some(place) = place {
            found = Some(found.map_or(place, |found| found.min(place)));
        }
    };
    for word in words(key) {
        consider(word.text);
        for part in parts(word.text) {
            consider(part);
        }
    }
    // A state that changed last is as old as the change.
    if key.to_ascii_lowercase().contains("transition") {
        return Some(Phase::Stamp);
    }
    found.and_then(|place| KEYS.get(place)).map(|(_, phase)| *phase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_verbs_name_phases() {
        for (key, phase) in [
            ("startedAt", Some(Phase::Start)),
            ("first_time", Some(Phase::Start)),
            ("Finished", Some(Phase::End)),
            ("lastTimestamp", Some(Phase::Last)),
            ("lastTransitionTime", Some(Phase::Stamp)),
            ("creationTimestamp", Some(Phase::Created)),
            ("expires_at", Some(Phase::Planned)),
            ("fired_at", Some(Phase::Stamp)),
            ("message", None),
        ] {
            assert_eq!(phase_of_key(key), phase, "{key}");
        }
        assert_eq!(phase_of_word("Began"), Some(Phase::Start));
        assert_eq!(phase_of_word("pulled"), None);
    }
}
