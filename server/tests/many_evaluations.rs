//! Tests of lists, counts and rescoring of many evaluations, compared with single evaluations.

use crate::lies::cases::cases;
use crate::lies::lies_by_kind::LIES;
use crate::lies::scripted::{ScriptedServer, judgement};
use crate::support::{TestServer, TestServerOptions, request};
use gsar_proto::v1;
use gsar_server::config::{AllowOverrides, Config};
use tonic::Code;
use tonic_types::StatusExt as _;

fn open(config: &mut Config) {
    config.policies.allow_overrides = AllowOverrides::Any;
    config.policies.allowed = vec!["paper".to_owned()];
    config.ledger.durable = false;
}

async fn all(server: &TestServer, filter: v1::EvaluationFilter) -> Vec<v1::EvaluationSummary> {
    let v1::EvaluationFilter { tier, policy, judge, unproven_only, .. } = filter;
    let request = v1::ListEvaluationsRequest {
        page_size: 1_000,
        tier,
        policy,
        judge,
        unproven_only,
        evaluated_from: filter.evaluated_from,
        evaluated_before: filter.evaluated_before,
        ..Default::default()
    };
    server.ledger().list_evaluations(request).await.unwrap().into_inner().evaluations
}

async fn many(
    server: &TestServer,
    request: v1::RescoreEvaluationsRequest,
) -> v1::RescoreEvaluationsResponse {
    server.ledger().rescore_evaluations(request).await.unwrap().into_inner()
}

async fn each_alone(
    server: &TestServer,
    evaluations: &[v1::EvaluationSummary],
    request: &v1::RescoreEvaluationsRequest,
) -> Vec<(String, i32, Option<v1::Score>)> {
    let mut changed = Vec::new();
    for evaluation in evaluations {
        let one = v1::RescoreRequest {
            evaluation_id: evaluation.evaluation_id.clone(),
            policy: request.policy.clone(),
            policy_overrides: request.policy_overrides.clone(),
            explain: false,
        };
        let answer = server.grounding().rescore(one).await.unwrap().into_inner();
        let tier = answer.decision.unwrap_or_default().tier;
        assert_eq!(answer.changed, tier != evaluation.tier);
        if answer.changed {
            changed.push((evaluation.evaluation_id.clone(), tier, answer.guarded_score));
        }
    }
    changed
}

fn named(answer: &v1::RescoreEvaluationsResponse) -> Vec<(String, i32, Option<v1::Score>)> {
    let named = |of: &v1::RescoredEvaluation| {
        let id = of.evaluation.clone().unwrap_or_default().evaluation_id;
        (id, of.tier, of.guarded_score)
    };
    answer.changed.iter().map(named).collect()
}

