//! Claims about values of one thing, true and false, over invented evidence.

use Class::{Contradicted, Grounded, Ungrounded};
use gsar_core::Class;
use gsar_core::evidence::EvidenceItem;

use crate::tests::{expect, json, text};

const TOPIC: &str = "\
describe_topic {\"cluster\": \"main\", \"topic\": \"billing\"}
configuration:
  cleanup.policy: ConfigEntry
    name: cleanup.policy
    value: delete
  retention.ms: ConfigEntry
    is_default: true
    name: retention.ms
    synonyms: {}
    value: '259200000'
  max.message.bytes: ConfigEntry
    name: max.message.bytes
    value: '1048588'
metadata:
  partitions: 1
  topic: billing
";

fn topic() -> Vec<EvidenceItem> {
    vec![text("topic", "describe_topic billing", TOPIC)]
}

#[test]
fn a_setting_is_read_in_the_unit_of_its_name() {
    expect(
        &topic(),
        &[
            ("Messages in billing are kept for three days", Grounded),
            ("The topic billing keeps messages for 72 hours", Grounded),
            ("Messages in billing are kept for three hours", Contradicted),
            ("Messages in billing are kept for nine days", Contradicted),
            ("Messages in refunds are kept for three days", Ungrounded),
        ],
    );
}

const POD: &str = "\
Name:             mailer-6d4cf56db6-9kzqp
Namespace:        post
Node:             wk-07/10.20.4.14
Status:           Running
Containers:
  mailer:
    Image:          registry.local/mailer:2.3.1
    Args:
      -c
      echo start

      exec mailer
    Last State:     Terminated
      Reason:       Completed
      Exit Code:    3
    Ready:          True
    Restart Count:  12
    Limits:
      cpu:     250m
      memory:  64Mi
    Requests:
      cpu:     100m
      memory:  32Mi
    Liveness:   http-get http://:80/live delay=120s timeout=1s period=10s
    Readiness:  http-get http://:80/ready delay=45s timeout=2s period=5s
QoS Class:       Burstable
Node-Selectors:  disk=ssd
Priority:        0
";

fn pod() -> Vec<EvidenceItem> {
    vec![text("mailer", "kubectl describe pod -n post mailer-6d4cf56db6-9kzqp", POD)]
}

#[test]
fn limits_and_requests_are_said_in_many_ways() {
    expect(
        &pod(),
        &[
            ("The container may use up to a quarter of a core", Grounded),
            ("The container may use about 67 MB of memory", Grounded),
            ("The mailer container is limited to 64Mi", Grounded),
            ("The pod requests 0.1 CPU cores", Grounded),
            ("The pod requests 100 CPU cores", Contradicted),
            ("The container may use up to 250 cores", Contradicted),
            ("The container is limited to 64 GiB of memory", Contradicted),
            ("The container is limited to 32Mi of memory", Contradicted),
            ("The container runs without a memory limit", Contradicted),
            ("The pod does not use a node selector", Contradicted),
        ],
    );
}

#[test]
fn the_delay_of_one_probe_is_not_that_of_another() {
    expect(
        &pod(),
        &[
            ("The liveness probe has a delay of two minutes", Grounded),
            ("The readiness probe has a delay of 45 seconds", Grounded),
            ("The readiness probe has a delay of 120 seconds", Contradicted),
            ("The liveness probe has a delay of two hours", Contradicted),
        ],
    );
}

#[test]
fn a_container_ended_and_restarted_as_stated() {
    expect(
        &pod(),
        &[
            ("The container's last run ended with exit code 3", Grounded),
            ("The container's last run ended with exit code 137", Contradicted),
            ("Its last exit code was not 3", Contradicted),
            ("The last termination reason of the container was OOMKilled", Contradicted),
            ("The container of pod 9kzqp has been restarted 12 times", Grounded),
            ("The restart count of pod 9kzqp stands at 21", Contradicted),
            ("Pod 9kzqp is classed as Guaranteed", Contradicted),
            ("Pod 9kzqp runs the image busybox", Contradicted),
            ("Pod 9kzqp was placed on node wk-07", Grounded),
        ],
    );
}

#[test]
fn the_same_number_in_another_unit_refutes() {
    let log = text(
        "log",
        "kubectl logs api",
        "10:00:01 INFO PATCH /login - Status: 200 - Response time: 2003ms\n\
         10:00:02 INFO 38 checkpoints completed, 8 seconds apart\n\
         10:00:03 INFO Successfully pulled image mailer in 2.901s\n",
    );
    expect(
        &[log],
        &[
            ("One login request took about two seconds", Grounded),
            ("One login request took 2003 seconds", Contradicted),
            ("Checkpoints are eight minutes apart", Contradicted),
            ("Pulling the image took 2.9 minutes", Contradicted),
            ("Sending the report took 2.9 minutes", Ungrounded),
        ],
    );
}

#[test]
fn states_and_types_exclude_each_other() {
    let group = json(
        "group",
        "describe_group invoices",
        r#"{"group":"invoices","name":"invoices","state":"STABLE"}"#,
    );
    let metrics = text(
        "metrics",
        "list_metrics",
        "queue_depth_items | Items that wait. | gauge\nrequests_seen_total | Requests seen. | counter\n",
    );
    let services = text(
        "services",
        "kubectl get svc",
        "NAME      TYPE           CLUSTER-IP    PORT(S)\nstore     LoadBalancer   10.5.24.226   80:31171/TCP\nbackend   ClusterIP      10.5.24.227   80/TCP\n",
    );
    expect(
        &[group, metrics, services],
        &[
            ("The consumer group invoices is stable", Grounded),
            ("The group invoices is rebalancing", Contradicted),
            ("queue_depth_items is a gauge", Grounded),
            ("queue_depth_items is a counter", Contradicted),
            ("The service store is of type ClusterIP", Contradicted),
            ("The service store is of type LoadBalancer", Grounded),
        ],
    );
}

