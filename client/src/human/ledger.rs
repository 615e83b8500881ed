//! Lists of recorded evaluations.

use gsar_client::text::{end_cut, one_line, width};
use gsar_proto::v1;

use super::page::{DIM, padded, styled};
use super::words;

/// A line per evaluation: when, decision, score, claims, report, id.
pub(crate) fn evaluations(list: &[v1::EvaluationSummary]) -> String {
    let names: Vec<String> = list
        .iter()
        .map(|summary| end_cut(&one_line(&summary.report_id), 32).into_owned())
        .collect();
    let column = names.iter().map(|name| width(name)).max().unwrap_or(0);
    list.iter()
        .zip(&names)
        .map(|(summary, name)| {
            let at = summary.evaluated_at.as_ref().map(words::instant).unwrap_or_default();
            let (tier, style) = words::tier(summary.tier());
            let tier = if summary.outcome() == v1::Outcome::Failed { "failed" } else { tier };
            format!(
                "{}  {}  {}  {:>5}  {}  {}\n",
                padded(&at, 20),
                styled(style, &padded(tier, 10)),
                padded(&words::score(summary.score.as_ref()), 5),
                summary.claims,
                padded(name, column),
                styled(DIM, &one_line(&summary.evaluation_id)),
            )
        })
        .collect()
}
