//! Tests that a lying judge cannot improve the verdict on a report.

use crate::lies::cases::{Case, cases, citation, content};
use crate::lies::lies_by_kind::{LIES, Lie, is_against_report, with_verdicts};
use crate::lies::scripted::{GuardedVerdict, ScriptedServer, judgement};
use crate::support::rounds;
use gsar_core::{Class, EvidenceType, JudgedClaim};
use gsar_proto::v1;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

const POLICIES: [&str; 2] = ["reference", "strict"];

/// Returns the honest baseline for a lie. A claim whose contradiction the lie omits becomes ungrounded in the
/// baseline too, because the omission cannot be detected.
fn without_claims_lied_about(case: &Case, lying_answer: &[JudgedClaim]) -> Vec<JudgedClaim> {
    let is_denied = |honest: &JudgedClaim| {
        let mut lies =
            lying_answer.iter().filter(|judged| judged.claim.id == honest.claim.id).peekable();
        honest.class == Class::Contradicted
            && lies.peek().is_some()
            && lies.all(|judged| judged.class != Class::Contradicted)
    };
    let claims = case.honest.iter().cloned().map(|judged| match is_denied(&judged) {
        true => JudgedClaim {
            class: Class::Ungrounded,
            evidence_type: EvidenceType::Inference,
            citations: Vec::new(),
            ..judged
        },
        false => judged,
    });
    claims.collect()
}

/// Asserts that a lie improves no incident's verdict.
async fn assert_lie_never_helps(lie: &Lie) {
    let scripted = ScriptedServer::start().await;
    let (mut report_count, mut correction_count) = (0, 0);
    for case in cases() {
        let lying_answer = (lie.build)(&case);
        if lying_answer == case.honest {
            continue;
        }
        report_count += 1;
        for policy in POLICIES {
            let honest = scripted
                .evaluate_case(policy, &case, without_claims_lied_about(&case, &lying_answer))
                .await;
            let answer = scripted.evaluate_case(policy, &case, lying_answer.clone()).await;
            let (honest_verdict, lying_verdict) =
                (GuardedVerdict::from_answer(&honest), GuardedVerdict::from_answer(&answer));
            assert!(
                !lying_verdict.is_better_than(&honest_verdict),
                "{}, {policy}, {}: {honest_verdict:?} became {lying_verdict:?}: {:#?}",
                lie.name,
                case.name,
                answer.claims
            );
            correction_count +=
                answer.corrections.iter().filter(|found| found.code == lie.code).count();
        }
    }
    println!(
        "{}: in {report_count} reports, {correction_count} corrections {}",
        lie.name, lie.code
    );
    assert!(report_count >= 10, "{}: only {report_count} reports were affected", lie.name);
    assert!(
        correction_count >= report_count,
        "{}: {correction_count} times {}",
        lie.name,
        lie.code
    );
}

macro_rules! lies {
    ($($test:ident: $at:expr;)+) => {
        $(#[tokio::test]
        async fn $test() {
            assert_lie_never_helps(&LIES[$at]).await;
        })+

        #[test]
        fn every_lie_is_reported() {
            let mut answered = [$($at),+];
            answered.sort_unstable();
            assert!(answered.iter().copied().eq(0..LIES.len()));
        }
    };
}

lies! {
    h06_dropping_what_is_contradicted_does_not_pay: 0;
    h06_dropping_all_but_the_grounded_does_not_pay: 1;
    h09_items_that_do_not_exist_do_not_pay: 2;
    h09_items_that_do_not_exist_do_not_pay_beside_either: 3;
    h09_quotes_that_are_the_claim_do_not_pay: 4;
    h09_quotes_that_are_the_claim_do_not_pay_beside_either: 5;
    h09_homoglyphs_do_not_pay: 6;
    h09_zero_width_characters_do_not_pay: 7;
    h09_stitched_quotes_do_not_pay: 8;
    h09_elided_quotes_do_not_pay: 9;
    h09_fields_that_do_not_exist_do_not_pay: 10;
    h10_a_tool_match_without_a_tool_does_not_pay: 11;
    h01_calling_the_ungrounded_complementary_does_not_pay: 12;
    h27_invented_claims_do_not_pay: 13;
    h27_a_claim_given_twice_does_not_pay: 14;
    h06_judging_other_words_does_not_pay: 15;
    h27_circles_do_not_pay: 16;
}

