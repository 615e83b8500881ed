//! Parses the principals file.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;

use serde::Deserialize;
use tokio::sync::Semaphore;

use super::principal::Principal;
use super::rights::Right;
use super::token::TokenDigest;

/// The maximum length of a name, in bytes.
const MAX_NAME: usize = 64;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Table {
    certificates: Vec<String>,
    tokens: Vec<String>,
    subjects: Vec<String>,
    uids: Vec<u32>,
    may: Vec<Right>,
    calls_per_minute: Option<u32>,
    calls_in_flight: Option<usize>,
    daily_budget: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Principals {
    pub(super) by_certificate: HashMap<String, Arc<Principal>>,
    pub(super) by_token: HashMap<TokenDigest, Arc<Principal>>,
    pub(super) by_subject: HashMap<String, Arc<Principal>>,
    pub(super) by_uid: HashMap<u32, Arc<Principal>>,
    by_name: HashMap<String, Arc<Principal>>,
}

impl Principals {
    /// Parses a file and returns all errors in it. Rate limiters are carried over from `previous`.
    pub(super) fn read(text: &str, previous: Option<&Self>) -> Result<Self, Vec<String>> {
        let tables: BTreeMap<String, Table> =
            toml::from_str(text).map_err(|error| vec![parse_error(text, &error)])?;
        let (mut principals, mut problems) = (Self::default(), Vec::new());
        if tables.is_empty() {
            problems.push(
                "contains no principals; add a table for each principal, such as [rca-agent]"
                    .to_owned(),
            );
        }
        for (name, table) in tables {
            let mut add_problem = |text: String| problems.push(format!("{name}{text}"));
            check_table(&name, &table, &mut add_problem);
            let call_limit = table.calls_per_minute.and_then(NonZeroU32::new);
            let previous =
                previous.and_then(|previous| previous.by_name.get(&name)).map(Arc::as_ref);
            let principal = Principal::new(&name, table.may, call_limit, previous)
                .with_calls_in_flight(table.calls_in_flight, previous)
                .with_daily_budget(table.daily_budget);
            let principal = Arc::new(principal);
            for value in table.certificates {
                // SPIFFE ids are case-sensitive, DNS names are not.
                let key = if value.contains("://") { value } else { value.to_ascii_lowercase() };
                add_credential(
                    &mut principals.by_certificate,
                    key,
                    &principal,
                    "certificates",
                    &mut add_problem,
                );
            }
            for value in table.tokens {
                match value.parse::<TokenDigest>() {
                    Ok(digest) => add_credential(
                        &mut principals.by_token,
                        digest,
                        &principal,
                        "tokens",
                        &mut add_problem,
                    ),
                    Err(reason) => add_problem(format!(".tokens: {reason}")),
                }
            }
            for value in table.subjects {
                add_credential(
                    &mut principals.by_subject,
                    value,
                    &principal,
                    "subjects",
                    &mut add_problem,
                );
            }
            for value in table.uids {
                add_credential(&mut principals.by_uid, value, &principal, "uids", &mut add_problem);
            }
            principals.by_name.insert(name, principal);
        }
        if problems.is_empty() { Ok(principals) } else { Err(problems) }
    }

    /// Returns the name of the first principal, in alphabetical order, that has a daily budget.
    pub(super) fn first_with_budget(&self) -> Option<&str> {
        let with_budget =
            self.by_name.values().filter(|principal| principal.daily_budget().is_some());
        with_budget.map(|principal| principal.name()).min()
    }
}

/// Formats a parse error with its line number. Omits the line, because it may contain a token by mistake.
fn parse_error(text: &str, error: &toml::de::Error) -> String {
    let preceding_text = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let message = error.message().replace('\n', ", ");
    format!("line {}: invalid principals file: {message}", preceding_text.matches('\n').count() + 1)
}

fn check_table(name: &str, table: &Table, add_problem: &mut impl FnMut(String)) {
    let is_name_char =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let has_valid_start =
        name.bytes().next().is_some_and(|first_byte| first_byte.is_ascii_alphanumeric());
    if !has_valid_start || name.len() > MAX_NAME || !name.bytes().all(is_name_char) {
        add_problem(format!(
            ": invalid name; use 1 to {MAX_NAME} letters, digits, `.`, `_` and `-`, starting with a letter or digit"
        ));
    }
    let Table {
        certificates,
        tokens,
        subjects,
        uids,
        may,
        calls_per_minute,
        calls_in_flight,
        daily_budget,
    } = table;
    if certificates.is_empty() && tokens.is_empty() && subjects.is_empty() && uids.is_empty() {
        add_problem(": has no credentials; add certificates, tokens, subjects or uids".to_owned());
    }
    if may.is_empty() {
        add_problem(".may: is empty; name at least one of evaluate, override, read, delete, grade, store, search, audit".to_owned());
    }
    if *calls_per_minute == Some(0) {
        add_problem(
            ".calls_per_minute: 0 allows nothing; set it to 1 or more, or leave it out".to_owned(),
        );
    }
    if calls_in_flight.is_some_and(|calls| calls == 0 || calls > Semaphore::MAX_PERMITS) {
        add_problem(
            ".calls_in_flight: 0 allows nothing; set it to 1 or more, or leave it out".to_owned(),
        );
    }
    if daily_budget.is_some() && !may.is_empty() && !may.contains(&Right::Evaluate) {
        add_problem(
            ".daily_budget: has no effect without the right evaluate; leave it out, or add evaluate to may"
                .to_owned(),
        );
    }
    for (key, values) in [("certificates", certificates), ("subjects", subjects)] {
        if values.iter().any(String::is_empty) {
            add_problem(format!(".{key}: contains an empty string; remove it"));
        }
    }
}

fn add_credential<K: std::hash::Hash + Eq + std::fmt::Display>(
    principals: &mut HashMap<K, Arc<Principal>>,
    key: K,
    principal: &Arc<Principal>,
    field: &str,
    add_problem: &mut impl FnMut(String),
) {
    match principals.get(&key) {
        Some(holder) => add_problem(format!(
            ".{field}: {key} already belongs to {}; a credential can identify only one principal",
            holder.name()
        )),
        None => {
            principals.insert(key, Arc::clone(principal));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn finds_principals_by_their_credentials() {
        let text = format!(
            "[rca]\ncertificates = [\"spiffe://Prod/rca\", \"RCA.example\"]\ntokens = [\"{DIGEST}\"]\nmay = [\"evaluate\"]\n\
             [auditor]\nsubjects = [\"ada\"]\nuids = [7]\nmay = [\"audit\", \"read\"]\ncalls_per_minute = 3\n"
        );
        let principals = Principals::read(&text, None).unwrap();
        for name in ["spiffe://Prod/rca", "rca.example"] {
            assert_eq!(principals.by_certificate[name].name(), "rca");
        }
        assert_eq!(principals.by_token[&TokenDigest::new("abc")].name(), "rca");
        let auditor = &principals.by_subject["ada"];
        assert_eq!(auditor.name(), principals.by_uid[&7].name());
        assert!(auditor.may(Right::Audit) && !auditor.may(Right::Evaluate));
        assert_eq!(auditor.owner().only(), None);
        assert_eq!(principals.by_uid[&7].count_call(), Ok(()));
        for _ in 0..2 {
            auditor.count_call().unwrap();
        }
        assert_eq!(auditor.count_call().unwrap_err().per_minute, 3);
        // Reloading the file does not reset rate limits.
        let reloaded = Principals::read(&text, Some(&principals)).unwrap();
        assert_eq!(reloaded.by_uid[&7].count_call().unwrap_err().per_minute, 3);
        let raised = text.replace("calls_per_minute = 3", "calls_per_minute = 4");
        let raised = Principals::read(&raised, Some(&principals)).unwrap();
        assert_eq!(raised.by_uid[&7].count_call(), Ok(()));
    }

    #[test]
    fn reloading_changes_daily_budgets() {
        let text = "[a]\nuids = [1]\nmay = [\"evaluate\"]\ndaily_budget = 2_000_000\n\
                    [b]\nuids = [2]\nmay = [\"evaluate\"]\ndaily_budget = 0\n\
                    [c]\nuids = [3]\nmay = [\"evaluate\"]\n";
        let principals = Principals::read(text, None).unwrap();
        let budgets =
            |principals: &Principals| [1, 2, 3].map(|uid| principals.by_uid[&uid].daily_budget());
        assert_eq!(budgets(&principals), [Some(2_000_000), Some(0), None]);
        assert_eq!(principals.first_with_budget(), Some("a"));
        let reloaded = text.replace("daily_budget = 2_000_000\n", "").replace("= 0", "= 7");
        let reloaded = Principals::read(&reloaded, Some(&principals)).unwrap();
        assert_eq!(budgets(&reloaded), [None, Some(7), None]);
        assert_eq!(reloaded.first_with_budget(), Some("b"));
    }

    #[test]
    fn reports_every_error() {
        let text = format!(
            "[a]\ntokens = [\"{DIGEST}\", \"secret\"]\nmay = []\ncalls_per_minute = 0\n\
             [b]\ntokens = [\"{DIGEST}\"]\nmay = [\"read\"]\n[\"c d\"]\nmay = [\"read\"]\nsubjects = [\"\"]\n[e]\nmay = [\"read\"]\n\
             [f]\nuids = [1]\nmay = [\"read\"]\ndaily_budget = 1\n"
        );
        let problems = Principals::read(&text, None).unwrap_err().join("\n");
        for expected in [
            "a.may: is empty",
            "a.calls_per_minute: 0",
            "a.tokens: is not a token digest",
            "b.tokens: sha256:ba78",
            "already belongs to a",
            "c d: invalid name",
            "c d.subjects: contains an empty string",
            "e: has no credentials",
            "f.daily_budget: has no effect",
        ] {
            assert!(problems.contains(expected), "expected {expected:?} in: {problems}");
        }
        assert!(!problems.contains("secret"), "{problems}");
        for (text, expected) in [
            ("", "contains no principal"),
            ("[a]\nmay = [\"fly\"]", "unknown variant `fly`"),
            ("[a]\ncolour = 1", "unknown field"),
            ("[a", "line 1: invalid principals file"),
            (
                "[a]\ndaily_budget = -1",
                "line 2: invalid principals file: invalid value: integer `-1`",
            ),
            (
                "[a]\ndaily_budget = 0.5",
                "line 2: invalid principals file: invalid type: floating point",
            ),
            ("[a]\ntoken = \"secret\"", "line 2: invalid principals file: unknown field `token`"),
            ("[a]\n\ntokens = [\"secret]", "line 3: invalid principals file"),
        ] {
            let problems = Principals::read(text, None).unwrap_err().join("\n");
            assert!(problems.contains(expected), "expected {expected:?} in: {problems}");
            assert!(!problems.contains("secret"), "{problems}");
        }
    }
}
