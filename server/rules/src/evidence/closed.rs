//! Whether an item shows everything that it was asked for, read off the request and the answer.
//!
//! A caller may say so (`exhaustive`); most do not, but a listing tells by itself: it was asked for without a
//! limit, and nothing in it says that something was cut. Then its number of records is the number of things.

use gsar_core::evidence::{EvidenceItem, EvidenceKind};
use gsar_core::text::tokens::words;

use crate::evidence::observations::first_line;
use crate::vocabulary::words::parts;

/// How much of what there is an item shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// All that matches a pattern in the request.
    Filtered,
    /// The first or last part that was asked for, all of which is there.
    Window,
    /// A part: something was cut, or may have been.
    Part,
}

/// What an answer says when something of it is missing.
const CUT: [&str; 22] = [
    "characters cut",
    "bytes cut",
    "lines cut",
    "lines omitted",
    "more lines",
    "more rows",
    "more items",
    "more results",
    "[truncated",
    "(truncated",
    "...truncated",
    "output truncated",
    "results truncated",
    "is_truncated\": true",
    "truncated\": true",
    "truncated\":true",
    "has_more\": true",
    "hasMore\": true",
    "hasMore\":true",
    "remainingItemCount",
    "too large to return",
    "(excerpt",
];

/// What a request says when it asks for a part: the first, the last, a sample.
const LIMITED: [&str; 14] = [
    "| head",
    "|head",
    "| tail",
    "|tail",
    "--tail",
    "--limit",
    "--max-items",
    "--since",
    " limit ",
    "limit=",
    "\"limit\": ",
    "\"limit\":",
    "page_size",
    "max_results",
];

/// What a request says when it keeps only what matches.
const FILTERED: [&str; 9] = [
    "grep ",
    "|=",
    "|~",
    "--field-selector",
    "select(",
    "\"filter\": \"",
    "\"keyword\": ",
    "findstr ",
    "awk ",
];

/// What a request says when it leaves out what matches.
const EXCLUDING: [&str; 5] = ["grep -v", "grep -iv", "!=", "!~", " not in "];

/// Searches return a page of this size when nobody asks for more.
const PAGES: [usize; 9] = [20, 25, 50, 100, 200, 250, 500, 1_000, 5_000];

/// The extent of an item that has that many records.
pub(crate) fn extent(item: &EvidenceItem, records: usize, is_cut: bool) -> Extent {
    if item.exhaustive {
        return Extent::Whole;
    }
    if item.kind == EvidenceKind::PriorClaim || is_cut {
        return Extent::Part;
    }
    let requests = requests(item);
    let says = |marks: &[&str]| {
        requests.iter().any(|request| marks.iter().any(|mark| request.contains(mark)))
    };
    if says(&EXCLUDING) {
        return Extent::Part;
    }
    let limited = says(&LIMITED)
        && !requests.iter().any(|request| {
            request.contains("\"limit\": null") || request.contains("\"limit\":null")
        });
    if limited {
        return Extent::Window;
    }
    let searches = ["log", "search", "query", "trace", "event"];
    let is_search = searches.iter().any(|word| item.tool.to_ascii_lowercase().contains(word));
    if is_search && PAGES.contains(&records) {
        return Extent::Window;
    }
    if says(&FILTERED) { Extent::Filtered } else { Extent::Whole }
}

/// The request of an item: as its caller states it, and as the answer repeats it.
pub(crate) fn requests(item: &EvidenceItem) -> [&str; 3] {
    let answer = item.content.as_str();
    let tool = item.tool.split([' ', '(', '{', ':']).next().unwrap_or("");
    let repeats = answer.starts_with("$ ") || !tool.is_empty() && answer.starts_with(tool);
    [item.tool.as_str(), item.query.as_str(), if repeats { first_line(answer) } else { "" }]
}

