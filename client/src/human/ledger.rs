//! Formats recorded evaluations and grades.

use gsar_client::text::{one_line, truncate_end, width};
use gsar_proto::v1;

use super::labels;
use super::page::{DIM, padded, styled};

/// Formats each evaluation as time, decision, score, number of claims, report and id.
pub(crate) fn evaluations(list: &[v1::EvaluationSummary]) -> String {
    let names: Vec<String> = list
        .iter()
        .map(|summary| truncate_end(&one_line(&summary.report_id), 32).into_owned())
        .collect();
    let column = names.iter().map(|name| width(name)).max().unwrap_or(0);
    list.iter()
        .zip(&names)
        .map(|(summary, name)| {
            let instant = summary.evaluated_at.as_ref().map(labels::instant).unwrap_or_default();
            let (tier, style) = labels::tier(summary.tier());
            let tier = if summary.outcome() == v1::Outcome::Failed { "failed" } else { tier };
            format!(
                "{}  {}  {}  {:>5}  {}  {}\n",
                padded(&instant, 20),
                styled(style, &padded(tier, 10)),
                padded(&labels::score(summary.score.as_ref()), 5),
                summary.claims,
                padded(name, column),
                styled(DIM, &one_line(&summary.evaluation_id)),
            )
        })
        .collect()
}

pub(crate) fn grades(list: &[v1::RecordedGrade]) -> String {
    use v1::grade::Subject;
    list.iter()
        .filter_map(|recorded| {
            let grade = recorded.grade.as_ref()?;
            let (subject, verdict, style) = match grade.subject.as_ref()? {
                Subject::Report(report) => {
                    let (tier, style) = labels::tier(report.tier());
                    ("report".to_owned(), tier, style)
                }
                Subject::Claim(claim) => {
                    let (_, class, style) = labels::class(claim.class());
                    (one_line(&claim.claim_id), class, style)
                }
            };
            let note = match one_line(&grade.note) {
                note if note.is_empty() => String::new(),
                note => format!(": {note}"),
            };
            let grader = one_line(&recorded.grader);
            let verdict = styled(style, verdict);
            Some(format!("{subject}: {verdict}, graded by {grader}{note}\n"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_grades() {
        use v1::grade::Subject;
        let recorded = |subject, note: &str| v1::RecordedGrade {
            grade: Some(v1::Grade { subject: Some(subject), note: note.to_owned() }),
            grader: "ada".to_owned(),
            graded_at: None,
        };
        let report = v1::ReportGrade { tier: v1::Tier::Replan.into() };
        let class = v1::ClaimClass::Contradicted.into();
        let claim = v1::ClaimGrade { claim_id: "c\n4".to_owned(), class };
        let text = grades(&[
            recorded(Subject::Report(report), ""),
            recorded(Subject::Claim(claim), "4 restarts\nin all"),
            v1::RecordedGrade::default(),
        ]);
        let lines: Vec<String> =
            text.lines().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
        let expected = [
            format!("report: {}, graded by ada", labels::tier(v1::Tier::Replan).0),
            format!(
                "{}: {}, graded by ada: {}",
                one_line("c\n4"),
                labels::class(v1::ClaimClass::Contradicted).1,
                one_line("4 restarts\nin all")
            ),
        ];
        assert_eq!(lines, expected);
    }
}
