//! Formats policies.

use gsar_client::text::{one_line, width};
use gsar_core::policy::{PolicyFileError, PolicyProblem};
use gsar_proto::v1;

use super::page::{BOLD, DIM, Page, count, padded, styled};

pub(crate) fn policies(list: &[v1::PolicySummary], columns: usize) -> String {
    let mut page = Page::new(columns);
    let names = list.iter().map(|policy| width(&one_line(&policy.name)));
    let column = names.max().unwrap_or(0);
    for policy in list {
        let digest: String = policy.digest.chars().take(6).collect();
        let mark = if policy.is_default { "*" } else { " " };
        let name = padded(&one_line(&policy.name), column);
        let lead = format!("{mark} {}  {}  ", styled(BOLD, &name), styled(DIM, &digest));
        let origin = match policy.origin.as_str() {
            "preset" | "" => String::new(),
            path => format!(" ({path})"),
        };
        let text = format!("{}{origin}", policy.description);
        page.add_wrapped(&lead, column + 12, anstyle::Style::new(), &text);
    }
    if list.iter().any(|policy| policy.is_default) {
        page.add_line(&styled(DIM, "* the default"));
    }
    page.into_text()
}

/// Formats the problems in a policy file.
pub(crate) fn problems(path: &str, error: &PolicyFileError) -> String {
    match error {
        PolicyFileError::Syntax { line, message } => {
            format!("{path}:{line}: invalid TOML: {}", one_line(message))
        }
        PolicyFileError::Problems(invalid) => {
            let count = count(invalid.problems.len().try_into().unwrap_or(u64::MAX), "problem");
            format!("policy `{}`: {count}{}", invalid.policy, table(path, &invalid.problems))
        }
    }
}

pub(crate) fn warnings(path: &str, problems: &[PolicyProblem]) -> String {
    if problems.is_empty() { String::new() } else { table(path, problems) }
}

fn table(path: &str, problems: &[PolicyProblem]) -> String {
    let column = problems.iter().map(|problem| width(&problem.field)).max().unwrap_or(0);
    let mut text: String = problems
        .iter()
        .map(|problem| {
            format!("\n  {}  {}", padded(&problem.field, column), one_line(&problem.message))
        })
        .collect();
    let mut lines: Vec<usize> = problems.iter().filter_map(|problem| problem.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let lines: Vec<String> = lines.iter().map(|line| format!(":{line}")).collect();
    text.push_str(&format!("\n  in {path}{}", join_with_and(&lines)));
    text
}

fn join_with_and(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Formats the differences between two outputs of [`gsar_core::policy::to_toml`].
pub(crate) fn differences(before: &str, after: &str) -> String {
    let (before, after) = (fields(before), fields(after));
    let changed: Vec<_> = before
        .iter()
        .filter_map(|(field, old)| {
            let (_, new) = after.iter().find(|(name, _)| name == field)?;
            (old != new).then_some((field, old, new))
        })
        .collect();
    if changed.is_empty() {
        return "the policies are equivalent\n".to_owned();
    }
    let column = changed.iter().map(|(field, _, _)| width(field)).max().unwrap_or(0);
    let old_column = changed.iter().map(|(_, old, _)| width(old)).max().unwrap_or(0);
    let lines = changed.iter().map(|(field, old, new)| {
        format!("{}  {} → {new}\n", padded(field, column), padded(old, old_column))
    });
    lines.collect()
}

/// Returns all fields, prefixed with their table, except the name, the description and the base.
fn fields(file: &str) -> Vec<(String, String)> {
    let mut table = String::new();
    let mut fields = Vec::new();
    for line in file.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            table = format!("{name}.");
        } else if let Some((field, value)) = line.split_once(" = ")
            && !(table.is_empty() && matches!(field, "name" | "description" | "base"))
        {
            fields.push((format!("{table}{field}"), one_line(value)));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::policy::{Policy, Preset, to_toml};
    use gsar_core::preset;

    #[test]
    fn formats_differences_between_presets() {
        let file = |base| to_toml(&preset(base));
        insta::assert_snapshot!(differences(&file(Preset::Reference), &file(Preset::Strict)));
        assert_eq!(
            differences(&file(Preset::Paper), &file(Preset::Paper)),
            "the policies are equivalent\n"
        );
    }

    #[test]
    fn formats_problems() {
        let text = "name = \"night-shift\"\n\ntau_regenerate = 0.85\n[weights]\ndomain = 0\n";
        let error = Policy::from_toml(text).unwrap_err();
        let syntax_error = Policy::from_toml("name = \n").unwrap_err();
        insta::assert_snapshot!(format!(
            "{}\n\n{}",
            problems("policies/night-shift.toml", &error),
            problems("broken.toml", &syntax_error)
        ));
    }

    #[test]
    fn marks_the_default_policy() {
        let policy = |name: &str, description: &str, origin: &str, is_default| v1::PolicySummary {
            name: name.to_owned(),
            description: description.to_owned(),
            digest: "3f9a2c55".to_owned(),
            origin: origin.to_owned(),
            is_default,
        };
        let list = [
            policy(
                "night-shift",
                "stricter after ten, when the channel of the on-call team is not monitored",
                "/etc/gsar/policies/night-shift.toml",
                false,
            ),
            policy("paper", "the method as published, without guards", "preset", false),
            policy("reference", "the published numbers with guards", "preset", true),
        ];
        insta::assert_snapshot!(anstream::adapter::strip_str(&policies(&list, 80)).to_string());
    }
}
