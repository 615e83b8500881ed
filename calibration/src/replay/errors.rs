//! Derives wrong judgements from stored ones, to simulate an unreliable judge.

use crate::judgement::Judgement;
use std::collections::BTreeSet;

use gsar_core::evidence::EvidenceKind;
use gsar_core::{Class, EvidenceType, names};

use super::nearest::nearest_line;
use super::stored::{Case, StoredClaim};
use crate::data_set::ItemLine;
use crate::mutation::{Kind, Surroundings, mutations};
use crate::statistics::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ErrorKind {
    /// A refuted claim judged grounded. Cites the refuting line.
    Refuted,
    /// An unsupported claim judged grounded. Cites the line that shares the most words with it.
    Unsupported,
    /// A true claim with a changed figure. Cites the original evidence.
    Figure,
    /// A true claim with a changed name.
    Name,
    /// A true claim with a changed time.
    Time,
    /// A true claim with a negation added or removed.
    Negation,
}

names!(ErrorKind {
    Refuted => "refuted",
    Unsupported => "unsupported",
    Figure => "figure",
    Name => "name",
    Time => "time",
    Negation => "negation",
});

impl ErrorKind {
    fn for_mutation(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Value | Kind::Unit | Kind::Count => Some(Self::Figure),
            Kind::Entity => Some(Self::Name),
            Kind::Time => Some(Self::Time),
            Kind::Negation => Some(Self::Negation),
            Kind::Direction | Kind::Quantifier | Kind::Order | Kind::State => None,
        }
    }
}

/// A false or unsupported claim with a judgement that the claim is grounded.
#[derive(Clone, Debug)]
pub(crate) struct InjectedError {
    pub(crate) kind: ErrorKind,
    pub(crate) text: String,
    pub(crate) judgement: Judgement,
}

/// Derives errors from a case's correct verdicts, at most one of each kind per verdict.
pub(crate) fn inject_errors(case: &Case, random: &mut Random) -> Vec<InjectedError> {
    let surroundings = Surroundings::new(case.evidence.iter().map(|item| item.content.as_str()));
    let stored: BTreeSet<&str> = case.claims.iter().map(|claim| claim.text.as_str()).collect();
    let right = case.claims.iter().filter(|claim| claim.right == Some(true));
    right
        .flat_map(|claim| match claim.judgement.class {
            Class::Contradicted => refuted(claim).into_iter().collect(),
            Class::Ungrounded => unsupported(claim, &case.evidence).into_iter().collect(),
            Class::Grounded => mutated(claim, &surroundings, &stored, random),
            Class::Complementary => Vec::new(),
        })
        .collect()
}

fn refuted(claim: &StoredClaim) -> Option<InjectedError> {
    let judgement = Judgement { class: Class::Grounded, ..claim.judgement.clone() };
    (!judgement.citations.is_empty()).then(|| InjectedError {
        kind: ErrorKind::Refuted,
        text: claim.text.clone(),
        judgement,
    })
}

fn unsupported(claim: &StoredClaim, evidence: &[ItemLine]) -> Option<InjectedError> {
    let (item, citation) = nearest_line(&claim.text, evidence)?;
    let evidence_type = match item.kind {
        EvidenceKind::Signal => EvidenceType::SignalMatch,
        _ => EvidenceType::ToolMatch,
    };
    let citations = vec![citation];
    let judgement = Judgement { class: Class::Grounded, evidence_type, citations };
    Some(InjectedError { kind: ErrorKind::Unsupported, text: claim.text.clone(), judgement })
}

fn mutated(
    claim: &StoredClaim,
    surroundings: &Surroundings,
    stored: &BTreeSet<&str>,
    random: &mut Random,
) -> Vec<InjectedError> {
    let found = mutations(&claim.text, surroundings);
    let mut errors = Vec::new();
    for kind in ErrorKind::ALL {
        let of_kind: Vec<_> = found
            .iter()
            .filter(|mutation| ErrorKind::for_mutation(mutation.kind) == Some(kind))
            .filter(|mutation| !stored.contains(mutation.text.as_str()))
            .collect();
        errors.extend(of_kind.get(random.below(of_kind.len())).map(|mutation| InjectedError {
            kind,
            text: mutation.text.clone(),
            judgement: claim.judgement.clone(),
        }));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::super::stored::tests::{case, stored};
    use super::*;

    #[test]
    fn injects_every_kind_of_error() {
        let case = case(
            "NAME        NODE      STATUS    RESTARTS\n\
             api-1a2b-x1 node-01   Running   4\n\
             api-1a2b-z9 node-02   Pending   0\n\
             14:02:17 pod api-1a2b-x1 restarted",
            vec![
                stored(
                    "Pod api-1a2b-x1 had 4 restarts; the last was at 14:02:17.",
                    Class::Grounded,
                ),
                stored("Pod api-1a2b-x1 never restarted.", Class::Contradicted),
                stored("The disk filled; the pod restarted.", Class::Ungrounded),
                stored("A pod budget would help.", Class::Complementary),
                StoredClaim {
                    right: Some(false),
                    ..stored("It restarted 4 times.", Class::Grounded)
                },
            ],
        );
        let made = |seed| inject_errors(&case, &mut Random::new(seed));
        let kinds: BTreeSet<ErrorKind> = made(1).iter().map(|error| error.kind).collect();
        assert_eq!(kinds, ErrorKind::ALL.into());
        for error in made(1) {
            assert_eq!(error.judgement.class, Class::Grounded);
            assert!(!error.judgement.citations.is_empty());
            let is_mutated = !matches!(error.kind, ErrorKind::Refuted | ErrorKind::Unsupported);
            let is_stored = case.claims.iter().any(|claim| claim.text == error.text);
            assert_eq!(is_mutated, !is_stored, "{error:?}");
        }
        let texts = |errors: Vec<InjectedError>| errors.into_iter().map(|error| error.text);
        assert!(texts(made(7)).eq(texts(made(7))), "deterministic for a seed");
    }
}