#[test]
fn a_line_denies_that_something_exists_or_is_set() {
    let evidence = [
        text(
            "sync",
            "argocd app get shop",
            "Message: failed to apply, reason: namespaces \"shop-eu\" not found\n",
        ),
        text("log", "kubectl logs worker", "Environment variable REGION is undefined\n"),
        text(
            "auth",
            "kubectl get secrets -A",
            "Error: secrets is forbidden: User \"bot\" cannot list resource \"secrets\"\n",
        ),
    ];
    expect(
        &evidence,
        &[
            ("The namespace shop-eu exists", Contradicted),
            ("The namespace shop-eu does not exist", Grounded),
            ("The namespace shop-us exists", Ungrounded),
            ("REGION is set in the container", Contradicted),
            ("REGION is not undefined in the container", Ungrounded),
            ("The secrets could be listed", Contradicted),
            ("The pods could be listed", Ungrounded),
        ],
    );
}

#[test]
fn rows_without_header_and_documents_of_a_stream_have_subjects() {
    let rows = text(
        "rows",
        "kubectl get pods -A | grep mail",
        "post   mailer-6d4cf56db6-9kzqp   0/1   CrashLoopBackOff   7 (32s ago)   11m   10.0.0.7\n\
         post   parser-5d8f7c9b64-aa2bb   1/1   Running   0   5d   10.0.0.8\n",
    );
    let manifests = text(
        "manifests",
        "app manifests",
        "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: ledger\n  namespace: shop\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ledger-api\n  namespace: shop-eu\nspec:\n  livenessProbe:\n    initialDelaySeconds: 15\n",
    );
    expect(
        &[rows, manifests],
        &[
            ("mailer has been restarted seven times in eleven minutes", Grounded),
            ("The pod of mailer is 11 hours old", Contradicted),
            ("The pod parser-5d8f7c9b64-aa2bb is Running with no restarts", Grounded),
            ("The pod mailer-6d4cf56db6-9kzqp is Running with no restarts", Contradicted),
            ("ledger-api's liveness probe has an initial delay of 30 seconds", Contradicted),
            ("ledger-api's liveness probe has an initial delay of 15 seconds", Grounded),
        ],
    );
}

#[test]
fn what_is_guessed_summed_or_moved_is_left_alone() {
    expect(
        &pod(),
        &[
            ("The container probably may use 2 cores", Ungrounded),
            ("The containers use 99Mi of memory between them", Ungrounded),
            ("Memory use rose from 12Mi to 40Mi", Ungrounded),
            ("The restart back-off was reported 280 times within an hour", Ungrounded),
        ],
    );
}

#[test]
fn edges_of_a_graph_relate_two_names() {
    let graph = text(
        "graph",
        "knowledge_graph",
        "### Edges\n- rack1 --(hosts)--> orders1\n- rack2 --(hosts)--> cachedb\n- orders1 --(instance_of)--> orders\n\
         - orders --(data_flow)--> cachedb\n- billing1 --(hosted_on)--> rack2\n",
    );
    expect(
        &[graph],
        &[
            ("orders1 is hosted on rack1", Grounded),
            ("orders1 is not hosted on rack1", Contradicted),
            ("rack2 hosts orders1", Contradicted),
            ("cachedb runs on rack1", Contradicted),
            ("billing1 and cachedb both run on rack2", Grounded),
            ("billing1 shares its host with orders1", Contradicted),
            ("According to the graph orders depends on cachedb by data flow", Grounded),
            ("cachedb depends on orders", Contradicted),
            ("orders1 is hosted on rack1 and failing", Ungrounded),
        ],
    );
}

#[test]
fn replicas_are_compared_with_those_wanted() {
    let described = text(
        "api",
        "kubectl describe deployment api -n shop",
        "Name:      api\nNamespace: shop\nReplicas:  2 desired | 2 updated | 2 total | 2 available | 0 unavailable\n\
         Conditions:\n  Type         Status  Reason\n  Available    True    MinimumReplicasAvailable\n",
    );
    let listed = json(
        "list",
        "list_deployments",
        r#"{"deployments":[{"name":"cart","desired":4,"ready":2,"available":2,"unavailable":2}]}"#,
    );
    expect(
        &[described, listed],
        &[
            ("Both replicas of api are available", Grounded),
            ("The deployment api has no available replica", Contradicted),
            ("The deployment api has its minimum of replicas available", Grounded),
            ("The deployment api does not have its minimum of replicas available", Contradicted),
            ("All replicas of cart are available", Contradicted),
            ("Half of the replicas of cart are unavailable", Grounded),
            ("All replicas of billing are available", Ungrounded),
        ],
    );
}

#[test]
fn a_statistic_of_a_series_is_no_attribute_of_something_else() {
    let lag = "ReplicaLag [orders-1] unit=Seconds n=20 first=0.8@15:00 last=0.9@15:19 \
               min=0.8@15:00 max=2.1@15:09\n";
    expect(
        &[text("lag", "aws cloudwatch get-metric-statistics", lag)],
        &[
            ("The alert lasted 37 minutes.", Class::Ungrounded),
            ("The connection queue was full at its maximum of 256.", Class::Ungrounded),
        ],
    );
}