#[tokio::test]
async fn bulk_rescore_equals_single_rescore() {
    let scripted = ScriptedServer::start_recording(true).await;
    let server = scripted.server();
    let cases = cases();
    for (at, lie) in LIES.iter().enumerate() {
        for case in cases.iter().cycle().skip(at).take(3) {
            let lied = (lie.tell)(case);
            scripted.set_answer(move |_| judgement(lied.clone()));
            server.grounding().evaluate(case.request.clone()).await.unwrap();
        }
    }
    let evaluations = all(server, v1::EvaluationFilter::default()).await;
    assert!(evaluations.len() > 20, "{}", evaluations.len());
    let weights = vec![v1::TypeWeight { r#type: v1::EvidenceType::Domain.into(), weight: 0.1 }];
    let (mut compared, mut changes) = (0, 0);
    for overrides in [
        v1::PolicyOverrides::default(),
        v1::PolicyOverrides { tau_proceed: Some(0.99), ..Default::default() },
        v1::PolicyOverrides {
            tau_proceed: Some(0.3),
            tau_regenerate: Some(0.2),
            ..Default::default()
        },
        v1::PolicyOverrides { rho: Some(10.0), ..Default::default() },
        v1::PolicyOverrides { ungrounded_floor: Some(1.0), ..Default::default() },
        v1::PolicyOverrides { weights, ..Default::default() },
    ] {
        let request = v1::RescoreEvaluationsRequest {
            policy: "reference".to_owned(),
            policy_overrides: Some(overrides),
            ..Default::default()
        };
        let answer = many(server, request.clone()).await;
        assert_eq!(named(&answer), each_alone(server, &evaluations, &request).await);
        assert_eq!(usize::try_from(answer.decided).unwrap(), evaluations.len());
        let counted: u32 = answer.changes.iter().map(|change| change.evaluations).sum();
        assert_eq!(usize::try_from(counted).unwrap(), answer.changed.len());
        assert!(answer.changes.iter().all(|change| change.before != change.after));
        assert_eq!((answer.unreadable, answer.has_more), (0, false));
        compared += answer.decided;
        changes += counted;
    }
    println!("{compared} compared, {changes} changed");
    assert!(changes > 10, "{changes}");
}

#[tokio::test]
async fn bulk_rescore_respects_filter_and_limit() {
    let server = TestServerOptions::default().start(open).await;
    for policy in ["reference", "paper", "reference"] {
        let request = v1::EvaluateRequest { policy: policy.to_owned(), ..request() };
        server.grounding().evaluate(request).await.unwrap();
    }
    let only =
        |policy: &str| v1::EvaluationFilter { policy: policy.to_owned(), ..Default::default() };
    for (evaluations, limit, decided, has_more) in [
        (None, 0, 3, false),
        (None, 2, 2, true),
        (None, 3, 3, false),
        (Some(only("reference")), 0, 2, false),
        (Some(only("paper")), 1, 1, false),
        (Some(only("none")), 0, 0, false),
    ] {
        let request = v1::RescoreEvaluationsRequest { evaluations, limit, ..Default::default() };
        let answer = many(&server, request).await;
        assert_eq!((answer.decided, answer.has_more), (decided, has_more), "{limit}");
    }
    let wrong = v1::RescoreEvaluationsRequest {
        evaluations: Some(v1::EvaluationFilter { tier: 9, ..Default::default() }),
        policy: "none".to_owned(),
        limit: 10_001,
        ..Default::default()
    };
    let refused = server.ledger().rescore_evaluations(wrong).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let details = refused.get_error_details();
    let violations = &details.bad_request().unwrap().field_violations;
    let fields: Vec<&str> = violations.iter().map(|found| found.field.as_str()).collect();
    assert_eq!(fields, ["evaluations.tier", "policy", "limit"]);
}

#[tokio::test]
async fn unproven_evaluations_are_listed() {
    let change = |config: &mut Config| {
        open(config);
        config.policies.default = "shadowed".to_owned();
        let folder = config.data_dir.with_file_name("policies");
        std::fs::create_dir_all(&folder).unwrap();
        let shadowed =
            "base = \"reference\"\nname = \"shadowed\"\n[rollout]\ndecision = \"shadow\"\n";
        std::fs::write(folder.join("shadowed.toml"), shadowed).unwrap();
        config.policies.dir = Some(folder);
    };
    let server = TestServerOptions::default().start(change).await;
    let report = |text: &str, policy: &str| {
        let mut request = v1::EvaluateRequest { policy: policy.to_owned(), ..request() };
        request.report.get_or_insert_default().synthesis = text.to_owned();
        request
    };
    let proven = "The connection pool size is 20.";
    let guess = "The connection pool size is 20. A nightly batch job took the memory of the node.";
    for (text, policy) in
        [(proven, "reference"), (guess, "reference"), (guess, "shadowed"), (proven, "shadowed")]
    {
        server.grounding().evaluate(report(text, policy)).await.unwrap();
    }
    let evaluations = all(&server, v1::EvaluationFilter::default()).await;
    let seen = |of: &v1::EvaluationSummary| (of.policy.clone(), of.grounded, of.in_shadow);
    let [proven, shadowed, held, first] = &evaluations[..] else { panic!("{evaluations:?}") };
    assert_eq!(seen(first), ("reference".to_owned(), Some(1), false));
    assert_eq!((seen(held).2, held.tier() == v1::Tier::Proceed), (false, false));
    assert_eq!((seen(shadowed).2, shadowed.tier() == v1::Tier::Proceed), (true, false));
    assert_eq!(seen(proven), ("shadowed".to_owned(), Some(1), true));
    let unproven = v1::EvaluationFilter { unproven_only: true, ..Default::default() };
    assert_eq!(all(&server, unproven.clone()).await, std::slice::from_ref(shadowed));
    let request = v1::CountEvaluationsRequest { evaluations: Some(unproven), interval: None };
    let counts = server.ledger().count_evaluations(request).await.unwrap().into_inner().counts;
    let [count] = &counts[..] else { panic!("{counts:?}") };
    assert_eq!((count.evaluations, count.in_shadow, count.from), (1, true, None));
    assert_eq!(count.tier, shadowed.tier);
}

#[tokio::test]
async fn counts_match_the_list() {
    let server = TestServerOptions::default().start(open).await;
    for policy in ["reference", "strict", "paper", "reference"] {
        let request = v1::EvaluateRequest { policy: policy.to_owned(), ..request() };
        server.grounding().evaluate(request).await.unwrap();
    }
    let evaluations = all(&server, v1::EvaluationFilter::default()).await;
    let hour = Some(prost_types::Duration { seconds: 3_600, nanos: 0 });
    let request = v1::CountEvaluationsRequest { evaluations: None, interval: hour };
    let counts = server.ledger().count_evaluations(request).await.unwrap().into_inner().counts;
    let counted: u64 = counts.iter().map(|count| count.evaluations).sum();
    assert_eq!(usize::try_from(counted).unwrap(), evaluations.len());
    for count in &counts {
        let from = count.from.as_ref().unwrap();
        assert_eq!((from.seconds % 3_600, from.nanos), (0, 0));
        let is_of = |of: &&v1::EvaluationSummary| {
            let hour = of.evaluated_at.as_ref().unwrap().seconds / 3_600 * 3_600;
            hour == from.seconds
                && (&of.policy, &of.judge, of.tier) == (&count.policy, &count.judge, count.tier)
        };
        let found = u64::try_from(evaluations.iter().filter(is_of).count()).unwrap();
        assert_eq!(found, count.evaluations, "{count:?}");
    }
    let second = Some(prost_types::Duration { seconds: 1, nanos: 0 });
    let wrong = v1::CountEvaluationsRequest { evaluations: None, interval: second };
    let refused = server.ledger().count_evaluations(wrong).await.unwrap_err();
    assert!(refused.message().starts_with("interval: 1 s is out of range"), "{refused}");
}
