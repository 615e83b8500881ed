//! Claims about lists: how many, all, none, only, most, together, more than another, how often.

use super::*;

/// Judges every claim of a table and tells all that come out otherwise.
fn check(evidence: &[EvidenceItem], table: &[(&str, Class)]) {
    let wrong: Vec<String> = table
        .iter()
        .map(|(claim, expected)| (judge(claim, evidence), expected))
        .filter(|(judged, expected)| judged.class != **expected)
        .map(|(judged, _)| format!("{}: {:?}, {}", judged.claim.text, judged.class, judged.note))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const PODS: &str = "\
$ kubectl get pods -n billing
NAME                          READY   STATUS             RESTARTS        AGE
invoicer-7d4b9c8f6-2lqxn      1/1     Running            0               5d
invoicer-7d4b9c8f6-8wz4k      0/1     CrashLoopBackOff   41 (2m ago)     3h
invoicer-7d4b9c8f6-tt5hm      0/1     CrashLoopBackOff   39 (1m ago)     3h
ledger-0                      1/1     Running            2 (4d ago)      9d
ledger-1                      1/1     Running            0               9d
mailer-5f6d7c8b9d-q4x7z       0/1     ImagePullBackOff   0               20m
";

fn pods() -> Vec<EvidenceItem> {
    vec![text("pods", "run_command", PODS)]
}

#[test]
fn rows_are_counted() {
    check(
        &pods(),
        &[
            ("Two pods are in CrashLoopBackOff", Grounded),
            ("Three pods are in CrashLoopBackOff", Contradicted),
            ("Exactly one pod of namespace billing is in ImagePullBackOff", Grounded),
            ("Four pods of namespace billing are in ImagePullBackOff", Contradicted),
            ("Three of the six pods are Running", Grounded),
            ("Three of the seven pods are Running", Contradicted),
            ("Four of the six pods are Running", Contradicted),
            ("Half of the pods are Running", Grounded),
            ("Most of the pods are in CrashLoopBackOff", Contradicted),
            ("Two thirds of the pods are Running", Contradicted),
            ("The namespace billing has six pods", Grounded),
            ("The namespace billing has nine pods", Contradicted),
            ("Three pods of billing have restarted", Grounded),
            ("Five pods of billing have restarted", Contradicted),
            ("Two pods of storefront are in CrashLoopBackOff", Ungrounded),
            ("Two nodes are in CrashLoopBackOff", Ungrounded),
            ("Two pods may be in CrashLoopBackOff", Grounded),
            ("Three pods may be in CrashLoopBackOff", Ungrounded),
            ("Two pods are in CrashLoopBackOff because of a full disk", Ungrounded),
        ],
    );
}

#[test]
fn quantifiers_are_checked_row_by_row() {
    check(
        &pods(),
        &[
            ("All pods are Running", Contradicted),
            ("All ledger pods are Running", Grounded),
            ("All invoicer pods are in CrashLoopBackOff", Contradicted),
            ("All pods are either Running or in CrashLoopBackOff", Contradicted),
            ("Both ledger pods are Running", Grounded),
            ("Both invoicer pods are Running", Contradicted),
            ("No pod is in CrashLoopBackOff", Contradicted),
            ("No pod of billing has restarted", Contradicted),
            ("Only mailer-5f6d7c8b9d-q4x7z is in ImagePullBackOff", Grounded),
            ("Only ledger-0 is Running", Contradicted),
            ("ledger-1 is the only pod in CrashLoopBackOff", Contradicted),
            ("All pods of storefront are Running", Ungrounded),
        ],
    );
}

#[test]
fn ranks_and_sums_are_computed() {
    const TOP: &str = "\
NAMESPACE   NAME                      CPU(cores)   MEMORY(bytes)
billing     invoicer-7d4b9c8f6-2lqxn  120m         310Mi
billing     ledger-0                  480m         900Mi
billing     ledger-1                  95m          940Mi
search      indexer-0                 700m         2100Mi
";
    let evidence = vec![text("top", "kubectl top pods -A", TOP)];
    check(
        &evidence,
        &[
            ("indexer-0 uses the most memory", Grounded),
            ("ledger-1 uses the most memory", Contradicted),
            ("In namespace billing, ledger-1 uses the most memory", Grounded),
            ("In namespace billing, ledger-0 uses the most memory", Contradicted),
            ("ledger-0 uses more memory than ledger-1", Contradicted),
            ("ledger-0 uses more CPU than ledger-1", Grounded),
            ("ledger-0 uses less memory than ledger-1", Grounded),
            ("ledger-1 has the lowest CPU", Grounded),
            ("ledger-0 uses about five times as much CPU as ledger-1", Grounded),
            ("ledger-0 uses twice as much CPU as ledger-1", Contradicted),
            ("The two ledger pods use 1840Mi of memory together", Grounded),
            ("The two ledger pods use 2400Mi of memory together", Contradicted),
            ("The three billing pods use 2150Mi of memory together", Grounded),
            ("indexer-0 uses more disk than ledger-0", Ungrounded),
            ("indexer-1 uses the most memory", Ungrounded),
        ],
    );
    check(
        &pods(),
        &[
            ("The three invoicer pods have restarted 80 times in total", Grounded),
            ("The three invoicer pods have restarted 90 times in total", Contradicted),
            ("Together the two ledger pods have restarted twice", Grounded),
            ("invoicer-7d4b9c8f6-8wz4k has the most restarts", Grounded),
            ("ledger-0 has the most restarts", Contradicted),
            ("ledger-0 has restarted more often than ledger-1", Grounded),
        ],
    );
}

const ALARMS: &str = r#"{"alarms": [
 {"name": "HighLatency", "service": "search", "severity": "critical", "team": "web"},
 {"name": "QueueDepth", "service": "mailer", "severity": "warning", "team": "mail"},
 {"name": "ErrorRate", "service": "search", "severity": "critical", "team": "web"},
 {"name": "DiskFull", "service": "ledger", "severity": "warning", "team": "core",
  "description": "volume of search is full as well"}
]}"#;

