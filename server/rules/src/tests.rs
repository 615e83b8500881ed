//! The rules over evidence in the shapes of real tools: what each must decide, and what it must leave alone.

use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane, Target};
use gsar_core::time::Timestamp;
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};
use proptest::prelude::*;

use crate::Interrupted;

use crate::Observations;

use gsar_core::split::split;

use Class::{Contradicted, Grounded, Ungrounded};

mod lists;

pub(crate) fn item(id: &str, tool: &str, content: Content) -> EvidenceItem {
    EvidenceItem {
        id: EvidenceId::new(id).unwrap(),
        kind: EvidenceKind::ToolOutput,
        lane: Lane::StaticInfra,
        tool: tool.to_owned(),
        query: String::new(),
        content,
        collected_at: Some(Timestamp::from_micros(1_773_325_085_000_000)),
        exhaustive: false,
        attested: true,
        step_id: String::new(),
        specialist_id: String::new(),
        verification_result: None,
    }
}

pub(crate) fn text(id: &str, tool: &str, content: &str) -> EvidenceItem {
    item(id, tool, Content::Text(content.to_owned()))
}

pub(crate) fn json(id: &str, tool: &str, content: &str) -> EvidenceItem {
    item(id, tool, Content::Json(content.to_owned()))
}

pub(crate) fn exhaustive(item: EvidenceItem) -> EvidenceItem {
    EvidenceItem { exhaustive: true, ..item }
}

pub(crate) fn judge(claim: &str, evidence: &[EvidenceItem]) -> JudgedClaim {
    let claim = Claim { id: ClaimId::new("c1").unwrap(), text: claim.to_owned(), span: None };
    Observations::read(evidence).judge(&[claim], || true).unwrap().remove(0)
}

pub(crate) fn class(claim: &str, evidence: &[EvidenceItem]) -> Class {
    judge(claim, evidence).class
}

pub(crate) fn expect(evidence: &[EvidenceItem], table: &[(&str, Class)]) {
    for (claim, expected) in table {
        let judged = judge(claim, evidence);
        assert_eq!(judged.class, *expected, "{claim}: {}", judged.note);
    }
}

const PODS: &str = r#"{
  "items": [
    {
      "metadata": {"name": "checkout-7b84d6c9d5-hx2kq", "namespace": "shop"},
      "spec": {"nodeName": "wk-02", "containers": [{"name": "checkout", "resources": {
        "limits": {"memory": "512Mi"}, "requests": {"memory": "256Mi"}}}]},
      "status": {"phase": "Running", "containerStatuses": [{
        "name": "checkout", "ready": false, "restartCount": 4,
        "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-03-12T14:17:20Z"}},
        "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}
    },
    {
      "metadata": {"name": "checkout-7b84d6c9d5-m9tvz", "namespace": "shop"},
      "spec": {"nodeName": "wk-04", "containers": [{"name": "checkout", "resources": {
        "limits": {"memory": "512Mi"}, "requests": {"memory": "256Mi"}}}]},
      "status": {"phase": "Running", "containerStatuses": [{
        "name": "checkout", "ready": true, "restartCount": 3,
        "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-03-12T14:15:02Z"}},
        "state": {"running": {"startedAt": "2026-03-12T14:15:43Z"}}}]}
    }
  ]
}"#;

fn pods() -> Vec<EvidenceItem> {
    vec![exhaustive(json("pods", "kubectl get pods -n shop -l app=checkout -o json", PODS))]
}

const TABLE: &str = "\
NAME                          READY   STATUS    RESTARTS   AGE
cart-5d8f7c9b64-aa2bb         1/1     Running   0          2d
payments-66f4b9d7c8-4tqzw     0/1     Running   0          8m17s
payments-66f4b9d7c8-b7xkd     0/1     Running   2          8m17s
";

fn table() -> Vec<EvidenceItem> {
    vec![exhaustive(text("pods", "kubectl get pods -n pay", TABLE))]
}

