//! Tests of the page with sample answers and hostile text.

use proptest::prelude::*;

use gsar_core::policy::to_toml;
use gsar_core::{Preset, preset};

use super::*;
use crate::human::html::tests::{invisible_characters, tags};
use crate::human::samples;

/// Returns a record with `text` in every untrusted field.
fn record(text: &str) -> (v1::GetEvaluationResponse, Contents) {
    let untrusted = || text.to_owned();
    let end = u64::try_from(text.len()).unwrap_or_default();
    let bytes = Some(v1::ByteRange { start: 0, end });
    let reason = v1::Reason {
        code: untrusted(),
        sentence: untrusted(),
        claim_ids: vec![untrusted(), "c9".into()],
    };
    let citation = |claim_id: &str, evidence_id: String, bytes| v1::Citation {
        claim_id: claim_id.to_owned(),
        evidence_id,
        quote: untrusted(),
        field_path: untrusted(),
        bytes,
    };
    let claim = v1::JudgedClaim {
        id: untrusted(),
        text: untrusted(),
        note: untrusted(),
        span: bytes,
        class: v1::ClaimClass::Contradicted.into(),
        citations: vec![
            citation("", untrusted(), bytes),
            citation("", "kept in part".to_owned(), None),
            citation(text, String::new(), None),
        ],
        votes: vec![v1::Vote { judge: untrusted(), note: untrusted(), ..Default::default() }],
        role: v1::ClaimRole::Observation.into(),
        second_look: None,
        rules: vec![untrusted()],
        ..Default::default()
    };
    let verdict = v1::GateVerdict {
        root_cause: untrusted(),
        reasons: vec![reason.clone(), reason.clone()],
        reason: Some(reason.clone()),
        ties: vec![untrusted()],
        exit: v1::GateExit::Confident.into(),
        ..Default::default()
    };
    let chain = v1::EvidenceChain {
        path: vec![untrusted()],
        change: Some(v1::ChangeRecord { id: untrusted(), ..Default::default() }),
        ..Default::default()
    };
    let link = v1::JudgeLink {
        judge: untrusted(),
        result: untrusted(),
        detail: untrusted(),
        ..Default::default()
    };
    let certificate = v1::PolicyCertificate { mismatch: untrusted(), ..Default::default() };
    let evaluation = v1::EvaluateResponse {
        evaluation_id: untrusted(),
        claims: vec![claim],
        corrections: vec![v1::Correction {
            claim_id: untrusted(),
            code: untrusted(),
            sentence: untrusted(),
            ..Default::default()
        }],
        decision: Some(v1::Decision {
            tier: v1::Tier::Replan.into(),
            reasons: vec![reason.clone()],
            not_applicable: vec![untrusted()],
            affected_specialists: vec![untrusted()],
            ..Default::default()
        }),
        gate: Some(Box::new(verdict)),
        chain: Some(Box::new(chain)),
        action: Some(Box::new(v1::ActionVerdict {
            held_by: vec![reason.clone()],
            ..Default::default()
        })),
        verification_reasons: vec![reason.clone()],
        gaps: vec![untrusted()],
        warnings: vec![reason],
        abstain_reason: untrusted(),
        provenance: Some(v1::Provenance {
            server_version: untrusted(),
            judges: vec![link],
            policy: Some(v1::AppliedPolicy {
                name: untrusted(),
                digest: untrusted(),
                certificate: Some(certificate),
                ..Default::default()
            }),
            ..Default::default()
        }),
        ..Default::default()
    };
    let item = |id: String, head: String, is_whole| v1::RecordedEvidence {
        id,
        head,
        tool: untrusted(),
        is_whole,
        ..Default::default()
    };
    let grade = v1::ClaimGrade { claim_id: untrusted(), class: v1::ClaimClass::Grounded.into() };
    let grade = v1::Grade { subject: Some(v1::grade::Subject::Claim(grade)), note: untrusted() };
    let record = v1::GetEvaluationResponse {
        evaluation: Some(evaluation),
        report: Some(v1::Report { id: untrusted(), synthesis: untrusted(), ..Default::default() }),
        evidence: vec![
            item(untrusted(), untrusted(), true),
            item("kept in part".to_owned(), untrusted(), false),
        ],
        grades: vec![v1::RecordedGrade {
            grade: Some(grade),
            grader: untrusted(),
            graded_at: None,
        }],
        policy_toml: untrusted(),
        ..Default::default()
    };
    (record, Contents::from([(untrusted(), untrusted())]))
}

fn page_of(text: &str) -> String {
    let (record, contents) = record(text);
    evaluation_page(&record, &contents)
}

/// Replaces every character that could be markup, preserving length and line breaks.
fn without_markup(text: &str) -> String {
    let replace = |character: char| match character.is_whitespace() {
        true => character.to_string(),
        false => "x".repeat(character.len_utf8()),
    };
    text.chars().map(replace).collect()
}

#[test]
fn hostile_text_is_escaped_everywhere() {
    let hostile = "</style></pre></bdi><script>alert(1)</script><img src=x onerror=alert(2)>\" onload=\"x\u{202e}\u{2066}\u{7}\u{200b}&lt;b&gt;";
    let page = page_of(hostile);
    assert_eq!(tags(&page), tags(&page_of(&without_markup(hostile))));
    assert_eq!(invisible_characters(&page), Vec::<char>::new());
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(page.contains("x⟨U+202E⟩⟨U+2066⟩⟨U+0007⟩⟨U+200B⟩&amp;lt;b&amp;gt;"), "{page}");
    assert_eq!(page.matches("</style>").count(), 1);
}

