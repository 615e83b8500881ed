//! Tests that true reports proceed under a truthful judge.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lies::scripted::{ScriptedServer, judgement};
use crate::support::codes;
use crate::truths::judge::judge_truthfully;
use crate::truths::reports::{TrueReport, true_reports};
use gsar_proto::v1;

fn print_held_back(report: &TrueReport, answer: &v1::EvaluateResponse) {
    let codes = codes(&answer.decision.as_ref().unwrap().reasons);
    println!("{} is held back: {codes:?}", report.name);
    if !report.is_open {
        return;
    }
    if let Some(coverage) = &answer.coverage {
        println!("  {} of {} words {:?}", coverage.covered, coverage.sentences, coverage.words);
    }
    for correction in &answer.corrections {
        let claim = answer.claims.iter().find(|claim| claim.id == correction.claim_id).unwrap();
        println!(
            "  {} {:?} {:?}: {}",
            correction.code,
            correction.outcome(),
            claim.text,
            correction.sentence
        );
        for citation in &claim.citations {
            println!("      {:?}", citation.quote);
        }
    }
}

#[tokio::test]
async fn true_reports_proceed() {
    let scripted = ScriptedServer::start_reconsidering().await;
    let (mut held_reports, mut codes) = (Vec::new(), BTreeMap::<String, usize>::new());
    let (mut claims, mut complementary_count) = (0, 0);
    for report in true_reports().into_iter().map(Arc::new) {
        let known_report = Arc::clone(&report);
        let answer = move |question: &gsar_server::judge::Question| {
            judgement(
                question
                    .claims
                    .iter()
                    .map(|claim| judge_truthfully(&known_report, claim))
                    .collect(),
            )
        };
        let answer = scripted.evaluate("reference", &report.request, answer).await;
        claims += answer.claims.len();
        let is_complementary =
            |claim: &&v1::JudgedClaim| claim.class() == v1::ClaimClass::Complementary;
        complementary_count += answer.claims.iter().filter(is_complementary).count();
        let decision = answer.decision.as_ref().unwrap();
        if decision.tier() != v1::Tier::Proceed {
            print_held_back(&report, &answer);
            for reason in &decision.reasons {
                *codes.entry(reason.code.clone()).or_default() += 1;
            }
            held_reports.push(report.name.clone());
        }
    }
    println!(
        "{claims} claims, {complementary_count} of them complementary; {} reports held back: {codes:?}",
        held_reports.len()
    );
    assert!(!codes.contains_key("UNCOVERED_TEXT") && !codes.contains_key("COVERAGE_BELOW"));
    assert!(held_reports.is_empty(), "held back: {held_reports:?}");
}
