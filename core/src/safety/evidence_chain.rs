//! Builds the evidence chain for a root cause: the path, the supporting records and the change.

use super::gate::GateInput;
use super::hypothesis::{EvidenceRecord, Hypothesis};
use crate::belief::Entity;
use crate::evidence::{EvidenceId, Lane};
use crate::names;
use crate::time::{Timestamp, Window};

/// A change that may have started the incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The reference in the source system, such as `deploy 4711`, a commit hash or `#812`.
    pub reference: String,
    /// The time at which the change took effect.
    pub at: Timestamp,
    /// The changed entity, such as a service; empty if unknown.
    pub target: String,
    /// The item that shows the change, if any.
    pub evidence_id: Option<EvidenceId>,
    /// `true` if the item comes from an attested channel.
    pub attested: bool,
    /// The kind.
    pub kind: ChangeKind,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// A deployment, commit, pull request or configuration change.
    #[default]
    Deployment,
    /// A change in the load or in the available resources, such as a traffic peak.
    Load,
}

impl ChangeKind {
    /// Returns `true` if an item in this lane can show a change of this kind.
    #[must_use]
    pub const fn is_shown_in(self, lane: Lane) -> bool {
        match lane {
            Lane::Change => true,
            Lane::Metrics | Lane::Logs => matches!(self, Self::Load),
            Lane::Traces
            | Lane::StaticInfra
            | Lane::Synthetic
            | Lane::Verification
            | Lane::LlmInferred => false,
        }
    }

    /// The lanes whose items can show a change of this kind, formatted for messages.
    #[must_use]
    pub const fn lanes(self) -> &'static str {
        match self {
            Self::Deployment => "change",
            Self::Load => "change, metrics or logs",
        }
    }
}

/// The change closest to the onset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeCitation {
    /// The change.
    pub change: Change,
    /// The time from the change to the onset, in microseconds.
    pub before_onset_micros: i64,
    /// The references of other changes at the same time, in input order.
    pub equally_near: Vec<String>,
}

/// The strength of an evidence chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// The chain contains neither hard evidence nor a change.
    Ungrounded,
    /// The chain contains hard evidence or a change, but not both.
    PartiallyGrounded,
    /// The chain contains hard evidence and a change.
    Grounded,
}

names!(
    /// The strengths are listed from weakest to strongest.
    Strength {
        Ungrounded => "ungrounded",
        PartiallyGrounded => "partially_grounded",
        Grounded => "grounded",
    }
);

/// The investigation behind a report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Investigation<'a> {
    /// The hypotheses and the progress of the investigation.
    pub gate: GateInput<'a>,
    /// The entities from the alert to the suspect; may be empty.
    pub path: &'a [String],
    /// All known changes.
    pub changes: &'a [Change],
    /// The start of the incident, if known.
    pub onset: Option<Timestamp>,
    /// The window for changes that may have started the incident, if known.
    pub window: Option<Window>,
}

/// The evidence behind a root cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceChain {
    /// The entities from the alert to the suspect.
    pub path: Vec<String>,
    /// The hard supporting records.
    pub items: Vec<EvidenceRecord>,
    /// The change closest to the onset, if any is eligible.
    pub change: Option<ChangeCitation>,
    /// The references of changes to other entities that lie in the window and not after the onset.
    pub unrelated_changes: Vec<String>,
    /// How well the root cause is grounded.
    pub strength: Strength,
}

/// Assembles the evidence chain for the root cause. If there is none, the chain has no supporting records.
#[must_use]
pub fn assemble(
    root_cause: Option<&Hypothesis>,
    investigation: &Investigation<'_>,
) -> EvidenceChain {
    let records = root_cause.map_or(&[][..], |hypothesis| &hypothesis.records);
    let items: Vec<EvidenceRecord> =
        records.iter().filter(|record| record.is_hard_support()).cloned().collect();
    let suspect = root_cause.and_then(|hypothesis| hypothesis.target.as_ref());
    let entities = || suspect.into_iter().chain(investigation.path);
    let (related, unrelated): (Vec<&Change>, Vec<&Change>) = changes_before_onset(investigation)
        .partition(|change| entities().any(|entity| is_same_entity(entity, &change.target)));
    let change = investigation.onset.and_then(|onset| last_change(&related, onset));
    let unrelated_changes = unrelated.iter().map(|change| change.reference.clone()).collect();
    let strength = match (!items.is_empty(), change.is_some()) {
        (true, true) => Strength::Grounded,
        (false, false) => Strength::Ungrounded,
        _ => Strength::PartiallyGrounded,
    };
    EvidenceChain { path: investigation.path.to_vec(), items, change, unrelated_changes, strength }
}

