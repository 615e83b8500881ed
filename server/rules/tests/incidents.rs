//! The rules judge over the labelled incidents: what it must never say, and how much it must see.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::allow_attributes,
    reason = "a test fails by panicking and prints what it measures"
)]

mod support;

use std::ops::Range;
use std::path::Path;

use gsar_core::evidence::{EvidenceItem, Target};
use gsar_core::policy::{Preset, VerificationMode, preset};
use gsar_core::verify::{Corpus, verify};
use gsar_core::{Claim, ClaimId, Class, JudgedClaim};
use gsar_rules::Observations;
use support::{Label, demo_incidents, evidence, labels};

/// One claim as judged, with the labels that it overlaps.
struct Row {
    judged: JudgedClaim,
    labels: Vec<Label>,
}

impl Row {
    fn strictest(&self) -> Option<Class> {
        self.labels.iter().map(Label::class).max()
    }
}

/// Which claims are handed over: none, so that the judge splits the report, or those of the labels.
#[derive(Clone, Copy)]
enum Given {
    Report,
    Labels,
}

fn judged(incident: &Path, report: &str, given: Given) -> (Vec<Row>, Vec<EvidenceItem>) {
    let synthesis = std::fs::read_to_string(incident.join("reports").join(format!("{report}.md")))
        .expect("a report");
    let mut from = 0;
    let placed: Vec<(Range<usize>, Label)> = labels(incident, report)
        .into_iter()
        .map(|label| {
            let at = from
                + synthesis
                    .get(from..)
                    .and_then(|rest| rest.find(&label.text))
                    .expect("the label's text");
            from = at + label.text.len();
            (at..from, label)
        })
        .collect();
    let claims = match given {
        Given::Report => gsar_core::split::split(&synthesis),
        Given::Labels => placed
            .iter()
            .enumerate()
            .map(|(number, (span, label))| Claim {
                id: ClaimId::new(format!("c{}", number + 1)).expect("an id"),
                text: label.text.clone(),
                span: Some(span.clone()),
            })
            .collect(),
    };
    let evidence = evidence(incident);
    let judged = Observations::read(&evidence).judge(&claims, || true).expect("nothing stops it");
    let rows = judged
        .iter()
        .map(|judged| {
            let span = judged.claim.span.clone().expect("a span");
            let overlapping = placed
                .iter()
                .filter(|(other, _)| other.start < span.end && span.start < other.end)
                .map(|(_, label)| label.clone())
                .collect();
            Row { judged: judged.clone(), labels: overlapping }
        })
        .collect();
    (rows, evidence)
}

fn show(incident: &Path, report: &str, rows: &[Row]) {
    println!("== {} {report}", incident.file_name().and_then(|name| name.to_str()).unwrap_or(""));
    for row in rows {
        let label = row.strictest().map_or("-", Class::name);
        let judged = &row.judged;
        println!(
            "{:12} {:12} {:12} {}",
            label,
            judged.class.name(),
            judged.evidence_type.name(),
            judged.claim.text
        );
        println!("    {}", judged.note);
        for citation in &judged.citations {
            let Target::Evidence { id, field_path } = &citation.target else { continue };
            println!("      {id} {field_path} {:?}", citation.quote);
        }
    }
}

fn share(part: usize, of: usize) -> usize {
    part * 100 / of.max(1)
}

#[test]
fn the_judge_bears_out_faithful_reports() {
    for incident in demo_incidents() {
        for given in [Given::Report, Given::Labels] {
            let (rows, ..) = judged(&incident, "faithful", given);
            show(&incident, "faithful", &rows);
            let grounded = rows.iter().filter(|row| row.judged.class == Class::Grounded).count();
            for row in &rows {
                assert_ne!(row.judged.class, Class::Contradicted, "{}", row.judged.claim.text);
            }
            assert!(share(grounded, rows.len()) >= 80, "{grounded} of {} are grounded", rows.len());
        }
    }
}

#[test]
fn the_judge_finds_false_statements_and_leaves_true_ones_alone() {
    for incident in demo_incidents() {
        for given in [Given::Report, Given::Labels] {
            let (rows, ..) = judged(&incident, "contradicted", given);
            show(&incident, "contradicted", &rows);
            let mut found = 0;
            for row in &rows {
                match row.judged.class {
                    Class::Contradicted => {
                        assert_eq!(
                            row.strictest(),
                            Some(Class::Contradicted),
                            "{}",
                            row.judged.claim.text
                        );
                        found += 1;
                    }
                    Class::Grounded if row.labels.len() == 1 => {
                        assert_ne!(
                            row.strictest(),
                            Some(Class::Contradicted),
                            "{}",
                            row.judged.claim.text
                        );
                    }
                    _ => {}
                }
            }
            assert!(found > 0, "no false statement was found in {}", incident.display());
        }
    }
}

#[test]
fn the_judge_grounds_nothing_that_nothing_supports() {
    for incident in demo_incidents() {
        let (rows, ..) = judged(&incident, "overreaching", Given::Labels);
        show(&incident, "overreaching", &rows);
        for row in &rows {
            match row.strictest() {
                Some(Class::Ungrounded) => {
                    assert_eq!(row.judged.class, Class::Ungrounded, "{}", row.judged.claim.text);
                }
                _ => assert_ne!(row.judged.class, Class::Contradicted, "{}", row.judged.claim.text),
            }
        }
    }
}

#[test]
fn what_the_judge_cites_survives_verification() {
    let policy = preset(Preset::Reference);
    for incident in demo_incidents() {
        for report in ["faithful", "overreaching", "contradicted"] {
            let (rows, evidence) = judged(&incident, report, Given::Report);
            let before: Vec<JudgedClaim> = rows.into_iter().map(|row| row.judged).collect();
            let claims: Vec<Claim> = before.iter().map(|judged| judged.claim.clone()).collect();
            let corpus = Corpus::new(&evidence);
            let after =
                verify(VerificationMode::Enforce, &policy, &claims, before.clone(), &corpus);
            for correction in &after.corrections {
                println!("{correction:?}");
            }
            for (before, after) in before.iter().zip(&after.claims) {
                assert_eq!(
                    before.class, after.judged.class,
                    "{}: {}",
                    before.claim.text, before.note
                );
                assert_eq!(
                    before.citations.len(),
                    after.judged.citations.len(),
                    "{}",
                    before.claim.text
                );
            }
        }
    }
}
