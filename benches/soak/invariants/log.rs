//! Checks server logs for secrets and panics.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::Violation;

pub(crate) fn read(
    log: impl BufRead,
    tokens: &[String],
    by_level: &mut BTreeMap<String, u64>,
) -> std::io::Result<Vec<Violation>> {
    let mut violations = Vec::new();
    for line in log.lines() {
        let line = line?;
        if let Some(token) = tokens.iter().find(|token| line.contains(*token)) {
            violations.push(Violation::new("secrets", format!("a log contains {token}: {line}")));
        }
        if line.contains("panicked") {
            violations.push(Violation::new("failures", format!("a panic: {line}")));
        }
        let parsed: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        let level = parsed.get("level").and_then(serde_json::Value::as_str).unwrap_or("none");
        *by_level.entry(level.to_owned()).or_default() += 1;
    }
    Ok(violations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_tokens_and_panics() {
        let mut by_level = BTreeMap::new();
        let tokens = ["token-of-ada".to_owned()];
        let log = "{\"level\":\"INFO\",\"message\":\"ready\"}\n{\"level\":\"WARN\",\"message\":\"token-of-ada\"}\n\
                   thread 'main' panicked at src/main.rs\n";
        let found = read(log.as_bytes(), &tokens, &mut by_level).unwrap();
        let found: Vec<_> = found.into_iter().map(|violation| violation.invariant).collect();
        assert_eq!(found, ["secrets", "failures"]);
        assert_eq!(
            by_level,
            [("INFO", 1), ("WARN", 1), ("none", 1)]
                .map(|(level, count)| (level.to_owned(), count))
                .into()
        );
    }
}
