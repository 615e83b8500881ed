//! This module counts and traces evaluations of the gate, in every path in which there are any, in shadow or not.

use gsar_proto::v1;
use metrics::counter;

use super::metrics as names;

/// Notes one evaluation of the gate: a count by exit and deciding reason, and a span with both.
pub fn evaluated(verdict: &v1::GateVerdict, in_shadow: bool) {
    let exit = verdict.exit().as_str_name();
    let reason = verdict.reason.as_ref().map_or("", |reason| reason.code.as_str());
    let shadow = if in_shadow { "true" } else { "false" };
    counter!(names::GATE, "exit" => exit, "reason" => reason.to_owned(), "shadow" => shadow)
        .increment(1);
    let validated = verdict.validated_count;
    let span = tracing::debug_span!("gate", exit, reason, in_shadow, validated);
    span.in_scope(|| tracing::debug!("the gate was evaluated"));
}

/// Notes the evaluations of the gate that an answer holds.
pub fn of_answer(active: Option<&v1::GateVerdict>, shadow: Option<&v1::Shadow>) {
    if let Some(verdict) = active {
        evaluated(verdict, false);
    }
    if let Some(verdict) = shadow.and_then(|shadow| shadow.gate.as_ref()) {
        evaluated(verdict, true);
    }
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    #[test]
    fn every_evaluation_counts_once_with_its_reason_and_shadow() {
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
            of_answer(Some(&verdict), None);
            of_answer(None, Some(&shadow));
            of_answer(None, None);
        });
        let text = handle.render();
        for shadow in ["false", "true"] {
            let line = format!(
                "gsar_gate_outcomes_total{{exit=\"GATE_EXIT_CONFIDENT\",reason=\"HYPOTHESIS_VALIDATED\",shadow=\"{shadow}\"}} 1"
            );
            assert!(text.contains(&line), "{line}\n{text}");
        }
    }
}
