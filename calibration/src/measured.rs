//! Measures a server on labelled claims and reports.

use anyhow::Result;
use gsar_client::Client;
use gsar_core::{Class, Tier};

use crate::asking::{Question, ServerVerdict, ask, tier, verdict};
use crate::data_set::{Case, DataSet, Label, Part, Prose};
use crate::rows::is_faulty;
use crate::statistics::{Counts, Share, per_case};

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) part: Part,
    pub(crate) label: Label,
    pub(crate) verdict: ServerVerdict,
}

impl Row {
    pub(crate) fn is_right(&self) -> bool {
        self.verdict.class == Some(self.label.class)
    }

    /// Returns `true` if the claim is labelled ungrounded or contradicted.
    pub(crate) fn is_faulty(&self) -> bool {
        is_faulty(self.label.class)
    }

    /// Returns `true` if the verdict is ungrounded or contradicted.
    pub(crate) fn is_found(&self) -> bool {
        self.verdict.class.is_some_and(is_faulty)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ReportDecision {
    pub(crate) part: Part,
    /// `faithful`, `overreaching` or `contradicted`.
    pub(crate) kind: String,
    pub(crate) tier: Tier,
}

#[derive(Debug)]
pub(crate) struct Measurements {
    pub(crate) cases: Vec<Case>,
    pub(crate) rows: Vec<Row>,
    pub(crate) reports: Vec<ReportDecision>,
}

/// Sends each single claim in its own call, the claims of each report in one call, and each report without its
/// claims.
pub(crate) async fn measure(client: &Client, data_set: DataSet) -> Result<Measurements> {
    let DataSet { cases, labels, reports } = data_set;
    let part = |case: usize| cases.get(case).map_or(Part::Test, |case| case.part);
    let mut rows = Vec::new();

    let single = labels.iter().map(Question::claim).collect();
    for (label, answer) in labels.into_iter().zip(ask(client, &cases, single).await?) {
        let verdict = verdict(&answer, &label.id)?;
        rows.push(Row { part: part(label.case), label, verdict });
    }

    let with_claims: Vec<Prose> =
        reports.iter().filter(|report| !report.labels.is_empty()).cloned().collect();
    let questions = with_claims
        .iter()
        .map(|report| Question::claims(report.case, report.text.clone(), &report.labels));
    let answers = ask(client, &cases, questions.collect()).await?;
    for (report, answer) in with_claims.into_iter().zip(answers) {
        for label in report.labels {
            let verdict = verdict(&answer, &label.id)?;
            rows.push(Row { part: part(label.case), label, verdict });
        }
    }

    let whole_reports =
        reports.iter().map(|report| Question::whole(report.case, report.text.clone()));
    let answers = ask(client, &cases, whole_reports.collect()).await?;
    let mut decisions = Vec::new();
    for (report, answer) in reports.into_iter().zip(answers) {
        decisions.push(ReportDecision {
            part: part(report.case),
            kind: report.kind,
            tier: tier(&answer)?,
        });
    }
    Ok(Measurements { cases, rows, reports: decisions })
}

impl Measurements {
    pub(crate) fn part(&self, part: Part) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.part == part).collect()
    }
}

/// Counts the rows selected by `of`, and the hits among them, per case.
pub(crate) fn counts(
    rows: &[&Row],
    of: impl Fn(&Row) -> bool,
    hit: impl Fn(&Row) -> bool,
) -> Vec<Counts> {
    per_case(rows.iter().copied(), |row| row.label.case, of, hit)
}

/// Returns the share of hits among the rows selected by `of`.
pub(crate) fn share(rows: &[&Row], of: impl Fn(&Row) -> bool, hit: impl Fn(&Row) -> bool) -> Share {
    Share::by_claim(&counts(rows, of, hit))
}

pub(crate) fn recall(rows: &[&Row], class: Class) -> Share {
    share(rows, |row| row.label.class == class, Row::is_right)
}

pub(crate) fn precision(rows: &[&Row], class: Class) -> Share {
    share(rows, |row| row.verdict.class == Some(class), Row::is_right)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use gsar_core::EvidenceType;

    pub(crate) fn row(case: usize, label: Class, judged: Class) -> Row {
        Row {
            part: Part::Tune,
            label: Label {
                id: "c1".to_owned(),
                case,
                text: "It is up.".to_owned(),
                span: None,
                class: label,
                evidence_type: EvidenceType::ToolMatch,
                evidence: Some("e1".to_owned()),
                quote: None,
                origin: None,
                mistake: None,
            },
            verdict: ServerVerdict {
                class: Some(judged),
                evidence_type: EvidenceType::ToolMatch,
                cited: vec!["e1".to_owned()],
                note: "as e1 says".to_owned(),
            },
        }
    }

    #[test]
    fn computes_recall_and_precision_for_known_verdicts() {
        use Class::{Contradicted as X, Grounded as G, Ungrounded as U};
        let rows = [
            row(0, G, G),
            row(0, G, G),
            row(0, G, U),
            row(2, G, X),
            row(2, X, X),
            row(2, X, G),
            row(2, U, U),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let counted = |share: Share| (share.counts.hits, share.counts.of);
        assert_eq!(counted(recall(&rows, G)), (2, 4));
        assert_eq!(counted(precision(&rows, G)), (2, 3));
        assert_eq!(counted(recall(&rows, X)), (1, 2));
        assert_eq!(counted(precision(&rows, X)), (1, 2));
        assert_eq!(counted(recall(&rows, U)), (1, 1));
        assert_eq!(counted(precision(&rows, U)), (1, 2));
        assert_eq!(counted(share(&rows, |_| true, Row::is_right)), (4, 7));
        assert_eq!(counted(share(&rows, Row::is_faulty, Row::is_found)), (2, 3));
        assert_eq!(recall(&rows, Class::Complementary).value, None);
        let per_case = counts(&rows, |_| true, Row::is_right);
        assert_eq!(per_case, [Counts { hits: 2, of: 3 }, Counts { hits: 2, of: 4 }]);
    }
}