const DESCRIBE: &str = "\
Name:             warmup-29555400-t6xjv
Namespace:        catalog
Node:             wk-04/10.20.4.14
Status:           Succeeded
Containers:
  warmup:
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      Thu, 12 Mar 2026 14:00:03 +0000
      Finished:     Thu, 12 Mar 2026 14:07:52 +0000
    Restart Count:  0
    Limits:
      cpu:     5
      memory:  2Gi
Conditions:
  Type              Status
  Ready             False
  MemoryPressure    False
";

fn describe() -> Vec<EvidenceItem> {
    vec![text("warmup", "kubectl describe pod -n catalog warmup-29555400-t6xjv", DESCRIBE)]
}

const EVENTS: &str = "\
LAST SEEN   TYPE      REASON              OBJECT                          MESSAGE
38m         Normal    ScalingReplicaSet   Deployment/checkout             Scaled up replica set checkout-7b84d6c9d5 from 0 to 1
4m5s        Warning   BackOff             Pod/checkout-7b84d6c9d5-pw4ls   Back-off restarting failed container checkout
";

fn events() -> Vec<EvidenceItem> {
    vec![exhaustive(text("events", "kubectl events -n shop", EVENTS))]
}

const SERIES: &str = r#"{"status":"success","data":{"resultType":"matrix","result":[
{"metric":{"node":"wk-04"},"values":[[1773324000,"37.5"],[1773324060,"60.25"],[1773324120,"93.41"],[1773324180,"41.0"]]},
{"metric":{"node":"wk-05"},"values":[[1773324000,"29.1"],[1773324060,"29.4"],[1773324120,"30.2"],[1773324180,"29.0"]]}]}}"#;

fn series() -> Vec<EvidenceItem> {
    let tool = "query_range query=100 * (1 - avg by (node) (rate(node_cpu_seconds_total{mode=\"idle\"}[1m])))";
    vec![json("node-cpu", tool, SERIES)]
}

const LOG: &str = "\
2026-03-12T14:02:17Z level=error msg=\"out of memory: killed process 31877 (checkout)\"
2026-03-12T14:05:41Z level=error msg=\"out of memory: killed process 33209 (checkout)\"
2026-03-12T14:09:26Z level=error msg=\"out of memory: killed process 34207 (checkout)\"
2026-03-12T14:14:14Z level=info msg=stats heap_mib=402 rss_mib=446 inflight=63
";

fn log() -> Vec<EvidenceItem> {
    vec![exhaustive(text("kernel", "journalctl -k on all nodes", LOG))]
}

const DIFF: &str = "\
@@ -34,7 +34,7 @@ spec:
             limits:
-              memory: 1Gi
+              memory: 512Mi
";

fn change() -> Vec<EvidenceItem> {
    let diff = EvidenceItem {
        kind: EvidenceKind::Change,
        lane: Lane::Change,
        ..text("commit", "git show apps/checkout", DIFF)
    };
    vec![diff]
}

const REVISIONS: &str = "\
deployment.apps/checkout with revision #41
Pod Template:
  Containers:
   checkout:
    Limits:
      memory:\t1Gi
    Requests:
      memory:\t512Mi

deployment.apps/checkout with revision #42
Pod Template:
  Containers:
   checkout:
    Limits:
      memory:\t512Mi
    Requests:
      memory:\t512Mi
";

fn revisions() -> Vec<EvidenceItem> {
    let tool = "for r in 41 42; do kubectl rollout history deployment/checkout --revision=$r; done";
    vec![EvidenceItem {
        kind: EvidenceKind::Change,
        lane: Lane::Change,
        ..text("rollout", tool, REVISIONS)
    }]
}

