//! Checks the redactor against `catalogue.txt`, which lists texts to hide and texts to leave unchanged.

use gsar_redaction::Redactor;

const CATALOGUE: &str = include_str!("catalogue.txt");

#[test]
fn catalogue_values_are_found_and_other_texts_are_left_unchanged() {
    let redactor = Redactor::new(&[]).unwrap();
    let mut failures = Vec::new();
    let mut counts = (0, 0);
    for line in CATALOGUE.lines().filter(|line| !line.starts_with('#')) {
        let line = line.replace('·', "");
        let [kind, value, text] = line.splitn(3, " |").collect::<Vec<_>>()[..] else {
            panic!("expected three parts: {line}")
        };
        let (value, text) = (value.trim(), text.trim_start().replace("{}", value.trim()));
        let found: Vec<(String, &str)> = redactor
            .find(&text)
            .into_iter()
            .map(|span| (span.kind.to_string(), span.value(&text)))
            .collect();
        let expected: &[(String, &str)] = match kind {
            "-" => &[],
            kind => &[(kind.to_owned(), value)],
        };
        if kind == "-" {
            counts.1 += 1
        } else {
            counts.0 += 1
        }
        if found != expected {
            failures.push(format!("{text}\n    found {found:?}, expected {expected:?}"));
        }
    }
    assert!(counts.0 >= 40 && counts.1 >= 20, "too few catalogue entries: {counts:?}");
    assert!(failures.is_empty(), "{} entries are wrong:\n{}", failures.len(), failures.join("\n"));
}
