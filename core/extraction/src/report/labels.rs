//! Word lists for labels that state nothing, and for labels that form a statement with the text after them.

use crate::text::tokens::{Shape, Word, is_stop_word, words};

/// Words in titles and labels that state nothing.
#[rustfmt::skip]
const LISTED: [&str; 140] = [
    "abstract", "acknowledgement", "acknowledgements", "action", "actions", "additional",
    "affected", "after", "agenda", "alert", "alerts", "analysis", "and", "appendix", "assessment",
    "attachments", "author", "authors", "background", "brief", "causal", "cause", "causes",
    "change", "changes", "check", "checks", "chronology", "comments", "conclusion", "conclusions",
    "configuration", "context", "contributing", "contributors", "customer", "customers", "data",
    "date", "dates", "description", "detail", "details", "detected", "detection", "diagnosis",
    "discussion", "document", "duration", "environment", "event", "events", "evidence", "executive",
    "factors", "finding", "findings", "follow-up", "follow-ups", "followup", "follow", "ups",
    "further", "glossary", "happened", "impact", "improvements", "incident", "information",
    "introduction", "investigation", "issue", "item", "items", "key", "learned", "learnings",
    "lessons", "links", "log", "logs", "metadata", "metrics", "mitigation", "mitigations",
    "monitoring", "next", "note", "notes", "observations", "open", "outline", "overview", "owner",
    "people", "plan", "post", "post-incident", "post-mortem", "postmortem", "prevention", "problem",
    "queries", "question", "questions", "rca", "recommendation", "recommendations", "recommended",
    "recovery", "reference", "references", "related", "remediation", "report", "resolution",
    "response", "responders", "review", "root", "scope", "section", "severity", "services",
    "signal", "signals", "source", "sources", "statement", "status", "step", "steps", "summary",
    "symptoms", "table", "technical", "time", "timeline", "tldr", "trigger",
];

/// Words that occur only in titles.
const TITLES: [&str; 22] = [
    "alert", "analysis", "brief", "cause", "incident", "investigation", "of", "post",
    "post-incident", "post-mortem", "postmortem", "rca", "re", "report", "retrospective", "review",
    "root", "subject", "summary", "title", "triage", "writeup",
];

/// Words in labels that form a statement with the text after them: "Root cause: payments-db".
const PREDICATES: [&str; 40] = [
    "affected", "blast", "began", "cause", "causes", "component", "components", "culprit",
    "customer", "customers", "date", "detected", "detection", "duration", "end", "ended",
    "environment", "fix", "host", "impact", "level", "mitigation", "owner", "priority", "recovery",
    "region", "resolution", "scope", "service", "services", "severity", "signal", "source",
    "start", "started", "status", "suspect", "system", "trigger", "victim",
];

/// Words in headings that announce proposals.
#[rustfmt::skip]
const PROPOSALS: [&str; 17] = [
    "action", "actions", "backlog", "follow-up", "follow-ups", "followup", "mitigation",
    "mitigations", "next", "prevention", "proposal", "proposals", "recommendation",
    "recommendations", "recommended", "remediation", "todo",
];

fn all_of(text: &str, list: &[&str]) -> bool {
    let mut has_words = false;
    let all_listed = words(text)
        .filter(|word| !is_stop_word(word.text) || list.contains(&word.text))
        .all(|word| {
            has_words = true;
            list.iter().any(|entry| word.is(entry))
        });
    all_listed && has_words
}

fn any_of(text: &str, list: &[&str]) -> bool {
    words(text).any(|word| list.iter().any(|entry| word.is(entry)))
}

pub(super) fn states_nothing(text: &str) -> bool {
    #[rustfmt::skip]
    const PHRASES: [&str; 11] = [
        "what went well", "what went wrong", "where we got lucky", "what happened", "what we know",
        "what we do not know", "what we did", "why it happened", "how it was detected", "tl;dr",
        "tl dr",
    ];
    let plain = text.trim().trim_end_matches([':', '?', '.']).to_lowercase();
    PHRASES.contains(&plain.as_str()) || all_of(text, &LISTED)
}

pub(super) fn is_title(text: &str) -> bool {
    all_of(text, &TITLES)
}

/// Returns `true` if a label forms a statement with the text after it.
pub(super) fn is_predicate(text: &str) -> bool {
    any_of(text, &PREDICATES) || !states_nothing(text)
}

pub(super) fn announces_proposals(text: &str) -> bool {
    any_of(text, &PROPOSALS)
}

/// Returns `true` if a title word needs no evidence.
pub(super) fn is_title_word(word: &Word<'_>) -> bool {
    is_stop_word(word.text)
        || word.shape() == Shape::Plain
            && [&LISTED[..], &TITLES].iter().any(|list| list.iter().any(|entry| word.is(entry)))
}
