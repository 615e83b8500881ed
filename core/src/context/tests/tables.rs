use proptest::prelude::*;

use super::*;

const COLUMNS: [&str; 5] = ["NAME", "READY", "STATUS", "RESTARTS", "AGE"];

fn rows(prefix: &str, count: usize) -> Vec<Vec<String>> {
    let cell = |row: usize, column: usize| match column {
        0 => format!("{prefix}-{row}-pod"),
        _ => format!("{prefix}{row}c{column}z"),
    };
    (0..count).map(|row| (0..COLUMNS.len()).map(|column| cell(row, column)).collect()).collect()
}

fn aligned(indent: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<&str>| {
        let padded: Vec<String> = cells.iter().map(|cell| format!("{cell:<14}")).collect();
        format!("{indent}{}\n", padded.join("  ").trim_end())
    };
    let body: String =
        rows.iter().map(|row| line(row.iter().map(String::as_str).collect())).collect();
    format!("{}{body}", line(header.to_vec()))
}

fn expected_parts(rows: &[Vec<String>], row: usize, column: usize) -> Vec<String> {
    [&rows[row][0], COLUMNS[column], &rows[row][column]].map(ToString::to_string).to_vec()
}

fn join_rows(separator: &str, rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| format!("{}\n", row.join(separator))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_cell_is_shown_with_its_header_and_row(
        other_count in 0_usize..60, count in 40_usize..120, row in 0_usize..40, column in 1_usize..5,
    ) {
        let (other_rows, rows) = (rows("other", other_count), rows("this", count));
        let table = aligned("", &COLUMNS, &rows);
        let other_table = aligned("", &["KIND", "X", "Y", "Z", "W"], &other_rows);
        for content in [
            format!("$ kubectl get pods\n{table}"),
            format!("{other_table}\n{table}"),
            format!("{other_table}$ kubectl get pods -n shop\n{table}"),
            format!("{other_table}{table}"),
            format!("pods:\n\n{table}\n{other_table}"),
        ] {
            check_shown(&content, "NAME", &rows[row][column], &expected_parts(&rows, row, column));
        }
    }

    #[test]
    fn a_cell_in_a_titled_table_is_shown_with_title_and_header(
        count in 30_usize..90, row in 0_usize..30, column in 1_usize..5, has_rule in any::<bool>(),
    ) {
        let rows = rows("this", count);
        let mut table = aligned("  ", &["Type", "Status", "Since", "Reason", "Age"], &rows);
        if has_rule {
            let header_end = table.find('\n').unwrap() + 1;
            table.insert_str(header_end, "  ----            ------\n");
        }
        let other = aligned("  ", &["Kind", "Level"], &super::tables::rows("o", 20));
        let content = format!(
            "Name:         node-7\nLabels:       a=b\nAllocated:\n{other}Conditions:\n{table}Addresses:\n  IP:  10.0.0.1\n"
        );
        let mut expected_parts = strings(&["node-7", "Conditions:", "Type", "Reason"]);
        expected_parts.extend([rows[row][0].clone(), rows[row][column].clone()]);
        check_shown(&content, "Conditions:", &rows[row][column], &expected_parts);
    }

    #[test]
    fn a_cell_in_a_delimited_table_is_shown_with_its_column(
        count in 60_usize..120, row in 0_usize..60, column in 1_usize..5,
    ) {
        let rows = rows("this", count);
        for content in [
            format!("Results\n\n| {} |\n|---|---|---|---|---|\n{}", COLUMNS.join(" | "), join_rows(" | ", &rows)),
            format!("+----+----+\n| {} |\n+----+----+\n{}", COLUMNS.join(" | "), join_rows(" | ", &rows)),
            format!(" {}\n----+----\n {}", COLUMNS.join(" | "), join_rows(" | ", &rows)),
            format!("{}\n{}", COLUMNS.join(","), join_rows(",", &rows)),
            format!("$ psql --csv\n{}\n{}", COLUMNS.join(","), join_rows(",", &rows)),
            format!("{}\n{}", COLUMNS.join("\t"), join_rows("\t", &rows)),
        ] {
            check_shown(&content, "NAME", &rows[row][column], &expected_parts(&rows, row, column));
        }
    }

    #[test]
    fn a_cell_in_a_wide_table_is_shown_with_its_header(column in 1_usize..300, separator in "[,|\t]") {
        let header: Vec<String> = (0..300).map(|column| format!("column_{column}")).collect();
        let cells = |row: usize| -> Vec<String> {
            (0..300).map(|column| if column == 0 { format!("pod-{row}") } else { format!("{row}x{column}y") }).collect()
        };
        let content = join_rows(&separator, &[header.clone(), cells(1), cells(2), cells(3)]);
        let quote = format!("2x{column}y");
        check_shown(&content, "pod-2", &quote, &[header[column].clone(), "pod-2".to_string()]);
    }

    #[test]
    fn a_cell_in_a_table_in_a_string_is_shown_with_its_header(row in 0_usize..60, column in 1_usize..5) {
        let rows = rows("this", 60);
        let table = format!("$ kubectl get pods\n{}", aligned("", &COLUMNS, &rows));
        let blocks = serde_json::json!({"content": [{"type": "text", "text": table}], "isError": false});
        let twice = serde_json::json!({"result": blocks.to_string(), "id": 7});
        for content in [blocks.to_string(), serde_json::to_string_pretty(&blocks).unwrap(), twice.to_string()] {
            check_shown(&content, "NAME", &rows[row][column], &expected_parts(&rows, row, column));
        }
    }
}
