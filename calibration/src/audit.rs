//! Audits whether runs may be published: each must be decided by the judge that it names, and no two may contain the same
//! partitions (arXiv:2604.23366 found that silent fallback is the greatest risk of such an evaluation).
//!
//! It cannot distinguish a second run of a deterministic judge from a copy with made-up evaluation ids.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use anyhow::{Result, bail};
use gsar_proto::v1;

use crate::arguments::Audit;
use crate::trace::{Header, Trace, read};

/// The share of the lesser cell's claims, in hundredths, that two cells may have in common. Judges that write their notes
/// and choose their quotes themselves share next to none.
const MAX_COMMON_PERCENT: usize = 50;

/// The minimum number of claims to compare.
const MIN_CLAIMS: usize = 10;

/// The minimum length of a quote that identifies its judge, in bytes.
const MIN_QUOTE: usize = 8;

#[derive(Debug)]
pub(crate) struct AuditedCell {
    header: Header,
    fingerprints: HashMap<[u8; 32], usize>,
    /// The evaluations, by id.
    evaluations: BTreeSet<String>,
    judges: BTreeMap<String, usize>,
    rows: usize,
}

impl AuditedCell {
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut cell = Self {
            header: trace.header.clone(),
            fingerprints: HashMap::new(),
            evaluations: BTreeSet::new(),
            judges: BTreeMap::new(),
            rows: trace.rows.len(),
        };
        for row in &trace.rows {
            let answer = &row.evaluation;
            cell.evaluations.insert(answer.evaluation_id.clone());
            *cell.judges.entry(row.judge().to_owned()).or_default() += 1;
            for fingerprint in answer.claims.iter().filter_map(fingerprint) {
                *cell.fingerprints.entry(fingerprint).or_default() += 1;
            }
        }
        cell
    }

    fn claims(&self) -> usize {
        self.fingerprints.values().sum()
    }
}

/// What a judge chose of a claim: class, type, quotes and note, but not the claim, so that partitions which moved to other
/// rows are found; `None` without a quote, since a claim of which nothing is cited is like any other.
fn fingerprint(claim: &v1::JudgedClaim) -> Option<[u8; 32]> {
    let mut quotes: Vec<&str> = claim.citations.iter().map(|cited| cited.quote.as_str()).collect();
    if !quotes.iter().any(|quote| quote.len() >= MIN_QUOTE) {
        return None;
    }
    quotes.sort_unstable();
    let mut digest = blake3::Hasher::new();
    digest.update(&claim.class.to_le_bytes()).update(&claim.r#type.to_le_bytes());
    for text in quotes.into_iter().chain([claim.note.as_str()]) {
        digest.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    Some(*digest.finalize().as_bytes())
}

/// The reasons why cells may not be published; empty if they may.
pub(crate) fn objections(cells: &[AuditedCell]) -> Vec<String> {
    let mut found = Vec::new();
    for cell in cells {
        found.extend(other_judges(cell));
    }
    for (at, first) in cells.iter().enumerate() {
        found.extend(cells.iter().skip(at + 1).filter_map(|second| in_common(first, second)));
    }
    found
}

/// That a cell was decided by another judge than its first.
fn other_judges(cell: &AuditedCell) -> Option<String> {
    let Header { run, judge, .. } = &cell.header;
    let named = |judge: &str| judge.is_empty() || cell.is_by(judge);
    let others: Vec<String> = cell
        .judges
        .iter()
        .filter(|(judge, _)| !named(judge))
        .map(|(judge, rows)| format!("{rows} by {judge}"))
        .collect();
    let judge = judge.as_deref().unwrap_or("one judge");
    (!others.is_empty()).then(|| {
        format!(
            "{run}: says it was judged by {judge}, and of {} rows were {}",
            cell.rows,
            others.join(", ")
        )
    })
}

impl AuditedCell {
    /// `true` if rows that a judge decided are what the cell says: of the judge it names; where it names none, of the judge
    /// that decided most rows.
    fn is_by(&self, judge: &str) -> bool {
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

/// That two cells hold the same partitions. A declared repetition by a judge that always says the same may, as long as its
/// rows were judged anew.
fn in_common(first: &AuditedCell, second: &AuditedCell) -> Option<String> {
    let names = format!("{} and {}", first.header.run, second.header.run);
    let copied = first.evaluations.intersection(&second.evaluations).count();
    if copied > 0 {
        return Some(format!(
            "{names} hold {copied} of the same evaluations: one is a copy of the other"
        ));
    }
    let repeats = |one: &Header, other: &Header| {
        one.repeat_of.as_deref() == Some(&other.run) && one.judge == other.judge
    };
    if repeats(&first.header, &second.header) || repeats(&second.header, &first.header) {
        return None;
    }
    let least = first.claims().min(second.claims());
    let common: usize = first
        .fingerprints
        .iter()
        .map(|(fingerprint, count)| {
            second.fingerprints.get(fingerprint).map_or(0, |other| *count.min(other))
        })
        .sum();
    (least >= MIN_CLAIMS && common * 100 > least * MAX_COMMON_PERCENT).then(|| {
        format!(
            "{names} have {common} of {least} cited claims in common, quotes and notes included: one judge fell back to the other, or it is a second run that does not say so (--repeat-of)"
        )
    })
}

/// Audits traces and returns what is to be printed.
pub(crate) fn audit(args: &Audit) -> Result<String> {
    let objections = objections(&cells(&args.traces)?);
    if objections.is_empty() {
        return Ok(format!("{} cells: no objection.\n", args.traces.len()));
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
        // Judges agree on most classes and often quote the same words; their notes are their own.
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
        });
        let header = Header { run: run.to_owned(), judge: Some(judge.to_owned()), ..header() };
        Trace { header, rows: rows.collect(), refused: Vec::new() }
    }

    fn said(traces: &[&Trace]) -> Vec<String> {
        objections(&traces.iter().map(|trace| AuditedCell::of(trace)).collect::<Vec<_>>())
    }

    /// A cell with the partitions of another one under new ids, varied.
    fn planted(seed: u64) -> [Trace; 2] {
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
    fn a_planted_copy_is_refused_in_every_variation() {
        for seed in 0..100 {
            let [honest, copy] = planted(seed);
            let found = said(&[&honest, &copy]);
            assert!(found.len() == 1 && found[0].contains("in common"), "{seed}: {found:?}");
        }
    }

    #[test]
    fn honest_pairs_raise_no_alarm() {
        for seed in 0..100 {
            let first = trace(seed, "first", "openai:one");
            let second = trace(seed + 10_000, "second", "openai:two");
            assert!(said(&[&first, &second]).is_empty(), "{seed}");
        }
    }

    #[test]
    fn a_repetition_has_to_be_declared_and_judged_anew() {
        let first = trace(1, "first", "rules/2");
        let mut again = trace(1, "again", "rules/2");
        assert!(said(&[&first, &again])[0].contains("--repeat-of"));
        again.header.repeat_of = Some("first".to_owned());
        assert!(said(&[&first, &again]).is_empty());
        again.rows[7].evaluation.evaluation_id = "first-3".to_owned();
        assert!(said(&[&first, &again])[0].contains("1 of the same evaluations"));
        let mut other = trace(1, "other", "openai:two");
        other.header.repeat_of = Some("first".to_owned());
        assert!(said(&[&first, &other])[0].contains("in common"), "another judge repeats nothing");
    }

    #[test]
    fn rows_of_another_judge_are_named() {
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
            said(&[&fell_back]),
            ["first: says it was judged by openai:one, and of 60 rows were 4 by rules/2"]
        );
    }
}
