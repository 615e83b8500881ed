//! Recognizes words that make statements: verbs, states, figures, names, negations.

use crate::text::polarity::is_denial;
use crate::text::tokens::{Shape, Word, ends_ignoring_case, words};

/// Returns `true` if a word is a predicate.
#[must_use]
pub fn is_predicate(word: &Word<'_>) -> bool {
    PREDICATES.iter().any(|predicate| word.is(predicate)) || is_past_form(word)
}

/// Returns `true` if a text contains a predicate.
#[must_use]
pub fn has_predicate(text: &str) -> bool {
    words(text).any(|word| is_predicate(&word))
}

/// Returns `true` for a plain word that ends in "ed".
fn is_past_form(word: &Word<'_>) -> bool {
    word.text.len() > 4
        && word.text.is_ascii()
        && ends_ignoring_case(word.text, "ed")
        && word.shape() == Shape::Plain
}

pub(super) fn has_past_verb(text: &str) -> bool {
    words(text).any(|word| PAST.iter().any(|verb| word.is(verb)))
}

pub(super) fn has_past_form(text: &str) -> bool {
    has_past_verb(text) || words(text).any(|word| is_past_form(&word))
}

/// Returns `true` if a word is a negation.
#[must_use]
pub fn is_negation(word: &Word<'_>) -> bool {
    is_denial(word)
}

/// Returns `true` if a word names a state.
#[must_use]
pub fn is_state(word: &Word<'_>) -> bool {
    STATES.iter().any(|state| word.is(state))
}

/// Returns `true` if a word can make a statement on its own: a figure, time, name, state or negation.
#[must_use]
pub fn is_informative_word(word: &Word<'_>) -> bool {
    word.shape() != Shape::Plain
        || word.text.bytes().any(|byte| byte.is_ascii_digit())
        || is_state(word)
        || is_negation(word)
}

/// Past forms that do not end in "ed", auxiliaries, and the most common "ed" forms.
const PAST: [&str; 90] = [
    "are", "became", "began", "bought", "bound", "broke", "brought", "built", "came", "caused",
    "chose", "crashed", "cut", "did", "died", "does", "drew", "dropped", "drove", "ended",
    "failed", "fed", "fell", "felt", "fired", "flew", "forgot", "found", "froze", "gave", "got",
    "grew", "had", "has", "held", "hid", "hit", "hung", "is", "kept", "knew", "lay", "leaked",
    "led", "left", "logged", "lost", "made", "meant", "met", "overran", "overwrote", "paid",
    "peaked", "ran", "rang", "read", "resulted", "rose", "said", "sank", "sat", "saw", "sent",
    "shook", "showed", "shrank", "shut", "slept", "sold", "spent", "stole", "stood", "stopped",
    "struck", "stuck", "thought", "threw", "told", "took", "tore", "triggered", "undid", "was",
    "went", "were", "withdrew", "woke", "won", "wrote",
];

/// States of systems and components.
#[rustfmt::skip]
const STATES: [&str; 127] = [
    "abandoned", "aborted", "absent", "active", "affected", "alive", "available", "bad", "blocked",
    "breached", "broke", "broken", "cancelled", "caused", "cause", "clean", "closed", "compromised",
    "corrupt", "corrupted", "corruption", "crash", "crashed", "crashing", "crashloopbackoff",
    "critical", "damaged", "dead", "deadlocked", "degraded", "deleted", "delayed", "destroyed",
    "died", "disabled", "disconnected", "down", "drained", "dropped", "empty", "enabled", "erased",
    "evicted", "eviction", "exceeded", "exfiltrated", "exhausted", "expired", "exposed", "failed",
    "failing", "failover", "failure", "false", "faulty", "fell", "fired", "fixed", "flapping",
    "fine", "frozen", "full", "gone", "green", "halted", "healthy", "hung", "idle", "inactive",
    "intact", "invalid", "killed", "lagging", "late", "leak", "leaked", "locked", "loss", "lost",
    "missing", "negative", "offline", "ok", "online", "oom", "oomkilled", "open", "outage",
    "overloaded", "overwritten", "panicked", "paused", "pending", "positive", "ready", "recovered",
    "red", "refused", "rejected", "resolved", "restarted", "restored", "reverted", "rose",
    "running", "safe", "saturated", "skipped", "slow", "stable", "stale", "started", "starved",
    "stolen", "stopped", "stuck", "succeeded", "suspended", "terminated", "throttled", "true",
    "unavailable", "unhealthy", "unreachable", "up", "wiped", "wrong",
];

/// Predicates that do not end in "ed".
const PREDICATES: [&str; 223] = [
    "accepts", "accounts", "agrees", "allows", "am", "amounts", "answers", "appears", "applies",
    "are", "asks", "became", "began", "begin", "begins", "belongs", "blocks", "breaks", "brings",
    "builds", "came", "can", "cannot", "carries", "causes", "changes", "climb", "climbs", "comes",
    "compares", "contain", "contains", "contributes", "corresponds", "costs", "could", "counts",
    "covers", "crosses", "deals", "declines", "depends", "describes", "did", "differs", "does",
    "drops", "drove", "eats", "ed", "ends", "equals", "exceeds", "exits", "expects", "expires",
    "explains", "fails", "fall", "falls", "feeds", "fell", "fills", "fire", "fires", "fits",
    "flags", "follows", "found", "gave", "gets", "give", "gives", "goes", "got", "grew", "grow",
    "grows", "had", "handles", "hangs", "happens", "has", "have", "held", "hit", "hold", "holds",
    "indicates", "involves", "is", "issues", "joins", "keep", "keeps", "kept", "lacks", "lasts",
    "lay", "lead", "leads", "leave", "leaves", "led", "let", "lets", "lie", "lies", "listens",
    "lists", "logs", "looks", "loses", "lost", "made", "makes", "mark", "marks", "matches", "may",
    "means", "meets", "might", "mounts", "must", "names", "need", "needs", "occupies", "occurs",
    "opens", "outnumbers", "owns", "passes", "peaks", "picks", "plays", "points", "pushes", "puts",
    "quotes", "ran", "reaches", "reads", "receives", "records", "recovers", "refers", "refuses",
    "rejects", "relies", "remain", "remains", "reports", "represents", "requests", "requires",
    "resolves", "rests", "resumes", "retries", "returns", "reveals", "rise", "rises", "rolls",
    "rose", "run", "runs", "said", "sat", "saw", "say", "says", "seems", "sees", "sends", "sent",
    "serves", "set", "sets", "shall", "shares", "should", "show", "shows", "shrinks", "sits",
    "sleeps", "speaks", "spends", "spent", "stands", "starts", "states", "stay", "stays", "stem",
    "stems", "stood", "stops", "suffers", "suggests", "supports", "survives", "swings", "takes",
    "tells", "throws", "took", "tracks", "tries", "turns", "uses", "waits", "wants", "was", "went",
    "were", "will", "would", "writes", "wrote",
];
