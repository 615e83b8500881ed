//! This module recognises evidence that repeats the report it is given for: a report is never its own evidence. It knows
//! nothing of claims.

use memchr::memmem;

/// The least length of a report, in bytes, that is not in a longer text by coincidence: one short sentence may well be a
/// line of a log.
const MIN_CONTAINED: usize = 200;

/// Whether evidence is the report, or holds all of it, as text or as a JSON string.
#[must_use]
pub fn repeats(content: &str, report: &str) -> bool {
    let (content, report) = (content.trim(), report.trim());
    if report.is_empty() || content.len() < report.len() {
        return false;
    }
    if content == report {
        return true;
    }
    if report.len() < MIN_CONTAINED {
        return false;
    }
    let holds = |text: &str| memmem::find(content.as_bytes(), text.as_bytes()).is_some();
    let quoted = serde_json::Value::from(report).to_string();
    let escaped = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    holds(report) || escaped != report && holds(escaped)
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

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
