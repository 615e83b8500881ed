//! Tests claims that a judge leaves undecided, and the next judge in the chain.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gsar_core::evidence::{Citation, EvidenceId};
use gsar_core::fixed_point::Millionths;
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim, Leaning, Role};
use gsar_proto::v1;
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, Question};

use crate::support::judges::{capabilities, failure};
use crate::support::{self, TestServer, evaluation, item};

const LOG: &str = "pool holds 50 of 50\nqueue depth 412\nworker restarted twice\n";

#[derive(Clone, Copy)]
enum ScriptedAnswer {
    Class(Class),
    LeansTo(Class),
}

/// A judge that looks up its answer by the claim's text.
#[derive(Clone)]
struct Scripted {
    name: &'static str,
    script: &'static [(&'static str, ScriptedAnswer)],
    fails: bool,
    reports_roles: bool,
    questions: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Scripted {
    fn new(name: &'static str, script: &'static [(&'static str, ScriptedAnswer)]) -> Self {
        Self { name, script, fails: false, reports_roles: true, questions: Arc::default() }
    }

    fn judged(&self, claim: &Claim) -> Option<JudgedClaim> {
        let (_, scripted) = self.script.iter().find(|(text, _)| *text == claim.text)?;
        let (class, undecided) = match scripted {
            ScriptedAnswer::Class(class) => (*class, None),
            ScriptedAnswer::LeansTo(class) => {
                let likelihood = Some(Millionths::new(550_000));
                (Class::Ungrounded, Some(Leaning { class: *class, likelihood }))
            }
        };
        let citations = match class {
            Class::Ungrounded => Vec::new(),
            _ => vec![Citation::new(EvidenceId::new("log").unwrap(), LOG.lines().next().unwrap())],
        };
        let role = match self.name == "roles/0" && claim.text == CAUSE {
            true => Role::RootCause,
            false => Role::Observation,
        };
        let judged = JudgedClaim::new(claim.clone(), class, EvidenceType::ToolMatch);
        Some(JudgedClaim { role, citations, undecided, ..judged })
    }
}

#[async_trait]
impl Judge for Scripted {
    fn name(&self) -> &str {
        self.name
    }

    fn is_local(&self) -> bool {
        false
    }

    fn reports_roles(&self) -> bool {
        self.reports_roles
    }

    fn capabilities(&self) -> Capabilities {
        capabilities()
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let claims = question.claims.iter().map(|claim| claim.text.clone()).collect();
        self.questions.lock().unwrap().push(claims);
        let judged = question.claims.iter().filter_map(|claim| self.judged(claim)).collect();
        let answer = Judgement {
            judged,
            score: Some(Millionths::new(700_000)),
            explanation: format!("{} explains", self.name),
            gaps: vec![format!("{} missed something", self.name)],
            ..Judgement::default()
        };
        if !self.fails {
            return Ok(answer);
        }
        Err(failure(self.name, "UNREACHABLE", "no connection"))
    }
}

const POOL: &str = "The pool holds 50 of 50.";
const DEPTH: &str = "The queue depth is 412.";
const CAUSE: &str = "A leak filled the pool.";

async fn start_server(judges: &[Scripted]) -> TestServer {
    let names = judges.iter().map(|judge| judge.name.to_owned()).collect();
    let judges = judges.iter().map(|judge| Arc::new(judge.clone()) as Arc<dyn Judge>).collect();
    TestServer::with_judges(judges, |config| {
        config.judges.chain = names;
        config.ledger.enabled = false;
    })
    .await
}

async fn evaluate(server: &TestServer) -> v1::EvaluateResponse {
    let texts = [POOL, DEPTH, CAUSE];
    let claim = |(number, text): (usize, &&str)| v1::Claim {
        id: format!("c{}", number + 1),
        text: (*text).to_owned(),
        span: None,
    };
    let mut request = evaluation(&texts.join(" "), vec![item("log", LOG)]);
    request.report.as_mut().unwrap().claims = texts.iter().enumerate().map(claim).collect();
    server.evaluate(request).await.unwrap()
}

fn codes(answer: &v1::EvaluateResponse) -> Vec<&str> {
    support::codes(&answer.decision.as_ref().unwrap().reasons)
}

fn bound_tiers(answer: &v1::EvaluateResponse) -> (v1::Tier, v1::Tier) {
    let bounds = answer.decision.as_ref().unwrap().bounds.as_ref().unwrap();
    (bounds.worst.as_ref().unwrap().tier(), bounds.best.as_ref().unwrap().tier())
}

#[tokio::test]
async fn abstains_on_undecided_claims_without_another_judge() {
    let judge = Scripted::new(
        "first",
        &[
            (POOL, ScriptedAnswer::Class(Class::Grounded)),
            (DEPTH, ScriptedAnswer::LeansTo(Class::Grounded)),
            (CAUSE, ScriptedAnswer::LeansTo(Class::Ungrounded)),
        ],
    );
    let answer = evaluate(&start_server(&[judge]).await).await;
    let decision = answer.decision.as_ref().unwrap();
    assert_eq!(decision.tier(), v1::Tier::Abstain);
    assert_eq!(codes(&answer), ["JUDGE_UNDECIDED"]);
    assert_eq!(bound_tiers(&answer), (v1::Tier::Replan, v1::Tier::Proceed));
    let reason = &decision.reasons[0];
    assert_eq!(reason.claim_ids, ["c2", "c3"]);
    assert!(reason.sentence.contains("judges.chain"), "{}", reason.sentence);
    assert_eq!((answer.score, answer.is_grounded), (None, false));
    assert_eq!(answer.outcome(), v1::Outcome::Abstained);
    assert_eq!(support::codes(&answer.verification_reasons), ["CLAIM_UNDECIDED"]);
    let leanings: Vec<_> = answer.claims.iter().map(|claim| claim.undecided).collect();
    let leaning =
        |class: v1::ClaimClass| Some(v1::Leaning { class: class.into(), likelihood: Some(0.55) });
    assert_eq!(
        leanings,
        [None, leaning(v1::ClaimClass::Grounded), leaning(v1::ClaimClass::Ungrounded)]
    );
    let judges: Vec<&str> = answer.claims.iter().map(|claim| claim.judge.as_str()).collect();
    assert_eq!(judges, ["first", "", ""]);
}

#[tokio::test]
async fn next_judge_is_skipped_if_undecided_claims_have_no_effect() {
    let first = Scripted::new(
        "first",
        &[
            (POOL, ScriptedAnswer::Class(Class::Contradicted)),
            (DEPTH, ScriptedAnswer::Class(Class::Contradicted)),
            (CAUSE, ScriptedAnswer::LeansTo(Class::Ungrounded)),
        ],
    );
    let second = Scripted::new("second", &[(CAUSE, ScriptedAnswer::Class(Class::Grounded))]);
    let server = start_server(&[first, second.clone()]).await;
    let answer = evaluate(&server).await;
    assert_eq!(answer.decision.as_ref().unwrap().tier(), v1::Tier::Replan);
    assert_eq!(bound_tiers(&answer), (v1::Tier::Replan, v1::Tier::Replan));
    assert_eq!(codes(&answer), ["SCORE_BELOW_REGENERATE", "CONTRADICTED_CLAIMS"]);
    for reason in &answer.decision.as_ref().unwrap().reasons {
        assert_eq!(reason.claim_ids, ["c1", "c2"], "only the contradicted claims must be named");
    }
    assert_eq!(second.questions.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn next_judge_receives_only_undecided_claims() {
    let first = Scripted::new(
        "first",
        &[
            (POOL, ScriptedAnswer::Class(Class::Grounded)),
            (DEPTH, ScriptedAnswer::LeansTo(Class::Contradicted)),
            (CAUSE, ScriptedAnswer::LeansTo(Class::Ungrounded)),
        ],
    );
    let second = Scripted::new(
        "second",
        &[
            (DEPTH, ScriptedAnswer::Class(Class::Grounded)),
            (CAUSE, ScriptedAnswer::Class(Class::Complementary)),
        ],
    );
    let server = start_server(&[first, second.clone()]).await;
    let answer = evaluate(&server).await;
    assert_eq!(answer.decision.as_ref().unwrap().tier(), v1::Tier::Proceed);
    assert_eq!(answer.decision.as_ref().unwrap().bounds, None);
    assert_eq!(*second.questions.lock().unwrap(), [[DEPTH, CAUSE]]);
    let judges: Vec<&str> = answer.claims.iter().map(|claim| claim.judge.as_str()).collect();
    assert_eq!(judges, ["first", "second", "second"]);
    assert_eq!(answer.judge_score, None);
    assert_eq!(answer.explanation, "second explains");
    assert_eq!(answer.gaps, ["first missed something", "second missed something"]);
    let provenance = answer.provenance.as_ref().unwrap();
    let links: Vec<&str> = provenance.judges.iter().map(|link| link.judge.as_str()).collect();
    assert_eq!(links, ["first", "second"]);
}

#[tokio::test]
async fn failed_next_judge_leaves_claims_undecided() {
    const FIRST: &[(&str, ScriptedAnswer)] = &[
        (POOL, ScriptedAnswer::Class(Class::Grounded)),
        (DEPTH, ScriptedAnswer::Class(Class::Grounded)),
        (CAUSE, ScriptedAnswer::LeansTo(Class::Grounded)),
    ];
    let first = Scripted::new("first", FIRST);
    let second = Scripted { fails: true, ..Scripted::new("second", &[]) };
    let server = start_server(&[first, second]).await;
    let answer = evaluate(&server).await;
    assert_eq!(codes(&answer).first(), Some(&"JUDGE_UNDECIDED"));
    let links = &answer.provenance.as_ref().unwrap().judges;
    let results: Vec<&str> = links.iter().map(|link| link.result.as_str()).collect();
    assert_eq!(results, ["judged", "failed"]);
}

#[tokio::test]
async fn possible_root_causes_need_a_judge_that_reports_roles() {
    use Class::{Grounded, Ungrounded};
    const SCRIPT: &[(&str, ScriptedAnswer)] = &[
        (POOL, ScriptedAnswer::Class(Grounded)),
        (DEPTH, ScriptedAnswer::LeansTo(Grounded)),
        (CAUSE, ScriptedAnswer::Class(Ungrounded)),
    ];
    const NEXT: &[(&str, ScriptedAnswer)] =
        &[(DEPTH, ScriptedAnswer::Class(Grounded)), (CAUSE, ScriptedAnswer::Class(Ungrounded))];
    let first = Scripted { reports_roles: false, ..Scripted::new("blind/0", SCRIPT) };
    let second = Scripted::new("roles/0", NEXT);
    let server = start_server(&[first, second.clone()]).await;
    let answer = evaluate(&server).await;
    assert_eq!(*second.questions.lock().unwrap(), [vec![DEPTH.to_owned(), CAUSE.to_owned()]]);
    let decision = answer.decision.unwrap();
    assert_eq!(decision.tier(), v1::Tier::Regenerate, "{decision:?}");
    let codes = support::codes(&decision.reasons);
    assert!(codes.contains(&"ROOT_CAUSE_NOT_SHOWN"), "{codes:?}");
}
