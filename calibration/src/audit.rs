//! Audits runs before publication. The main risk is a silent fallback to another judge (arXiv:2604.23366),
//! so the judge named in the header must have decided every row, and no two runs may contain the same
//! partitions.
//!
//! A second run by a deterministic judge cannot be told apart from a copy with invented evaluation ids.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use anyhow::{Result, bail};
use gsar_proto::v1;

use crate::arguments::Audit;
use crate::trace::{Header, Trace, read};

/// The maximum percentage of the smaller cell's cited claims that two cells may share. Judges that write their
/// own notes and choose their own quotes share almost none.
const MAX_COMMON_PERCENT: usize = 50;

/// The maximum percentage of all claims that two cells may share. Independent judges that write no notes share many
/// claims without quotes, but they disagree on some classes.
const MAX_IDENTICAL_PERCENT: usize = 95;

const MIN_CLAIMS: usize = 10;

const MIN_QUOTE: usize = 8;

#[derive(Debug)]
pub(crate) struct AuditedCell {
    header: Header,
    cited_claims: Fingerprints,
    all_claims: Fingerprints,
    evaluations: BTreeSet<String>,
    judges: BTreeMap<String, usize>,
    rows: usize,
}

impl AuditedCell {
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut cell = Self {
            header: trace.header.clone(),
            cited_claims: Fingerprints::default(),
            all_claims: Fingerprints::default(),
            evaluations: BTreeSet::new(),
            judges: BTreeMap::new(),
            rows: trace.rows.len(),
        };
        for row in &trace.rows {
            let answer = &row.evaluation;
            cell.evaluations.insert(answer.evaluation_id.clone());
            *cell.judges.entry(row.judge().to_owned()).or_default() += 1;
            for claim in &answer.claims {
                let fingerprint = fingerprint(claim);
                if has_distinctive_quote(claim) {
                    cell.cited_claims.add(fingerprint);
                }
                cell.all_claims.add(fingerprint);
            }
        }
        cell
    }
}

/// Maps each fingerprint to the number of claims that have it.
#[derive(Debug, Default)]
struct Fingerprints(HashMap<[u8; 32], usize>);

impl Fingerprints {
    fn add(&mut self, fingerprint: [u8; 32]) {
        *self.0.entry(fingerprint).or_default() += 1;
    }

    fn count(&self) -> usize {
        self.0.values().sum()
    }

    /// Returns the number of common claims and the number of claims in the smaller cell, if that cell has at least
    /// [`MIN_CLAIMS`] claims and more than `max_percent` percent of them are common.
    fn common(&self, other: &Self, max_percent: usize) -> Option<(usize, usize)> {
        let smaller = self.count().min(other.count());
        let shared = |(fingerprint, count): (&[u8; 32], &usize)| {
            other.0.get(fingerprint).map_or(0, |others| *count.min(others))
        };
        let common = self.0.iter().map(shared).sum::<usize>();
        (smaller >= MIN_CLAIMS && common * 100 > smaller * max_percent).then_some((common, smaller))
    }
}

fn has_distinctive_quote(claim: &v1::JudgedClaim) -> bool {
    claim.citations.iter().any(|cited| cited.quote.len() >= MIN_QUOTE)
}

