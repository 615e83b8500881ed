//! Represents an evaluation as tests: one per claim, and one for the decision.

use gsar_client::text::{one_line, truncate_end};
use gsar_proto::v1;

use super::{Rejection, ReportResult};
use crate::human::{Scene, View, changes, decided, judges, labels, place, policy_name, verdict};

/// The maximum width of a test name, in columns.
const MAX_NAME_COLUMNS: usize = 200;

/// The name of the test for the decision.
const DECISION: &str = "decision";

/// The tests of a report.
#[derive(Debug)]
pub(super) struct Suite {
    /// The name of the report.
    pub(super) name: String,
    /// Properties of the evaluation, as name and value.
    pub(super) properties: Vec<(&'static str, String)>,
    /// One test per claim, in order, then the decision.
    pub(super) tests: Vec<Test>,
}

/// A test.
#[derive(Debug)]
pub(super) struct Test {
    /// The id and text of the claim, or `decision`.
    pub(super) name: String,
    /// The result.
    pub(super) result: TestResult,
}

/// The result of a test.
#[derive(Debug)]
pub(super) enum TestResult {
    /// The test passed; the output may be empty.
    Passed(String),
    /// The claim or the report is at fault.
    Failed(Fault),
    /// The claim does not count either way, with the reason.
    Skipped(String),
    /// The server returned no verdict.
    Error(Fault),
}

/// The reason why a test did not pass.
#[derive(Debug)]
pub(super) struct Fault {
    /// The kind in `UPPER_SNAKE_CASE`.
    pub(super) kind: String,
    /// A summary on one line.
    pub(super) message: String,
    /// The details, one per line.
    pub(super) details: String,
}

/// Builds the suite of a report.
pub(super) fn suite(name: String, evaluated: &ReportResult, view: &View, strict: bool) -> Suite {
    let answer = match &evaluated.answer {
        Ok(answer) => answer,
        Err(refused) => {
            let result = TestResult::Error(refusal(refused));
            let tests = vec![Test { name: DECISION.to_owned(), result }];
            return Suite { name, properties: Vec::new(), tests };
        }
    };
    let scene = Scene { evidence: &evaluated.request.evidence, ..Scene::default() };
    let claims = answer.claims.iter().filter(|claim| view.shows(claim));
    let may_proceed = decided(answer).is_some_and(|decision| decision.tier() == v1::Tier::Proceed);
    let is_fault = strict || !may_proceed;
    let mut tests: Vec<Test> =
        claims.map(|claim| of_claim(claim, is_fault, &scene, view)).collect();
    tests.push(Test { name: DECISION.to_owned(), result: of_decision(answer) });
    Suite { name, properties: properties(answer), tests }
}

fn refusal(refused: &Rejection) -> Fault {
    let first = refused.message.lines().next().unwrap_or_default();
    Fault {
        kind: one_line(&refused.code),
        message: one_line(first),
        details: refused.message.lines().map(one_line).collect::<Vec<_>>().join("\n"),
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
        ("tier", decided(answer).map(|decision| labels::tier(decision.tier()).0.to_owned())),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| (name, value)))
    .collect()
}

/// `is_fault` is `true` if an ungrounded claim fails.
fn of_claim(claim: &v1::JudgedClaim, is_fault: bool, scene: &Scene<'_>, view: &View) -> Test {
    let name = one_line(&format!("{}: {}", claim.id, claim.text));
    let details = shown(claim, scene, view);
    let fault = |kind: &str| {
        let note = one_line(&claim.note);
        let message = if note.is_empty() { "no evidence cited".to_owned() } else { note };
        Fault { kind: kind.to_owned(), message, details: details.clone() }
    };
    let result = match claim.class() {
        _ if claim.undecided.is_some() => TestResult::Skipped("undecided".to_owned()),
        v1::ClaimClass::Ungrounded if !is_fault => {
            TestResult::Skipped("not supported by evidence, but the report may proceed".to_owned())
        }
        v1::ClaimClass::Ungrounded => TestResult::Failed(fault("UNGROUNDED")),
        v1::ClaimClass::Contradicted => TestResult::Failed(fault("CONTRADICTED")),
        v1::ClaimClass::Unspecified => TestResult::Error(fault("NO_VERDICT")),
        v1::ClaimClass::Grounded | v1::ClaimClass::Complementary if claim.disputed => {
            TestResult::Failed(fault("DISPUTED"))
        }
        v1::ClaimClass::Complementary => {
            TestResult::Skipped("complementary: neither supported nor refuted".to_owned())
        }
        v1::ClaimClass::Grounded => TestResult::Passed(details),
    };
    Test { name: truncate_end(&name, MAX_NAME_COLUMNS).into_owned(), result }
}

/// The details of a claim, one per line: its text, the note, and the citations with their quotes.
fn shown(claim: &v1::JudgedClaim, scene: &Scene<'_>, view: &View) -> String {
    let mut lines = vec![one_line(&claim.text)];
    lines.extend(Some(one_line(&claim.note)).filter(|note| !note.is_empty()));
    lines.extend(claim.second_look.as_ref().map(labels::second_look));
    for citation in &claim.citations {
        let (place, quote) = (place(citation, scene, usize::MAX), one_line(&citation.quote));
        lines.push(if quote.is_empty() { place } else { format!("{place}: {quote}") });
    }
    if view.explain.is_about(claim) {
        lines.extend(claim.considered.iter().map(|considered| one_line(considered)));
    }
    lines.join("\n")
}

fn of_decision(answer: &v1::EvaluateResponse) -> TestResult {
    let (word, advice) = verdict(answer);
    let reasons = decided(answer).map(|decision| &decision.reasons[..]).unwrap_or_default();
    let mut lines: Vec<String> = reasons
        .iter()
        .map(|reason| one_line(&format!("{}: {}", reason.code, reason.sentence)))
        .collect();
    lines.extend(changes(answer).iter().map(|change| one_line(change)));
    let details = lines.join("\n");
    let tier = answer.decision.as_ref().map_or(v1::Tier::Unspecified, v1::Decision::tier);
    let in_shadow = answer.decision.as_ref().is_some_and(|decision| decision.in_shadow);
    let failed = answer.outcome() == v1::Outcome::Failed;
    let fault = |kind: String| Fault { kind, message: advice.clone(), details: details.clone() };
    if in_shadow {
        // Nothing is enforced, even if the judge failed.
        TestResult::Passed(format!("{word}: {advice}\n{details}"))
    } else if failed || tier == v1::Tier::Unspecified {
        let code = reasons.first().map(|reason| one_line(&reason.code));
        let code = code.filter(|code| !code.is_empty());
        TestResult::Error(fault(code.unwrap_or_else(|| "JUDGE_FAILED".to_owned())))
    } else if tier == v1::Tier::Proceed {
        TestResult::Passed(details)
    } else {
        TestResult::Failed(fault(word))
    }
}