#[test]
fn a_figure_is_compared_under_its_key() {
    expect(
        &pods(),
        &[
            ("Pod checkout-7b84d6c9d5-hx2kq restarted 4 times", Grounded),
            ("Pod checkout-7b84d6c9d5-hx2kq has 4 restarts", Grounded),
            ("Pod checkout-7b84d6c9d5-hx2kq has 7 restarts", Contradicted),
            ("The memory limit of checkout-7b84d6c9d5-hx2kq is 512 MiB", Grounded),
            ("The memory limit of checkout-7b84d6c9d5-hx2kq is 1 GiB", Contradicted),
            ("The memory limit of checkout-7b84d6c9d5-hx2kq is 256 MiB", Contradicted),
            ("The CPU limit of checkout-7b84d6c9d5-hx2kq is 2 cores", Ungrounded),
        ],
    );
}

#[test]
fn a_state_is_compared_with_what_excludes_it() {
    expect(
        &pods(),
        &[
            ("Pod checkout-7b84d6c9d5-hx2kq is in CrashLoopBackOff", Grounded),
            ("Pod checkout-7b84d6c9d5-hx2kq is not ready", Grounded),
            ("Pod checkout-7b84d6c9d5-hx2kq is ready", Contradicted),
            ("Pod checkout-7b84d6c9d5-m9tvz is ready", Grounded),
            ("Pod checkout-7b84d6c9d5-m9tvz was OOMKilled with exit code 137", Grounded),
        ],
    );
    expect(&table(), &[("Pod payments-66f4b9d7c8-4tqzw is in CrashLoopBackOff", Contradicted)]);
    expect(&describe(), &[("Pod warmup-29555400-t6xjv completed with exit code 0", Grounded)]);
}

#[test]
fn things_are_counted_where_they_stand_side_by_side() {
    expect(
        &pods(),
        &[
            ("All checkout pods were OOMKilled", Grounded),
            ("Both checkout pods were OOMKilled with exit code 137", Grounded),
            ("All three checkout pods were OOMKilled", Ungrounded),
            ("All checkout pods are ready", Contradicted),
        ],
    );
    expect(
        &table(),
        &[
            ("Two payments pods are not ready", Grounded),
            ("Three payments pods are not ready", Contradicted),
            ("All payments pods are Running", Grounded),
        ],
    );
}

#[test]
fn events_are_counted_by_lines_in_a_window() {
    expect(
        &log(),
        &[
            ("The kernel recorded 3 kills of checkout", Grounded),
            ("Between 14:02:00 and 14:06:00 UTC the kernel recorded 2 kills of checkout", Grounded),
            ("The kernel recorded 5 kills of checkout", Ungrounded),
        ],
    );
    let named =
        vec![exhaustive(text("kernel", "journalctl -k", &format!("{LOG}pod=checkout started\n")))];
    assert_ne!(class("The kernel recorded 5 kills of process checkout", &named), Grounded);
}

#[test]
fn series_know_peaks_windows_and_bounds() {
    expect(
        &series(),
        &[
            ("The CPU of node wk-04 peaked at 93.4 % at 14:02 UTC", Grounded),
            ("The CPU of node wk-04 peaked at 75 %", Contradicted),
            ("The CPU of node wk-05 peaked at 93.4 %", Contradicted),
            ("The CPU of node wk-05 stayed below 40 %", Grounded),
            ("The CPU of node wk-04 stayed below 40 %", Contradicted),
            ("At 14:01 UTC the CPU of node wk-04 was 60 %", Grounded),
            ("At 14:01 UTC the CPU of node wk-04 was 20 %", Contradicted),
            ("The CPU of node wk-05 lay between 29 and 30 %", Grounded),
            ("The CPU of node wk-09 peaked at 93.4 %", Ungrounded),
        ],
    );
}

