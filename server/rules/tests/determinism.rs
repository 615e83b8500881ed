//! The same bytes come out whatever the order of the evidence and however many threads ask; evidence that is
//! about something else changes no grounded claim; and what nothing shows any more is not grounded.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::HashSet;

use gsar_core::evidence::{EvidenceItem, Target};
use gsar_core::{Claim, ClaimId, Class, JudgedClaim};
use gsar_rules::Observations;
use support::{all_incidents, evidence, labels};

fn claims(incident: &std::path::Path) -> Vec<Claim> {
    ["faithful", "contradicted"]
        .iter()
        .flat_map(|report| labels(incident, report))
        .enumerate()
        .map(|(number, label)| Claim {
            id: ClaimId::new(format!("c{number}")).unwrap(),
            text: label.text,
            span: None,
        })
        .collect()
}

fn judged(evidence: &[EvidenceItem], claims: &[Claim]) -> Vec<JudgedClaim> {
    Observations::read(evidence).judge(claims, || true).unwrap()
}

/// Everything that is said, as text.
fn said(judged: &[JudgedClaim]) -> String {
    format!("{judged:#?}")
}

/// Each claim by itself, so that no claim takes over a name from the one before.
fn one_by_one(evidence: &[EvidenceItem], claims: &[Claim]) -> Vec<JudgedClaim> {
    let observations = Observations::read(evidence);
    claims
        .iter()
        .map(|claim| observations.judge(std::slice::from_ref(claim), || true).unwrap().remove(0))
        .collect()
}

#[test]
fn the_order_of_the_evidence_does_not_matter() {
    for incident in all_incidents() {
        let (items, claims) = (evidence(&incident), claims(&incident));
        let expected = said(&judged(&items, &claims));
        for turn in 1..items.len() {
            let mut turned = items.clone();
            turned.rotate_left(turn);
            if turn % 2 == 0 {
                turned.reverse();
            }
            let found = said(&judged(&turned, &claims));
            let differs = expected.lines().zip(found.lines()).find(|(a, b)| a != b);
            assert!(expected == found, "{}, turn {turn}: {differs:?}", incident.display());
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let incident = &all_incidents()[0];
    let (items, claims) = (evidence(incident), claims(incident));
    let observations = Observations::read(&items);
    let expected = said(&observations.judge(&claims, || true).unwrap());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| said(&observations.judge(&claims, || true).unwrap())))
            .collect();
        for thread in threads {
            assert!(thread.join().unwrap() == expected);
        }
    });
}

#[test]
fn evidence_about_something_else_changes_no_grounded_claim() {
    let incidents = all_incidents();
    for (incident, other) in incidents.iter().zip(incidents.iter().cycle().skip(1)) {
        let (items, claims) = (evidence(incident), claims(incident));
        let known: HashSet<_> = items.iter().map(|item| item.id.clone()).collect();
        let mut more = items.clone();
        more.extend(
            evidence(other)
                .into_iter()
                .filter(|item| !known.contains(&item.id))
                .map(|item| EvidenceItem { exhaustive: false, ..item }),
        );
        let (before, after) = (one_by_one(&items, &claims), one_by_one(&more, &claims));
        for (before, after) in before.iter().zip(&after) {
            if before.class == Class::Grounded {
                assert_eq!(
                    after.class,
                    Class::Grounded,
                    "{}: {}\n{}\n{}",
                    incident.display(),
                    before.claim.text,
                    before.note,
                    after.note
                );
            }
        }
    }
}

#[test]
fn what_nothing_shows_any_more_is_not_grounded() {
    for incident in all_incidents() {
        let (items, claims) = (evidence(&incident), claims(&incident));
        for grounded in one_by_one(&items, &claims) {
            let mut left = items.clone();
            let mut judged = grounded.clone();
            // Another item may show it as well: take away what is cited until none is left.
            while judged.class == Class::Grounded {
                let cited: HashSet<_> = judged
                    .citations
                    .iter()
                    .filter_map(|citation| match &citation.target {
                        Target::Evidence { id, .. } => Some(id.clone()),
                        Target::Claim(_) => None,
                    })
                    .collect();
                assert!(!cited.is_empty(), "grounded by nothing: {}", judged.claim.text);
                let before = left.len();
                left.retain(|item| !cited.contains(&item.id));
                assert!(left.len() < before, "an item that is not there: {}", judged.claim.text);
                judged = one_by_one(&left, std::slice::from_ref(&grounded.claim)).remove(0);
            }
        }
    }
}
