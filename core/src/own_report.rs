//! This module recognises evidence that repeats the report it is given for: a report, a draft of it or what was decided of
//! it is never its own evidence. It knows nothing of claims.

use alloc::vec::Vec;

use memchr::memmem;

use crate::text::sentences::sentences;

/// The least length of a report, in bytes, that is not in a longer text by coincidence: one short sentence may well be a
/// line of a log.
const MIN_CONTAINED: usize = 200;

/// The shortest sentence, in bytes, that is compared by itself.
const MIN_SENTENCE: usize = 40;
/// The fewest sentences that tell a draft from evidence that the report quotes.
const MIN_SENTENCES: usize = 4;
/// The most sentences that are looked for.
const MAX_SENTENCES: usize = 32;

/// Whether evidence is the report, holds all of it, as text or as a JSON string, or most of its sentences word for word.
#[must_use]
pub fn repeats(content: &str, report: &str) -> bool {
    let (content, report) = (content.trim(), report.trim());
    if report.is_empty() {
        return false;
    }
    if content == report {
        return true;
    }
    if report.len() < MIN_CONTAINED || content.len() < MIN_CONTAINED {
        return false;
    }
    let holds = |text: &str| memmem::find(content.as_bytes(), text.as_bytes()).is_some();
    let quoted = serde_json::Value::from(report).to_string();
    let escaped = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    holds(report) || escaped != report && holds(escaped) || holds_most(report, holds)
}

/// Whether most sentences of the report's prose are held. What it quotes as code or from others is no prose.
fn holds_most(report: &str, holds: impl Fn(&str) -> bool) -> bool {
    let mut is_code = false;
    let prose = report.lines().filter(|line| {
        let bare = line.trim_start();
        let is_fence = bare.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence && !bare.starts_with(['>', '|', '`']) && !line.starts_with("    ")
    });
    let of_line = |line| sentences(line).into_iter().filter_map(move |span| str::get(line, span));
    let found: Vec<&str> = prose
        .flat_map(of_line)
        .map(|sentence| sentence.trim_matches([' ', '-', '*', '#', '.']))
        .filter(|sentence| sentence.len() >= MIN_SENTENCE)
        .take(MAX_SENTENCES)
        .collect();
    let held = found.iter().filter(|sentence| holds(sentence)).count();
    found.len() >= MIN_SENTENCES && held * 10 >= found.len() * 6
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    const REPORT: &str = "## Redis failover\n\n\
        - The primary redis-0 stopped answering at 10:04 UTC on Tuesday.\n\
        - Sentinel promoted redis-1 eleven seconds after that.\n\
        - The session service lost its connections for nine seconds.\n\
        - About 3,200 customers were logged out by the failover.\n\
        - The memory limit of redis-0 had been lowered the day before.\n";

    #[test]
    fn a_draft_repeats_it_and_evidence_that_it_quotes_does_not() {
        let draft = REPORT.replace("nine seconds", "9 s").replace("Tuesday", "Monday");
        assert!(repeats(&draft, REPORT));
        let answer = serde_json::json!({ "claims": REPORT.lines().collect::<Vec<_>>() });
        assert!(repeats(&answer.to_string(), REPORT));
        let log =
            "10:04:00 sentinel: The primary redis-0 stopped answering at 10:04 UTC on Tuesday.\n\
                   10:04:11 sentinel: Sentinel promoted redis-1 eleven seconds after that.\n"
                .repeat(3);
        assert!(!repeats(&log, REPORT));
        let quoting = format!("```\n{log}```\nThe primary failed.\n");
        assert!(!repeats(&log, &quoting));
    }

    #[test]
    fn the_report_and_what_holds_all_of_it_repeat_it() {
        let long = "The pool was exhausted at 10:04.\n".repeat(9);
        for (content, report, expected) in [
            ("It is down.", "It is down.\n", true),
            ("10:00 It is down.\n10:01 It is up.", "It is down.", false),
            (&*format!("From the wiki:\n\n{long}\n-- end"), &*long, true),
            (&*serde_json::json!({ "report": long }).to_string(), &*long, true),
            (&*long.replace("pool", "disk"), &*long, false),
            ("anything", " ", false),
        ] {
            assert_eq!(repeats(content, report), expected, "{content:?}");
        }
    }
}
