//! Sample answers and snapshots of their output.

use anstream::adapter::strip_str;
use gsar_core::{Policy, Preset, preset};
use gsar_proto::render::reason;
use gsar_proto::{json, v1};

use super::{
    Explain, ReportContext, View, cap_answer, errors, evaluation, evaluations, gate_answer, labels,
};

const SYNTHESIS: &str = "The checkout pods were OOMKilled three times between 14:02 and 14:09. The memory limit had been raised to 1 GiB at 13:40. A nightly batch job took the node's memory. The node also ran a cache warm-up at 14:00. Nobody had seen this before.";

pub(crate) fn report() -> v1::Report {
    v1::Report {
        id: "checkout-oom".to_owned(),
        synthesis: SYNTHESIS.to_owned(),
        ..Default::default()
    }
}

pub(crate) fn evidence() -> Vec<v1::EvidenceItem> {
    let text =
        "38m  Normal  ScalingReplicaSet\n12m  Warning  OOMKilling  Memory cgroup out of memory\n";
    vec![v1::EvidenceItem {
        id: "events.txt".to_owned(),
        content: Some(v1::evidence_item::Content::Text(text.to_owned())),
        ..Default::default()
    }]
}

fn score(numerator: u64, denominator: u64) -> Option<v1::Score> {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let value = numerator as f64 / denominator as f64;
    Some(v1::Score { value, numerator, denominator })
}

pub(crate) fn citation(evidence_id: &str, field_path: &str, quote: &str) -> v1::Citation {
    v1::Citation {
        evidence_id: evidence_id.to_owned(),
        field_path: field_path.to_owned(),
        quote: quote.to_owned(),
        ..Default::default()
    }
}

/// Returns an answer without verification and safety checks.
pub(crate) fn answer() -> v1::EvaluateResponse {
    let mut answer = v1::EvaluateResponse {
        gate: None,
        chain: None,
        verification_needed: false,
        verification_reasons: Vec::new(),
        cap: None,
        action: None,
        corrections: Vec::new(),
        shadow: None,
        ..full_answer()
    };
    if let Some(decision) = &mut answer.decision {
        decision.margins = None;
    }
    answer
}

pub(crate) fn full_answer() -> v1::EvaluateResponse {
    let digest = preset(Preset::Reference).digest().to_string();
    json::from_json(&include_str!("samples/evaluation.json").replace("DIGEST", &digest)).unwrap()
}

pub(crate) fn undecided_answer() -> v1::EvaluateResponse {
    let mut answer = answer();
    for (claim, class) in answer
        .claims
        .iter_mut()
        .skip(1)
        .zip([v1::ClaimClass::Contradicted, v1::ClaimClass::Grounded])
    {
        claim.class = v1::ClaimClass::Ungrounded.into();
        claim.undecided = Some(v1::Leaning { class: class.into(), likelihood: Some(0.61) });
        claim.citations.clear();
        claim.votes.clear();
        claim.agreement = None;
        claim.note = format!("the model is undecided and leans to {}", labels::class(class).1);
    }
    answer.outcome = v1::Outcome::Abstained.into();
    (answer.score, answer.guarded_score, answer.terms) = (None, None, None);
    answer.decision = Some(v1::Decision {
        tier: v1::Tier::Abstain.into(),
        reasons: vec![v1::Reason {
            claim_ids: vec!["c2".to_owned(), "c3".to_owned()],
            ..reason(
                "JUDGE_UNDECIDED",
                "2 claims are undecided, so the tier is between replan and proceed: c2, c3; add a chat model to judges.chain, or name one with --judge, so that it judges these claims",
            )
        }],
        bounds: Some(v1::DecisionBounds {
            worst: Some(v1::HypotheticalOutcome {
                score: score(133, 265),
                tier: v1::Tier::Replan.into(),
            }),
            best: Some(v1::HypotheticalOutcome {
                score: score(153, 165),
                tier: v1::Tier::Proceed.into(),
            }),
        }),
        ..v1::Decision::default()
    });
    answer
}

pub(crate) fn view(columns: usize, explain: Explain) -> View {
    View { columns, only: Vec::new(), explain }
}