/// Whether an item was asked for things of that name: `kubectl get pods`, `list_nodes`, `{"kind": "pod"}`.
pub(crate) fn asks_for(item: &EvidenceItem, is_name: impl Fn(&str) -> bool) -> bool {
    const ASKING: [&str; 12] = [
        "get", "list", "top", "find", "fetch", "count", "show", "search", "describe", "kind",
        "kubectl", "resource",
    ];
    let tool = words(&item.tool).next();
    // The last part of `list_nodes`, or the one after the verb.
    let in_name = tool.is_some_and(|tool| {
        let mut after_verb = false;
        let mut last = "";
        let asked = parts(tool.text).any(|part| {
            last = part;
            let asked = after_verb && is_name(part);
            after_verb = ASKING.iter().any(|asking| part.eq_ignore_ascii_case(asking));
            asked
        });
        asked || is_name(last) || is_name(tool.text)
    });
    let after_verb = |request: &str| {
        let mut asked = false;
        let mut is_value = false;
        for word in request.split([' ', ',', '"', '{', '}', ':']).filter(|word| !word.is_empty()) {
            if word.starts_with('-') {
                is_value =
                    matches!(word, "-o" | "-n" | "--output" | "--namespace" | "-l" | "--selector");
            } else if std::mem::take(&mut is_value) {
            } else if asked && is_name(word) {
                return true;
            } else {
                asked = ASKING.iter().any(|asking| word.eq_ignore_ascii_case(asking));
            }
        }
        false
    };
    in_name || requests(item).into_iter().any(after_verb)
}

/// Whether an answer says that something of it is missing, or ends within a word of a list.
pub(crate) fn is_cut(text: &str) -> bool {
    let tail = text.trim_end();
    let goes_on = tail.ends_with("...") || tail.ends_with('…');
    goes_on
        || CUT.iter().any(|mark| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some())
        || has_next_page(text)
}

/// `"nextToken": "abc"`: there is another page. An empty token says that there is none.
fn has_next_page(text: &str) -> bool {
    ["\"nextToken\"", "\"next_token\"", "\"next_page_token\"", "\"continue\"", "\"NextToken\""]
        .iter()
        .filter_map(|mark| {
            let at = memchr::memmem::find(text.as_bytes(), mark.as_bytes())?;
            text.get(at + mark.len()..)
        })
        .any(|rest| {
            let value = rest.trim_start().trim_start_matches(':').trim_start();
            value.starts_with('"') && !value.starts_with("\"\"")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent_of(item: &EvidenceItem, records: usize) -> Extent {
        extent(item, records, is_cut(item.content.as_str()))
    }
    use gsar_core::evidence::{Content, EvidenceId, Lane};

    fn item(tool: &str, content: &str) -> EvidenceItem {
        EvidenceItem {
            id: EvidenceId::new("e1").unwrap(),
            kind: EvidenceKind::ToolOutput,
            lane: Lane::StaticInfra,
            tool: tool.to_owned(),
            query: String::new(),
            content: Content::Text(content.to_owned()),
            collected_at: None,
            exhaustive: false,
            attested: true,
            step_id: String::new(),
            specialist_id: String::new(),
            verification_result: None,
        }
    }

    #[test]
    fn the_request_and_the_answer_tell() {
        let table = [
            ("kubectl get pods -n shop", "NAME READY\na 1/1", Extent::Whole),
            ("bash", "$ kubectl get pods -n shop\nNAME READY\na 1/1", Extent::Whole),
            ("bash", "$ kubectl get pods -A | grep shop\na 1/1", Extent::Filtered),
            ("bash", "$ kubectl logs a --tail=50\nline", Extent::Window),
            ("bash", "$ kubectl get pods | head -5\na 1/1", Extent::Window),
            ("fetch_logs", "fetch_logs {\"limit\": null}\nline", Extent::Whole),
            ("fetch_logs", "fetch_logs {\"limit\": 10}\nline", Extent::Window),
            ("list_alarms", r#"{"alarms": [1], "nextToken": "abc"}"#, Extent::Part),
            ("list_alarms", r#"{"alarms": [1], "nextToken": ""}"#, Extent::Whole),
            ("kubectl logs a", "one\n[... 300 characters cut here ...]\ntwo", Extent::Part),
            ("kubectl get pods", "a 1/1\nb 1/1\n...", Extent::Part),
        ];
        for (tool, content, expected) in table {
            assert_eq!(extent_of(&item(tool, content), 3), expected, "{tool} {content}");
        }
        assert_eq!(extent_of(&item("logs_search", "x"), 100), Extent::Window);
        assert_eq!(extent_of(&item("logs_search", "x"), 99), Extent::Whole);
        let asks = |tool: &str, name: &str| asks_for(&item(tool, "x"), |word| word == name);
        assert!(asks("kubectl get --show-labels -o wide pod -n shop", "pod"));
        assert!(asks("list_nodes {}", "nodes"));
        assert!(asks("count {\"kind\": \"pod\"}", "pod"));
        assert!(!asks("kubectl get pods -n node", "node"));
        assert!(!asks("kubectl describe pod node", "node"));
        let said = EvidenceItem { exhaustive: true, ..item("kubectl get pods | head", "x") };
        assert_eq!(extent_of(&said, 3), Extent::Whole);
    }
}
