//! Lists the worst mistakes in the tune part, never in the test part.

use std::fmt::Write as _;

use gsar_core::Class;

use super::markdown::{DASH, heading};
use crate::data_set::Part;
use crate::measured::{Measurements, Row};

const MAX_QUOTE_CHARS: usize = 300;

pub(super) fn section(page: &mut String, measured: &Measurements, count: usize) {
    let mut wrong = measured.part(Part::Tune);
    wrong.retain(|row| !row.is_right());
    wrong.sort_by_key(|row| rank(row));
    heading(
        page,
        &format!("The worst {} of {} mistakes, tune", count.min(wrong.len()), wrong.len()),
    );
    for (number, row) in wrong.into_iter().take(count).enumerate() {
        let case = measured.cases.get(row.label.case).map_or(DASH, |case| &case.name);
        entry(page, number + 1, case, row);
    }
}

fn rank(row: &Row) -> u8 {
    match (row.label.class, row.verdict.class) {
        (Class::Contradicted, Some(Class::Grounded)) => 0,
        (Class::Ungrounded, Some(Class::Grounded)) => 1,
        (Class::Grounded, Some(Class::Contradicted)) => 2,
        _ => 3,
    }
}

fn entry(page: &mut String, number: usize, case: &str, row: &Row) {
    let Row { label, verdict, .. } = row;
    let facts =
        [Some(label.evidence_type.name()), label.origin.as_deref(), label.mistake.as_deref()];
    let facts: Vec<&str> = facts.into_iter().flatten().collect();
    let _ = writeln!(
        page,
        "{number}. **{} judged {}** — {case}, {} ({})",
        label.class.name(),
        verdict.class.map_or("undecided", Class::name),
        label.id,
        facts.join(", ")
    );
    let _ = writeln!(page, "   - claim: {}", one_line(&label.text));
    let quote = label.quote.as_deref().map_or(DASH.to_owned(), one_line);
    let _ = writeln!(page, "   - {}: {quote}", label.evidence.as_deref().unwrap_or("no item"));
    let cited = verdict.cited.join(", ");
    let _ = writeln!(page, "   - judge: {} [{cited}]", one_line(&verdict.note));
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_QUOTE_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::tests::row;
    use Class::{Contradicted, Grounded, Ungrounded};

    #[test]
    fn false_acceptance_ranks_above_false_alarm() {
        let rows = [
            row(0, Grounded, Ungrounded),
            row(0, Grounded, Contradicted),
            row(0, Ungrounded, Grounded),
            row(0, Contradicted, Grounded),
        ];
        assert_eq!(rows.map(|row| rank(&row)), [3, 2, 1, 0]);
    }

    #[test]
    fn long_texts_are_cut_at_a_character_boundary() {
        assert_eq!(one_line("a\n  b"), "a b");
        let long = "ü".repeat(MAX_QUOTE_CHARS + 1);
        assert_eq!(one_line(&long).chars().count(), MAX_QUOTE_CHARS + 1);
        assert!(one_line(&long).ends_with("ü…"));
    }
}
