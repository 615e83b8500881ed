//! What claims about series must come to, for each shape in which tools give them.

use gsar_core::Class::{self, Contradicted, Grounded, Ungrounded};
use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};
use gsar_core::{Claim, ClaimId, EvidenceType};

use crate::Observations;

pub(super) fn item(id: &str, tool: &str, content: Content) -> EvidenceItem {
    EvidenceItem {
        id: EvidenceId::new(id).unwrap(),
        kind: EvidenceKind::ToolOutput,
        lane: Lane::Metrics,
        tool: tool.to_owned(),
        query: String::new(),
        content,
        collected_at: None,
        exhaustive: false,
        attested: true,
        step_id: String::new(),
        specialist_id: String::new(),
        verification_result: None,
    }
}

fn json(id: &str, tool: &str, content: &str) -> EvidenceItem {
    item(id, tool, Content::Json(content.to_owned()))
}

fn text(id: &str, tool: &str, content: &str) -> EvidenceItem {
    item(id, tool, Content::Text(content.to_owned()))
}

fn expect(evidence: &[EvidenceItem], table: &[(&str, Class)]) {
    let observations = Observations::read(evidence);
    for (text, expected) in table {
        let claim = Claim { id: ClaimId::new("c1").unwrap(), text: (*text).to_owned(), span: None };
        let judged = observations.judge(&[claim], || true).unwrap().remove(0);
        assert_eq!(judged.class, *expected, "{text}: {}", judged.note);
    }
}

/// One CloudWatch series of ten minutes from 11:20.
fn series(name: &str, thing: &str, unit: &str, values: &[&str]) -> String {
    let times: Vec<String> = (0..values.len())
        .map(|minute| format!("\"2026-03-26T11:{:02}:00Z\"", 20 + minute))
        .collect();
    format!(
        r#"{{"metric_name":"{name}","dimensions":[{{"Name":"DBInstanceIdentifier","Value":"{thing}"}}],
            "unit":"{unit}","timestamps":[{}],"values":[{}]}}"#,
        times.join(","),
        values.join(",")
    )
}

