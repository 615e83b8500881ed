//! Counts, traces and logs the outcomes of the gate, the confidence cap and the action ladder.

use gsar_proto::v1;
use metrics::counter;

use super::{metrics as names, traces};

/// Records a gate outcome: a count and a span with its exit and reason.
pub fn record_gate(verdict: &v1::GateVerdict, in_shadow: bool) {
    let exit = verdict.exit().as_str_name();
    let reason = verdict.reason.as_ref().map_or("", |reason| reason.code.as_str());
    let shadow = if in_shadow { "true" } else { "false" };
    counter!(names::GATE, "exit" => exit, "reason" => reason.to_owned(), "shadow" => shadow)
        .increment(1);
    drop(traces::gate_span(exit, reason, in_shadow, verdict.validated_count));
}

/// Records the outcomes in a response. Outcomes in shadow mode are counted separately and logged, so that
/// they can be compared before they are enforced.
pub fn record_outcomes(
    gate: Option<&v1::GateVerdict>,
    cap: Option<&v1::CapVerdict>,
    action: Option<&v1::ActionVerdict>,
    shadow: Option<&v1::Shadow>,
) {
    count_outcomes(gate, cap, action, false);
    let Some(shadow) = shadow else { return };
    count_outcomes(shadow.gate.as_ref(), shadow.cap.as_ref(), shadow.action.as_ref(), true);
    tracing::info!(
        gate = shadow.gate.as_ref().map(|gate| gate.exit().as_str_name()),
        confidence_before = shadow.cap.as_ref().map(|cap| cap.before),
        confidence_after = shadow.cap.as_ref().map(|cap| cap.after),
        action = shadow.action.as_ref().map(|action| action.action().as_str_name()),
        tier = shadow.decision.as_ref().map(|decision| decision.tier().as_str_name()),
        "in shadow",
    );
}

fn count_outcomes(
    gate: Option<&v1::GateVerdict>,
    cap: Option<&v1::CapVerdict>,
    action: Option<&v1::ActionVerdict>,
    in_shadow: bool,
) {
    let shadow = if in_shadow { "true" } else { "false" };
    if let Some(verdict) = gate {
        record_gate(verdict, in_shadow);
    }
    if let Some(cap) = cap {
        let lowered = if cap.after < cap.before { "true" } else { "false" };
        counter!(names::CAPS, "lowered" => lowered, "shadow" => shadow).increment(1);
    }
    if let Some(action) = action {
        let action = action.action().as_str_name();
        counter!(names::ACTIONS, "action" => action, "shadow" => shadow).increment(1);
    }
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    #[test]
    fn counts_each_outcome_once() {
        let verdict = v1::GateVerdict {
            exit: v1::GateExit::Confident.into(),
            reason: Some(v1::Reason {
                code: "HYPOTHESIS_VALIDATED".to_owned(),
                ..v1::Reason::default()
            }),
            ..v1::GateVerdict::default()
        };
        let shadow = v1::Shadow { gate: Some(verdict.clone()), ..v1::Shadow::default() };
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || {
            let cap = v1::CapVerdict { before: 0.9, after: 0.64, cap: Some(0.64) };
            let action =
                v1::ActionVerdict { action: v1::Action::Issue.into(), ..Default::default() };
            record_outcomes(Some(&verdict), Some(&cap), Some(&action), None);
            let cap = Some(v1::CapVerdict { after: 0.9, ..cap });
            let shadow = v1::Shadow { cap, action: Some(action), ..shadow };
            record_outcomes(None, None, None, Some(&shadow));
            record_outcomes(None, None, None, None);
        });
        let text = handle.render();
        for shadow in ["false", "true"] {
            let line = format!(
                "gsar_gate_outcomes_total{{exit=\"GATE_EXIT_CONFIDENT\",reason=\"HYPOTHESIS_VALIDATED\",shadow=\"{shadow}\"}} 1"
            );
            assert!(text.contains(&line), "{line}\n{text}");
            let line =
                format!("gsar_actions_total{{action=\"ACTION_ISSUE\",shadow=\"{shadow}\"}} 1");
            assert!(text.contains(&line), "{line}\n{text}");
        }
        for (lowered, shadow) in [("true", "false"), ("false", "true")] {
            let line = format!("gsar_caps_total{{lowered=\"{lowered}\",shadow=\"{shadow}\"}} 1");
            assert!(text.contains(&line), "{line}\n{text}");
        }
    }
}