#[tokio::test]
async fn h06_judge_does_not_choose_the_claims() {
    let scripted = ScriptedServer::start().await;
    let is_contradicted = |case: &Case| case.name.ends_with("contradicted");
    for case in cases().into_iter().filter(is_contradicted) {
        let mut request = case.request.clone();
        request.report.as_mut().unwrap().claims.clear();
        for policy in POLICIES {
            let answer = scripted.evaluate(policy, &request, |question| {
                let first = question.claims.first().expect("claims were split off");
                judgement(vec![JudgedClaim {
                    claim: first.clone(),
                    class: Class::Grounded,
                    evidence_type: EvidenceType::ToolMatch,
                    citations: Vec::new(),
                    note: String::new(),
                    role: gsar_core::Role::default(),
                    rules: Vec::new(),
                    undecided: None,
                }])
            });
            let answer = answer.await;
            assert_ne!(
                GuardedVerdict::from_answer(&answer).tier,
                i32::from(v1::Tier::Proceed),
                "{}",
                case.name
            );
            let dropped = answer.corrections.iter().filter(|found| found.code == "CLAIM_DROPPED");
            assert_eq!(dropped.count() + 1, answer.claims.len(), "{}", case.name);
        }
    }
}

#[tokio::test]
async fn honest_answers_are_accepted() {
    let scripted = ScriptedServer::start().await;
    let (mut supported_count, mut unsupported_by_code) = (0, std::collections::BTreeMap::new());
    for case in cases() {
        let answer = scripted.evaluate_case("reference", &case, case.honest.clone()).await;
        for (claim, honest) in answer.claims.iter().zip(&case.honest) {
            if is_against_report(honest) {
                continue;
            }
            supported_count += 1;
            if claim.class() == v1::ClaimClass::Ungrounded
                || claim.class() == v1::ClaimClass::Contradicted
            {
                let found = answer.corrections.iter().find(|found| found.claim_id == claim.id);
                let code = found.map(|found| found.code.clone()).unwrap_or_default();
                unsupported_by_code.entry(code).or_insert_with(Vec::new).push(claim.text.clone());
            }
        }
    }
    println!("honest: {supported_count} supported claims, lost {unsupported_by_code:#?}");
    // Some labels quote numbers that end within a longer number.
    let unsupported_count: usize = unsupported_by_code.values().map(Vec::len).sum();
    assert!(unsupported_count * 100 <= supported_count, "{unsupported_count} of {supported_count}");
}

/// Measures undetectable lies: genuine quotes about a similar topic.
#[tokio::test]
async fn measures_true_quotes_about_similar_things() {
    let scripted = ScriptedServer::start().await;
    let (mut claims, mut grounded_count, mut improved_reports) = (0, 0, 0);
    for case in cases() {
        if !case.honest.iter().any(is_against_report) {
            continue;
        }
        let quote_every_item = |_: &JudgedClaim| -> Vec<_> {
            let first = |item: &v1::EvidenceItem| {
                let line = content(item).lines().find(|line| line.len() > 8)?;
                Some(citation(&item.id, "", line))
            };
            case.request.evidence.iter().filter_map(first).collect()
        };
        let lying_answer =
            with_verdicts(&case, Class::Grounded, EvidenceType::ToolMatch, quote_every_item);
        let honest = GuardedVerdict::from_answer(
            &scripted.evaluate_case("reference", &case, case.honest.clone()).await,
        );
        let answer = scripted.evaluate_case("reference", &case, lying_answer).await;
        let accused_count = case.honest.iter().filter(|judged| is_against_report(judged)).count();
        let grounded_in_report = answer.claims.iter().zip(&case.honest);
        let grounded_in_report = grounded_in_report
            .filter(|(claim, honest)| {
                is_against_report(honest) && claim.class() == v1::ClaimClass::Grounded
            })
            .count();
        claims += accused_count;
        grounded_count += grounded_in_report;
        improved_reports +=
            usize::from(GuardedVerdict::from_answer(&answer).is_better_than(&honest));
    }
    println!(
        "a true line of every item: {grounded_count} of {claims} claims stay grounded, {improved_reports} reports stand better"
    );
    assert!(claims > 0);
}

