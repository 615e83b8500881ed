//! What an item answers its request with: something, nothing, or a refusal.
//!
//! A search that finds nothing is evidence, and so is "no such object"; a tool that was refused has shown nothing
//! either way. Read off the shape and the stock phrases of command-line tools and of query APIs.

use crate::evidence::observations::{Corpus, ValueKind};
use crate::matching::fit::holds;

/// What an item answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Records, lines or values.
    Content,
    /// The request was carried out and found nothing; with the field that says so, where one does.
    Nothing(Option<u32>),
    /// The request was not carried out.
    Refused(u32),
}

/// The most fields looked at; an answer of nothing is short.
const MOST_FIELDS: u32 = 40;

/// Reads what an item answers.
pub(crate) fn answer(corpus: &Corpus<'_>, item: u32) -> Answer {
    let root = corpus.roots.get(item as usize).and_then(|root| corpus.object(*root));
    let Some((start, end)) = root.map(|root| root.fields) else { return Answer::Content };
    if end - start > MOST_FIELDS {
        return Answer::Content;
    }
    let fields = || start..end;
    if let Some(says) = fields().find(|field| says_nothing(corpus.line(*field))) {
        return Answer::Nothing(Some(says));
    }
    if let Some(result) = fields().find(|field| is_empty_result(corpus, *field))
        && fields().all(|field| !bears_content(corpus, field) || corpus.name(field).len() > 1)
    {
        return Answer::Nothing(Some(result));
    }
    let is_short = end - start <= 6;
    if is_short && let Some(refused) = fields().find(|field| says_refused(corpus.line(*field))) {
        return Answer::Refused(refused);
    }
    let content = fields().any(|field| bears_content(corpus, field));
    if content {
        Answer::Content
    } else {
        Answer::Nothing(fields().find(|field| is_note(corpus.line(*field))))
    }
}

/// Phrases with which a tool says that it found nothing, at the start of a line; lower case.
const NOTHING_AT_START: [&str; 14] = [
    "no resources found",
    "no events found",
    "no results",
    "no matches",
    "no matching",
    "no logs found",
    "no data found",
    "nothing found",
    "none found",
    "could not find any",
    "could not find changes",
    "0 results",
    "0 rows",
    "(0 rows)",
];

/// Phrases with which a tool says so anywhere in a line; lower case.
const NOTHING_INSIDE: [&str; 8] = [
    "result: no ",
    "matched: 0 ",
    "(notfound)",
    "doesn't have a resource type",
    "could not be found",
    "no such object",
    "no such file or directory",
    "does not exist",
];

fn says_nothing(line: &str) -> bool {
    const LONGEST: usize = 300;
    if line.len() > LONGEST {
        return false;
    }
    let line = line.trim_start_matches(['[', '"', ' ']);
    let starts = |phrase: &str| {
        line.get(..phrase.len()).is_some_and(|start| start.eq_ignore_ascii_case(phrase))
    };
    // `grep` and `pgrep` answer with 1 where nothing matches.
    let grep = holds(line, "grep ") && holds(line, "return code 1");
    grep || NOTHING_AT_START.iter().any(|phrase| starts(phrase))
        || NOTHING_INSIDE.iter().any(|phrase| holds(line, phrase))
}

/// Phrases with which a tool says that it could not answer; lower case.
const REFUSED: [&str; 12] = [
    "(forbidden)",
    "access denied",
    "accessdenied",
    "permission denied",
    "unauthorized",
    "not authorized",
    "connection refused",
    "network error",
    "timed out",
    "no route to host",
    "rejected for security",
    "rate limit exceeded",
];

fn says_refused(line: &str) -> bool {
    REFUSED.iter().any(|phrase| holds(line, phrase))
}

/// A note of whoever ran the tool, in brackets, or the name of a stream.
fn is_note(line: &str) -> bool {
    line.starts_with('[') && line.ends_with(']') || matches!(line, "stdout:" | "stderr:" | "---")
}

fn bears_content(corpus: &Corpus<'_>, field: u32) -> bool {
    let nothing = corpus.field(field).is_none_or(|found| found.kind == ValueKind::Nothing);
    let line = corpus.line(field);
    !nothing && !is_note(line) && !line.starts_with("Params ")
}

/// `[]` or `null` under a key that holds results, or as the whole answer.
fn is_empty_result(corpus: &Corpus<'_>, field: u32) -> bool {
    const RESULTS: [&str; 14] = [
        "", "data", "entries", "events", "hits", "items", "logs", "matches", "records", "result",
        "results", "rows", "series", "values",
    ];
    let name = corpus.name(field);
    matches!(corpus.value(field), "[]" | "null")
        && RESULTS.iter().any(|result| name.eq_ignore_ascii_case(result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};

    fn read(text: &str) -> Answer {
        let content = if text.starts_with(['{', '[']) && !text.starts_with("[s") {
            Content::Json(text.to_owned())
        } else {
            Content::Text(text.to_owned())
        };
        let item = EvidenceItem {
            id: EvidenceId::new("e1").unwrap(),
            kind: EvidenceKind::ToolOutput,
            lane: Lane::Logs,
            tool: "search".to_owned(),
            query: String::new(),
            content,
            collected_at: None,
            exhaustive: false,
            attested: true,
            step_id: String::new(),
            specialist_id: String::new(),
            verification_result: None,
        };
        answer(&Corpus::read(&[item]), 0)
    }

    #[test]
    fn an_empty_answer_is_nothing() {
        for text in [
            "",
            "No resources found in shop namespace.\n",
            "$ kubectl get pods -A | grep rabbit\n[error: Command `kubectl get pods -A | grep rabbit` failed with return code 1]\n",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"streams\",\"result\":[]}}",
            "[]",
            "NAME   READY   STATUS\n",
            "Error from server (NotFound): jobs.batch \"sweep\" not found\n",
            "[status: no_data]\n[empty output]\n",
            " id | state\n----+-------\n(0 rows)\n",
        ] {
            assert!(matches!(read(text), Answer::Nothing(_)), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn a_refusal_is_no_answer() {
        for text in [
            "Error from server (Forbidden): secrets is forbidden: User \"a\" cannot list resource \"secrets\"",
            "curl: (7) Failed to connect to 10.0.0.1 port 9090: Connection refused",
        ] {
            assert!(matches!(read(text), Answer::Refused(_)), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn records_are_content() {
        for text in [
            "NAME   READY   STATUS\na-1    1/1     Running\n",
            "{\"items\":[{\"name\":\"a\",\"errors\":[]}]}",
            "[status: no_data]\n{\n \"datetime\": \"2025-06-12T09:01:53Z\"\n}",
            "2026-03-12T14:02:17Z checkout ready\n2026-03-12T14:02:18Z listening\n",
        ] {
            assert_eq!(read(text), Answer::Content, "{text}");
        }
    }
}