fn cloudwatch() -> Vec<EvidenceItem> {
    let all = [
        series(
            "ReplicaLag",
            "till-db-replica-1",
            "Seconds",
            &[
                "1.25", "1.21", "74.0", "151.0", "263.0", "388.0", "491.0", "582.0", "664.0",
                "738.0",
            ],
        ),
        series(
            "WriteIOPS",
            "till-db",
            "Count/Second",
            &[
                "342.0", "1184.0", "1629.0", "1762.0", "1810.0", "1841.0", "1838.0", "1832.0",
                "1829.0", "420.0",
            ],
        ),
        series(
            "CPUUtilization",
            "till-db",
            "Percent",
            &["22.1", "41.3", "51.8", "54.2", "55.6", "56.1", "55.8", "55.4", "55.9", "54.8"],
        ),
        series("FreeStorageSpace", "till-db", "Bytes", &["214748364800.0"; 10]),
        series(
            "FreeableMemory",
            "till-db",
            "Bytes",
            &[
                "8589934592",
                "8053063680",
                "7516192768",
                "6979321856",
                "6442450944",
                "5905580032",
                "5368709120",
                "4831838208",
                "4294967296",
                "3221225472",
            ],
        ),
        series(
            "DatabaseConnections",
            "till-db",
            "Count",
            &["312", "318", "314", "0", "0", "287", "308", "315", "312", "310"],
        ),
        series(
            "WriteLatency",
            "till-db",
            "Milliseconds",
            &["1.1", "1.2", "1.4", "1.8", "9.4", "21.4", "16.8", "4.2", "1.4", "1.1"],
        ),
        series(
            "CPUUtilization",
            "desk-db",
            "Percent",
            &["8.1", "8.0", "8.2", "8.1", "8.3", "8.2", "8.1", "8.0", "8.2", "8.1"],
        ),
    ];
    vec![json(
        "metrics",
        "aws cloudwatch get-metric-data",
        &format!(r#"{{"metric_data_results":[{}]}}"#, all.join(",")),
    )]
}

#[test]
fn bounds_hold_in_every_sample_or_not() {
    expect(
        &cloudwatch(),
        &[
            ("Replica lag stayed below 800 seconds", Grounded),
            ("Replica lag stayed above 500 seconds", Contradicted),
            ("CPU on till-db never exceeded 57 %", Grounded),
            ("CPU on till-db never exceeded 50 %", Contradicted),
            ("CPU on till-db did not exceed 57 %", Grounded),
            ("WriteIOPS remained between 342 and 1841 over the window", Grounded),
            ("WriteIOPS held between 1500 and 1841 for the whole 10 minutes", Contradicted),
            ("WriteIOPS was above 1,500 from 11:22 to 11:28", Grounded),
            ("WriteIOPS was above 1,500 from 11:22 on", Contradicted),
            ("From 11:23 to 11:28 WriteIOPS was within 5 % of 1,800", Grounded),
            ("Connections were at zero in exactly two of the ten samples", Grounded),
            ("Connections were at zero in four consecutive samples", Contradicted),
        ],
    );
}

#[test]
fn extremes_have_a_value_and_a_time() {
    expect(
        &cloudwatch(),
        &[
            ("WriteIOPS peaked at 1,841 at 11:25", Grounded),
            ("WriteIOPS peaked at 1,841 at 11:22", Contradicted),
            ("WriteIOPS peaked at 2,400", Contradicted),
            ("Write latency reached 21 ms", Grounded),
            ("Write latency reached 21 s", Contradicted),
            ("Write latency peaked at the same minute as WriteIOPS", Grounded),
            ("Write latency peaked three minutes after WriteIOPS did", Contradicted),
            ("Write latency was still below 22 ms when WriteIOPS peaked", Grounded),
            ("Free storage never fell below 200 GiB", Grounded),
        ],
    );
}

#[test]
fn changes_have_ends_a_direction_and_a_length() {
    expect(
        &cloudwatch(),
        &[
            ("Replica lag rose from about 1 s to 738 s", Grounded),
            ("Replica lag fell from 738 s to 1.25 s", Contradicted),
            ("WriteIOPS jumped from 342 to 1184 within one minute", Grounded),
            ("WriteIOPS spiked from 342 to 1,841 at 11:21", Contradicted),
            ("CPU on till-db rose from 22 % to 56 % in 2 minutes", Contradicted),
            ("Connections dropped to 0 at 11:23", Grounded),
            ("Connections dropped to 0 at 11:27", Contradicted),
            ("Freeable memory fell in every sample", Grounded),
            ("CPU on till-db rose in every sample", Contradicted),
            ("Freeable memory more than halved", Grounded),
            ("Freeable memory more than halved within the first five minutes", Contradicted),
            ("Freeable memory dropped by about 62 %", Grounded),
            ("Freeable memory increased as the load went up", Contradicted),
            ("WriteIOPS rose more than fivefold between 11:20 and 11:25", Grounded),
            ("Free storage did not move at all", Grounded),
            ("Free storage shrank steadily as logs piled up", Contradicted),
            ("Replica lag was receding at the end", Contradicted),
            ("Connections recovered to 308 by 11:26", Grounded),
            ("CPU on till-db levelled off at around 55 %", Grounded),
            ("Replica lag had reached 600 s by 11:28", Grounded),
            ("Replica lag had reached 600 s by 11:25", Contradicted),
        ],
    );
}

#[test]
fn another_thing_or_an_unknown_one_decides_nothing() {
    expect(
        &cloudwatch(),
        &[
            ("CPU on desk-db stayed below 10 %", Grounded),
            ("CPU on ledger-db stayed below 10 %", Ungrounded),
            ("CPU stayed below 10 %", Ungrounded),
            ("CPU never exceeded 57 % on the standby", Ungrounded),
            ("WriteIOPS on desk-db peaked at 1,841", Ungrounded),
            ("The p99 latency of the till rose to 4 s", Ungrounded),
            ("Memory limit was raised from 512Mi to 1Gi", Ungrounded),
            ("Replica lag rose because WriteIOPS climbed", Ungrounded),
            ("Replica lag probably stayed above 500 seconds", Ungrounded),
        ],
    );
}

#[test]
fn a_query_names_the_series_of_its_answer() {
    let pairs = |values: &[&str]| {
        let pairs: Vec<String> = (0_i64..)
            .zip(values)
            .map(|(minute, value)| format!("[{},\"{value}\"]", 1_773_324_000 + 60 * minute))
            .collect();
        pairs.join(",")
    };
    let evidence = [json(
        "cpu",
        "curl -sG https://prom.example/api/v1/query_range --data-urlencode 'query=avg by (mode) (rate(node_cpu_seconds_total[5m]))' -d step=60",
        &format!(
            r#"{{"data":{{"resultType":"matrix","result":[
                {{"metric":{{"mode":"idle"}},"values":[{}]}},
                {{"metric":{{"mode":"user"}},"values":[{}]}}]}}}}"#,
            pairs(&["0.9651", "0.9645", "0.9644", "0.9652"]),
            pairs(&["0.0234", "0.0239", "0.0241", "0.0235"])
        ),
    )];
    expect(
        &evidence,
        &[
            ("The CPU was idle for about 96.5 % of the time throughout the window", Grounded),
            ("Idle time dropped sharply in the course of the window", Contradicted),
            ("The share of user mode was highest at 14:02 UTC", Grounded),
            ("The share of user mode was highest at 14:00 UTC", Contradicted),
            ("The CPU was idle for about 60 % of the time throughout the window", Contradicted),
        ],
    );
}