fn formatted(answer: &v1::EvaluateResponse, policy: Option<&Policy>, view: &View) -> String {
    let (report, evidence) = (report(), evidence());
    let context =
        ReportContext { report: Some(&report), evidence: &evidence, policy, is_recorded: true };
    strip_str(&evaluation(answer, &context, view)).to_string()
}

fn formatted_under_reference(
    answer: &v1::EvaluateResponse,
    columns: usize,
    explain: Explain,
) -> String {
    formatted(answer, Some(&preset(Preset::Reference)), &view(columns, explain))
}

#[test]
fn formats_a_report_in_brief() {
    insta::assert_snapshot!(formatted_under_reference(&answer(), 80, Explain::Briefly));
}

#[test]
fn formats_a_report_with_undecided_claims() {
    insta::assert_snapshot!(formatted_under_reference(&undecided_answer(), 80, Explain::Briefly));
}

#[test]
fn formats_a_report_with_all_sections() {
    insta::assert_snapshot!(formatted_under_reference(&full_answer(), 100, Explain::All));
}

#[test]
fn formats_one_claim_in_detail() {
    insta::assert_snapshot!(formatted_under_reference(
        &full_answer(),
        80,
        Explain::Claim("c2".to_owned())
    ));
}

#[test]
fn formats_only_the_selected_classes() {
    let mut view = view(80, Explain::Briefly);
    view.only = vec![Some(v1::ClaimClass::Contradicted), Some(v1::ClaimClass::Ungrounded)];
    insta::assert_snapshot!(formatted(&answer(), None, &view));
}

#[test]
fn wraps_text_on_a_narrow_terminal() {
    insta::assert_snapshot!(formatted_under_reference(&answer(), 40, Explain::Briefly));
}