/// Returns the changes that lie in the window and not after the onset. There are none if the onset or the window is
/// unknown.
fn changes_before_onset<'a>(investigation: &Investigation<'a>) -> impl Iterator<Item = &'a Change> {
    let bounds = investigation.onset.zip(investigation.window);
    investigation.changes.iter().filter(move |change| {
        bounds.is_some_and(|(onset, window)| window.contains(change.at) && change.at <= onset)
    })
}

fn last_change(changes: &[&Change], onset: Timestamp) -> Option<ChangeCitation> {
    let at = changes.iter().map(|change| change.at).max()?;
    let mut last = changes.iter().filter(|change| change.at == at);
    let change = (**last.next()?).clone();
    let equally_near = last.map(|change| change.reference.clone()).collect();
    Some(ChangeCitation { change, before_onset_micros: onset.micros_since(at), equally_near })
}

fn is_same_entity(name: &str, other_name: &str) -> bool {
    match (Entity::parse(name.trim()), Entity::parse(other_name.trim())) {
        (Ok(entity), Ok(other)) => entity.may_be(&other),
        _ => !name.trim().is_empty() && name.trim().eq_ignore_ascii_case(other_name.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hypothesis::tests::{hypothesis, record};
    use super::super::verdict::Verdict::{Inconclusive, Refutes, Supports};
    use super::*;
    use proptest::prelude::*;

    fn change(reference: &str, at: i64) -> Change {
        let at = Timestamp::from_micros(at);
        Change {
            reference: reference.to_string(),
            at,
            target: "orders-db".to_string(),
            evidence_id: None,
            attested: false,
            kind: ChangeKind::Deployment,
        }
    }

    fn investigation<'a>(path: &'a [String], changes: &'a [Change]) -> Investigation<'a> {
        Investigation {
            path,
            changes,
            onset: Some(Timestamp::from_micros(100)),
            window: Window::new(Timestamp::from_micros(50), Timestamp::from_micros(120)),
            ..Investigation::default()
        }
    }

    fn chain(records: Option<Vec<EvidenceRecord>>, changes: &[Change]) -> EvidenceChain {
        let root_cause = records.map(|records| hypothesis("h", records));
        let path = ["checkout".to_string(), "orders-db".to_string()];
        assemble(root_cause.as_ref(), &investigation(&path, changes))
    }

    #[test]
    fn no_change_outside_the_window_or_after_the_onset_is_cited() {
        for at in [0, 49, 101, 119, 121] {
            assert_eq!(chain(None, &[change("deploy", at)]).change, None, "at {at}");
        }
        for at in [50, 99, 100] {
            assert!(chain(None, &[change("deploy", at)]).change.is_some(), "at {at}");
        }
    }

    #[test]
    fn the_change_nearest_to_the_onset_is_cited() {
        let changes =
            [change("first", 60), change("near", 95), change("late", 101), change("mid", 80)];
        let citation = chain(None, &changes).change.unwrap();
        assert_eq!(citation.change.reference, "near");
        assert_eq!(citation.before_onset_micros, 5);
    }

    #[test]
    fn simultaneous_changes_are_listed_as_equally_near() {
        let citation = chain(None, &[change("a", 90), change("b", 90)]).change.unwrap();
        assert_eq!((citation.change.reference.as_str(), citation.equally_near.len()), ("a", 1));
    }

    #[test]
    fn only_changes_to_the_suspect_or_its_path_are_cited() {
        let cited = |suspect: Option<&str>, path: &[&str], target: &str| {
            let mut root_cause = hypothesis("h", vec![record("logs", Lane::Logs, Supports, None)]);
            root_cause.target = suspect.map(str::to_string);
            let path: Vec<String> = path.iter().map(|entity| entity.to_string()).collect();
            let changes = [Change { target: target.to_string(), ..change("deploy", 90) }];
            let chain = assemble(Some(&root_cause), &investigation(&path, &changes));
            assert_eq!(chain.unrelated_changes.is_empty(), chain.change.is_some());
            chain.strength == Strength::Grounded
        };
        for (suspect, path, target, expected) in [
            (Some("cart"), &[][..], "cart", true),
            (Some("shop/Service/cart"), &[], "Deployment/cart", true),
            (Some("shop/Pod/cart-7d9f8b6c5d-x2x4q"), &[], "Cart", true),
            (Some("shop/Service/cart"), &[], "pay/Service/cart", false),
            (Some("cart"), &[], "mail", false),
            (Some("cart"), &[], "", false),
            (Some("cart"), &["orders-db"], "orders-db", true),
            (Some("order writer"), &[], "Order writer", true),
            (None, &["orders-db"], "orders-db", true),
            (None, &[], "cart", false),
            (None, &[], "", false),
        ] {
            assert_eq!(cited(suspect, path, target), expected, "{suspect:?} {path:?} {target}");
        }
    }

    #[test]
    fn without_an_onset_or_a_window_no_change_is_cited() {
        let changes = [change("deploy", 90)];
        let unlimited =
            Window::new(Timestamp::from_micros(i64::MIN), Timestamp::from_micros(i64::MAX));
        for (onset, window) in [(None, unlimited), (Some(Timestamp::from_micros(100)), None)] {
            let investigation = Investigation { onset, window, ..investigation(&[], &changes) };
            assert_eq!(assemble(None, &investigation).change, None);
        }
    }

    #[test]
    fn only_hard_supporting_records_are_items() {
        let hard = record("logs", Lane::Logs, Supports, None);
        let chain = chain(
            Some(vec![
                record("model", Lane::LlmInferred, Supports, None),
                record("promql", Lane::Metrics, Refutes, None),
                record("promql", Lane::Metrics, Inconclusive, None),
                hard.clone(),
            ]),
            &[],
        );
        assert_eq!(chain.items, [hard]);
        assert_eq!(chain.path, ["checkout", "orders-db"]);
    }

    #[test]
    fn a_grounded_chain_requires_hard_evidence_and_a_change() {
        let hard = || Some(vec![record("logs", Lane::Logs, Supports, None)]);
        let changes = [change("deploy", 90)];
        assert_eq!(chain(hard(), &changes).strength, Strength::Grounded);
        assert_eq!(chain(hard(), &[]).strength, Strength::PartiallyGrounded);
        assert_eq!(chain(None, &changes).strength, Strength::PartiallyGrounded);
        let inferred = Some(vec![record("model", Lane::LlmInferred, Supports, None)]);
        assert_eq!(chain(inferred, &[]).strength, Strength::Ungrounded);
    }

    proptest! {
        #[test]
        fn the_cited_change_is_in_the_window_and_not_after_the_onset(
            times in proptest::collection::vec(any::<i64>(), 0..20),
            onset: i64, start: i64, end: i64,
        ) {
            let changes: Vec<_> = times.iter().map(|at| change("deploy", *at)).collect();
            let onset = Timestamp::from_micros(onset);
            let window = Window::new(Timestamp::from_micros(start), Timestamp::from_micros(end));
            let path = ["orders-db".to_string()];
            let investigation =
                Investigation { onset: Some(onset), window, ..investigation(&path, &changes) };
            let chain = assemble(None, &investigation);
            let eligible = |at: Timestamp| window.is_some_and(|window| window.contains(at)) && at <= onset;
            match chain.change {
                Some(citation) => {
                    prop_assert!(eligible(citation.change.at));
                    prop_assert!(changes.iter().all(|other| !eligible(other.at) || other.at <= citation.change.at));
                    prop_assert!(citation.before_onset_micros >= 0);
                }
                None => prop_assert!(!changes.iter().any(|change| eligible(change.at))),
            }
        }
    }
}