#[test]
fn changes_have_a_direction_and_two_values() {
    for evidence in [change(), revisions()] {
        expect(
            &evidence,
            &[
                ("The memory limit was lowered from 1Gi to 512Mi", Grounded),
                ("The memory limit was raised from 512Mi to 1Gi", Contradicted),
                ("The memory limit was raised to 1 GiB", Contradicted),
                ("The memory limit was lowered to 256Mi", Contradicted),
                ("The cpu limit was lowered to 256m", Ungrounded),
            ],
        );
    }
    expect(
        &revisions(),
        &[
            ("Revision 42 sets a memory limit of 512Mi", Grounded),
            ("Revision 42 sets a memory limit of 1Gi", Contradicted),
            ("Revision 41 had a memory limit of 1Gi", Grounded),
        ],
    );
}

#[test]
fn names_joined_by_to_have_an_order() {
    let evidence = [text(
        "changelog",
        "cat CHANGELOG.md",
        "config: rename DB_HOST to PAYMENTS_DB_HOST, default localhost\n",
    )];
    expect(
        &evidence,
        &[
            ("DB_HOST was renamed to PAYMENTS_DB_HOST", Grounded),
            ("PAYMENTS_DB_HOST was renamed to DB_HOST", Contradicted),
        ],
    );
}

#[test]
fn a_quotation_has_to_be_there() {
    expect(
        &events(),
        &[
            (
                "Events say \"Back-off restarting failed container\" for checkout-7b84d6c9d5-pw4ls",
                Grounded,
            ),
            (
                "Events say \"Back-off pulling failed image\" for checkout-7b84d6c9d5-pw4ls",
                Ungrounded,
            ),
        ],
    );
}

#[test]
fn conditions_are_read_with_their_status() {
    expect(
        &describe(),
        &[
            ("Pod warmup-29555400-t6xjv reports no memory pressure", Grounded),
            ("Pod warmup-29555400-t6xjv reports memory pressure", Contradicted),
        ],
    );
}

#[test]
fn given_claims_that_join_statements_are_as_good_as_the_worst() {
    let evidence = pods();
    let claim = "Pod checkout-7b84d6c9d5-hx2kq has 4 restarts, and pod checkout-7b84d6c9d5-m9tvz has 9 restarts";
    assert_eq!(class(claim, &evidence), Contradicted);
    let claim =
        "Pod checkout-7b84d6c9d5-hx2kq has 4 restarts, and its owner was warned at 13:00 UTC";
    assert_eq!(class(claim, &evidence), Ungrounded);
}

#[test]
fn citations_quote_what_decided() {
    let evidence = pods();
    let judged = judge("Pod checkout-7b84d6c9d5-hx2kq has 4 restarts", &evidence);
    let first = &judged.citations[0];
    assert_eq!(first.quote, "\"restartCount\": 4");
    let Target::Evidence { field_path, .. } = &first.target else { panic!("an item is cited") };
    assert_eq!(field_path, "/items/0/status/containerStatuses/0/restartCount");
    let document: serde_json::Value = serde_json::from_str(PODS).unwrap();
    for citation in &judged.citations {
        let Target::Evidence { field_path, .. } = &citation.target else {
            panic!("an item is cited")
        };
        assert!(document.pointer(field_path).is_some(), "{field_path}");
        assert_eq!(PODS.get(citation.bytes.clone().unwrap()), Some(citation.quote.as_str()));
    }
    assert!(
        judged
            .citations
            .iter()
            .any(|citation| citation.quote.contains("checkout-7b84d6c9d5-hx2kq"))
    );
}

#[test]
fn the_type_follows_the_cited_item() {
    let claim = "Pod checkout-7b84d6c9d5-hx2kq has 4 restarts";
    for (kind, expected) in [
        (EvidenceKind::ToolOutput, EvidenceType::ToolMatch),
        (EvidenceKind::Change, EvidenceType::ToolMatch),
        (EvidenceKind::StepOutput, EvidenceType::SpecificData),
        (EvidenceKind::Signal, EvidenceType::SignalMatch),
        (EvidenceKind::PriorClaim, EvidenceType::Synthesis),
    ] {
        let evidence: Vec<_> =
            pods().into_iter().map(|item| EvidenceItem { kind, ..item }).collect();
        assert_eq!(judge(claim, &evidence).evidence_type, expected);
    }
    assert_eq!(
        judge("The kernel recorded 3 kills of checkout", &log()).evidence_type,
        EvidenceType::Synthesis
    );
}

