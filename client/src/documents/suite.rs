//! Converts an evaluation to tests, one per claim and one for the decision.

use gsar_client::text::{one_line, truncate_end};
use gsar_proto::v1;

use super::{Rejection, ReportResult};
use crate::human::{
    ReportContext, View, changes, computed_decision, judges, labels, location, policy_name, verdict,
};

const MAX_NAME_COLUMNS: usize = 200;

const DECISION: &str = "decision";

/// The tests for a report.
#[derive(Debug)]
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) properties: Vec<(&'static str, String)>,
    pub(super) tests: Vec<Test>,
}

#[derive(Debug)]
pub(super) struct Test {
    /// The claim's id and text, or `decision`.
    pub(super) name: String,
    pub(super) result: TestResult,
}

#[derive(Debug)]
pub(super) enum TestResult {
    /// Passed, with output.
    Passed(String),
    Failed(Fault),
    /// Neither passed nor failed, with the reason.
    Skipped(String),
    /// There is no verdict.
    Error(Fault),
}

#[derive(Debug)]
pub(super) struct Fault {
    /// The reason in `UPPER_SNAKE_CASE`.
    pub(super) kind: String,
    pub(super) message: String,
    /// One detail per line.
    pub(super) details: String,
}

pub(super) fn suite(name: String, evaluated: &ReportResult, view: &View, strict: bool) -> Suite {
    let answer = match &evaluated.answer {
        Ok(answer) => answer,
        Err(rejection) => {
            let result = TestResult::Error(rejection_fault(rejection));
            let tests = vec![Test { name: DECISION.to_owned(), result }];
            return Suite { name, properties: Vec::new(), tests };
        }
    };
    let context =
        ReportContext { evidence: &evaluated.request.evidence, ..ReportContext::default() };
    let claims = answer.claims.iter().filter(|claim| view.includes(claim));
    let may_proceed =
        computed_decision(answer).is_some_and(|decision| decision.tier() == v1::Tier::Proceed);
    let ungrounded_fails = strict || !may_proceed;
    let mut tests: Vec<Test> =
        claims.map(|claim| claim_test(claim, ungrounded_fails, &context, view)).collect();
    tests.push(Test { name: DECISION.to_owned(), result: decision_result(answer) });
    Suite { name, properties: properties(answer), tests }
}

fn rejection_fault(rejection: &Rejection) -> Fault {
    let first_line = rejection.message.lines().next().unwrap_or_default();
    Fault {
        kind: one_line(&rejection.code),
        message: one_line(first_line),
        details: rejection.message.lines().map(one_line).collect::<Vec<_>>().join("\n"),
    }
}

fn properties(answer: &v1::EvaluateResponse) -> Vec<(&'static str, String)> {
    let score = |score: &Option<v1::Score>| score.as_ref().map(|score| labels::score(Some(score)));
    let evaluation = Some(one_line(&answer.evaluation_id)).filter(|id| !id.is_empty());
    [
        ("evaluation", evaluation),
        ("policy", policy_name(answer)),
        ("judge", judges(answer)),
        ("score", score(&answer.score)),
        ("guarded_score", score(&answer.guarded_score)),
        (
            "tier",
            computed_decision(answer).map(|decision| labels::tier(decision.tier()).0.to_owned()),
        ),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| (name, value)))
    .collect()
}

/// Converts a claim to a test. With `ungrounded_fails`, the test of an ungrounded claim fails.
fn claim_test(
    claim: &v1::JudgedClaim,
    ungrounded_fails: bool,
    context: &ReportContext<'_>,
    view: &View,
) -> Test {
    let name = one_line(&format!("{}: {}", claim.id, claim.text));
    let details = claim_details(claim, context, view);
    let fault = |kind: &str| {
        let note = one_line(&claim.note);
        let message = if note.is_empty() { "no evidence cited".to_owned() } else { note };
        Fault { kind: kind.to_owned(), message, details: details.clone() }
    };
    let result = match claim.class() {
        _ if claim.undecided.is_some() => TestResult::Skipped("undecided".to_owned()),
        v1::ClaimClass::Ungrounded if !ungrounded_fails => {
            TestResult::Skipped("not supported by evidence, but the report may proceed".to_owned())
        }
        v1::ClaimClass::Ungrounded => TestResult::Failed(fault("UNGROUNDED")),
        v1::ClaimClass::Contradicted => TestResult::Failed(fault("CONTRADICTED")),
        v1::ClaimClass::Unspecified => TestResult::Error(fault("NO_VERDICT")),
        v1::ClaimClass::Complementary => {
            TestResult::Skipped("complementary: neither supported nor refuted".to_owned())
        }
        v1::ClaimClass::Grounded => TestResult::Passed(details),
    };
    Test { name: truncate_end(&name, MAX_NAME_COLUMNS).into_owned(), result }
}

/// Returns the claim's text, note and citations, one per line.
fn claim_details(claim: &v1::JudgedClaim, context: &ReportContext<'_>, view: &View) -> String {
    let mut lines = vec![one_line(&claim.text)];
    lines.extend(Some(one_line(&claim.note)).filter(|note| !note.is_empty()));
    lines.extend(claim.second_look.as_ref().map(labels::second_look));
    for citation in &claim.citations {
        let (location, quote) =
            (location(citation, context, usize::MAX), one_line(&citation.quote));
        lines.push(if quote.is_empty() { location } else { format!("{location}: {quote}") });
    }
    if view.explain.is_detailed(claim) {
        lines.extend(claim.considered.iter().map(|entry| one_line(entry)));
    }
    lines.join("\n")
}

fn decision_result(answer: &v1::EvaluateResponse) -> TestResult {
    let (decision, advice) = verdict(answer);
    let reasons =
        computed_decision(answer).map(|decision| &decision.reasons[..]).unwrap_or_default();
    let mut lines: Vec<String> = reasons
        .iter()
        .map(|reason| one_line(&format!("{}: {}", reason.code, reason.sentence)))
        .collect();
    lines.extend(changes(answer).iter().map(|change| one_line(change)));
    let details = lines.join("\n");
    let tier = answer.decision.as_ref().map_or(v1::Tier::Unspecified, v1::Decision::tier);
    let in_shadow = answer.decision.as_ref().is_some_and(|decision| decision.in_shadow);
    let has_failed = answer.outcome() == v1::Outcome::Failed;
    let fault = |kind: String| Fault { kind, message: advice.clone(), details: details.clone() };
    if in_shadow {
        // The decision is not enforced, even if the judge failed.
        TestResult::Passed(format!("{decision}: {advice}\n{details}"))
    } else if has_failed || tier == v1::Tier::Unspecified {
        let code = reasons.first().map(|reason| one_line(&reason.code));
        let code = code.filter(|code| !code.is_empty());
        TestResult::Error(fault(code.unwrap_or_else(|| "JUDGE_FAILED".to_owned())))
    } else if tier == v1::Tier::Proceed {
        TestResult::Passed(details)
    } else {
        TestResult::Failed(fault(decision))
    }
}
