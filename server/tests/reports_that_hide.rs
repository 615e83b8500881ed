//! Tests that a truthful judge blocks a report that disguises one lie among twenty true sentences.

use crate::hiding::facts::{FACTS, log, truthful};
use crate::hiding::forms::{self, Form};
use crate::lies::scripted::ScriptedServer;
use crate::support::{TestServer, codes, evaluation, invalid_fields, item, rounds};
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
    let mut request = evaluation(&form.text, vec![item("log", &log())]);
    request.policy = policy.to_owned();
    request.report.as_mut().unwrap().claims = claims.collect();
    request
}

const CONCURRENCY: usize = 8;

/// The disguised statement: a lie, or the truth about the same thing.
#[derive(Clone, Copy)]
enum Statement {
    Lie,
    Truth,
}

/// Returns reports that contain the true sentences and a statement about one thing, each in a different form.
fn reports(thing_index: usize, kind: Statement) -> Vec<Form> {
    let (thing, fact, lie) = FACTS[thing_index];
    let removed_index = (thing_index + 7) % FACTS.len();
    let truths = FACTS.iter().map(|(thing, fact, _)| format!("{thing} {fact}"));
    let mut others: Vec<String> = truths.collect();
    let truth = others.remove(removed_index);
    let statement = match kind {
        Statement::Lie => lie,
        Statement::Truth => fact,
    };
    forms::forms_among(&truth, &others, thing, statement)
}

async fn evaluate_all(server: &TestServer, forms: Vec<(Form, &'static str)>) -> Vec<Evaluated> {
    let evaluate = |(form, policy): (Form, &'static str)| async move {
        let answer = server.evaluate(request(&form, policy)).await.unwrap();
        Evaluated { form, policy, answer }
    };
    futures_util::stream::iter(forms).map(evaluate).buffered(CONCURRENCY).collect().await
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
        let fault_classes = [v1::ClaimClass::Ungrounded, v1::ClaimClass::Contradicted];
        self.answer.claims.iter().any(|claim| fault_classes.contains(&claim.class()))
    }

    fn describe(&self) -> String {
        let reasons = codes(&self.answer.decision.as_ref().unwrap().reasons);
        let claims = self.answer.claims.iter().map(|claim| {
            let is_of_claim = |found: &&v1::Correction| found.claim_id == claim.id;
            let found = self.answer.corrections.iter().find(is_of_claim).map(|found| &found.code);
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

async fn assert_no_lie_proceeds(server: &TestServer) {
    let evaluated = evaluate_all(server, lies()).await;
    let proceeding: Vec<String> = evaluated
        .iter()
        .filter(|evaluated| evaluated.proceeds())
        .map(Evaluated::describe)
        .collect();
    println!("{} evaluations, {} proceed", evaluated.len(), proceeding.len());
    assert!(proceeding.is_empty(), "{} of {}: {proceeding:#?}", proceeding.len(), evaluated.len());
    assert_eq!(evaluated.len(), 63 * facts().len() * 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_lies_do_not_proceed_with_a_truthful_judge() {
    let scripted = ScriptedServer::start().await;
    scripted.set_answer(truthful);
    assert_no_lie_proceeds(scripted.server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_lies_are_reported_by_the_rules() {
    let server = TestServer::with(|config| config.ledger.enabled = false).await;
    // The rules leave most lies undecided. A single undecided claim does not block the report, but must be reported.
    let unreported: Vec<String> = evaluate_all(&server, lies())
        .await
        .iter()
        .filter(|evaluated| evaluated.proceeds() && !evaluated.reports_a_fault())
        .map(Evaluated::describe)
        .collect();
    assert!(unreported.is_empty(), "{}: {unreported:#?}", unreported.len());
}

/// Shows that the forms by themselves do not block a report.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn truths_proceed_in_every_form() {
    let scripted = ScriptedServer::start().await;
    scripted.set_answer(truthful);
    let truths = facts().flat_map(|number| reports(number, Statement::Truth));
    // A denial of the truth is itself a lie.
    let truths = truths.filter(|form| form.name != "given: its denial on the lie");
    let evaluated =
        evaluate_all(scripted.server(), truths.map(|form| (form, "reference")).collect()).await;
    let held_back: Vec<String> = evaluated
        .iter()
        .filter(|evaluated| !evaluated.proceeds())
        .map(Evaluated::describe)
        .collect();
    println!("{} evaluations, {} held back", evaluated.len(), held_back.len());
    assert!(held_back.is_empty(), "{} of {}: {held_back:#?}", held_back.len(), evaluated.len());
    assert_eq!(evaluated.len(), 62 * facts().len());
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
    let server = TestServer::start().await;
    let synthesis: String =
        (0..2_001).map(|number| format!("Pod a-{number} restarted. ")).collect();
    let error = server.evaluate(evaluation(&synthesis, Vec::new())).await.unwrap_err();
    assert_eq!(error.code(), tonic::Code::InvalidArgument);
    assert_eq!(invalid_fields(&error)[0], "report.synthesis");
    assert!(error.message().contains("2001 claims"), "{}", error.message());
}