#[test]
fn what_a_model_inferred_counts_neither_way() {
    let inferred: Vec<_> =
        pods().into_iter().map(|item| EvidenceItem { lane: Lane::LlmInferred, ..item }).collect();
    expect(
        &inferred,
        &[
            ("Pod checkout-7b84d6c9d5-hx2kq has 4 restarts", Ungrounded),
            ("Pod checkout-7b84d6c9d5-hx2kq has 9 restarts", Ungrounded),
        ],
    );
}

#[test]
fn notes_say_what_decided() {
    assert_eq!(
        judge("The memory limit of checkout-7b84d6c9d5-hx2kq is 1 GiB", &pods()).note,
        "limits memory is 512Mi in pods, not 1 GiB"
    );
    assert_eq!(
        judge("A nightly batch job took the memory", &pods()).note,
        "nothing in 1 item mentions nightly, batch, job, took"
    );
}

#[test]
fn h08_an_absence_needs_an_item_that_would_have_shown_it() {
    let claim = "The events of namespace shop contain no eviction";
    assert_eq!(class(claim, &events()), Grounded);
    assert_eq!(judge(claim, &events()).evidence_type, EvidenceType::NegEvidence);
    let partial: Vec<_> =
        events().into_iter().map(|item| EvidenceItem { exhaustive: false, ..item }).collect();
    assert_eq!(class(claim, &partial), Ungrounded);
    assert_eq!(class("No network partition occurred", &events()), Ungrounded);
    assert_eq!(
        class("The events contain no BackOff for checkout-7b84d6c9d5-pw4ls", &events()),
        Contradicted
    );
    let search = EvidenceItem {
        query: "{app=\"checkout\"} |= \"deadlock\"".to_owned(),
        ..json("logs", "loki", r#"{"data":{"result":[]}}"#)
    };
    assert_eq!(
        class("The logs of checkout have no deadlock", std::slice::from_ref(&search)),
        Grounded
    );
    assert_eq!(
        class("The logs of checkout have no panic", std::slice::from_ref(&search)),
        Ungrounded
    );
}

#[test]
fn h20_zero_ready_is_not_ready() {
    expect(
        &table(),
        &[
            ("Pod payments-66f4b9d7c8-4tqzw is ready", Contradicted),
            ("Pod payments-66f4b9d7c8-4tqzw is not ready", Grounded),
            ("Pod cart-5d8f7c9b64-aa2bb is ready", Grounded),
            ("Pod cart-5d8f7c9b64-aa2bb has been restarted", Contradicted),
            ("Pod payments-66f4b9d7c8-b7xkd has been restarted", Grounded),
        ],
    );
}

#[test]
fn h21_units_are_converted_before_comparing() {
    let evidence =
        [text("log", "kubectl logs checkout-1", "msg=\"request served\" route=/pay took=1800ms\n")];
    expect(
        &evidence,
        &[
            ("The request on route /pay took 1.8 s", Grounded),
            ("The request on route /pay took 3 s", Contradicted),
        ],
    );
}

#[test]
fn h22_times_of_day_are_compared_on_the_day_of_the_incident() {
    expect(
        &describe(),
        &[
            ("Pod warmup-29555400-t6xjv finished at 14:07:52 UTC", Grounded),
            ("Pod warmup-29555400-t6xjv finished at 14:31 UTC", Contradicted),
        ],
    );
    let undated = vec![EvidenceItem { collected_at: None, ..describe().remove(0) }];
    assert_eq!(class("Pod warmup-29555400-t6xjv finished at 14:31 UTC", &undated), Ungrounded);
}

#[test]
fn h23_names_match_as_wholes() {
    let evidence = [json(
        "pods",
        "kubectl get pods -o json",
        r#"{"items":[{"metadata":{"name":"checkout-db-0"},"status":{"restartCount":4}},
            {"metadata":{"name":"cart-0"},"status":{"restartCount":1}}]}"#,
    )];
    expect(
        &evidence,
        &[
            ("The checkout-db pod has 4 restarts", Grounded),
            ("The checkout pod has 4 restarts", Ungrounded),
            ("The checkout service has 9 restarts", Ungrounded),
            ("Pod cart-0 has 4 restarts", Contradicted),
        ],
    );
}

