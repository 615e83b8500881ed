//! Builds a trace from partitions and grades exported from a ledger.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use gsar_core::policy::{Preset, VerificationMode, preset};
use gsar_core::{Class, Tier};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::json::{from_json, to_json};
use gsar_proto::{render, v1};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::arguments::Graded;
use crate::data_set::read;
use crate::rows::{Gold, open};
use crate::trace::{FORMAT, FileDigest, Header, Line, TraceWriter};

/// The grades of an evaluation. A later grade for the same subject replaces an earlier one.
#[derive(Debug, Default)]
struct Grades {
    claims: BTreeMap<String, Class>,
    report: Option<Tier>,
}

impl Grades {
    fn add(&mut self, grade: v1::Grade) -> Result<()> {
        match grade.subject.context("the grade has no subject")? {
            v1::grade::Subject::Claim(claim) => {
                let class = Class::from_number(claim.class).context("the grade has no class")?;
                self.claims.insert(claim.claim_id, class);
            }
            v1::grade::Subject::Report(report) => {
                self.report =
                    Some(Tier::from_number(report.tier).context("the grade has no tier")?);
            }
        }
        Ok(())
    }

    /// Returns the claims' gold classes if all claims are graded. Otherwise, a graded report counts as a single
    /// claim, which is grounded if the report was graded as one that should proceed, and ungrounded if not. Returns
    /// `None` if the report is not graded either.
    fn gold(&self, claims: &[v1::JudgedClaim]) -> Option<Vec<Gold>> {
        let of_claims = claims.iter().map(|claim| self.claims.get(&claim.id).copied().map(Gold));
        let of_claims: Option<Vec<Gold>> = of_claims.collect();
        let of_report = || {
            let proceeds = self.report? == Tier::Proceed;
            Some(vec![Gold(if proceeds { Class::Grounded } else { Class::Ungrounded })])
        };
        of_claims.filter(|gold| !gold.is_empty()).or_else(of_report)
    }
}

pub(crate) fn graded(args: &Graded) -> Result<String> {
    let mut partitions: Vec<v1::PartitionRecord> = Vec::new();
    let mut grades: BTreeMap<String, Grades> = BTreeMap::new();
    let mut files = Vec::new();
    for path in &args.exports {
        let file = open(path, None)?;
        files.push(FileDigest { name: file.name(), sha256: file.sha256 });
        read_records(path, &mut partitions, &mut grades)?;
    }
    let mut lines = Vec::new();
    for partition in partitions {
        let evaluation = partition.evaluation.clone().unwrap_or_default();
        let gold = grades.get(&evaluation.evaluation_id);
        let Some(gold) = gold.and_then(|grades| grades.gold(&partition.claims)) else { continue };
        let answer = to_json(&answer(partition, &evaluation))?;
        lines.push(Line {
            row: evaluation.evaluation_id,
            gold,
            evaluation: Some(RawValue::from_string(answer)?),
            refused: None,
            loop_end: None,
        });
    }
    ensure!(
        !lines.is_empty(),
        "no graded evaluations: pass exports of both partitions and grades; an evaluation counts if its report or all its claims are graded"
    );
    ensure!(
        !args.out.exists(),
        "{} already exists; choose another file with --out",
        args.out.display()
    );
    let header = Header {
        trace: FORMAT,
        run: args.out.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        files,
        // Claim ids from the ledger do not match `c1`, `c2` and so on.
        whole: true,
        rows: lines.len(),
        ..Header::default()
    };
    let mut trace = TraceWriter::open(&args.out, &header)?;
    for line in &lines {
        trace.add(line)?;
    }
    trace.finish()?;
    let mut page = String::new();
    let _ = writeln!(page, "{}: {} graded evaluations.", args.out.display(), lines.len());
    Ok(page)
}

fn read_records(
    path: &Path,
    partitions: &mut Vec<v1::PartitionRecord>,
    grades: &mut BTreeMap<String, Grades>,
) -> Result<()> {
    for (line, number) in read(path)?.lines().zip(1..) {
        let location = || format!("{}:{number}", path.display());
        let value: Value = serde_json::from_str(line).with_context(location)?;
        if value.get("claims").is_some() {
            partitions.push(from_json(line).with_context(location)?);
        } else if value.get("grade").is_some() {
            let v1::GradeRecord { evaluation, grade, .. } =
                from_json(line).with_context(location)?;
            let id = evaluation.unwrap_or_default().evaluation_id;
            let grade = grade.and_then(|recorded| recorded.grade).with_context(location)?;
            grades.entry(id).or_default().add(grade).with_context(location)?;
        } else {
            bail!("{}: expected a partition or a grade", location());
        }
    }
    Ok(())
}

fn answer(
    partition: v1::PartitionRecord,
    evaluation: &v1::ExportedEvaluation,
) -> v1::EvaluateResponse {
    let name = evaluation.policy.as_ref().map_or("", |policy| policy.name.as_str());
    let mode = Preset::from_name(name)
        .map_or(VerificationMode::Enforce, |found| preset(found).verification);
    let judge = v1::JudgeLink {
        judge: evaluation.judge.clone(),
        result: "judged".to_owned(),
        ..Default::default()
    };
    v1::EvaluateResponse {
        evaluation_id: evaluation.evaluation_id.clone(),
        outcome: partition.outcome,
        score: partition.score,
        guarded_score: partition.guarded_score,
        claims: partition.claims,
        corrections: partition.corrections,
        decision: Some(v1::Decision { tier: evaluation.tier, ..Default::default() }),
        provenance: Some(v1::Provenance {
            judges: vec![judge],
            policy: evaluation.policy.clone(),
            verification: render::verification_mode(mode).into(),
            ..Default::default()
        }),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(id: &str) -> v1::JudgedClaim {
        v1::JudgedClaim { id: id.to_owned(), ..Default::default() }
    }

    fn graded(claims: &[(&str, Class)], report: Option<Tier>) -> Grades {
        let claims = claims.iter().map(|(id, class)| ((*id).to_owned(), *class));
        Grades { claims: claims.collect(), report }
    }

    #[test]
    fn gold_requires_a_graded_report_or_grades_for_all_claims() {
        let claims = [claim("a"), claim("b")];
        let both =
            graded(&[("a", Class::Grounded), ("b", Class::Contradicted)], Some(Tier::Proceed));
        assert_eq!(
            both.gold(&claims),
            Some(vec![Gold(Class::Grounded), Gold(Class::Contradicted)])
        );
        let one = graded(&[("a", Class::Grounded)], None);
        assert_eq!(one.gold(&claims), None);
        let proceeded = graded(&[("a", Class::Grounded)], Some(Tier::Proceed));
        assert_eq!(proceeded.gold(&claims), Some(vec![Gold(Class::Grounded)]));
        let held_back = graded(&[], Some(Tier::Regenerate));
        assert_eq!(held_back.gold(&[]), Some(vec![Gold(Class::Ungrounded)]));
    }
}