#[test]
fn elements_are_counted_where_they_are_named() {
    let evidence = vec![json("alarms", "list_alarms", ALARMS)];
    check(
        &evidence,
        &[
            ("Two alarms concern search", Grounded),
            ("Three alarms concern search", Contradicted),
            ("Four alarms are listed", Grounded),
            ("Five alarms are listed", Contradicted),
            ("Half of the four alarms are critical", Grounded),
            ("All alarms of search are critical", Grounded),
            ("All alarms are critical", Contradicted),
            ("All four alarms are critical", Contradicted),
            ("No alarm is critical", Contradicted),
            ("Two alarms concern payments", Ungrounded),
        ],
    );
    let page = ALARMS.replace("]}", "], \"nextToken\": \"b3BlbiBzZXNhbWU\"}");
    let cut = vec![json("alarms", "list_alarms", &page)];
    check(
        &cut,
        &[
            ("Three alarms concern search", Ungrounded),
            ("One alarm concerns mailer", Ungrounded),
            ("All alarms are critical", Contradicted),
            ("All alarms of search are critical", Ungrounded),
        ],
    );
}

#[test]
fn order_of_items_does_not_matter() {
    let mut evidence = vec![json("alarms", "list_alarms", ALARMS)];
    evidence.extend(pods());
    let reversed: Vec<EvidenceItem> = evidence.iter().rev().cloned().collect();
    for claim in [
        "Two alarms concern search",
        "Three pods are in CrashLoopBackOff",
        "All alarms are critical",
    ] {
        assert_eq!(judge(claim, &evidence), judge(claim, &reversed), "{claim}");
    }
}

const CALLS: &str = "\
2026-03-12T14:02:17Z INFO  api - lookup of cart took 120 ms
2026-03-12T14:02:19Z INFO  api - lookup of cart took 95 ms
2026-03-12T14:02:31Z ERROR api - connection to cache refused
2026-03-12T14:02:44Z INFO  api - lookup of cart took 210 ms
2026-03-12T14:03:02Z ERROR api - connection to cache refused
";

#[test]
fn lines_are_counted_and_bounded() {
    let evidence = vec![text("log", "kubectl logs api-0 -n shop", CALLS)];
    check(
        &evidence,
        &[
            ("The refused connection to the cache is logged twice", Grounded),
            ("The refused connection to the cache is logged seven times", Contradicted),
            ("The log has three lookup lines", Grounded),
            ("Each lookup took longer than 90 ms", Grounded),
            ("Each lookup took longer than 100 ms", Contradicted),
            ("No lookup took longer than 300 ms", Grounded),
            ("No lookup took longer than 200 ms", Contradicted),
            ("The slowest lookup took 210 ms", Grounded),
            ("The slowest lookup took 120 ms", Contradicted),
            ("The fastest lookup took 95 ms", Grounded),
            ("The slowest query took 210 ms", Ungrounded),
            ("The lookups took between 95 and 210 ms", Grounded),
            ("The lookups took between 95 and 150 ms", Contradicted),
        ],
    );
    let tail = vec![text("log", "kubectl logs api-0 -n shop --tail=5", CALLS)];
    check(&tail, &[("Three connections to the cache were refused", Ungrounded)]);
    let counted = vec![text("n", "run", "$ kubectl logs api-0 | grep -c 'lookup failed'\n37\n")];
    check(
        &counted,
        &[
            ("'lookup failed' occurs in 37 lines of the log of api-0", Grounded),
            ("'lookup failed' occurs in 73 lines of the log of api-0", Contradicted),
            ("'connection refused' occurs in 37 lines of the log of api-0", Ungrounded),
        ],
    );
}

