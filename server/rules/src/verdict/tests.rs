//! What a claim may mean besides what a place says: none of it is held against the claim.

use gsar_core::Class::{self, Contradicted, Grounded};
use gsar_core::evidence::EvidenceItem;

use crate::tests::{class, json, text};

fn expect_not(wrong: Class, evidence: &[EvidenceItem], claims: &[&str]) {
    for claim in claims {
        assert_ne!(class(claim, evidence), wrong, "{claim}");
    }
}

const BY_RELEASE: &str = r#"{"status":"success","data":{"resultType":"matrix","result":[
{"metric":{"__name__":"cart_requests_per_second","zone":"west","release":"7.1"},"values":[[1773309600,"90"],[1773309900,"62"],[1773310200,"61"],[1773310500,"92"]]},
{"metric":{"__name__":"cart_requests_per_second","zone":"west","release":"7.2"},"values":[[1773309600,"0"],[1773309900,"30"],[1773310200,"29"],[1773310500,"0"]]}]}}"#;

const RETRIES: &str = r#"{"MetricDataResults":[
{"Label":"mailer Retries","Timestamps":["2026-03-12T10:00:00Z","2026-03-12T10:05:00Z","2026-03-12T10:10:00Z","2026-03-12T10:15:00Z"],"Values":[0.0,0.0,700.0,212.0]},
{"Label":"mailer QueueDepth","Timestamps":["2026-03-12T10:00:00Z","2026-03-12T10:05:00Z","2026-03-12T10:10:00Z","2026-03-12T10:15:00Z"],"Values":[160.0,120.0,80.0,40.0]}]}"#;

const COUNTERS: &str = "\
 sampled_at          | aborts_total | wait_ms
---------------------+--------------+---------
 2026-03-12 10:00:00 |           31 |     120
 2026-03-12 10:10:00 |           35 |    4900
 2026-03-12 10:20:00 |           38 |     140
";

#[test]
fn sums_and_paces_are_not_held_against_single_samples() {
    let evidence = [
        json("traffic", "query_range cart_requests_per_second", BY_RELEASE),
        json("mailer", "aws cloudwatch get-metric-data", RETRIES),
        text("samples", "select * from ops.samples", COUNTERS),
    ];
    expect_not(
        Contradicted,
        &evidence,
        &[
            "Total cart requests in the west zone stayed between 90 and 92 per second.",
            "In all, just over 900 retries of the mailer were made.",
            "The mailer's queue depth shrank by 40 every five minutes between 10:00 and 10:15.",
            "Seven aborts were counted between 10:00 and 10:20.",
            "The wait at that time was almost five seconds.",
            "There were no mailer retries before 10:10.",
        ],
    );
}

const SLOTS: &str = "\
== worker-3
Pool      Slots  Used  Free  Use%
/jobs       512   512     0  100%
/uploads    512   200   312   39%
";

const LAGS: &str = "\
GROUP    TOPIC   SHARD  LAG
billing  orders  1      0
billing  orders  2      77
billing  orders  3      0
";

const CONDITIONS: &str = "\
Name: edge-4
Conditions:
  Type            Status   Reason
  ----            ------   ------
  DiskPressure    Unknown  NodeStatusUnknown
  Ready           Unknown  NodeStatusUnknown
";

const DROPS: &str = r#"{"status":"success","data":{"resultType":"matrix","result":[
{"metric":{"instance":"gate-1:9100"},"values":[[1773309600,"0"],[1773309900,"0"]]},
{"metric":{"instance":"gate-2:9100"},"values":[[1773309600,"0"],[1773309900,"55"]]}]}}"#;

#[test]
fn what_is_zero_or_unknown_is_not_there() {
    let evidence = [
        text("slots", "poolctl list", SLOTS),
        text("lags", "groupctl describe billing", LAGS),
        text("node", "kubectl describe node edge-4", CONDITIONS),
        json("drops", "query_range rate(gate_evicted_flows_total[5m])", DROPS),
    ];
    expect_not(
        Contradicted,
        &evidence,
        &[
            "/jobs on worker-3 has no free slots left.",
            "Shards 1 and 3 have no lag at all.",
            "Only gate-2 has evicted flows.",
        ],
    );
    expect_not(
        Grounded,
        &evidence,
        &["The node edge-4 reported disk pressure.", "gate-1 evicted flows as well."],
    );
}

#[test]
fn what_was_named_before_is_not_guessed() {
    let spans = r#"{"data":[{"trace":"ab1","spans":[
{"operation":"GET /cart","duration_ms":402,"release":"3.8.4"},
{"operation":"load","duration_ms":240,"release":"3.8.4"}]}]}"#;
    let evidence = [
        json("spans", "curl traces", spans),
        json(
            "change",
            "gh pr view",
            r#"{"number":77,"author":{"login":"mira"},"approvedBy":{"login":"joost"}}"#,
        ),
        text("log", "kubectl logs", "09:10:00 purge done, 2,118,400 keys purged\n"),
    ];
    expect_not(
        Contradicted,
        &evidence,
        &[
            "The same step took 240 ms in the trace of release 3.8.4.",
            "It purged 2.1 million keys.",
            "The other two releases were not traced.",
        ],
    );
    expect_not(Grounded, &evidence, &["PR 77 was approved by mira."]);
}

const REVISIONS: &str = "\
deployment.apps/cart with revision #8
  Environment:
    POOL_SIZE:	40
deployment.apps/cart with revision #9
  Environment:
    LOG_LEVEL:	info
";

const CONTAINERS: &str = "\
Name: cart-1
Containers:
  web:
    State: Running
    Restart Count: 3
  proxy:
    State: Running
    Restart Count: 0
";

#[test]
fn another_part_of_a_text_is_about_another_thing() {
    let ticket = r#"{"title":"Lock the archive","author":{"login":"mira"},
"body":"loader-v3 is used by the trial account only. Change the policy of the archive once the account of the loader is switched."}"#;
    let evidence = [
        text("revisions", "kubectl rollout history deploy/cart", REVISIONS),
        text("pod", "kubectl describe pod cart-1", CONTAINERS),
        json("ticket", "gh issue view 9", ticket),
        text("log", "kubectl logs copier", "10:02:11 INFO 31 of 48 blocks copied\n"),
    ];
    expect_not(
        Contradicted,
        &evidence,
        &[
            "Revision 9 of cart no longer sets POOL_SIZE.",
            "The proxy container of cart-1 was not restarted.",
        ],
    );
    expect_not(
        Grounded,
        &evidence,
        &[
            "Revision 9 set POOL_SIZE to 40.",
            "All 48 blocks were copied at 10:02:11.",
            "mira changed the policy of the archive.",
            "The account loader uses loader-v3.",
        ],
    );
}
