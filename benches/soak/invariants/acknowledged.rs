//! Records acknowledged evaluations, and compares later answers and ledgers with them.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher as _};

use gsar_client::v1;
use prost::Message as _;

use crate::invariants::Violation;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) owner: &'static str,
    /// The server that recorded it, if servers share nothing.
    pub(crate) server: usize,
    pub(crate) evaluation_id: Box<str>,
    digest: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Acknowledged {
    by_key: BTreeMap<u64, Entry>,
    open: BTreeMap<u64, (&'static str, usize)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) owner: String,
    /// The report id, which contains the key.
    pub(crate) report_id: String,
    pub(crate) evaluation_id: String,
}

pub(crate) fn report_id(key: u64) -> String {
    format!("k{key}")
}

fn digest(answer: &v1::EvaluateResponse) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(&answer.encode_to_vec());
    hasher.finish()
}

impl Acknowledged {
    pub(crate) fn register(&mut self, key: u64, owner: &'static str, server: usize) {
        self.open.insert(key, (owner, server));
    }

    /// Records an answer. Returns `true` for a key's first answer. Later answers must be identical to it.
    pub(crate) fn record_answer(
        &mut self,
        key: u64,
        answer: &v1::EvaluateResponse,
    ) -> Result<bool, Violation> {
        let digest = digest(answer);
        if let Some(first) = self.by_key.get(&key) {
            if *first.evaluation_id != answer.evaluation_id {
                let (one, other) = (&first.evaluation_id, &answer.evaluation_id);
                return Err(Violation::new(
                    "idempotency",
                    format!("key {key} returned {one}, then {other}"),
                ));
            }
            if first.digest != digest {
                let id = &first.evaluation_id;
                return Err(Violation::new(
                    "idempotency",
                    format!("key {key} returned {id} with different bytes"),
                ));
            }
            return Ok(false);
        }
        let Some((owner, server)) = self.open.remove(&key) else {
            return Err(Violation::new(
                "idempotency",
                format!("key {key} was answered but never requested"),
            ));
        };
        let evaluation_id = answer.evaluation_id.clone().into_boxed_str();
        self.by_key.insert(key, Entry { owner, server, evaluation_id, digest });
        Ok(true)
    }

    pub(crate) fn check_record(
        &self,
        key: u64,
        recorded: &v1::GetEvaluationResponse,
    ) -> Result<(), Violation> {
        let Some(entry) = self.by_key.get(&key) else { return Ok(()) };
        let lost = |what: &str| {
            Err(Violation::new(
                "acknowledged",
                format!("key {key}, {}: {what}", entry.evaluation_id),
            ))
        };
        match &recorded.evaluation {
            None => lost("the record has no answer"),
            Some(answer) if digest(answer) != entry.digest => {
                lost("the record differs from the answer")
            }
            Some(_) if recorded.principal != entry.owner => {
                lost("the record belongs to another principal")
            }
            Some(_) => Ok(()),
        }
    }

    pub(crate) fn pick(&self, number: usize) -> Option<(u64, Entry)> {
        // Acknowledged keys are contiguous, except for unanswered ones.
        let (first, last) = (*self.by_key.keys().next()?, *self.by_key.keys().next_back()?);
        let from = first + number as u64 % (last - first + 1);
        self.by_key.range(from..).next().map(|(key, entry)| (*key, entry.clone()))
    }

