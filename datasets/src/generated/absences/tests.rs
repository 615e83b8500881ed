//! Checks that generated claims of absence have the expected verdicts.

use std::collections::BTreeMap;

use super::*;

#[test]
fn the_same_seed_makes_the_same() {
    assert_eq!(absences(7, 130), absences(7, 130));
    assert_ne!(absences(7, 130), absences(8, 130));
}

#[test]
fn every_form_has_as_many_claims() {
    let mut forms: BTreeMap<AbsenceForm, usize> = BTreeMap::new();
    for absence in absences(1, 1_300) {
        *forms.entry(absence.form).or_default() += 1;
    }
    assert_eq!(forms.into_iter().collect::<Vec<_>>(), AbsenceForm::ALL.map(|form| (form, 100)));
}

/// The name, namespace or message that a claim denies stands between these words.
fn is_in(absence: &Absence) -> bool {
    let listed = super::super::kinds::KINDS
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
    listed.into_iter().any(|name| words.contains(name))
        || MESSAGES.iter().any(|message| {
            absence.claim.contains(message) && absence.evidence.content.contains(message)
        })
}

#[test]
fn what_is_denied_stands_in_the_evidence_only_where_that_refutes() {
    for absence in absences(2, 2_600) {
        if absence.form == AbsenceForm::SomeCount {
            assert_ne!(absence.evidence.content, "0");
        } else {
            let refuted = absence.form.expected() == Expected::Refuted;
            assert_eq!(is_in(&absence), refuted, "{absence:?}");
        }
    }
}

#[test]
fn a_claim_is_of_the_namespace_that_was_asked_for_unless_it_is_of_another() {
    for absence in absences(3, 2_600) {
        let asked = NAMESPACES.iter().find(|scope| {
            let tool = &absence.evidence.tool;
            [format!("-n {scope}"), format!("namespace = '{scope}'"), format!("namespace={scope}")]
                .iter()
                .any(|words| tool.contains(words.as_str()))
        });
        let Some(asked) = asked else { continue };
        let says = absence.claim.to_lowercase().contains(&format!("namespace {asked}"));
        let apart = [AbsenceForm::WiderScope, AbsenceForm::OtherScope];
        assert_eq!(says, !apart.contains(&absence.form), "{absence:?}");
    }
}

#[test]
fn what_is_cut_says_so() {
    for absence in absences(4, 1_300) {
        let cut = [AbsenceForm::CutList, AbsenceForm::CutListed, AbsenceForm::TailOfLog];
        let words = ["limit", "head -n", "tail -n"];
        let says = words.iter().any(|word| absence.evidence.tool.contains(word));
        assert_eq!(says, cut.contains(&absence.form), "{absence:?}");
    }
}