/// Measures evidence types that the cited item allows, such as a synthesis called a match.
#[tokio::test]
async fn measures_types_that_the_item_allows() {
    let scripted = ScriptedServer::start().await;
    let (mut reports, mut improved_scores, mut improved_tiers) = (0, 0, 0);
    for case in cases() {
        let lying_answer: Vec<JudgedClaim> = case
            .honest
            .iter()
            .cloned()
            .map(|judged| JudgedClaim { evidence_type: EvidenceType::ToolMatch, ..judged })
            .collect();
        let honest = GuardedVerdict::from_answer(
            &scripted.evaluate_case("reference", &case, case.honest.clone()).await,
        );
        let answer = scripted.evaluate_case("reference", &case, lying_answer).await;
        let verdict = GuardedVerdict::from_answer(&answer);
        reports += 1;
        improved_scores += usize::from(verdict.is_better_than(&honest));
        improved_tiers += usize::from(verdict.tier < honest.tier);
        for (claim, honest) in answer.claims.iter().zip(&case.honest) {
            if claim.class() != v1::ClaimClass::Grounded {
                continue;
            }
            let cited = honest.citations.first().map(|citation| &citation.target);
            let item = case.request.evidence.iter().find(|item| {
                matches!(cited, Some(gsar_core::evidence::Target::Evidence { id, .. }) if id.as_str() == item.id)
            });
            if item.is_some_and(|item| item.kind() == v1::EvidenceKind::Signal) {
                assert_ne!(claim.r#type(), v1::EvidenceType::ToolMatch, "{}", claim.text);
            }
        }
    }
    println!(
        "every type a tool match: of {reports} reports {improved_scores} score better, {improved_tiers} in tier"
    );
}

/// Combines random claims, and random lies about those that count against the report.
#[tokio::test]
async fn random_lies_never_improve_a_report() {
    let scripted = ScriptedServer::start().await;
    let cases = cases();
    let mut random = TestRunner::deterministic();
    let choice = (
        0..cases.len(),
        proptest::collection::vec(proptest::bool::weighted(0.7), 24),
        proptest::collection::vec(0..=LIES.len(), 24),
        0..POLICIES.len(),
    );
    for _ in 0..rounds(100, 400) {
        let (case_index, keep, lies, policy) = choice.new_tree(&mut random).unwrap().current();
        let case = cases[case_index].with_claims(&keep);
        if case.honest.is_empty() {
            continue;
        }
        let lying_answer = mix_lies(&case, &lies);
        let policy = POLICIES[policy];
        let honest = GuardedVerdict::from_answer(
            &scripted
                .evaluate_case(policy, &case, without_claims_lied_about(&case, &lying_answer))
                .await,
        );
        let answer = scripted.evaluate_case(policy, &case, lying_answer).await;
        let verdict = GuardedVerdict::from_answer(&answer);
        assert!(
            !verdict.is_better_than(&honest),
            "{policy}, {}, {keep:?}, {lies:?}: {honest:?} became {verdict:?}: {:#?}",
            case.name,
            answer.corrections
        );
    }
}

/// Returns an answer with one lie per claim, by number. The last number is the truth.
fn mix_lies(case: &Case, lies: &[usize]) -> Vec<JudgedClaim> {
    let mut mixed_answer = Vec::new();
    for (claim, lie) in case.claims().zip(lies.iter().cycle()) {
        let answers = LIES.get(*lie).map_or_else(|| case.honest.clone(), |lie| (lie.build)(case));
        mixed_answer.extend(answers.into_iter().filter(|judged| judged.claim.id == claim.id));
    }
    mixed_answer
}
