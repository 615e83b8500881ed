//! What was looked at, how it is, and how to fix it.

use anstyle::Style;

use super::page::{BAD, DOUBTFUL, GOOD, Page, padded, styled};

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Health {
    /// As it should be.
    Fine,
    /// Works, and wants a look.
    Doubtful,
    /// Does not work.
    Broken,
}

/// Something that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// What.
    pub(crate) subject: &'static str,
    /// How it is.
    pub(crate) health: Health,
    /// What was found.
    pub(crate) finding: String,
    /// How to fix it; empty where nothing is to be fixed.
    pub(crate) fix: String,
}

/// A line per check, with the fix under it.
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
    fn every_line_says_how_it_is() {
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
                "gsar-server is not installed beside gsar",
                "install both into one directory, or name a server with --endpoint",
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
