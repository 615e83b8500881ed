//! Formats the findings of `gsar doctor`.

use anstyle::Style;

use super::page::{BAD, GOOD, Page, WARNING, padded, styled};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Health {
    Good,
    Doubtful,
    Broken,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) subject: &'static str,
    pub(crate) health: Health,
    pub(crate) details: String,
    /// Empty if there is no problem.
    pub(crate) fix: String,
}

/// Formats each finding, followed by the fix.
pub(crate) fn findings(findings: &[Finding], columns: usize) -> String {
    let mut page = Page::new(columns);
    for finding in findings {
        let (status, style) = match finding.health {
            Health::Good => ("ok", GOOD),
            Health::Doubtful => ("warn", WARNING),
            Health::Broken => ("fail", BAD),
        };
        let lead =
            format!("{}  {}", styled(style, &padded(status, 4)), padded(finding.subject, 12));
        page.add_wrapped(&lead, 18, Style::new(), &finding.details);
        if !finding.fix.is_empty() {
            page.add_wrapped(
                &format!("{:18}", ""),
                18,
                Style::new(),
                &format!("fix: {}", finding.fix),
            );
        }
    }
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_findings() {
        let finding = |subject, health, details: &str, fix: &str| Finding {
            subject,
            health,
            details: details.to_owned(),
            fix: fix.to_owned(),
        };
        let list = [
            finding("command", Health::Good, "gsar 0.2.0", ""),
            finding(
                "server",
                Health::Doubtful,
                "gsar-server is not installed next to gsar",
                "install both into one directory, or specify a server with --endpoint",
            ),
            finding(
                "endpoint",
                Health::Broken,
                "no sidecar is responding at unix:///run/gsar/gsar.sock: permission denied",
                "add yourself to the group of the socket",
            ),
        ];
        insta::assert_snapshot!(anstream::adapter::strip_str(&findings(&list, 80)).to_string());
    }
}
