//! Detects evidence that repeats the report under evaluation, since a report must not be its own evidence.

use memchr::memmem::Finder;

use crate::text::sentences::sentences;

/// The minimum size of a report, in bytes, for which containment is checked. Shorter reports can match by coincidence.
const MIN_CONTAINED: usize = 200;

const MIN_SENTENCE: usize = 40;
/// The minimum number of sentences that distinguish a draft from evidence that the report quotes.
const MIN_SENTENCES: usize = 4;
const MAX_SENTENCES: usize = 32;

/// A report prepared for comparison with evidence items.
#[derive(Debug)]
pub struct OwnReport<'r> {
    report: &'r str,
    whole: Finder<'r>,
    /// The report with the escapes of a JSON string.
    escaped: Finder<'static>,
    /// The sentences outside code and quotations.
    sentences: Vec<Finder<'r>>,
}

impl<'r> OwnReport<'r> {
    /// Prepares a report for comparison.
    #[must_use]
    pub fn new(report: &'r str) -> Self {
        let report = report.trim();
        let json_string = serde_json::Value::from(report).to_string();
        let escaped = json_string.get(1..json_string.len().saturating_sub(1)).unwrap_or_default();
        Self {
            report,
            whole: Finder::new(report),
            escaped: Finder::new(escaped).into_owned(),
            sentences: prose_sentences(report).into_iter().map(Finder::new).collect(),
        }
    }

    /// Returns `true` if the content contains the report or most of its sentences.
    #[must_use]
    pub fn is_repeated_by(&self, content: &str) -> bool {
        let content = content.trim();
        if self.report.is_empty() {
            return false;
        }
        if content == self.report {
            return true;
        }
        if self.report.len() < MIN_CONTAINED || content.len() < MIN_CONTAINED {
            return false;
        }
        let is_found = |finder: &Finder<'_>| finder.find(content.as_bytes()).is_some();
        if is_found(&self.whole) || is_found(&self.escaped) {
            return true;
        }
        let repeated_count = self.sentences.iter().filter(|sentence| is_found(sentence)).count();
        self.sentences.len() >= MIN_SENTENCES && repeated_count * 10 >= self.sentences.len() * 6
    }
}

fn prose_sentences(report: &str) -> Vec<&str> {
    let mut is_code = false;
    let prose = report.lines().filter(|line| {
        let trimmed = line.trim_start();
        let is_fence = trimmed.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence && !trimmed.starts_with(['>', '|', '`']) && !line.starts_with("    ")
    });
    prose
        .flat_map(|line| sentences(line).into_iter().filter_map(move |span| str::get(line, span)))
        .map(|sentence| sentence.trim_matches([' ', '-', '*', '#', '.']))
        .filter(|sentence| sentence.len() >= MIN_SENTENCE)
        .take(MAX_SENTENCES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats(content: &str, report: &str) -> bool {
        OwnReport::new(report).is_repeated_by(content)
    }

    const REPORT: &str = "## Redis failover\n\n\
        - The primary redis-0 stopped answering at 10:04 UTC on Tuesday.\n\
        - Sentinel promoted redis-1 eleven seconds after that.\n\
        - The session service lost its connections for nine seconds.\n\
        - About 3,200 customers were logged out by the failover.\n\
        - The memory limit of redis-0 had been lowered the day before.\n";

    #[test]
    fn a_draft_repeats_the_report_but_quoted_evidence_does_not() {
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
    fn a_text_that_contains_the_report_repeats_it() {
        let long_report = "The pool was exhausted at 10:04.\n".repeat(9);
        for (content, report, expected) in [
            ("It is down.", "It is down.\n", true),
            ("10:00 It is down.\n10:01 It is up.", "It is down.", false),
            (&*format!("From the wiki:\n\n{long_report}\n-- end"), &*long_report, true),
            (&*serde_json::json!({ "report": long_report }).to_string(), &*long_report, true),
            (&*long_report.replace("pool", "disk"), &*long_report, false),
            ("anything", " ", false),
        ] {
            assert_eq!(repeats(content, report), expected, "{content:?}");
        }
    }
}
