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

/// Returns the honest baseline for a lie. If the lie hides that a claim is contradicted, the claim is ungrounded in
/// the baseline, because hiding a contradiction cannot be detected.
fn honest_baseline(case: &Case, lying_answer: &[JudgedClaim]) -> Vec<JudgedClaim> {
    let is_contradiction_hidden = |honest: &JudgedClaim| {
        let mut lies =
            lying_answer.iter().filter(|judged| judged.claim.id == honest.claim.id).peekable();
        honest.class == Class::Contradicted
            && lies.peek().is_some()
            && lies.all(|judged| judged.class != Class::Contradicted)
    };
    let claims = case.honest.iter().cloned().map(|judged| match is_contradiction_hidden(&judged) {
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

/// Asserts that the lie does not improve the verdict on any report.
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
            let baseline = honest_baseline(&case, &lying_answer);
            let honest_verdict = scripted.verdict(policy, &case, baseline).await;
            let answer = scripted.evaluate_case(policy, &case, lying_answer.clone()).await;
            let lying_verdict = GuardedVerdict::from_answer(&answer);
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
        "{}: {correction_count} corrections in {report_count} reports have the code {}",
        lie.name, lie.code
    );
    assert!(report_count >= 10, "{}: only {report_count} reports were affected", lie.name);
    assert!(
        correction_count >= report_count,
        "{}: only {correction_count} corrections have the code {}",
        lie.name,
        lie.code
    );
}

macro_rules! lies {
    ($($test:ident: $index:expr;)+) => {
        $(#[tokio::test]
        async fn $test() {
            assert_lie_never_helps(&LIES[$index]).await;
        })+

        #[test]
        fn every_lie_is_tested() {
            let mut tested = [$($index),+];
            tested.sort_unstable();
            assert!(tested.iter().copied().eq(0..LIES.len()));
        }
    };
}

lies! {
    h06_dropping_contradicted_claims_does_not_improve_the_verdict: 0;
    h06_dropping_all_but_grounded_claims_does_not_improve_the_verdict: 1;
    h09_citing_unknown_items_does_not_improve_the_verdict: 2;
    h09_citing_unknown_items_as_complementary_does_not_improve_the_verdict: 3;
    h09_quoting_the_claim_itself_does_not_improve_the_verdict: 4;
    h09_quoting_the_claim_itself_as_complementary_does_not_improve_the_verdict: 5;
    h09_quotes_with_homoglyphs_do_not_improve_the_verdict: 6;
    h09_quotes_with_zero_width_characters_do_not_improve_the_verdict: 7;
    h09_stitched_quotes_do_not_improve_the_verdict: 8;
    h09_elided_quotes_do_not_improve_the_verdict: 9;
    h09_citing_unknown_fields_does_not_improve_the_verdict: 10;
    h10_a_tool_match_without_a_citation_does_not_improve_the_verdict: 11;
    h01_marking_ungrounded_claims_as_complementary_does_not_improve_the_verdict: 12;
    h27_inventing_claims_does_not_improve_the_verdict: 13;
    h27_judging_a_claim_twice_does_not_improve_the_verdict: 14;
    h06_judging_altered_claims_does_not_improve_the_verdict: 15;
    h27_circular_citations_do_not_improve_the_verdict: 16;
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
                let first = question.claims.first().expect("the report must be split into claims");
                judgement(vec![JudgedClaim::new(
                    first.clone(),
                    Class::Grounded,
                    EvidenceType::ToolMatch,
                )])
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
    println!(
        "honest answers: {supported_count} supported claims; rejected, by correction code: {unsupported_by_code:#?}"
    );
    // Some labelled quotes end in the middle of a longer number.
    let unsupported_count: usize = unsupported_by_code.values().map(Vec::len).sum();
    assert!(unsupported_count * 100 <= supported_count, "{unsupported_count} of {supported_count}");
}

/// Measures lies that cannot be detected because their quotes are genuine, but about a different topic.
#[tokio::test]
async fn measures_lies_with_genuine_quotes() {
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
        let honest = scripted.verdict("reference", &case, case.honest.clone()).await;
        let answer = scripted.evaluate_case("reference", &case, lying_answer).await;
        let unsupported_claims =
            case.honest.iter().filter(|judged| is_against_report(judged)).count();
        let grounded_in_report = answer.claims.iter().zip(&case.honest);
        let grounded_in_report = grounded_in_report
            .filter(|(claim, honest)| {
                is_against_report(honest) && claim.class() == v1::ClaimClass::Grounded
            })
            .count();
        claims += unsupported_claims;
        grounded_count += grounded_in_report;
        improved_reports +=
            usize::from(GuardedVerdict::from_answer(&answer).is_better_than(&honest));
    }
    println!(
        "genuine quotes from every item: {grounded_count} of {claims} claims stay grounded, {improved_reports} reports improve"
    );
    assert!(claims > 0);
}

/// Measures lies that raise the evidence type as far as the cited item permits, such as from synthesis to tool match.
#[tokio::test]
async fn measures_lies_about_evidence_types() {
    let scripted = ScriptedServer::start().await;
    let (mut reports, mut improved_reports, mut improved_tiers) = (0, 0, 0);
    for case in cases() {
        let lying_answer: Vec<JudgedClaim> = case
            .honest
            .iter()
            .cloned()
            .map(|judged| JudgedClaim { evidence_type: EvidenceType::ToolMatch, ..judged })
            .collect();
        let honest = scripted.verdict("reference", &case, case.honest.clone()).await;
        let answer = scripted.evaluate_case("reference", &case, lying_answer).await;
        let verdict = GuardedVerdict::from_answer(&answer);
        reports += 1;
        improved_reports += usize::from(verdict.is_better_than(&honest));
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
        "all claims marked as tool matches: of {reports} reports, {improved_reports} improve, {improved_tiers} of them in tier"
    );
}

/// Combines random subsets of claims with random lies about the claims that count against the report.
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
        let baseline = honest_baseline(&case, &lying_answer);
        let honest = scripted.verdict(policy, &case, baseline).await;
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

/// Returns an answer with one lie per claim. A lie is an index into `LIES`, and `LIES.len()` stands for the truth.
fn mix_lies(case: &Case, lies: &[usize]) -> Vec<JudgedClaim> {
    let mut mixed_answer = Vec::new();
    for (claim, lie) in case.claims().zip(lies.iter().cycle()) {
        let answers = LIES.get(*lie).map_or_else(|| case.honest.clone(), |lie| (lie.build)(case));
        mixed_answer.extend(answers.into_iter().filter(|judged| judged.claim.id == claim.id));
    }
    mixed_answer
}
