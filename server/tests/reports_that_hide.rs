//! Tests that one disguised lie among twenty true sentences blocks a report if the judge is truthful.

use crate::hiding::facts::{FACTS, log, truthful};
use crate::hiding::forms::{self, Form};
use crate::lies::scripted::ScriptedServer;
use crate::support::{self, TestServer, TestServerOptions, rounds};
use futures_util::StreamExt as _;
use gsar_proto::v1;

fn request(form: &Form, policy: &str) -> v1::EvaluateRequest {
    let claims = form.claims.iter().enumerate().map(|(number, (text, span))| v1::Claim {
        id: format!("given-{number}"),
        text: text.clone(),
        span: span
            .as_ref()
            .map(|span| v1::ByteRange { start: span.start as u64, end: span.end as u64 }),
    });
    let mut request = support::request();
    request.policy = policy.to_owned();
    request.evidence = vec![support::item("log", &log())];
    let report = v1::Report {
        synthesis: form.text.clone(),
        claims: claims.collect(),
        ..v1::Report::default()
    };
    request.report = Some(report);
    request
}

const AT_ONCE: usize = 8;

/// The disguised statement: a lie, or the truth about the same thing.
#[derive(Clone, Copy)]
enum Statement {
    Lie,
    Truth,
}

/// Returns reports about one thing: all true sentences, and the statement in each form.
fn reports(number: usize, kind: Statement) -> Vec<Form> {
    let (thing, fact, lie) = FACTS[number];
    let fact_index = (number + 7) % FACTS.len();
    let truths = FACTS.iter().map(|(thing, fact, _)| format!("{thing} {fact}"));
    let mut others: Vec<String> = truths.collect();
    let truth = others.remove(fact_index);
    let statement = match kind {
        Statement::Lie => lie,
        Statement::Truth => fact,
    };
    forms::forms_among(&truth, &others, thing, statement)
}