#[test]
fn records_with_a_time_are_series() {
    let row = |minute: u32, thing: &str, cpu: u32, rate: f32, rps: u32| {
        format!(
            r#"{{"timestamp":"2024-01-15T14:{minute}:00Z","service":"{thing}","cpu_usage_percent":{cpu},"error_rate":{rate},"requests_per_second":{rps}}}"#
        )
    };
    let rows = [
        row(20, "web-service", 25, 0.5, 150),
        row(21, "web-service", 45, 5.0, 120),
        row(22, "web-service", 65, 20.0, 80),
        row(23, "web-service", 95, 75.0, 20),
        row(20, "database", 3, 0.0, 7),
        row(23, "database", 4, 0.0, 7),
    ];
    let evidence =
        [json("usage", "metrics_api", &format!(r#"{{"metrics":[{}]}}"#, rows.join(",")))];
    expect(
        &evidence,
        &[
            ("web-service CPU climbed from 25 % to 95 % within three minutes", Grounded),
            ("web-service CPU climbed from 25 % to 95 % within one minute", Contradicted),
            ("The error rate of web-service was falling by 14:23", Contradicted),
            ("Requests per second of web-service fell by about 87 %, from 150 to 20", Grounded),
            ("database CPU climbed from 25 % to 95 %", Contradicted),
        ],
    );
}

#[test]
fn a_summary_decides_what_ends_and_extremes_decide() {
    let evidence = [text(
        "summary",
        "metrics_summary",
        "ReplicaLag [till-db-replica-1] unit=Seconds stat=Maximum n=15 first=1.25@11:20 last=1140.0@11:34 min=1.21@11:21 max=1140.0@11:34\n\
         WriteIOPS [till-db] unit=Count/Second stat=Average n=15 first=3420.0@11:20 last=420.0@11:34 min=420.0@11:34 max=8100.0@11:26\n",
    )];
    expect(
        &evidence,
        &[
            ("Replica lag reached 19 minutes", Grounded),
            ("Replica lag reached 1140 milliseconds", Contradicted),
            ("Replica lag peaked at 1140 s at 11:34", Grounded),
            ("WriteIOPS kept climbing until the end of the window", Contradicted),
            ("WriteIOPS had dropped to about a twentieth of its peak by the last sample", Grounded),
            ("Replica lag grew in every sample", Contradicted),
            ("Replica lag was 263 seconds at 11:24", Ungrounded),
        ],
    );
}

#[test]
fn gauges_of_a_log_are_series() {
    let evidence = [text(
        "log",
        "kubectl logs till-1",
        "2025-10-08 16:15:45.123 WARN  [monitor] Memory usage: 1523MB / 2048MB (74.4%)\n\
         2025-10-08 16:18:45.234 WARN  [monitor] Memory usage: 1687MB / 2048MB (82.4%)\n\
         2025-10-08 16:22:45.456 WARN  [monitor] High memory usage detected: 1847MB / 2048MB (90.2%)\n\
         2025-10-08 16:22:46.000 INFO  stats queue_depth=12 heap_mib=402\n\
         2025-10-08 16:22:56.000 INFO  stats queue_depth=48 heap_mib=404\n",
    )];
    expect(
        &evidence,
        &[
            ("Memory usage climbed from 1523MB to 1847MB within seven minutes", Grounded),
            ("Memory usage was stable between 16:15 and 16:22", Contradicted),
            ("Memory use rose to about 90 %", Grounded),
            ("Queue depth rose from 12 to 48", Grounded),
            ("Queue depth fell from 48 to 12", Contradicted),
        ],
    );
}

#[test]
fn rows_of_a_detector_state_directions_and_outcomes() {
    let evidence = [text(
        "alerts",
        "anomaly_detector",
        "2022-03-21 03:54:00.000 | METRIC | ads-0 | container_memory_usage_MB | down\n\
         2022-03-21 03:54:00.000 | METRIC | ads-1 | container_memory_usage_MB | up\n\
         2022-03-21 03:54:00.000 | METRIC | node-5 | system.disk.used | up\n\
         2022-03-21 03:54:07.100 | TRACE | cart-0 --> ads-0 | /ads | PD\n\
         2022-03-21 03:54:08.200 | TRACE | cart-0 --> pay-0 | /charge | 500\n",
    )];
    expect(
        &evidence,
        &[
            ("container_memory_usage_MB of ads-0 is down", Grounded),
            ("ads-0 suffers from high memory usage", Contradicted),
            ("Memory usage of ads-1 is elevated", Grounded),
            ("Memory went down on all ads pods", Contradicted),
            ("One pod shows a drop in memory", Ungrounded),
            ("Two pods show a drop in memory", Contradicted),
            ("Disk usage went up on node-5 alone", Grounded),
            ("Disk usage went up on node-6 alone", Ungrounded),
            ("Disk usage on node-5 is up", Grounded),
            ("Disk usage on node-6 is up", Ungrounded),
            ("CPU usage on node-5 is up", Ungrounded),
            ("Memory of ads-1 was up at 03:58", Ungrounded),
            ("Calls from cart-0 to ads-0 are degraded", Grounded),
            ("Calls from cart-0 to ads-0 failed", Contradicted),
            ("A request from cart-0 to pay-0 failed with a 500", Grounded),
            ("A request from pay-0 to cart-0 failed with a 500", Ungrounded),
        ],
    );
}

#[test]
fn the_samples_that_decide_are_cited() {
    let evidence = cloudwatch();
    let claim = Claim {
        id: ClaimId::new("c1").unwrap(),
        text: "WriteIOPS peaked at 2,400".to_owned(),
        span: None,
    };
    let judged = Observations::read(&evidence).judge(&[claim], || true).unwrap().remove(0);
    assert_eq!(judged.note, "WriteIOPS was 1841 at 11:25");
    assert_eq!(judged.evidence_type, EvidenceType::ToolMatch);
    assert_eq!(judged.citations.len(), 1);
    assert_eq!(judged.citations[0].quote, "1841.0");
}