proptest! {
    #[test]
    fn text_adds_no_tags(
        text in "[<>\"'&a-z/=! \u{202a}-\u{202e}\u{2066}-\u{2069}\u{200b}\u{feff}é内\n-]{0,60}",
        tag in "(</style>|</bdi>|<script>|<p |<!--|]]>|&#60;|\" x=\")?",
    ) {
        let text = format!("{text}{tag}{text}");
        let page = page_of(&text);
        prop_assert_eq!(invisible_characters(&page), Vec::<char>::new());
        let plain = page_of(&without_markup(&text));
        prop_assert_eq!(tags(&page), tags(&plain), "{}", page);
    }

    #[test]
    fn invisible_characters_are_not_rendered(text in any::<String>()) {
        prop_assert_eq!(invisible_characters(&page_of(&text)), Vec::<char>::new());
    }
}

#[test]
fn long_evidence_is_truncated() {
    let (mut record, _) = record("pod restarted");
    let line = "14:02:07 pod restarted 4 times\n";
    for content in [line.repeat(100_000), "x".repeat(3_000_000)] {
        for claim in record.evaluation.iter_mut().flat_map(|evaluation| &mut evaluation.claims) {
            for citation in &mut claim.citations {
                citation.bytes = Some(v1::ByteRange { start: 1_500_009, end: 1_500_022 });
                citation.quote = "quote".repeat(200_000);
            }
        }
        let contents = Contents::from([("pod restarted".to_owned(), content)]);
        let page = evaluation_page(&record, &contents);
        assert!(page.len() < 20_000, "{}", page.len());
        assert_eq!(page.matches("<mark>").count(), 1, "{page}");
    }
}

#[test]
fn shadow_decision_shows_the_computed_tier() {
    let mut answer = samples::full_answer();
    if let Some(decision) = &mut answer.decision {
        decision.in_shadow = true;
    }
    let record = v1::GetEvaluationResponse { evaluation: Some(answer), ..Default::default() };
    let page = evaluation_page(&record, &Contents::default());
    assert!(page.contains("SHADOW"), "{page}");
    assert!(page.contains("not enforced; regenerate was decided"), "{page}");
    assert!(page.contains("capped at 0.64 by the evidence chain</bdi> (in shadow)"), "{page}");
    assert!(page.contains("The report consists of claims only."), "{page}");
}

#[test]
fn incomplete_answers_are_rendered() {
    let page = evaluation_page(&v1::GetEvaluationResponse::default(), &Contents::default());
    assert!(page.contains("NO DECISION") && page.contains("There is no score."), "{page}");
    let failed = samples::without_score(v1::Outcome::Failed, "JUDGE_FAILED", "the judge failed");
    let record = v1::GetEvaluationResponse { evaluation: Some(failed), ..Default::default() };
    let page = evaluation_page(&record, &Contents::default());
    assert!(page.contains("<p class=\"verdict bad\"><strong>∅ FAILED</strong>"), "{page}");
}

/// Returns a record with two evidence items, of which one is not stored in full.
fn sample() -> (v1::GetEvaluationResponse, Contents) {
    use v1::grade::Subject;
    let mut answer = samples::full_answer();
    let mut start = 0;
    let report = samples::report();
    for claim in &mut answer.claims {
        // The last sentence is not covered by a claim.
        let end = report.synthesis.get(start..).and_then(|rest| rest.find(". "));
        let end = end.map_or(report.synthesis.len(), |offset| start + offset + 1);
        let to_u64 = |offset: usize| u64::try_from(offset).unwrap_or_default();
        claim.span = Some(v1::ByteRange { start: to_u64(start), end: to_u64(end) });
        start = end + 1;
    }
    let contents: Contents = samples::evidence()
        .into_iter()
        .filter_map(|item| match item.content? {
            v1::evidence_item::Content::Text(text) => Some((item.id, text)),
            _ => None,
        })
        .collect();
    let item = |id: &str, lane: v1::EvidenceLane, is_whole, head: &str| v1::RecordedEvidence {
        id: id.to_owned(),
        tool: "kubectl".to_owned(),
        lane: lane.into(),
        is_whole,
        head: head.to_owned(),
        ..Default::default()
    };
    let grade = |subject, note: &str| v1::RecordedGrade {
        grade: Some(v1::Grade { subject: Some(subject), note: note.to_owned() }),
        grader: "ada".to_owned(),
        graded_at: None,
    };
    let contradicted = v1::ClaimClass::Contradicted.into();
    let record = v1::GetEvaluationResponse {
        evaluation: Some(answer),
        report: Some(report),
        evidence: vec![
            item("events.txt", v1::EvidenceLane::Logs, true, ""),
            item("deploy-4711.json", v1::EvidenceLane::Unspecified, false, "{\"spec\": {"),
        ],
        grades: vec![
            grade(Subject::Report(v1::ReportGrade { tier: v1::Tier::Replan.into() }), ""),
            grade(
                Subject::Claim(v1::ClaimGrade { claim_id: "c2".into(), class: contradicted }),
                "as configured",
            ),
        ],
        policy_toml: to_toml(&preset(Preset::Reference)),
        ..Default::default()
    };
    (record, contents)
}

#[test]
fn renders_a_complete_page() {
    let (record, contents) = sample();
    let page = evaluation_page(&record, &contents);
    let (before, rest) = page.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    // One line per block element, without style and policy.
    let (body, _) = body.split_once("<details>").unwrap();
    let mut formatted = format!("{before}{body}");
    for tag in ["<h1>", "<h2>", "<section", "<p", "<ul>", "<li>", "<dl>", "<dt>", "<pre>", "<div"] {
        formatted = formatted.replace(tag, &format!("\n{tag}"));
    }
    insta::assert_snapshot!(formatted);
}
