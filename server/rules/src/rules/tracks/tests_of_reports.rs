//! What claims come to that speak of series as reports do: by short names, with a time for each figure, leaning on
//! the claim before.

use gsar_core::Class::{self, Contradicted, Grounded, Ungrounded};
use gsar_core::evidence::{Content, EvidenceItem};
use gsar_core::{Claim, ClaimId};

use super::tests::item;
use crate::Observations;

/// The class of the last of some claims.
fn expect(evidence: &[EvidenceItem], table: &[(&[&str], Class)]) {
    let observations = Observations::read(evidence);
    for (texts, expected) in table {
        let claims: Vec<Claim> = (1..)
            .zip(*texts)
            .map(|(number, text)| Claim {
                id: ClaimId::new(format!("c{number}")).unwrap(),
                text: (*text).to_owned(),
                span: None,
            })
            .collect();
        let judged = observations.judge(&claims, || true).unwrap().pop().unwrap();
        assert_eq!(judged.class, *expected, "{texts:?}: {}", judged.note);
    }
}

/// Samples a minute apart from 12:00 on 7 May 2026.
fn matrix(series: &[(&str, &[&str])]) -> String {
    let all: Vec<String> = series
        .iter()
        .map(|(labels, values)| {
            let samples: Vec<String> = (0..)
                .zip(*values)
                .map(|(minute, value)| format!("[{},\"{value}\"]", 1_778_155_200 + minute * 60))
                .collect();
            format!(r#"{{"metric":{{{labels}}},"values":[{}]}}"#, samples.join(","))
        })
        .collect();
    format!(
        r#"{{"status":"success","data":{{"resultType":"matrix","result":[{}]}}}}"#,
        all.join(",")
    )
}

fn latency() -> EvidenceItem {
    let content = matrix(&[
        (r#""pod":"orders-api-6d5f9b7c48-4dxqz""#, &["0.21", "0.22", "3.4", "3.9", "2.8", "0.23"]),
        (
            r#""pod":"orders-api-6d5f9b7c48-9lk7m""#,
            &["0.20", "0.19", "0.21", "0.22", "0.20", "0.21"],
        ),
        (
            r#""pod":"orders-api-6d5f9b7c48-t8wzh""#,
            &["0.23", "0.18", "0.20", "0.24", "0.19", "0.22"],
        ),
    ]);
    let tool = "curl -sG https://prom.example/api/v1/query_range --data-urlencode \
                'query=histogram_quantile(0.99, sum by (pod, le) (rate(orders_request_duration_seconds_bucket[1m])))' -d step=60";
    item("latency", tool, Content::Json(content))
}

fn keys() -> EvidenceItem {
    let content = matrix(&[
        (r#""host":"cache-1""#, &["5200", "5210", "0", "0", "40", "95"]),
        (r#""host":"cache-2""#, &["5200", "5210", "5215", "5220", "5220", "5225"]),
    ]);
    let tool = "curl -sG https://prom.example/api/v1/query_range --data-urlencode 'query=redis_db_keys' -d step=60";
    item("keys", tool, Content::Json(content))
}

fn traffic() -> EvidenceItem {
    let content = "minute,total,browser,scraper_x\n\
                   2026-05-07T12:00:00Z,4100,4000,100\n\
                   2026-05-07T12:01:00Z,4500,4050,450\n\
                   2026-05-07T12:02:00Z,4300,4010,290\n";
    item("traffic", "cat edge.csv", Content::Text(content.to_owned()))
}

#[test]
fn pods_go_by_their_short_names() {
    expect(
        &[latency(), keys()],
        &[
            (&["At 12:03 the p99 of pod 4dxqz was just under 4 s"], Grounded),
            (&["At 12:03 the p99 of pod 9lk7m was just under 4 s"], Contradicted),
            (&["At 12:03 the p99 of pod 4dxqz was just over 2 s"], Contradicted),
            (&["The p99 of 4dxqz reached a maximum of 3.9 s at 12:03"], Grounded),
            (&["The p99 of 4dxqz reached a maximum of 3.9 s at 12:01"], Contradicted),
        ],
    );
}

#[test]
fn figures_bring_their_own_times() {
    expect(
        &[latency(), keys(), traffic()],
        &[
            (&["Keys on cache-1 went from 5,210 at 12:01 to 0 at 12:02 and 95 at 12:05"], Grounded),
            (
                &["Keys on cache-1 went from 5,210 at 12:01 to 0 at 12:02 and 150 at 12:05"],
                Contradicted,
            ),
            (&["Keys on cache-2 went from 5,210 at 12:01 to 0 at 12:02"], Contradicted),
            (&["Keys on cache-1 rose from 5,210 at 12:01 to 95 at 12:05"], Contradicted),
            (&["scraper_x went from 100 at 12:00 to 450 at 12:01"], Grounded),
            (&["browser went from 100 at 12:00 to 450 at 12:01"], Contradicted),
        ],
    );
}

#[test]
fn what_was_said_before_names_the_thing_and_the_window() {
    let slow = "The p99 of 4dxqz was 3.9 s at 12:03";
    expect(
        &[latency(), keys()],
        &[
            (&[slow, "its p99 peaked at 3.9 s at 12:03"], Grounded),
            (&["Pod 9lk7m was slow", "its p99 peaked at 3.9 s at 12:03"], Contradicted),
            (&[slow, "the other two pods never exceeded 0.24 s"], Grounded),
            (&[slow, "the other two pods never exceeded 0.2 s"], Contradicted),
            (&[slow, "the other three pods never exceeded 0.24 s"], Ungrounded),
            (
                &[
                    "Keys on cache-2 stayed above 5,000 from 12:01 to 12:05",
                    "those on cache-1 were below 100 all the while",
                ],
                Ungrounded,
            ),
            (&["cache-1 had no keys at 12:02"], Grounded),
            (&["cache-2 had no keys at 12:02"], Contradicted),
            (&["Keys on cache-1 dropped to 0 at 12:02 and stayed there until 12:03"], Grounded),
            (&["Keys on cache-1 dropped to 0 at 12:02 and stayed there until 12:05"], Contradicted),
        ],
    );
}

#[test]
fn a_share_is_a_series_of_its_own() {
    let status = matrix(&[
        (r#""status":"200""#, &["90", "80", "20", "0", "95"]),
        (r#""status":"503""#, &["10", "20", "80", "100", "5"]),
    ]);
    let by_two = matrix(&[
        (r#""attempt":"1","outcome":"ok""#, &["90", "80", "85"]),
        (r#""attempt":"1","outcome":"late""#, &["10", "20", "15"]),
        (r#""attempt":"2","outcome":"ok""#, &["10", "20", "15"]),
    ]);
    let ask = |query: &str| {
        format!("curl -sG https://prom.example/api/v1/query_range --data-urlencode 'query={query}'")
    };
    let evidence = [
        item(
            "edge",
            &ask("sum by (status) (rate(edge_requests_total[1m]))"),
            Content::Json(status),
        ),
        item(
            "retries",
            &ask("sum by (attempt, outcome) (rate(charge_attempts_total[1m]))"),
            Content::Json(by_two),
        ),
        traffic(),
    ];
    expect(
        &evidence,
        &[
            (&["Requests stood at 100 at 12:01"], Ungrounded),
            (&["Requests stood at 300 at 12:01"], Contradicted),
            (&["80 % of the requests had status 503 at 12:02"], Grounded),
            (&["60 % of the requests had status 503 at 12:02"], Contradicted),
            (&["Eight out of ten requests had status 503 at 12:02"], Grounded),
            (&["One in ten requests had status 503 at 12:02"], Contradicted),
            (&["More than 75 % of the requests had status 503 from 12:02 to 12:03"], Grounded),
            (&["More than 75 % of the requests had status 503 from 12:01 to 12:03"], Contradicted),
            // Of the first attempts or of all?
            (&["15 % of the attempts had outcome late at 12:02"], Ungrounded),
            (&["scraper_x made up 10 % of the traffic at 12:01"], Grounded),
            (&["scraper_x made up 30 % of the traffic at 12:01"], Contradicted),
            // "of its capacity" is no part of what another series counts.
            (&["scraper_x was at 10 % of its capacity at 12:01"], Ungrounded),
        ],
    );
}
