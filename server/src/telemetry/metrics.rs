//! Metric names and the recorder. Labels have fixed sets of values, never ids or text.

use std::sync::OnceLock;
use std::time::Duration;

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Finished calls, by `method` and `code`.
pub const CALLS: &str = "gsar_calls_total";
/// Call durations, by `method`.
pub const CALL_SECONDS: &str = "gsar_call_duration_seconds";
/// Calls in flight.
pub const CALLS_IN_FLIGHT: &str = "gsar_calls_in_flight";
/// Calls rejected at admission, by `reason`.
pub const REFUSED: &str = "gsar_calls_refused_total";
/// Reports answered on streams, by `code`.
pub const STREAM_ITEMS: &str = "gsar_stream_items_total";
/// Decisions, by `tier` and `policy`.
pub const DECISIONS: &str = "gsar_decisions_total";
/// Decisions in shadow mode, by `tier` and `policy`.
pub const SHADOW_DECISIONS: &str = "gsar_shadow_decisions_total";
/// Claims counted, by `class`.
pub const CLAIMS: &str = "gsar_claims_total";
/// Claims decided by rules over facts, by `rule` and `class`.
pub const RULES: &str = "gsar_rules_total";
/// Reasons for decisions, by `code`.
pub const REASONS: &str = "gsar_decision_reasons_total";
/// Corrections made by verification, by `code`.
pub const CORRECTIONS: &str = "gsar_corrections_total";
/// Judge results, by `judge` and `result`.
pub const JUDGED: &str = "gsar_judge_results_total";
/// Requests to cached judges, by `judge` and `result`: `memory`, `disk`, `miss` or `bypassed`.
pub const JUDGE_CACHE: &str = "gsar_judge_cache_total";
/// The cost of chat models in millionths of a dollar, by `judge`.
pub const JUDGE_COST: &str = "gsar_judge_cost_micros_total";
/// Chat model calls rejected because the daily budget was spent.
pub const BUDGET_REFUSED: &str = "gsar_judge_budget_refused_total";
/// Chat model tokens, by `judge` and `direction`: `input` or `output`.
pub const JUDGE_TOKENS: &str = "gsar_judge_tokens_total";
/// Chat model answers, by `judge` and `rung`: `structured`, `salvaged`, `unreadable` or `none`.
pub const JUDGE_ANSWERS: &str = "gsar_judge_answers_total";
/// Claims with differing votes, by `judge`.
pub const DISAGREEMENTS: &str = "gsar_judge_disagreements_total";
/// Second looks at statements, by `reader` and `verdict`: `shown`, `not_shown` or `refuted`.
pub const SECOND_LOOKS: &str = "gsar_second_looks_total";
/// Extra requests to a judge about missing quotes or disagreement with extracted facts, by `judge` and `result`:
/// `answered`, `abstained` or `failed`.
pub const EXTRA_TURNS: &str = "gsar_judge_extra_turns_total";
/// Evaluations against a corpus, by `method`: `whole`, `lexical` or `hybrid`.
pub const RETRIEVALS: &str = "gsar_retrievals_total";
/// Durations of evaluation steps, by `step`.
pub const STEP_SECONDS: &str = "gsar_step_duration_seconds";
/// Gate outcomes, by `exit`, `reason` and `shadow`.
pub const GATE: &str = "gsar_gate_outcomes_total";
/// Self-rated confidences checked against the cap, by `lowered` and `shadow`.
pub const CAPS: &str = "gsar_caps_total";
/// Highest actions allowed by the action ladder, by `action` and `shadow`.
pub const ACTIONS: &str = "gsar_actions_total";
/// Always 1, with the `version` of the server.
pub const BUILD_INFO: &str = "gsar_build_info";
/// 1 while draining.
pub const DRAINING: &str = "gsar_draining";
/// TLS handshakes, by `result`: `ok`, `failed`, `timeout`, or `displaced` by a newer one because too many were in
/// progress.
pub const TLS_HANDSHAKES: &str = "gsar_tls_handshakes_total";
/// The expiry of the server certificate in seconds since 1970.
pub const TLS_NOT_AFTER: &str = "gsar_tls_certificate_not_after_seconds";
/// Handlers that panicked.
pub const PANICS: &str = "gsar_panics_total";

