//! Renders the grades and the provenance of an evaluation.

use gsar_proto::v1;
use gsar_proto::v1::grade::Subject;
use maud::{Markup, html};

use super::{class_label, tier_label};
use crate::human::evaluation::certified;
use crate::human::html::{block, isolated};
use crate::human::labels;

pub(super) fn grades(grades: &[v1::RecordedGrade]) -> Markup {
    html! {
        @if !grades.is_empty() {
            h2 { "Grades" }
            ul { @for recorded_grade in grades { (grade(recorded_grade)) } }
        }
    }
}

fn grade(recorded_grade: &v1::RecordedGrade) -> Markup {
    let grade = recorded_grade.grade.as_ref();
    let Some(subject) = grade.and_then(|grade| grade.subject.as_ref()) else { return html! {} };
    let note = grade.map_or("", |grade| grade.note.as_str());
    html! {
        li {
            @match subject {
                Subject::Report(report) => { "report: " (tier_label(report.tier())) },
                Subject::Claim(claim) => { (isolated(&claim.claim_id)) ": " (class_label(claim.class())) },
            }
            ", graded by " (isolated(&recorded_grade.grader))
            @if !note.is_empty() { ": " (isolated(note)) }
        }
    }
}

pub(super) fn origin(answer: &v1::EvaluateResponse, policy_toml: &str) -> Markup {
    let provenance = answer.provenance.clone().unwrap_or_default();
    let policy = provenance.policy.clone().unwrap_or_default();
    html! {
        h2 { "Provenance" }
        dl {
            dt { "Evaluation" } dd { code { (isolated(&answer.evaluation_id)) } }
            @if let Some(instant) = &provenance.evaluated_at { dt { "Evaluated" } dd { (labels::instant(instant)) } }
            @if !provenance.server_version.is_empty() { dt { "Server" } dd { "gsar-server " (isolated(&provenance.server_version)) } }
            dt { "Policy" }
            dd {
                (isolated(&policy.name)) @if policy.overridden { " with overrides" }
                " " code { (isolated(&policy.digest)) }
            }
            @if provenance.redacted {
                dt { "Redacted" }
                dd { "Secrets and personal data are replaced by placeholders; the record contains the original text." }
            }
            @if let Some(text) = certified(answer) { dt { "Certified" } dd { (isolated(&text)) } }
            @for link in &provenance.judges {
                dt { "Judge" }
                dd { (isolated(&link.judge)) ", " (isolated(&link.result)) @if !link.detail.is_empty() { ": " (isolated(&link.detail)) } }
            }
            @for warning in &answer.warnings {
                dt { "Warning" } dd { (isolated(&warning.sentence)) " " code { (isolated(&warning.code)) } }
            }
        }
        @if !policy_toml.is_empty() {
            details { summary { "The policy as a file" } pre { (block(policy_toml)) } }
        }
    }
}