/// Returns a digest of the class, type, quotes and note. Omits the claim's text, so that partitions moved to other
/// rows are detected.
fn fingerprint(claim: &v1::JudgedClaim) -> [u8; 32] {
    let mut quotes: Vec<&str> = claim.citations.iter().map(|cited| cited.quote.as_str()).collect();
    quotes.sort_unstable();
    let mut digest = blake3::Hasher::new();
    digest.update(&claim.class.to_le_bytes()).update(&claim.r#type.to_le_bytes());
    for text in quotes.into_iter().chain([claim.note.as_str()]) {
        digest.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    *digest.finalize().as_bytes()
}

pub(crate) fn objections(cells: &[AuditedCell]) -> Vec<String> {
    let mut found = Vec::new();
    for cell in cells {
        found.extend(check_judges(cell));
    }
    for (at, first) in cells.iter().enumerate() {
        found.extend(cells.iter().skip(at + 1).filter_map(|second| check_overlap(first, second)));
    }
    found
}

/// Returns an objection if another judge decided any of the rows.
fn check_judges(cell: &AuditedCell) -> Option<String> {
    let Header { run, judge, .. } = &cell.header;
    let is_expected = |judge: &str| judge.is_empty() || cell.expects_judge(judge);
    let others: Vec<String> = cell
        .judges
        .iter()
        .filter(|(judge, _)| !is_expected(judge))
        .map(|(judge, rows)| format!("{rows} of {} rows were judged by {judge}", cell.rows))
        .collect();
    let judge = judge.as_deref().unwrap_or("one judge");
    (!others.is_empty())
        .then(|| format!("{run}: the header names {judge}, but {}", others.join(", ")))
}

impl AuditedCell {
    /// Returns `true` if `judge` is the judge that the header names or, if it names none, the judge of most rows.
    fn expects_judge(&self, judge: &str) -> bool {
        match self.header.judge.as_deref() {
            Some("stored") => judge.ends_with(":stored"),
            Some(named) => named == judge,
            None => self
                .judges
                .iter()
                .max_by_key(|(_, rows)| **rows)
                .is_some_and(|(most, _)| most == judge),
        }
    }
}

/// Returns an objection if two cells share partitions. A declared repetition by the same judge is allowed if
/// it has its own evaluations.
fn check_overlap(first: &AuditedCell, second: &AuditedCell) -> Option<String> {
    let names = format!("{} and {}", first.header.run, second.header.run);
    let copied = first.evaluations.intersection(&second.evaluations).count();
    if copied > 0 {
        return Some(format!(
            "{names} contain {copied} of the same evaluations: one is a copy of the other"
        ));
    }
    let repeats = |one: &Header, other: &Header| {
        one.repeat_of.as_deref() == Some(&other.run) && one.judge == other.judge
    };
    if repeats(&first.header, &second.header) || repeats(&second.header, &first.header) {
        return None;
    }
    let cited = first.cited_claims.common(&second.cited_claims, MAX_COMMON_PERCENT);
    let all = || first.all_claims.common(&second.all_claims, MAX_IDENTICAL_PERCENT);
    let (kind, (common, smaller)) = match cited {
        Some(counts) => ("cited claims", counts),
        None => ("claims", all()?),
    };
    Some(format!(
        "{names} have {common} of {smaller} {kind} in common, with the same quotes and notes: one judge fell back to the other, or this is a repetition without --repeat-of"
    ))
}

pub(crate) fn audit(args: &Audit) -> Result<String> {
    let objections = objections(&cells(&args.traces)?);
    if objections.is_empty() {
        return Ok(format!("{} cells: no objections.\n", args.traces.len()));
    }
    bail!("the audit failed:\n  {}", objections.join("\n  "))
}

pub(crate) fn cells(traces: &[PathBuf]) -> Result<Vec<AuditedCell>> {
    traces.iter().map(|path| Ok(AuditedCell::of(&read(path)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Random;
    use crate::trace::TracedRow;
    use crate::trace::tests::header;

    const ROWS: usize = 60;
    const NOTES: [&str; 6] = [
        "as it says",
        "E1 shows this",
        "stated there",
        "the line says so",
        "it is written",
        "seen in E1",
    ];

    fn claim(random: &mut Random, row: usize, judge: u64) -> v1::JudgedClaim {
        // Judges agree on most classes and often on quotes, but not on notes.
        let class = if random.percent(85) { row % 3 } else { random.below(3) };
        let quote = match random.below(3) {
            0 => format!("evidence number {row} says that it is up"),
            1 => format!("number {row} says that it is"),
            _ => format!("evidence number {row}"),
        };
        v1::JudgedClaim {
            id: "c1".to_owned(),
            text: format!("claim {row}"),
            class: i32::try_from(class + 1).unwrap(),
            r#type: 1,
            citations: vec![v1::Citation { quote, ..Default::default() }],
            note: format!("{} ({judge}, {})", random.word(&NOTES), random.below(3)),
            ..Default::default()
        }
    }

    fn trace(seed: u64, run: &str, judge: &str) -> Trace {
        let mut random = Random::new(seed);
        let link = v1::JudgeLink {
            judge: judge.to_owned(),
            result: "judged".to_owned(),
            ..Default::default()
        };
        let rows = (0..ROWS).map(|row| TracedRow {
            row: format!("r{row}"),
            gold: Vec::new(),
            evaluation: v1::EvaluateResponse {
                evaluation_id: format!("{run}-{row}"),
                claims: vec![claim(&mut random, row, seed)],
                provenance: Some(v1::Provenance {
                    judges: vec![link.clone()],
                    ..Default::default()
                }),
                ..Default::default()
            },
            loop_end: None,
        });
        let header = Header { run: run.to_owned(), judge: Some(judge.to_owned()), ..header() };
        Trace { header, rows: rows.collect(), refused: Vec::new() }
    }

    fn objections_to(traces: &[&Trace]) -> Vec<String> {
        objections(&traces.iter().map(|trace| AuditedCell::of(trace)).collect::<Vec<_>>())
    }

    /// Returns a trace, and a second one that has the same partitions under new ids: unchanged, shuffled or
    /// partly altered.
    fn copied(seed: u64) -> [Trace; 2] {
        let honest = trace(seed, "first", "openai:one");
        let mut copy = trace(seed + 10_000, "second", "openai:two");
        let mut random = Random::new(seed);
        let mut claims: Vec<_> =
            honest.rows.iter().map(|row| row.evaluation.claims.clone()).collect();
        if seed % 3 == 1 {
            random.shuffle(&mut claims);
        }
        let altered = if seed % 3 == 2 { ROWS / 10 } else { 0 };
        for (row, claims) in copy.rows.iter_mut().zip(claims).skip(altered) {
            row.evaluation.claims = claims;
        }
        [honest, copy]
    }

    #[test]
    fn rejects_copied_partitions() {
        for seed in 0..100 {
            let [honest, copy] = copied(seed);
            let found = objections_to(&[&honest, &copy]);
            assert!(found.len() == 1 && found[0].contains("in common"), "{seed}: {found:?}");
        }
    }

    /// Both judges call every claim ungrounded and give neither quotes nor notes.
    #[test]
    fn rejects_identical_partitions_without_quotes() {
        let [first, second] = ["openai:one", "anthropic:two"].map(|judge| {
            let mut trace = trace(1, judge, judge);
            for claim in trace.rows.iter_mut().flat_map(|row| &mut row.evaluation.claims) {
                claim.class = v1::ClaimClass::Ungrounded.into();
                claim.citations.clear();
                claim.note.clear();
            }
            trace
        });
        let found = objections_to(&[&first, &second]);
        assert!(found.len() == 1 && found[0].contains("60 of 60 claims in common"), "{found:?}");
    }

    #[test]
    fn accepts_independent_runs() {
        for seed in 0..100 {
            let first = trace(seed, "first", "openai:one");
            let second = trace(seed + 10_000, "second", "openai:two");
            assert!(objections_to(&[&first, &second]).is_empty(), "{seed}");
        }
    }

    #[test]
    fn a_declared_repetition_must_be_judged_again() {
        let first = trace(1, "first", "rules/2");
        let mut repetition = trace(1, "again", "rules/2");
        assert!(objections_to(&[&first, &repetition])[0].contains("--repeat-of"));
        repetition.header.repeat_of = Some("first".to_owned());
        assert!(objections_to(&[&first, &repetition]).is_empty());
        repetition.rows[7].evaluation.evaluation_id = "first-3".to_owned();
        assert!(objections_to(&[&first, &repetition])[0].contains("1 of the same evaluations"));
        let mut other = trace(1, "other", "openai:two");
        other.header.repeat_of = Some("first".to_owned());
        assert!(
            objections_to(&[&first, &other])[0].contains("in common"),
            "a repetition must have the same judge"
        );
    }

    #[test]
    fn reports_rows_decided_by_another_judge() {
        let mut fell_back = trace(1, "first", "openai:one");
        for row in fell_back.rows.iter_mut().take(4) {
            let judges = &mut row.evaluation.provenance.as_mut().unwrap().judges;
            judges[0].result = "failed".to_owned();
            judges.push(v1::JudgeLink {
                judge: "rules/2".to_owned(),
                result: "judged".to_owned(),
                ..Default::default()
            });
        }
        assert_eq!(
            objections_to(&[&fell_back]),
            ["first: the header names openai:one, but 4 of 60 rows were judged by rules/2"]
        );
    }
}