/// The upper bounds of duration buckets, in seconds.
const SECONDS: [f64; 14] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0,
    60.0,
];

/// Returns the process-wide metrics handle. The first call installs the recorder.
///
/// # Errors
/// Returns an error if another recorder is already installed.
pub fn recorder() -> Result<&'static PrometheusHandle, String> {
    static HANDLE: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();
    HANDLE.get_or_init(install).as_ref().map_err(Clone::clone)
}

const UPKEEP: Duration = Duration::from_secs(10);

/// Periodically moves duration samples into their buckets. Without this, memory would grow with each call
/// until the next scrape.
pub async fn run_upkeep() {
    let Ok(handle) = recorder() else { return };
    let mut tick = tokio::time::interval(UPKEEP);
    loop {
        tick.tick().await;
        handle.run_upkeep();
    }
}

fn install() -> Result<PrometheusHandle, String> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
        .and_then(PrometheusBuilder::install_recorder)
        .map_err(|error| format!("metrics: {error}"))?;
    metrics_process::Collector::default().describe();
    describe_counter!(CALLS, "calls answered, by method and gRPC code");
    describe_histogram!(CALL_SECONDS, Unit::Seconds, "time from request to response");
    describe_gauge!(CALLS_IN_FLIGHT, "calls in flight");
    describe_counter!(REFUSED, "calls rejected before any work, by reason");
    describe_counter!(DECISIONS, "decisions, by tier and policy");
    describe_counter!(SHADOW_DECISIONS, "decisions in shadow mode, by tier and policy");
    describe_counter!(CLAIMS, "claims counted, by class");
    describe_counter!(RULES, "claims decided by rules over facts, by rule and class");
    describe_counter!(REASONS, "reasons for decisions, by code");
    describe_counter!(CORRECTIONS, "corrections by verification, by code");
    describe_counter!(RETRIEVALS, "evaluations against a corpus, by how its evidence was chosen");
    describe_counter!(JUDGED, "judge results, by judge and result");
    describe_counter!(
        JUDGE_CACHE,
        "requests to judges with a cache, by judge and source of the answer"
    );
    describe_counter!(JUDGE_COST, "millionths of a dollar spent on chat models, by judge");
    describe_counter!(JUDGE_TOKENS, "chat model tokens, by judge and direction");
    describe_counter!(JUDGE_ANSWERS, "chat model answers, by judge and how they were parsed");
    describe_counter!(DISAGREEMENTS, "claims on which votes differ, by judge");
    describe_counter!(SECOND_LOOKS, "second looks at statements, by reader and verdict");
    describe_counter!(EXTRA_TURNS, "extra requests to judges, by judge and result");
    describe_counter!(
        BUDGET_REFUSED,
        "chat model calls rejected because the daily budget was spent"
    );
    describe_histogram!(STEP_SECONDS, Unit::Seconds, "duration of the steps of an evaluation");
    describe_counter!(GATE, "gate evaluations, by exit, deciding reason and shadow");
    describe_counter!(CAPS, "self-rated confidences checked by the cap, by lowered and shadow");
    describe_counter!(ACTIONS, "highest actions that the ladder allowed, by action and shadow");
    describe_gauge!(BUILD_INFO, "1, with the version of this server");
    describe_counter!(STREAM_ITEMS, "reports answered on streams, by code");
    describe_gauge!(DRAINING, "1 while the server drains");
    describe_counter!(TLS_HANDSHAKES, "TLS handshakes, by result");
    describe_gauge!(TLS_NOT_AFTER, Unit::Seconds, "expiry of the server's certificate, since 1970");
    describe_counter!(PANICS, "handlers that panicked");
    gauge!(BUILD_INFO, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    Ok(handle)
}