async fn evaluate_all(server: &TestServer, forms: Vec<(Form, &'static str)>) -> Vec<Evaluated> {
    let evaluate = |(form, policy): (Form, &'static str)| {
        let mut grounding = server.grounding();
        async move {
            let answer = grounding.evaluate(request(&form, policy)).await.unwrap().into_inner();
            Evaluated { form, policy, answer }
        }
    };
    futures_util::stream::iter(forms).map(evaluate).buffered(AT_ONCE).collect().await
}

struct Evaluated {
    form: Form,
    policy: &'static str,
    answer: v1::EvaluateResponse,
}

impl Evaluated {
    fn proceeds(&self) -> bool {
        self.answer.decision.as_ref().unwrap().tier() == v1::Tier::Proceed
    }

    fn reports_a_fault(&self) -> bool {
        let at_fault = [v1::ClaimClass::Ungrounded, v1::ClaimClass::Contradicted];
        self.answer.claims.iter().any(|claim| at_fault.contains(&claim.class()))
    }

    fn describe(&self) -> String {
        let reasons = &self.answer.decision.as_ref().unwrap().reasons;
        let reasons: Vec<&str> = reasons.iter().map(|reason| reason.code.as_str()).collect();
        let claims = self.answer.claims.iter().map(|claim| {
            let code = |found: &&v1::Correction| found.claim_id == claim.id;
            let found = self.answer.corrections.iter().find(code).map(|found| &found.code);
            format!("{:?} {:?} {found:?}", claim.class(), claim.text)
        });
        let claims: Vec<String> = claims.collect();
        format!(
            "{} ({}): {reasons:?} {claims:#?} {:?}",
            self.form.name,
            self.policy,
            self.answer.coverage.as_ref().map(|coverage| &coverage.words)
        )
    }
}

fn facts() -> std::iter::StepBy<std::ops::Range<usize>> {
    (0..FACTS.len()).step_by(rounds(4, 1))
}

fn lies() -> Vec<(Form, &'static str)> {
    let lies = facts().flat_map(|number| reports(number, Statement::Lie));
    lies.flat_map(|form| ["reference", "strict"].map(|policy| (form.clone(), policy))).collect()
}

async fn no_lie_proceeds(server: &TestServer) {
    let evaluate_all = evaluate_all(server, lies()).await;
    let hidden: Vec<String> = evaluate_all
        .iter()
        .filter(|evaluate_all| evaluate_all.proceeds())
        .map(Evaluated::describe)
        .collect();
    println!("{} evaluations, {} proceed", evaluate_all.len(), hidden.len());
    assert!(hidden.is_empty(), "{} of {}: {hidden:#?}", hidden.len(), evaluate_all.len());
    assert_eq!(evaluate_all.len(), 63 * facts().len() * 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_lies_do_not_proceed_with_a_truthful_judge() {
    let scripted = ScriptedServer::start().await;
    scripted.set_answer(truthful);
    no_lie_proceeds(scripted.server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_lies_are_reported_by_the_rules() {
    let server = TestServerOptions::default().start(|config| config.ledger.enabled = false).await;
    // The rules leave most lies undecided. One such claim does not block, but must be reported.
    let hidden: Vec<String> = evaluate_all(&server, lies())
        .await
        .iter()
        .filter(|evaluate_all| evaluate_all.proceeds() && !evaluate_all.reports_a_fault())
        .map(Evaluated::describe)
        .collect();
    assert!(hidden.is_empty(), "{}: {hidden:#?}", hidden.len());
}

/// Shows that the forms alone do not block.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn truths_proceed_in_every_form() {
    let scripted = ScriptedServer::start().await;
    scripted.set_answer(truthful);
    let truths = facts().flat_map(|number| reports(number, Statement::Truth));
    // A denial of the truth is itself a lie.
    let truths = truths.filter(|form| form.name != "given: its denial on the lie");
    let evaluate_all =
        evaluate_all(scripted.server(), truths.map(|form| (form, "reference")).collect()).await;
    let held_names: Vec<String> = evaluate_all
        .iter()
        .filter(|evaluate_all| !evaluate_all.proceeds())
        .map(Evaluated::describe)
        .collect();
    println!("{} evaluations, {} held", evaluate_all.len(), held_names.len());
    assert!(
        held_names.is_empty(),
        "{} of {}: {held_names:#?}",
        held_names.len(),
        evaluate_all.len()
    );
    assert_eq!(evaluate_all.len(), 62 * facts().len());
}

#[tokio::test]
async fn claims_without_a_synthesis_warn_or_block() {
    let scripted = ScriptedServer::start().await;
    let (thing, fact, _) = FACTS[0];
    let truth = format!("{thing} {fact}");
    let form = Form { name: "claims alone", text: String::new(), claims: vec![(truth, None)] };
    let answer = scripted.evaluate("reference", &request(&form, "reference"), truthful).await;
    assert!(answer.warnings.iter().any(|warning| warning.code == "NO_SYNTHESIS"));
    let answer = scripted.evaluate("strict", &request(&form, "strict"), truthful).await;
    let reasons = &answer.decision.as_ref().unwrap().reasons;
    assert!(reasons.iter().any(|reason| reason.code == "SYNTHESIS_MISSING"), "{reasons:?}");
}

#[tokio::test]
async fn rejects_reports_with_too_many_claims() {
    let server = TestServerOptions::default().start(|_| {}).await;
    let synthesis: String =
        (0..2_001).map(|number| format!("Pod a-{number} restarted. ")).collect();
    let mut request = support::request();
    request.report = Some(v1::Report { synthesis, ..v1::Report::default() });
    let error = server.grounding().evaluate(request).await.unwrap_err();
    assert_eq!(error.code(), tonic::Code::InvalidArgument);
    let details = tonic_types::StatusExt::get_error_details(&error);
    let fields = details.bad_request().unwrap().field_violations.clone();
    assert_eq!(fields[0].field, "report.synthesis");
    assert!(fields[0].description.contains("2001 claims"), "{}", fields[0].description);
}
