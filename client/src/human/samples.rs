//! Sample answers, and snapshots of their formatted output.

use anstream::adapter::strip_str;
use gsar_core::{Policy, Preset, preset};
use gsar_proto::v1;

use super::{
    Explain, Scene, View, cap_answer, errors, evaluation, evaluations, gate_answer, labels,
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

fn reason(code: &str, sentence: &str) -> v1::Reason {
    v1::Reason { code: code.to_owned(), sentence: sentence.to_owned(), ..v1::Reason::default() }
}

pub(crate) fn claim(
    id: &str,
    text: &str,
    class: v1::ClaimClass,
    kind: v1::EvidenceType,
) -> v1::JudgedClaim {
    v1::JudgedClaim {
        id: id.to_owned(),
        text: text.to_owned(),
        class: class.into(),
        r#type: kind.into(),
        ..Default::default()
    }
}

pub(crate) fn cites(evidence_id: &str, field_path: &str, quote: &str) -> v1::Citation {
    v1::Citation {
        evidence_id: evidence_id.to_owned(),
        field_path: field_path.to_owned(),
        quote: quote.to_owned(),
        ..Default::default()
    }
}

fn claims() -> Vec<v1::JudgedClaim> {
    use v1::{ClaimClass, EvidenceType};
    let mut killed = claim(
        "c1",
        "The checkout pods were OOMKilled three times between 14:02 and 14:09.",
        ClaimClass::Grounded,
        EvidenceType::ToolMatch,
    );
    killed.citations = vec![
        cites(
            "kubectl_get_pods.json",
            "/items/0/status/containerStatuses/0/lastState/terminated/reason",
            "\"reason\": \"OOMKilled\", \"startedAt\": \"2026-03-12T14:01:40Z\", \"finishedAt\": \"2026-03-12T14:02:17Z\"",
        ),
        v1::Citation {
            bytes: Some(v1::ByteRange { start: 31, end: 50 }),
            ..cites("events.txt", "", "12m  Warning  OOMKilling")
        },
    ];
    let mut limit = claim(
        "c2",
        "The memory limit had been raised to 1 GiB at 13:40.",
        ClaimClass::Contradicted,
        EvidenceType::ToolMatch,
    );
    limit.citations = vec![cites(
        "deploy-4711.json",
        "/spec/template/spec/containers/0/resources/limits/memory",
        "\"512Mi\"",
    )];
    limit.note = "the change lowered it, from 1Gi".to_owned();
    limit.impact = Some(v1::ClaimImpact {
        contribution: 1.0,
        without_claim: Some(v1::HypotheticalOutcome {
            score: score(117, 125),
            tier: v1::Tier::Proceed.into(),
        }),
        if_grounded: Some(v1::HypotheticalOutcome {
            score: score(153, 165),
            tier: v1::Tier::Proceed.into(),
        }),
    });
    let vote = |judge: &str, sample, class: ClaimClass, share, note: &str| v1::Vote {
        judge: judge.to_owned(),
        sample,
        class: class.into(),
        share,
        note: note.to_owned(),
    };
    limit.agreement = Some(0.75);
    limit.votes = vec![
        vote("openai:first", 0, ClaimClass::Contradicted, 0.25, "the change lowered it, from 1Gi"),
        vote("openai:first", 1, ClaimClass::Grounded, 0.25, "a change at 13:40"),
        vote("anthropic:second", 0, ClaimClass::Contradicted, 0.5, "512Mi, not 1 GiB"),
    ];
    let mut batch = claim(
        "c3",
        "A nightly batch job took the node's memory.",
        ClaimClass::Ungrounded,
        EvidenceType::Inference,
    );
    batch.note =
        "nothing in 41 items mentions a batch job (looked in logs, events, metrics)".to_owned();
    let mut warm_up = claim(
        "c4",
        "The node also ran a cache warm-up at 14:00, 内存 and \u{1b}[31mred\u{1b}[0m escapes included.",
        ClaimClass::Complementary,
        EvidenceType::ComplementaryFinding,
    );
    warm_up.citations = vec![v1::Citation { claim_id: "c1".to_owned(), ..Default::default() }];
    vec![killed, limit, batch, warm_up]
}

pub(crate) fn answer() -> v1::EvaluateResponse {
    v1::EvaluateResponse {
        evaluation_id: "0198c0de-7a11-7cc2-b1aa-5d3e0f1a2b3c".to_owned(),
        outcome: v1::Outcome::Scored.into(),
        claims: claims(),
        score: score(133, 155),
        guarded_score: score(133, 165),
        terms: Some(v1::ScoreTerms {
            grounded: 5.8,
            ungrounded: 0.6,
            contradicted: 1.0,
            complementary: 0.85,
            unverified: 0.0,
            rho: 0.5,
        }),
        judge_score: Some(0.9),
        decision: Some(v1::Decision {
            tier: v1::Tier::Regenerate.into(),
            reasons: vec![v1::Reason {
                claim_ids: vec!["c2".to_owned()],
                ..reason(
                    "CONTRADICTED_CLAIMS",
                    "1 claim blocks proceed: the evidence shows otherwise: c2; say what the evidence says, or leave it out",
                )
            }],
            not_applicable: vec!["absence".to_owned()],
            margins: None,
            affected_specialists: vec!["k8s-agent".to_owned(), "deploy-agent".to_owned()],
            in_shadow: false,
            bounds: None,
        }),
        explanation:
            "The evidence carries the kills and the change; it does not carry the batch job."
                .to_owned(),
        gaps: vec!["no log of the batch scheduler".to_owned()],
        warnings: vec![reason("SAME_MODEL", "the judge is the model that wrote the report")],
        coverage: Some(v1::Coverage {
            covered: 4,
            sentences: 5,
            uncovered: vec![v1::ByteRange { start: 209, end: 238 }],
            spans: vec![v1::UncoveredSpan {
                span: Some(v1::ByteRange { start: 209, end: 238 }),
                reason: v1::UncoveredReason::NotJudged.into(),
            }],
            words: Vec::new(),
        }),
        provenance: Some(v1::Provenance {
            judges: vec![
                v1::JudgeLink {
                    judge: "nli/minilm".to_owned(),
                    result: "abstained".to_owned(),
                    detail: "no model".to_owned(),
                    ..Default::default()
                },
                v1::JudgeLink {
                    judge: "rules/2".to_owned(),
                    result: "judged".to_owned(),
                    detail: String::new(),
                    ..Default::default()
                },
            ],
            policy: Some(v1::AppliedPolicy {
                name: "reference".to_owned(),
                digest: preset(Preset::Reference).digest().to_string(),
                overridden: false,
                certificate: None,
            }),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// An answer in which two claims are undecided.
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
                "2 claims leave the tier between replan and proceed: the judge does not know: c2, c3; name a chat model in judges.chain, or with --judge, which is asked about these claims",
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

pub(crate) fn full_answer() -> v1::EvaluateResponse {
    let mut answer = answer();
    answer.gate = Some(v1::GateVerdict {
        exit: v1::GateExit::Confident.into(),
        state: v1::GateState::EvidenceSufficient.into(),
        root_cause: "deploy-4711".to_owned(),
        validated_count: 1,
        hypotheses: vec![v1::HypothesisResult {
            id: "deploy-4711".to_owned(),
            state: v1::HypothesisState::Validated.into(),
            hard_supports: 2,
            ..Default::default()
        }],
        ..Default::default()
    });
    answer.chain = Some(v1::EvidenceChain {
        path: vec!["edge".to_owned(), "checkout".to_owned()],
        evidence: vec![v1::HypothesisEvidence::default(), v1::HypothesisEvidence::default()],
        change: Some(v1::ChangeRecord {
            id: "4711".to_owned(),
            at: Some(prost_types::Timestamp { seconds: 1_773_322_800, nanos: 0 }),
            ..Default::default()
        }),
        strength: v1::GroundingStrength::PartiallyGrounded.into(),
        lane_strength: 6,
        independent_supports: 2,
        ties: vec![v1::ChangeRecord { id: "4712".to_owned(), ..Default::default() }],
        change_before_onset: Some(prost_types::Duration { seconds: 734, nanos: 0 }),
    });
    answer.verification_needed = true;
    answer.verification_reasons = vec![reason(
        "UNVERIFIED_FIX",
        "run a check of what c3 says was fixed, and cite it: no check that passed is cited",
    )];
    answer.cap = Some(v1::CapVerdict { before: 0.91, after: 0.84, cap: Some(0.84) });
    answer.action = Some(v1::ActionVerdict {
        action: v1::Action::Issue.into(),
        held_by: vec![reason("DECISION", "the decision is regenerate")],
        by_confidence: v1::Action::Patch.into(),
    });
    answer.corrections = vec![
        v1::Correction {
            claim_id: "c3".to_owned(),
            code: "QUOTE_NOT_FOUND".to_owned(),
            sentence: "the quote is not in node.txt".to_owned(),
            class_before: v1::ClaimClass::Grounded.into(),
            class_after: v1::ClaimClass::Ungrounded.into(),
            type_before: v1::EvidenceType::ToolMatch.into(),
            type_after: v1::EvidenceType::ToolMatch.into(),
            applied: true,
            outcome: v1::CorrectionOutcome::Corrected.into(),
        },
        v1::Correction {
            claim_id: "c1".to_owned(),
            code: "TYPE_FOLLOWS_KIND".to_owned(),
            sentence: "the cited item is the alert".to_owned(),
            class_before: v1::ClaimClass::Grounded.into(),
            class_after: v1::ClaimClass::Grounded.into(),
            type_before: v1::EvidenceType::ToolMatch.into(),
            type_after: v1::EvidenceType::SignalMatch.into(),
            applied: false,
            outcome: v1::CorrectionOutcome::Noted.into(),
        },
    ];
    answer.shadow = Some(v1::Shadow {
        cap: Some(v1::CapVerdict { before: 0.91, after: 0.64, cap: Some(0.64) }),
        ..Default::default()
    });
    if let Some(decision) = &mut answer.decision {
        decision.margins = Some(v1::Margins {
            better: Some(v1::Margin {
                tier: v1::Tier::Proceed.into(),
                score: None,
                claims: 1,
                changes: vec![v1::ClaimChange {
                    action: "drop".to_owned(),
                    class: v1::ClaimClass::Contradicted.into(),
                    r#type: v1::EvidenceType::ToolMatch.into(),
                    count: 1,
                }],
                claim_ids: vec!["c2".to_owned()],
            }),
            worse: Some(v1::Margin {
                tier: v1::Tier::Replan.into(),
                score: score(5, 32),
                claims: 3,
                changes: vec![v1::ClaimChange {
                    action: "lose".to_owned(),
                    class: v1::ClaimClass::Grounded.into(),
                    r#type: v1::EvidenceType::ToolMatch.into(),
                    count: 3,
                }],
                claim_ids: Vec::new(),
            }),
        });
    }
    answer
}

pub(crate) fn view(columns: usize, explain: Explain) -> View {
    View { columns, only: Vec::new(), explain }
}

/// Formats an evaluation without styles.
fn plain(answer: &v1::EvaluateResponse, policy: Option<&Policy>, view: &View) -> String {
    let (report, evidence) = (report(), evidence());
    let scene = Scene { report: Some(&report), evidence: &evidence, policy, is_recorded: true };
    strip_str(&evaluation(answer, &scene, view)).to_string()
}

#[test]
fn a_report_in_brief() {
    let policy = preset(Preset::Reference);
    insta::assert_snapshot!(plain(&answer(), Some(&policy), &view(80, Explain::Briefly)));
}

#[test]
fn a_report_with_undecided_claims() {
    let policy = preset(Preset::Reference);
    insta::assert_snapshot!(plain(&undecided_answer(), Some(&policy), &view(80, Explain::Briefly)));
}

#[test]
fn a_report_with_everything() {
    let policy = preset(Preset::Reference);
    insta::assert_snapshot!(plain(&full_answer(), Some(&policy), &view(100, Explain::All)));
}

#[test]
fn one_claim_explained() {
    let policy = preset(Preset::Reference);
    let view = view(80, Explain::Claim("c2".to_owned()));
    insta::assert_snapshot!(plain(&full_answer(), Some(&policy), &view));
}

#[test]
fn only_some_classes() {
    let mut view = view(80, Explain::Briefly);
    view.only = vec![Some(v1::ClaimClass::Contradicted), Some(v1::ClaimClass::Ungrounded)];
    insta::assert_snapshot!(plain(&answer(), None, &view));
}

#[test]
fn a_narrow_terminal() {
    let policy = preset(Preset::Reference);
    let text = plain(&answer(), Some(&policy), &view(40, Explain::Briefly));
    insta::assert_snapshot!(text);
}

#[test]
fn colours_show_classes_and_decision() {
    let policy = preset(Preset::Reference);
    let report = report();
    let scene =
        Scene { report: Some(&report), evidence: &[], policy: Some(&policy), is_recorded: false };
    let text = evaluation(&answer(), &scene, &view(80, Explain::Briefly));
    assert!(!text.contains("\u{1b}[31mred"), "escapes in the report are replaced");
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

#[test]
fn nothing_is_wider_than_the_page() {
    let policy = preset(Preset::Reference);
    for columns in [76, 80, 100, 120] {
        for explain in [Explain::Briefly, Explain::All] {
            let text = plain(&full_answer(), Some(&policy), &view(columns, explain));
            for line in text.lines() {
                assert!(gsar_client::text::width(line) <= columns, "{columns}: {line}");
            }
        }
    }
}

#[test]
fn a_report_that_proceeds() {
    let policy = preset(Preset::Reference);
    let mut answer = answer();
    answer.claims.truncate(1);
    answer.score = score(1, 1);
    answer.guarded_score = score(1, 1);
    answer.terms = Some(v1::ScoreTerms { grounded: 1.0, rho: 0.5, ..Default::default() });
    answer.coverage = None;
    answer.gaps.clear();
    answer.warnings.clear();
    answer.decision = Some(v1::Decision { tier: v1::Tier::Proceed.into(), ..Default::default() });
    insta::assert_snapshot!(plain(&answer, Some(&policy), &view(80, Explain::Briefly)));
}

#[test]
fn a_report_to_replan() {
    let policy = preset(Preset::Paper);
    let mut answer = answer();
    answer.score = score(13, 24);
    answer.guarded_score = score(13, 24);
    answer.decision = Some(v1::Decision {
        tier: v1::Tier::Replan.into(),
        reasons: vec![reason(
            "SCORE_BELOW_REGENERATE",
            "the score 0.541 is below tau_regenerate 0.65",
        )],
        ..Default::default()
    });
    insta::assert_snapshot!(plain(&answer, Some(&policy), &view(80, Explain::Briefly)));
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
fn abstention_and_a_failed_judge() {
    let policy = preset(Preset::Reference);
    let view = view(80, Explain::Briefly);
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
        plain(&abstained, Some(&policy), &view),
        plain(&failed, Some(&policy), &view)
    ));
}

#[test]
fn a_gate_and_a_cap() {
    let hypothesis = |id: &str, state: v1::HypothesisState, supports, refutations, refused| {
        v1::HypothesisResult {
            failed_checks: refused / 3,
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
                reason("HYPOTHESIS_VALIDATED", "2 hypotheses are validated"),
                reason("TURNS_SPENT", "11 of 10 turns are used"),
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
    let going_on = v1::EvaluateGateResponse {
        gate: Some(v1::GateVerdict {
            state: v1::GateState::Investigating.into(),
            reason: Some(reason(
                "INVESTIGATING",
                "nothing is validated and 7 of 10 turns are left",
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
        [gate_answer(&gate, 80), gate_answer(&going_on, 80), cap_answer(&cap, 80)].join("----\n");
    insta::assert_snapshot!(strip_str(&text).to_string());
}

#[test]
fn a_list_of_evaluations() {
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