#[test]
fn conditions_are_true_or_not() {
    const NODES: &str = r#"{"nodes": [
 {"name": "wk-1", "conditions": [{"type": "DiskPressure", "status": "False"}, {"type": "MemoryPressure", "status": "True"}]},
 {"name": "wk-2", "conditions": [{"type": "DiskPressure", "status": "False"}, {"type": "MemoryPressure", "status": "False"}]}
]}"#;
    let evidence = vec![json("nodes", "list_nodes", NODES)];
    check(
        &evidence,
        &[
            ("No node is under disk pressure", Grounded),
            ("No node is under memory pressure", Contradicted),
            ("Only wk-1 is under memory pressure", Grounded),
            ("Only wk-2 is under memory pressure", Contradicted),
            ("Both nodes are under memory pressure", Contradicted),
            ("One of the two nodes is under memory pressure", Grounded),
        ],
    );
}

#[test]
fn rates_and_ratios_are_computed() {
    const EVENTS: &str = "\
LAST SEEN              TYPE      REASON    OBJECT         MESSAGE
2m (x120 over 60m)     Warning   BackOff   Pod/mailer-0   Back-off restarting failed container
";
    let events = vec![text("events", "kubectl events -n billing", EVENTS)];
    check(
        &events,
        &[
            ("Back-offs occurred about twice per minute", Grounded),
            ("Back-offs occurred about ten times per minute", Contradicted),
            ("A back-off occurred every 30 seconds", Grounded),
            ("A back-off occurred every 5 minutes", Contradicted),
        ],
    );
    const STATUS: &str =
        r#"{"deployments": [{"name": "mailer", "desired": 6, "ready": 2, "unavailable": 4}]}"#;
    let status = vec![json("deployments", "get_deployments", STATUS)];
    check(
        &status,
        &[
            ("Two thirds of the desired replicas are unavailable", Grounded),
            ("Half of the desired replicas are unavailable", Contradicted),
        ],
    );
    check(
        &status,
        &[
            ("mailer has two of its six replicas ready", Grounded),
            ("Four of six replicas of mailer are unavailable", Grounded),
            ("mailer has three of its six replicas ready", Contradicted),
            ("mailer has two of its four replicas ready", Contradicted),
            ("search has two of its six replicas ready", Ungrounded),
        ],
    );
    const SHARES: &str = r#"{"errors_by_service": [{"service": "search", "count": 90}, {"service": "mailer", "count": 10}]}"#;
    let errors = vec![json("errors", "count_errors", SHARES)];
    check(
        &errors,
        &[
            ("search accounts for 90 % of the errors", Grounded),
            ("search accounts for more than half of the errors", Grounded),
            ("mailer accounts for half of the errors", Contradicted),
            ("mailer logged most of the errors", Contradicted),
            ("search logged most of the errors", Grounded),
        ],
    );
}

#[test]
fn lines_with_cells_are_told_apart_by_place() {
    const ALERTS: &str = "\
2026-03-12 14:02:00 | METRIC | node-1 | system.disk.used | up
2026-03-12 14:02:00 | METRIC | node-2 | system.disk.used | up
2026-03-12 14:02:00 | METRIC | basket-0 | container_memory_usage | down
2026-03-12 14:03:00 | METRIC | basket-1 | container_memory_usage | up
2026-03-12 14:03:00 | METRIC | basket-1 | container_threads | up
2026-03-12 14:05:00 | METRIC | search-0 | container_memory_usage | down
";
    let evidence = vec![text("alerts", "detector", ALERTS)];
    check(
        &evidence,
        &[
            ("Disk use went up on node-1 alone", Contradicted),
            ("Memory went down on all basket pods", Contradicted),
            ("Memory went up on search-0 alone", Ungrounded),
            ("Threads went up on basket-1 alone", Grounded),
        ],
    );
}

#[test]
fn numbers_of_something_else_refute_nothing() {
    const STATUS: &str = r#"{"total": 57, "errors_by_kind": [{"kind": "timeout", "count": 40}, {"kind": "refused", "count": 17}],
 "pods": [{"name": "web-0", "restarts": 4}, {"name": "web-1", "restarts": 0}]}"#;
    let evidence = vec![json("status", "get_status", STATUS)];
    for claim in [
        "There were 57 errors in total",
        "web-0 has 4 restarts",
        "The service has 12 CPU cores",
        "The job ran for three hours on two pods",
        "Three attempts were made by web-0",
    ] {
        assert_ne!(class(claim, &evidence), Contradicted, "{claim}");
    }
}