#[test]
fn h24_hedges_and_denials_are_part_of_a_claim() {
    expect(
        &pods(),
        &[
            ("Pod checkout-7b84d6c9d5-hx2kq probably has 9 restarts", Ungrounded),
            ("Pod checkout-7b84d6c9d5-hx2kq has likely been throttled", Ungrounded),
        ],
    );
    let evidence = [text("log", "kubectl logs api-1", "config: PAYMENTS_DB_HOST is not set\n")];
    expect(
        &evidence,
        &[
            ("PAYMENTS_DB_HOST is not set in the config", Grounded),
            ("PAYMENTS_DB_HOST is set in the config", Contradicted),
        ],
    );
}

#[test]
fn h25_a_causal_link_is_not_shown_by_its_ends() {
    let evidence: Vec<_> = pods().into_iter().chain(change()).collect();
    let claim = "Pod checkout-7b84d6c9d5-hx2kq has 4 restarts because the memory limit was lowered to 512Mi";
    let judged = judge(claim, &evidence);
    assert_eq!((judged.class, judged.evidence_type), (Ungrounded, EvidenceType::Inference));
    let claim =
        "Pod checkout-7b84d6c9d5-hx2kq has 4 restarts because the memory limit was raised to 2Gi";
    assert_eq!(class(claim, &evidence), Contradicted);
}

#[test]
fn h26_the_worst_item_decides_and_all_stand_in_the_note() {
    let agreeing = pods();
    let differing = text(
        "describe",
        "kubectl describe pod checkout-7b84d6c9d5-hx2kq",
        "Name:  checkout-7b84d6c9d5-hx2kq\nReady:  True\n",
    );
    let evidence: Vec<_> = agreeing.into_iter().chain([differing]).collect();
    assert_ne!(class("Pod checkout-7b84d6c9d5-hx2kq is ready", &evidence), Grounded);
}

#[test]
fn h28_what_was_not_read_is_told() {
    let evidence = [text("big", "cat", &"- ".repeat(8_600_000))];
    let observations = Observations::read(&evidence);
    let gaps = observations.gaps();
    assert!(gaps[0].starts_with("big: read the first 16777216 of 17200000 bytes"), "{gaps:?}");
}

#[test]
fn h35_other_languages_are_not_decided() {
    for claim in [
        "Der Pod checkout-7b84d6c9d5-hx2kq hat 4 Neustarts",
        "checkout-7b84d6c9d5-hx2kq 重启了 4 次",
        "…",
        "🔥🔥",
    ] {
        let judged = judge(claim, &pods());
        assert_eq!(judged.class, Ungrounded, "{claim}: {}", judged.note);
    }
}

#[test]
fn h37_names_that_look_like_figures_are_not_compared() {
    let evidence = [json(
        "svc",
        "kubectl get svc -o json",
        r#"{"items":[{"metadata":{"name":"cart","uid":"5997ad9b-1d2a"},"spec":{"port":8080,"version":"5.18.2","revision":41}}]}"#,
    )];
    for claim in [
        "Service cart listens on port 9090",
        "Service cart was changed in 2024",
        "Service cart is at revision 42",
        "Service cart has incident id 40817",
    ] {
        assert_eq!(class(claim, &evidence), Ungrounded, "{claim}");
    }
}

