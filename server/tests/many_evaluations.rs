//! Tests listing, counting and rescoring many evaluations. Bulk rescoring is compared with single calls.

use crate::lies::cases::cases;
use crate::lies::lies_by_kind::LIES;
use crate::lies::scripted::{ScriptedServer, allow_any_policy, judgement};
use crate::support::{TestServer, invalid_fields, request};
use gsar_proto::v1;
use gsar_server::config::Config;
use tonic::Code;

fn all_evaluations() -> v1::ListEvaluationsRequest {
    v1::ListEvaluationsRequest { page_size: 1_000, ..Default::default() }
}

async fn rescore_many(
    server: &TestServer,
    request: v1::RescoreEvaluationsRequest,
) -> v1::RescoreEvaluationsResponse {
    server.ledger().rescore_evaluations(request).await.unwrap().into_inner()
}

async fn rescore_one_by_one(
    server: &TestServer,
    evaluations: &[v1::EvaluationSummary],
    request: &v1::RescoreEvaluationsRequest,
) -> Vec<(String, i32, Option<v1::Score>)> {
    let mut changed = Vec::new();
    for evaluation in evaluations {
        let request = v1::RescoreRequest {
            evaluation_id: evaluation.evaluation_id.clone(),
            policy: request.policy.clone(),
            policy_overrides: request.policy_overrides.clone(),
            explain: false,
        };
        let answer = server.grounding().rescore(request).await.unwrap().into_inner();
        let tier = answer.decision.unwrap_or_default().tier;
        assert_eq!(answer.changed, tier != evaluation.tier);
        if answer.changed {
            changed.push((evaluation.evaluation_id.clone(), tier, answer.guarded_score));
        }
    }
    changed
}

fn changed_evaluations(
    answer: &v1::RescoreEvaluationsResponse,
) -> Vec<(String, i32, Option<v1::Score>)> {
    let id_and_result = |rescored: &v1::RescoredEvaluation| {
        let id = rescored.evaluation.clone().unwrap_or_default().evaluation_id;
        (id, rescored.tier, rescored.guarded_score)
    };
    answer.changed.iter().map(id_and_result).collect()
}

#[tokio::test]
async fn bulk_rescore_equals_single_rescores() {
    let scripted = ScriptedServer::start_recording(true).await;
    let server = scripted.server();
    let cases = cases();
    for (offset, lie) in LIES.iter().enumerate() {
        for case in cases.iter().cycle().skip(offset).take(3) {
            let lying_answer = (lie.build)(case);
            scripted.set_answer(move |_| judgement(lying_answer.clone()));
            server.grounding().evaluate(case.request.clone()).await.unwrap();
        }
    }
    let evaluations = server.list_evaluations(all_evaluations()).await;
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
        let answer = rescore_many(server, request.clone()).await;
        assert_eq!(
            changed_evaluations(&answer),
            rescore_one_by_one(server, &evaluations, &request).await
        );
        assert_eq!(usize::try_from(answer.decided).unwrap(), evaluations.len());
        let change_count: u32 = answer.changes.iter().map(|change| change.evaluations).sum();
        assert_eq!(usize::try_from(change_count).unwrap(), answer.changed.len());
        assert!(answer.changes.iter().all(|change| change.before != change.after));
        assert_eq!((answer.unreadable, answer.has_more), (0, false));
        compared += answer.decided;
        changes += change_count;
    }
    println!("{compared} compared, {changes} changed");
    assert!(changes > 10, "{changes}");
}

#[tokio::test]
async fn bulk_rescore_respects_the_filter_and_the_limit() {
    let server = TestServer::with(allow_any_policy).await;
    for policy in ["reference", "paper", "reference"] {
        let request = v1::EvaluateRequest { policy: policy.to_owned(), ..request() };
        server.grounding().evaluate(request).await.unwrap();
    }
    let filter_by_policy =
        |policy: &str| v1::EvaluationFilter { policy: policy.to_owned(), ..Default::default() };
    for (evaluations, limit, decided, has_more) in [
        (None, 0, 3, false),
        (None, 2, 2, true),
        (None, 3, 3, false),
        (Some(filter_by_policy("reference")), 0, 2, false),
        (Some(filter_by_policy("paper")), 1, 1, false),
        (Some(filter_by_policy("none")), 0, 0, false),
    ] {
        let request = v1::RescoreEvaluationsRequest { evaluations, limit, ..Default::default() };
        let answer = rescore_many(&server, request).await;
        assert_eq!((answer.decided, answer.has_more), (decided, has_more), "{limit}");
    }
    let invalid = v1::RescoreEvaluationsRequest {
        evaluations: Some(v1::EvaluationFilter { tier: 9, ..Default::default() }),
        policy: "none".to_owned(),
        limit: 10_001,
        ..Default::default()
    };
    let error = server.ledger().rescore_evaluations(invalid).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(invalid_fields(&error), ["evaluations.tier", "policy", "limit"]);
}