#[test]
fn colours_show_classes_and_decision() {
    let policy = preset(Preset::Reference);
    let report = report();
    let context = ReportContext {
        report: Some(&report),
        evidence: &[],
        policy: Some(&policy),
        is_recorded: false,
    };
    let text = evaluation(&answer(), &context, &view(80, Explain::Briefly));
    assert!(!text.contains("\u{1b}[31mred"), "escapes in the report are replaced");
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

#[test]
fn lines_fit_the_page() {
    for columns in [76, 80, 100, 120] {
        for explain in [Explain::Briefly, Explain::All] {
            let text = formatted_under_reference(&full_answer(), columns, explain);
            for line in text.lines() {
                assert!(gsar_client::text::width(line) <= columns, "{columns}: {line}");
            }
        }
    }
}

#[test]
fn formats_a_report_that_proceeds() {
    let mut answer = answer();
    answer.claims.truncate(1);
    answer.score = score(1, 1);
    answer.guarded_score = score(1, 1);
    answer.terms = Some(v1::ScoreTerms { grounded: 1.0, rho: 0.5, ..Default::default() });
    answer.coverage = None;
    answer.gaps.clear();
    answer.warnings.clear();
    answer.decision = Some(v1::Decision { tier: v1::Tier::Proceed.into(), ..Default::default() });
    insta::assert_snapshot!(formatted_under_reference(&answer, 80, Explain::Briefly));
}

#[test]
fn formats_a_report_to_replan() {
    let policy = preset(Preset::Paper);
    let mut answer = answer();
    answer.score = score(13, 24);
    answer.guarded_score = score(13, 24);
    answer.decision = Some(v1::Decision {
        tier: v1::Tier::Replan.into(),
        reasons: vec![reason(
            "SCORE_BELOW_REGENERATE",
            "the score 0.541 is below tau_regenerate (0.65)",
        )],
        ..Default::default()
    });
    insta::assert_snapshot!(formatted(&answer, Some(&policy), &view(80, Explain::Briefly)));
}

pub(crate) fn without_score(
    outcome: v1::Outcome,
    code: &str,
    sentence: &str,
) -> v1::EvaluateResponse {
    v1::EvaluateResponse {
        outcome: outcome.into(),
        decision: Some(v1::Decision {
            tier: v1::Tier::Abstain.into(),
            reasons: vec![reason(code, sentence)],
            ..Default::default()
        }),
        provenance: answer().provenance,
        ..Default::default()
    }
}

#[test]
fn formats_an_abstention_and_a_failed_judge() {
    let abstained = without_score(
        v1::Outcome::Abstained,
        "NOTHING_TO_SCORE",
        "no claim has weight, so there is no score",
    );
    let failed = without_score(
        v1::Outcome::Failed,
        "JUDGE_FAILED",
        "the judge failed: no answer from https://models.example within 30 s",
    );
    insta::assert_snapshot!(format!(
        "{}\n----\n\n{}",
        formatted_under_reference(&abstained, 80, Explain::Briefly),
        formatted_under_reference(&failed, 80, Explain::Briefly)
    ));
}

#[test]
fn formats_a_gate_and_a_cap() {
    let hypothesis = |id: &str, state: v1::HypothesisState, supports, refutations, refused| {
        v1::HypothesisResult {
            failed_checks: refused / 3,
            refused: 0,
            id: id.to_owned(),
            state: state.into(),
            hard_supports: supports,
            hard_refutations: refutations,
            refused_inferred: refused,
        }
    };
    let gate = v1::EvaluateGateResponse {
        gate: Some(v1::GateVerdict {
            state: v1::GateState::EvidenceSufficient.into(),
            exit: v1::GateExit::Confident.into(),
            validated_count: 2,
            root_cause: "memory-limit".to_owned(),
            ties: vec!["node-pressure".to_owned()],
            reasons: vec![
                reason("HYPOTHESIS_VALIDATED", "2 hypotheses are validated by hard evidence"),
                reason("TURNS_SPENT", "11 turns have been used; the policy allows 10"),
            ],
            hypotheses: vec![
                hypothesis("memory-limit", v1::HypothesisState::Validated, 2, 0, 0),
                hypothesis("node-pressure", v1::HypothesisState::Contested, 1, 1, 0),
                hypothesis("batch-job", v1::HypothesisState::Inconclusive, 0, 0, 3),
            ],
            ..Default::default()
        }),
        policy: None,
    };
    let continuing = v1::EvaluateGateResponse {
        gate: Some(v1::GateVerdict {
            state: v1::GateState::Investigating.into(),
            reason: Some(reason(
                "INVESTIGATING",
                "no hypothesis is validated yet, and budget is left",
            )),
            ..Default::default()
        }),
        policy: None,
    };
    let cap = v1::CapConfidenceResponse {
        cap: Some(v1::CapVerdict { before: 0.9, after: 0.9, cap: None }),
        action: Some(v1::ActionVerdict {
            action: v1::Action::PullRequest.into(),
            held_by: Vec::new(),
            by_confidence: v1::Action::PullRequest.into(),
        }),
        policy: None,
    };
    let text =
        [gate_answer(&gate, 80), gate_answer(&continuing, 80), cap_answer(&cap, 80)].join("----\n");
    insta::assert_snapshot!(strip_str(&text).to_string());
}

#[test]
fn formats_a_list_of_evaluations() {
    let summary =
        |report: &str, tier: v1::Tier, outcome: v1::Outcome, score, claims| v1::EvaluationSummary {
            evaluation_id: "0198c0de-7a11-7cc2-b1aa-5d3e0f1a2b3c".to_owned(),
            evaluated_at: Some(prost_types::Timestamp { seconds: 1_773_325_200, nanos: 5 }),
            report_id: report.to_owned(),
            outcome: outcome.into(),
            tier: tier.into(),
            score,
            claims,
            ..Default::default()
        };
    let list = [
        summary("checkout-oom", v1::Tier::Regenerate, v1::Outcome::Scored, score(133, 155), 9),
        summary(
            "a-report-with-a-name-that-goes-on-and-on-and-on",
            v1::Tier::Proceed,
            v1::Outcome::Scored,
            score(1, 1),
            12,
        ),
        summary("", v1::Tier::Abstain, v1::Outcome::Failed, None, 0),
    ];
    insta::assert_snapshot!(strip_str(&evaluations(&list)).to_string());
}

#[test]
fn errors_preserve_columns() {
    let text = "Evaluate: the server rejected 2 fields\n  report.id    is too long\u{1b}[2J\n  evidence[3]  has no content";
    insta::assert_snapshot!(strip_str(&errors::error(text)).to_string());
}
