//! Formats check runs.

use std::time::Duration;

use gsar_client::text::{one_line, truncate_end};
use gsar_core::check::CheckRun;
use gsar_core::evidence::VerificationResult;

use super::page::{BAD, DIM, GOOD, Page, styled};

/// The maximum number of output lines shown for a failed check.
const MAX_LINES: usize = 10;

/// Formats a run. For a failed run, this includes the reasons and the end of the output.
pub(crate) fn check_run(run: &CheckRun, duration: Duration, columns: usize) -> String {
    let mut page = Page::new(columns);
    let (result, style) = match run.result() {
        VerificationResult::Passed => ("passed", GOOD),
        VerificationResult::Failed => ("failed", BAD),
    };
    let name = one_line(run.declaration.name());
    let duration = format!("{:.1} s", duration.as_secs_f64());
    page.add_line(&format!("  {}   {name}  {}", styled(style, result), styled(DIM, &duration)));
    if run.result() == VerificationResult::Failed {
        page.add_wrapped("           ", 11, anstyle::Style::new(), &failure_reasons(run));
        let lines: Vec<&str> = run.output.lines().collect();
        for line in lines.iter().skip(lines.len().saturating_sub(MAX_LINES)) {
            let line = one_line(line);
            let line = truncate_end(&line, columns.saturating_sub(13));
            page.add_line(&format!("           {}", styled(DIM, &format!("│ {line}"))));
        }
    }
    page.into_text()
}

/// Lists the unmet parts of the pass condition.
fn failure_reasons(run: &CheckRun) -> String {
    let condition = run.declaration.pass();
    let mut reasons = Vec::new();
    match run.exit_status {
        Some(status) if status == condition.exit_status => {}
        Some(status) => {
            reasons.push(format!("exit status {status}, not {}", condition.exit_status))
        }
        None => {
            let seconds = run.declaration.timeout_seconds();
            reasons.push(format!("killed by a signal or by the {seconds} s timeout"));
        }
    }
    if !run.output.contains(&condition.contains) {
        reasons.push(format!("the output does not contain \"{}\"", one_line(&condition.contains)));
    }
    if !condition.lacks.is_empty() && run.output.contains(&condition.lacks) {
        reasons.push(format!("the output contains \"{}\"", one_line(&condition.lacks)));
    }
    reasons.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::check::{CheckDeclaration, PassCondition};

    #[test]
    fn formats_runs() {
        let pass = PassCondition {
            exit_status: 0,
            contains: "PASS".to_owned(),
            lacks: "panicked".to_owned(),
        };
        let command = vec!["probe".to_owned()];
        let declaration = CheckDeclaration::new("cart-serves".to_owned(), command, 60, pass);
        let run = |exit_status, output: &str| CheckRun {
            declaration: declaration.clone().unwrap(),
            exit_status,
            output: output.to_owned(),
        };
        let numbered_lines: Vec<String> = (1..=12).map(|line| format!("line {line}")).collect();
        let formatted: String = [
            run(Some(0), "PASS"),
            run(Some(3), &format!("{}\nthread panicked \u{1b}[31m", numbered_lines.join("\n"))),
            run(None, ""),
        ]
        .iter()
        .map(|run| check_run(run, Duration::from_millis(1_234), 60))
        .collect();
        insta::assert_snapshot!(anstream::adapter::strip_str(&formatted).to_string());
    }
}