    /// Returns the numbers of acknowledged and unanswered keys.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.by_key.len(), self.open.len())
    }

    /// Compares a ledger with the acknowledged answers from all servers or from one.
    pub(crate) fn compare(&self, rows: &[Row], server: Option<usize>) -> Vec<Violation> {
        let mut violations = Vec::new();
        let mut by_report: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            by_report.entry(&row.report_id).or_default().push(row);
        }
        let is_here = |home: usize| server.is_none_or(|server| server == home);
        for (key, entry) in self.by_key.iter().filter(|(_, entry)| is_here(entry.server)) {
            let found = by_report.remove(report_id(*key).as_str()).unwrap_or_default();
            let id = &entry.evaluation_id;
            let mut broken = |invariant, what: String| {
                violations.push(Violation::new(invariant, format!("key {key}, {id}: {what}")));
            };
            match &found[..] {
                [] => broken("acknowledged", "not in the ledger".to_owned()),
                [row] if *row.evaluation_id != **id => {
                    broken("acknowledged", format!("the ledger has {} instead", row.evaluation_id));
                }
                [row] if row.owner != entry.owner => {
                    broken(
                        "privacy",
                        format!("owned by {} in the ledger, not by {}", row.owner, entry.owner),
                    );
                }
                [_] => {}
                several => broken("counted once", format!("{} times in the ledger", several.len())),
            }
        }
        for (key, (owner, _)) in self.open.iter().filter(|(_, (_, home))| is_here(*home)) {
            // An unanswered request may be recorded at most once.
            let found = by_report.remove(report_id(*key).as_str()).unwrap_or_default();
            if found.len() > 1 || found.iter().any(|row| row.owner != *owner) {
                violations.push(Violation::new(
                    "counted once",
                    format!("key {key}, unanswered: {found:?}"),
                ));
            }
        }
        for (report, rows) in by_report {
            violations.push(Violation::new(
                "counted once",
                format!("unrequested report `{report}`: {rows:?}"),
            ));
        }
        violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(id: &str, explanation: &str) -> v1::EvaluateResponse {
        v1::EvaluateResponse {
            evaluation_id: id.to_owned(),
            explanation: explanation.to_owned(),
            ..Default::default()
        }
    }

    fn row(owner: &str, key: u64, id: &str) -> Row {
        Row { owner: owner.to_owned(), report_id: report_id(key), evaluation_id: id.to_owned() }
    }

    /// Keys 1 and 2 belong to ada and ben on servers 0 and 1. Key 3 has no answer.
    fn acknowledged() -> Acknowledged {
        let mut all = Acknowledged::default();
        for (key, owner, server) in [(1, "ada", 0), (2, "ben", 1), (3, "ada", 0)] {
            all.register(key, owner, server);
        }
        all.record_answer(1, &answer("one", "a")).unwrap();
        all.record_answer(2, &answer("two", "b")).unwrap();
        all
    }

    fn violated_invariants(rows: &[Row]) -> Vec<&'static str> {
        acknowledged()
            .compare(rows, None)
            .into_iter()
            .map(|violation| violation.invariant)
            .collect()
    }

    #[test]
    fn finds_a_key_with_two_answers() {
        let mut all = acknowledged();
        assert!(!all.record_answer(1, &answer("one", "a")).unwrap());
        for wrong in [answer("other", "a"), answer("one", "other")] {
            assert_eq!(all.record_answer(1, &wrong).unwrap_err().invariant, "idempotency");
        }
        assert!(all.record_answer(9, &answer("nine", "")).is_err());
    }

    #[test]
    fn accepts_a_correct_ledger() {
        let rows = [row("ada", 1, "one"), row("ben", 2, "two")];
        assert_eq!(violated_invariants(&rows), [""; 0]);
        assert_eq!(
            violated_invariants(&[rows[0].clone(), rows[1].clone(), row("ada", 3, "three")]),
            [""; 0]
        );
        assert_eq!(acknowledged().compare(&rows[..1], Some(0)), []);
    }

    #[test]
    fn finds_faults_in_a_ledger() {
        let (one, two) = (row("ada", 1, "one"), row("ben", 2, "two"));
        let three = row("ada", 3, "three");
        for (rows, expected) in [
            (vec![one.clone()], "acknowledged"),
            (vec![one.clone(), row("ben", 2, "other")], "acknowledged"),
            (vec![one.clone(), two.clone(), row("ben", 2, "twice")], "counted once"),
            (vec![one.clone(), row("ada", 2, "two")], "privacy"),
            (vec![one.clone(), two.clone(), three.clone(), three], "counted once"),
            (vec![one, two, row("ada", 4, "four")], "counted once"),
        ] {
            assert_eq!(violated_invariants(&rows), [expected], "{rows:?}");
        }
    }

    #[test]
    fn finds_a_record_that_differs_from_its_answer() {
        let all = acknowledged();
        let recorded = |answer, principal: &str| v1::GetEvaluationResponse {
            evaluation: answer,
            principal: principal.to_owned(),
            ..Default::default()
        };
        all.check_record(1, &recorded(Some(answer("one", "a")), "ada")).unwrap();
        for wrong in [
            recorded(None, "ada"),
            recorded(Some(answer("one", "other")), "ada"),
            recorded(Some(answer("one", "a")), "ben"),
        ] {
            assert!(all.check_record(1, &wrong).is_err());
        }
    }
}