#[test]
fn h38_two_things_at_one_time_are_no_cause() {
    let evidence = [text(
        "log",
        "journalctl",
        "2026-03-12T14:00:03Z warmup started\n2026-03-12T14:00:03Z checkout killed\n",
    )];
    assert_eq!(class("The warmup caused the kill of checkout at 14:00:03", &evidence), Ungrounded);
    let stated = [text(
        "log",
        "journalctl",
        "2026-03-12T14:00:03Z checkout killed, caused by memory limit\n",
    )];
    assert_eq!(
        class("The kill of checkout at 14:00:03 was caused by the memory limit", &stated),
        Grounded
    );
}

#[test]
fn h15_a_deed_needs_more_than_the_outcome() {
    let evidence = [text(
        "log",
        "kubectl logs checkout-1",
        "checkout deployment answered 200 again at 14:30:00\n",
    )];
    assert_ne!(class("The checkout deployment was rolled back at 14:30:00", &evidence), Grounded);
}

#[test]
fn it_stops_between_claims() {
    let claims = split("The pod failed. The pod restarted.");
    let evidence = pods();
    let asked = std::cell::Cell::new(0);
    let go_on = || asked.replace(asked.get() + 1) < 1;
    let stopped = Observations::read(&evidence).judge(&claims, go_on).unwrap_err();
    assert_eq!(stopped, Interrupted { judged: 1, claims: 2 });
}

#[test]
fn nothing_asked_is_nothing_answered() {
    assert!(split("").is_empty());
    assert!(Observations::read(&[]).judge(&[], || true).unwrap().is_empty());
}

fn any_content() -> impl Strategy<Value = Content> {
    let words = "(\\PC{0,12}|[ \n\t:=\"|+-]|NAME   READY|Key: value|@@ -1 +1 @@|14:02:17Z|512Mi|restarts|checkout-0){0,40}";
    prop_oneof![
        words.prop_map(Content::Text),
        any_json().prop_map(|value| Content::Json(value.to_string())),
        "[\\[\\]{}\",:0-9a-z\\\\ ]{0,80}".prop_map(Content::Json),
    ]
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        "\\PC{0,10}|a\\\\nb|OOMKilled|14:02".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::hash_map(
                "[a-z/~]{1,6}|name|values|value|type|status|metadata",
                inner,
                0..6
            )
            .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_question_is_too_strange(
        report in "(\\PC{0,10}|[ ,.;\n]|because|all three pods|peaked at 93 %|from 1Gi to 512Mi|not ready|no errors|14:02){0,30}",
        contents in proptest::collection::vec(any_content(), 0..4),
    ) {
        let evidence: Vec<EvidenceItem> = contents
            .into_iter()
            .enumerate()
            .map(|(number, content)| exhaustive(item(&format!("e{number}"), "kubectl get pods", content)))
            .collect();
        let claims = split(&report);
        let all = Observations::read(&evidence).judge(&claims, || true).unwrap();
        prop_assert_eq!(claims.len(), all.len());
        for judged in &all {
            prop_assert!(judged.class == Ungrounded || !judged.citations.is_empty());
            for citation in &judged.citations {
                let Target::Evidence { id, .. } = &citation.target else { panic!("an item is cited") };
                let cited = evidence.iter().find(|item| item.id == *id).unwrap();
                if let Some(bytes) = citation.bytes.clone() {
                    prop_assert_eq!(cited.content.as_str().get(bytes), Some(citation.quote.as_str()));
                }
            }
        }
    }

    #[test]
    fn a_claim_of_strange_words_is_never_grounded(claim in "[α-ωа-яऀ-ॿ一-龠 0-9]{1,40}") {
        prop_assert_eq!(class(&claim, &pods()), Ungrounded);
    }

    #[test]
    fn the_order_of_items_changes_nothing(swap in any::<bool>()) {
        let mut evidence: Vec<_> = pods().into_iter().chain(table()).chain(series()).enumerate().map(|(number, item)| {
            EvidenceItem { id: EvidenceId::new(format!("e{number}")).unwrap(), ..item }
        }).collect();
        if swap {
            evidence.reverse();
        }
        for (claim, expected) in [
            ("Pod checkout-7b84d6c9d5-hx2kq has 4 restarts", Grounded),
            ("Pod payments-66f4b9d7c8-4tqzw is ready", Contradicted),
            ("The CPU of node wk-04 peaked at 75 %", Contradicted),
        ] {
            prop_assert_eq!(class(claim, &evidence), expected);
        }
    }
}

