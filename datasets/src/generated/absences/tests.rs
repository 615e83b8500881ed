//! Tests generated claims of absence.

use std::collections::BTreeMap;

use super::*;

#[test]
fn generation_is_deterministic() {
    assert_eq!(absences(7, 130), absences(7, 130));
    assert_ne!(absences(7, 130), absences(8, 130));
}

#[test]
fn forms_are_evenly_distributed() {
    let mut forms: BTreeMap<AbsenceForm, usize> = BTreeMap::new();
    for absence in absences(1, 1_300) {
        *forms.entry(absence.form).or_default() += 1;
    }
    assert_eq!(forms.into_iter().collect::<Vec<_>>(), AbsenceForm::ALL.map(|form| (form, 100)));
}

/// Returns `true` if the evidence contains the name or message whose absence is claimed.
fn evidence_contains_denied_item(absence: &Absence) -> bool {
    let listed_names = super::super::kinds::KINDS
        .iter()
        .flat_map(|kind| kind.names.iter().copied().flatten())
        .filter(|name| {
            absence
                .evidence
                .content
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.')
                .any(|word| word == **name)
        });
    let words: Vec<&str> =
        absence.claim.split([' ', '"']).map(|word| word.trim_end_matches('.')).collect();
    listed_names.into_iter().any(|name| words.contains(name))
        || MESSAGES.iter().any(|message| {
            absence.claim.contains(message) && absence.evidence.content.contains(message)
        })
}

#[test]
fn only_refuting_evidence_contains_the_denied_item() {
    for absence in absences(2, 2_600) {
        if absence.form == AbsenceForm::SomeCount {
            assert_ne!(absence.evidence.content, "0");
        } else {
            let refuted = absence.form.expected() == Expected::Refuted;
            assert_eq!(evidence_contains_denied_item(&absence), refuted, "{absence:?}");
        }
    }
}

#[test]
fn claims_are_about_the_queried_namespace() {
    for absence in absences(3, 2_600) {
        let queried = NAMESPACES.iter().find(|scope| {
            let tool = &absence.evidence.tool;
            [format!("-n {scope}"), format!("namespace = '{scope}'"), format!("namespace={scope}")]
                .iter()
                .any(|words| tool.contains(words.as_str()))
        });
        let Some(queried) = queried else { continue };
        let names_queried = absence.claim.to_lowercase().contains(&format!("namespace {queried}"));
        let other_scopes = [AbsenceForm::WiderScope, AbsenceForm::OtherScope];
        assert_eq!(names_queried, !other_scopes.contains(&absence.form), "{absence:?}");
    }
}

#[test]
fn truncated_evidence_has_a_limit_in_its_command() {
    for absence in absences(4, 1_300) {
        let truncated_forms =
            [AbsenceForm::CutList, AbsenceForm::CutListed, AbsenceForm::TailOfLog];
        let words = ["limit", "head -n", "tail -n"];
        let has_limit = words.iter().any(|word| absence.evidence.tool.contains(word));
        assert_eq!(has_limit, truncated_forms.contains(&absence.form), "{absence:?}");
    }
}
