//! Formats the findings of `gsar doctor`.

use anstyle::Style;

use super::page::{BAD, DOUBTFUL, GOOD, Page, padded, styled};

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Health {
    /// No problem.
    Fine,
    /// Works, but deserves attention.
    Doubtful,
    /// Does not work.
    Broken,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// What was checked.
    pub(crate) subject: &'static str,
    /// The result.
    pub(crate) health: Health,
    /// The details.
    pub(crate) finding: String,
    /// How to fix the problem; empty if there is none.
    pub(crate) fix: String,
}

/// Formats one line per finding, followed by the fix.
pub(crate) fn checks(checks: &[Check], columns: usize) -> String {
    let mut page = Page::new(columns);
    for check in checks {
        let (word, style) = match check.health {
            Health::Fine => ("ok", GOOD),
            Health::Doubtful => ("warn", DOUBTFUL),
            Health::Broken => ("fail", BAD),
        };
        let lead = format!("{}  {}", styled(style, &padded(word, 4)), padded(check.subject, 12));
        page.wrapped(&lead, 18, Style::new(), &check.finding);
        if !check.fix.is_empty() {
            page.wrapped(&format!("{:18}", ""), 18, Style::new(), &format!("fix: {}", check.fix));
        }
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_findings() {
        let check = |subject, health, finding: &str, fix: &str| Check {
            subject,
            health,
            finding: finding.to_owned(),
            fix: fix.to_owned(),
        };
        let list = [
            check("command", Health::Fine, "gsar 0.1.0", ""),
            check(
                "server",
                Health::Doubtful,
                "gsar-server is not installed next to gsar",
                "install both into one directory, or specify a server with --endpoint",
            ),
            check(
                "endpoint",
                Health::Broken,
                "no server answers at unix:///run/gsar/gsar.sock: permission denied",
                "add yourself to the group of the socket",
            ),
        ];
        insta::assert_snapshot!(anstream::adapter::strip_str(&checks(&list, 80)).to_string());
    }
}
