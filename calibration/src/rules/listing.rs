//! This module lists single claims with what rules say of them, for people who look for what to fix. It counts
//! nothing.

use std::fmt::Write as _;

use gsar_core::Class;

use super::Ruled;
use super::counted::is_right;
use super::rulings::{Row, Said};
use crate::arguments::Listed;

/// The claims of a list, each with the evidence that is nearest to it.
pub(super) fn listing(list: Listed, sources: &[Ruled]) -> String {
    let mut page = String::new();
    for source in sources {
        for row in source.rows.iter().filter(|row| is_listed(list, row)) {
            let case = source.cases.get(row.case).map_or("", String::as_str);
            claim(&mut page, case, row);
        }
    }
    page
}

fn is_listed(list: Listed, row: &Row) -> bool {
    let said = row.said_by(|_| true);
    match list {
        Listed::Wrong => said != Said::Nothing && !is_right(row, said),
        Listed::All => said != Said::Nothing,
        // What is ungrounded is rightly left alone.
        Listed::Silent => said == Said::Nothing && row.class != Class::Ungrounded,
    }
}

fn claim(page: &mut String, case: &str, row: &Row) {
    let rules = row.said.iter().map(|(rule, outcome)| match Said::of(outcome) {
        Said::Refuted => format!("-{}", rule.0),
        Said::Supported | Said::Nothing => format!("+{}", rule.0),
    });
    let rules: Vec<String> = rules.collect();
    let mistake = row.mistake.as_deref().map_or(String::new(), |mistake| format!(" ({mistake})"));
    let said = row.said_by(|_| true);
    let mark = match said {
        Said::Nothing => "silent",
        _ if is_right(row, said) => "right",
        _ => "WRONG",
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        page,
        "{mark} {} {}{mistake} | {case} | {}",
        rules.join(" "),
        row.class.name(),
        row.text
    );
    if !row.lacking.is_empty() {
        let _ = writeln!(page, "      lacks {}", row.lacking.join(", "));
    }
    for record in &row.records {
        let _ = writeln!(page, "      {record}");
    }
}

#[cfg(test)]
mod tests {
    use super::super::rulings::tests::row;
    use super::*;

    #[test]
    fn lists_hold_what_their_names_say() {
        let mut silent = row(0, Class::Grounded, &[]);
        silent.lacking = vec!["Oslo".to_owned()];
        let rows = vec![
            row(0, Class::Grounded, &["+value"]),
            row(0, Class::Ungrounded, &["-owner"]),
            silent,
            row(0, Class::Ungrounded, &[]),
            row(0, Class::Contradicted, &["+value", "-owner"]),
        ];
        let source = Ruled { name: "set".to_owned(), cases: vec!["a/1".to_owned()], rows };
        let list = |list| listing(list, std::slice::from_ref(&source));
        assert_eq!(list(Listed::Wrong), "WRONG -owner ungrounded | a/1 | It is up.\n");
        assert_eq!(list(Listed::All).lines().count(), 2);
        assert_eq!(
            list(Listed::Silent),
            "silent  grounded | a/1 | It is up.\n      lacks Oslo\nsilent +value -owner contradicted | a/1 | It is up.\n"
        );
    }
}