/// Prints how long a question takes; run it in release with `--ignored --nocapture`.
#[test]
#[ignore = "prints a measurement"]
fn measure() {
    let claims = [
        "Pod checkout-7b84d6c9d5-hx2kq has 4 restarts",
        "The memory limit of checkout-7b84d6c9d5-hx2kq is 1 GiB",
        "All checkout pods were OOMKilled with exit code 137",
        "The CPU of node wk-04 peaked at 93.4 % at 14:02 UTC",
        "The events of namespace shop contain no eviction",
        "A nightly batch job took the memory of the node",
        "The memory limit was lowered from 1Gi to 512Mi",
        "Replica set checkout-7b84d6c9d5 was scaled up from 0 to 1",
        "Pod warmup-29555400-t6xjv finished at 14:07:52 UTC",
        "Pod checkout-7b84d6c9d5-m9tvz is ready",
    ];
    let base: Vec<EvidenceItem> = [pods(), describe(), events(), series(), change()].concat();
    for (name, repeat) in [("small", 1_usize), ("large", 250)] {
        let log = "2026-03-12T14:14:14.012577662Z level=info msg=\"stats\" carts=41230 heap_mib=402 pod=cart-5d8f7c9b64-aa2bb inflight=63\n";
        let evidence: Vec<EvidenceItem> = if repeat == 1 {
            base.clone()
        } else {
            base.iter()
                .cloned()
                .chain([text("log", "kubectl logs cart", &log.repeat(9_000))])
                .collect()
        };
        let asked: Vec<Claim> = claims
            .iter()
            .cycle()
            .take(20)
            .enumerate()
            .map(|(number, claim)| Claim {
                id: ClaimId::new(format!("c{number}")).unwrap(),
                text: (*claim).to_owned(),
                span: None,
            })
            .collect();
        let bytes: usize = evidence.iter().map(|item| item.content.as_str().len()).sum();
        let runs = if repeat == 1 { 2_000 } else { 20 };
        let mut times: Vec<_> = (0..runs)
            .map(|_| {
                let start = std::time::Instant::now();
                let judged = Observations::read(&evidence).judge(&asked, || true).unwrap();
                assert_eq!(judged.len(), 20);
                start.elapsed()
            })
            .collect();
        times.sort();
        let read = std::time::Instant::now();
        let corpus = crate::evidence::observations::Corpus::read(&evidence);
        println!(
            "{name}: {bytes} bytes, 20 claims: median {:?}; reading alone {:?} ({} fields)",
            times[runs / 2],
            read.elapsed(),
            corpus.fields.len()
        );
    }
}

#[test]
fn a_short_claim_is_held_only_against_things_of_its_kind() {
    let sessions = text(
        "pgstat",
        "psql -c 'select datname, state, count(*) from pg_stat_activity'",
        "datname      | state               | count\nreservations | idle in transaction |   120\n",
    );
    let events = text(
        "events",
        "kubectl get events -n media",
        "LAST SEEN  TYPE    REASON             OBJECT  MESSAGE\n\
         4m         Normal  SuccessfulRescale  hpa/gw  New size: 4; used selector app=gw\n",
    );
    expect(
        &[sessions, events],
        &[
            ("Both replicas are available.", Class::Ungrounded),
            ("The pod does not use a node selector.", Class::Ungrounded),
        ],
    );
}
