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
    /// Parses a file and returns all errors in it. Rate limits continue from `before`.
    pub(super) fn read(text: &str, before: Option<&Self>) -> Result<Self, Vec<String>> {
        let tables: BTreeMap<String, Table> =
            toml::from_str(text).map_err(|error| vec![parse_error(text, &error)])?;
        let (mut read, mut problems) = (Self::default(), Vec::new());
        if tables.is_empty() {
            problems.push(
                "contains no principal; give a table for each, such as [rca-agent]".to_owned(),
            );
        }
        for (name, table) in tables {
            let mut problem = |text: String| problems.push(format!("{name}{text}"));
            check(&name, &table, &mut problem);
            let calls = table.calls_per_minute.and_then(NonZeroU32::new);
            let before = before.and_then(|before| before.by_name.get(&name)).map(Arc::as_ref);
            let principal = Principal::new(&name, table.may, calls, before)
                .with_calls_in_flight(table.calls_in_flight, before)
                .with_daily_budget(table.daily_budget);
            let principal = Arc::new(principal);
            for given in table.certificates {
                // SPIFFE ids are case-sensitive, DNS names are not.
                let key = if given.contains("://") { given } else { given.to_ascii_lowercase() };
                add(&mut read.by_certificate, key, &principal, "certificates", &mut problem);
            }
            for given in table.tokens {
                match given.parse::<TokenDigest>() {
                    Ok(digest) => {
                        add(&mut read.by_token, digest, &principal, "tokens", &mut problem)
                    }
                    Err(wrong) => problem(format!(".tokens: {wrong}")),
                }
            }
            for given in table.subjects {
                add(&mut read.by_subject, given, &principal, "subjects", &mut problem);
            }
            for given in table.uids {
                add(&mut read.by_uid, given, &principal, "uids", &mut problem);
            }
            read.by_name.insert(name, principal);
        }
        if problems.is_empty() { Ok(read) } else { Err(problems) }
    }

    /// Returns the first principal with a daily budget, by name.
    pub(super) fn first_with_budget(&self) -> Option<&str> {
        let with_budget = self.by_name.values().filter(|one| one.daily_budget().is_some());
        with_budget.map(|one| one.name()).min()
    }
}

/// Formats a parse error with its line number. Omits the line, because it may contain a token by mistake.
fn parse_error(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let message = error.message().replace('\n', ", ");
    format!("line {}: invalid principals file: {message}", before.matches('\n').count() + 1)
}

fn check(name: &str, table: &Table, problem: &mut impl FnMut(String)) {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let has_valid_start = name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric());
    if !has_valid_start || name.len() > MAX_NAME || !name.bytes().all(is_letter) {
        problem(format!(
            ": invalid name; give 1 to {MAX_NAME} letters, digits, `.`, `_` and `-`, starting with a letter or digit"
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
        problem(": has no credentials; give certificates, tokens, subjects or uids".to_owned());
    }
    if may.is_empty() {
        problem(".may: is empty; give at least one of evaluate, override, read, delete, grade, store, search, audit".to_owned());
    }
    if *calls_per_minute == Some(0) {
        problem(".calls_per_minute: 0 allows nothing; give 1 or more, or leave it out".to_owned());
    }
    if calls_in_flight.is_some_and(|calls| calls == 0 || calls > Semaphore::MAX_PERMITS) {
        problem(".calls_in_flight: 0 allows nothing; give 1 or more, or leave it out".to_owned());
    }
    if daily_budget.is_some() && !may.is_empty() && !may.contains(&Right::Evaluate) {
        problem(
            ".daily_budget: has no effect without the right evaluate; leave it out, or add evaluate to may"
                .to_owned(),
        );
    }
    for (key, texts) in [("certificates", certificates), ("subjects", subjects)] {
        if texts.iter().any(String::is_empty) {
            problem(format!(".{key}: contains an empty text; remove it"));
        }
    }
}

fn add<K: std::hash::Hash + Eq + std::fmt::Display>(
    principals: &mut HashMap<K, Arc<Principal>>,
    key: K,
    principal: &Arc<Principal>,
    what: &str,
    problem: &mut impl FnMut(String),
) {
    match principals.get(&key) {
        Some(other) => problem(format!(
            ".{what}: {key} already belongs to {}; a credential identifies one principal",
            other.name()
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
        let read = Principals::read(&text, None).unwrap();
        for name in ["spiffe://Prod/rca", "rca.example"] {
            assert_eq!(read.by_certificate[name].name(), "rca");
        }
        assert_eq!(read.by_token[&TokenDigest::new("abc")].name(), "rca");
        let auditor = &read.by_subject["ada"];
        assert_eq!(auditor.name(), read.by_uid[&7].name());
        assert!(auditor.may(Right::Audit) && !auditor.may(Right::Evaluate));
        assert_eq!(auditor.owner().only(), None);
        assert_eq!(read.by_uid[&7].count_call(), Ok(()));
        for _ in 0..2 {
            auditor.count_call().unwrap();
        }
        assert_eq!(auditor.count_call().unwrap_err().per_minute, 3);
        // Reloading the file does not reset rate limits.
        let reloaded = Principals::read(&text, Some(&read)).unwrap();
        assert_eq!(reloaded.by_uid[&7].count_call().unwrap_err().per_minute, 3);
        let more = text.replace("calls_per_minute = 3", "calls_per_minute = 4");
        let more = Principals::read(&more, Some(&read)).unwrap();
        assert_eq!(more.by_uid[&7].count_call(), Ok(()));
    }

    #[test]
    fn reloading_changes_daily_budgets() {
        let text = "[a]\nuids = [1]\nmay = [\"evaluate\"]\ndaily_budget = 2_000_000\n\
                    [b]\nuids = [2]\nmay = [\"evaluate\"]\ndaily_budget = 0\n\
                    [c]\nuids = [3]\nmay = [\"evaluate\"]\n";
        let read = Principals::read(text, None).unwrap();
        let budgets = |read: &Principals| [1, 2, 3].map(|uid| read.by_uid[&uid].daily_budget());
        assert_eq!(budgets(&read), [Some(2_000_000), Some(0), None]);
        assert_eq!(read.first_with_budget(), Some("a"));
        let reloaded = text.replace("daily_budget = 2_000_000\n", "").replace("= 0", "= 7");
        let reloaded = Principals::read(&reloaded, Some(&read)).unwrap();
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
        for words in [
            "a.may: is empty",
            "a.calls_per_minute: 0",
            "a.tokens: is not a token digest",
            "b.tokens: sha256:ba78",
            "already belongs to a",
            "c d: invalid name",
            "c d.subjects: contains an empty text",
            "e: has no credentials",
            "f.daily_budget: has no effect",
        ] {
            assert!(problems.contains(words), "{words} in: {problems}");
        }
        assert!(!problems.contains("secret"), "{problems}");
        for (text, words) in [
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
            assert!(problems.contains(words), "{words} in: {problems}");
            assert!(!problems.contains("secret"), "{problems}");
        }
    }
}