#[tokio::test]
async fn unproven_evaluations_are_listed() {
    let change = |config: &mut Config| {
        allow_any_policy(config);
        config.policies.default = "shadowed".to_owned();
        let folder = config.data_dir.with_file_name("policies");
        std::fs::create_dir_all(&folder).unwrap();
        let shadow_policy =
            "base = \"reference\"\nname = \"shadowed\"\n[rollout]\ndecision = \"shadow\"\n";
        std::fs::write(folder.join("shadowed.toml"), shadow_policy).unwrap();
        config.policies.dir = Some(folder);
    };
    let server = TestServer::with(change).await;
    let report = |text: &str, policy: &str| {
        let mut request = v1::EvaluateRequest { policy: policy.to_owned(), ..request() };
        request.report.get_or_insert_default().synthesis = text.to_owned();
        request
    };
    let grounded_text = "The connection pool size is 20.";
    let partly_grounded =
        "The connection pool size is 20. A nightly batch job took the memory of the node.";
    for (text, policy) in [
        (grounded_text, "reference"),
        (partly_grounded, "reference"),
        (partly_grounded, "shadowed"),
        (grounded_text, "shadowed"),
    ] {
        server.grounding().evaluate(report(text, policy)).await.unwrap();
    }
    let evaluations = server.list_evaluations(all_evaluations()).await;
    let properties = |summary: &v1::EvaluationSummary| {
        (summary.policy.clone(), summary.grounded, summary.in_shadow)
    };
    let [shadowed_proceeding, shadowed_abstention, abstention, proceeding] = &evaluations[..]
    else {
        panic!("{evaluations:?}")
    };
    assert_eq!(properties(proceeding), ("reference".to_owned(), Some(1), false));
    assert_eq!((properties(abstention).2, abstention.tier() == v1::Tier::Proceed), (false, false));
    assert_eq!(
        (properties(shadowed_abstention).2, shadowed_abstention.tier() == v1::Tier::Proceed),
        (true, false)
    );
    assert_eq!(properties(shadowed_proceeding), ("shadowed".to_owned(), Some(1), true));
    let unproven = v1::ListEvaluationsRequest { unproven_only: true, ..all_evaluations() };
    assert_eq!(server.list_evaluations(unproven).await, std::slice::from_ref(shadowed_abstention));
    let unproven = v1::EvaluationFilter { unproven_only: true, ..Default::default() };
    let request = v1::CountEvaluationsRequest { evaluations: Some(unproven), interval: None };
    let counts = server.ledger().count_evaluations(request).await.unwrap().into_inner().counts;
    let [count] = &counts[..] else { panic!("{counts:?}") };
    assert_eq!((count.evaluations, count.in_shadow, count.from), (1, true, None));
    assert_eq!(count.tier, shadowed_abstention.tier);
}

#[tokio::test]
async fn counts_match_the_list() {
    let server = TestServer::with(allow_any_policy).await;
    for policy in ["reference", "strict", "paper", "reference"] {
        let request = v1::EvaluateRequest { policy: policy.to_owned(), ..request() };
        server.grounding().evaluate(request).await.unwrap();
    }
    let evaluations = server.list_evaluations(all_evaluations()).await;
    let hour = Some(prost_types::Duration { seconds: 3_600, nanos: 0 });
    let request = v1::CountEvaluationsRequest { evaluations: None, interval: hour };
    let counts = server.ledger().count_evaluations(request).await.unwrap().into_inner().counts;
    let total: u64 = counts.iter().map(|count| count.evaluations).sum();
    assert_eq!(usize::try_from(total).unwrap(), evaluations.len());
    for count in &counts {
        let interval_start = count.from.as_ref().unwrap();
        assert_eq!((interval_start.seconds % 3_600, interval_start.nanos), (0, 0));
        let is_counted = |summary: &&v1::EvaluationSummary| {
            let hour = summary.evaluated_at.as_ref().unwrap().seconds / 3_600 * 3_600;
            hour == interval_start.seconds
                && (&summary.policy, &summary.judge, summary.tier)
                    == (&count.policy, &count.judge, count.tier)
        };
        let matching = u64::try_from(evaluations.iter().filter(is_counted).count()).unwrap();
        assert_eq!(matching, count.evaluations, "{count:?}");
    }
    let one_second = Some(prost_types::Duration { seconds: 1, nanos: 0 });
    let invalid = v1::CountEvaluationsRequest { evaluations: None, interval: one_second };
    let error = server.ledger().count_evaluations(invalid).await.unwrap_err();
    assert!(error.message().starts_with("interval: 1 s is out of range"), "{error}");
}
