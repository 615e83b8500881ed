//! Formats gold classes against judged classes, with tune and test side by side.

use gsar_core::Class;

use super::markdown::{both, heading, table};
use crate::measured::{Row, counts, precision, recall, share};
use crate::statistics::Share;

pub(super) fn section(page: &mut String, title: &str, tune: &[&Row], test: &[&Row]) {
    heading(page, title);
    confusion(page, tune, test);
    page.push('\n');
    let mut rows = vec![both(
        "share in the right class",
        &share(tune, |_| true, Row::is_right),
        &share(test, |_| true, Row::is_right),
    )];
    let by_case = |rows| Share::by_case(&counts(rows, |_| true, Row::is_right));
    rows.push(both("the same, cases weighted equally", &by_case(tune), &by_case(test)));
    let decided = |rows| share(rows, |_| true, |row| row.verdict.class.is_some());
    rows.push(both("decided", &decided(tune), &decided(test)));
    let faulty = |rows| share(rows, Row::is_faulty, Row::is_found);
    rows.push(both("false or unsupported claims found", &faulty(tune), &faulty(test)));
    for class in Class::ALL {
        let name = format!("{} recall", class.name());
        rows.push(both(&name, &recall(tune, class), &recall(test, class)));
        let name = format!("{} precision", class.name());
        rows.push(both(&name, &precision(tune, class), &precision(test, class)));
    }
    table(page, &["", "tune", "test", "gap"], &rows);
}

fn confusion(page: &mut String, tune: &[&Row], test: &[&Row]) {
    let columns: Vec<Option<Class>> = Class::ALL.into_iter().map(Some).chain([None]).collect();
    let names: Vec<&str> =
        columns.iter().map(|class| class.map_or("undecided", Class::name)).collect();
    let mut head = vec!["label \\ judge".to_owned()];
    for part in ["tune", "test"] {
        head.extend(names.iter().map(|name| format!("{part}: {name}")));
    }
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let count = |rows: &[&Row], label, judged: Option<Class>| {
        let cell = |row: &&&Row| row.label.class == label && row.verdict.class == judged;
        rows.iter().filter(cell).count().to_string()
    };
    let rows: Vec<Vec<String>> = Class::ALL
        .into_iter()
        .map(|label| {
            let mut cells = vec![label.name().to_owned()];
            for rows in [tune, test] {
                cells.extend(columns.iter().map(|judged| count(rows, label, *judged)));
            }
            cells
        })
        .collect();
    table(page, &head, &rows);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::tests::row;

    #[test]
    fn rows_are_labels_and_columns_are_verdicts() {
        let tune =
            [row(0, Class::Grounded, Class::Ungrounded), row(0, Class::Grounded, Class::Grounded)];
        let mut page = String::new();
        section(&mut page, "All", &tune.iter().collect::<Vec<_>>(), &[]);
        assert!(page.contains("| grounded | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |"), "{page}");
        assert!(page.contains("| grounded recall | 50.0 % 1/2 | – | – |"), "{page}");
        assert!(page.contains("| ungrounded precision | 0.0 % 0/1 | – | – |"), "{page}");
    }
}
