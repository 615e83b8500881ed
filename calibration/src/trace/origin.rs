//! The dates and server versions in a trace.

use std::collections::BTreeSet;

use super::read::TracedRow;

const DAY: usize = 10;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The recorded dates, such as `2026-11-27 to 2026-11-29`. Empty if unknown.
    pub(crate) days: String,
    /// The server versions, separated by commas. Empty if unknown.
    pub(crate) versions: String,
}

impl Origin {
    pub(crate) fn of(rows: &[TracedRow]) -> Self {
        let provenances = || rows.iter().filter_map(|row| row.evaluation.provenance.as_ref());
        let days: BTreeSet<String> = provenances()
            .filter_map(|provenance| provenance.evaluated_at.as_ref())
            .map(|at| at.to_string().chars().take(DAY).collect())
            .collect();
        let days = match (days.first(), days.last()) {
            (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
            (first, _) => first.cloned().unwrap_or_default(),
        };
        let versions = provenances().map(|provenance| provenance.server_version.as_str());
        let versions: BTreeSet<&str> = versions.filter(|version| !version.is_empty()).collect();
        Self { days, versions: Vec::from_iter(versions).join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use gsar_proto::json::from_json;
    use gsar_proto::v1;

    use super::*;

    fn row(day: u32, version: &str) -> TracedRow {
        let evaluation = format!(
            r#"{{"provenance": {{"evaluatedAt": "2026-11-{day}T08:12:47Z", "serverVersion": "{version}"}}}}"#
        );
        let evaluation = from_json(&evaluation).unwrap();
        TracedRow { row: "r".to_owned(), gold: Vec::new(), evaluation, loop_end: None }
    }

    #[test]
    fn reads_days_and_versions_from_the_answers() {
        let one = Origin::of(&[row(27, "0.1.0"), row(27, "0.1.0")]);
        assert_eq!((one.days.as_str(), one.versions.as_str()), ("2026-11-27", "0.1.0"));
        let two = Origin::of(&[row(29, "0.2.0"), row(27, "0.1.0")]);
        assert_eq!(two.days, "2026-11-27 to 2026-11-29");
        assert_eq!(two.versions, "0.1.0, 0.2.0");
        let unknown = TracedRow { evaluation: v1::EvaluateResponse::default(), ..row(27, "") };
        assert_eq!(Origin::of(&[unknown]), Origin::default());
    }
}
