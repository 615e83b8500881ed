//! Rejects circular citations between claims, and limits each claim to the class and type of the weakest claim that it
//! cites.

use std::collections::{BTreeMap, BTreeSet};

use super::super::VerifiedClaim;
use super::super::corrections::{CorrectionCode, Findings, is_supported};
use super::resolve::{CitationProblem, Source};
use crate::claim::Class;
use crate::evidence::Target;
use crate::ids::ClaimId;
use crate::policy::PolicyValues;

pub(super) struct ClaimGraph {
    indices: BTreeMap<ClaimId, usize>,
    /// The indices of the claims that are on a cycle or whose citations lead to one.
    circular: BTreeSet<usize>,
}

impl ClaimGraph {
    pub(super) fn new(claims: &[VerifiedClaim]) -> Self {
        let cites_claims = |claim: &VerifiedClaim| {
            claim
                .judged
                .citations
                .iter()
                .any(|citation| matches!(citation.target, Target::Claim(_)))
        };
        if !claims.iter().any(cites_claims) {
            return Self { indices: BTreeMap::new(), circular: BTreeSet::new() };
        }
        let indices: BTreeMap<ClaimId, usize> = claims
            .iter()
            .enumerate()
            .map(|(index, claim)| (claim.judged.claim.id.clone(), index))
            .collect();
        let mut edges = BTreeSet::new();
        for (index, claim) in claims.iter().enumerate() {
            for citation in &claim.judged.citations {
                if let Target::Claim(id) = &citation.target
                    && let Some(cited_index) = indices.get(id)
                    && *cited_index != index
                {
                    edges.insert((index, *cited_index));
                }
            }
        }
        let acyclic: BTreeSet<usize> = sort_supports_first(&edges).into_iter().collect();
        let circular = edges
            .iter()
            .map(|(citing_index, _)| *citing_index)
            .filter(|citing_index| !acyclic.contains(citing_index))
            .collect();
        Self { indices, circular }
    }

    pub(super) fn resolve(
        &self,
        citing_index: usize,
        id: &ClaimId,
    ) -> Result<Source, CitationProblem> {
        match self.indices.get(id) {
            None => {
                Err((CorrectionCode::UnknownReference, format!("the report has no claim `{id}`")))
            }
            Some(cited_index) if *cited_index == citing_index => {
                Err((CorrectionCode::SelfCitation, String::from("a claim cannot cite itself")))
            }
            Some(cited_index)
                if self.circular.contains(&citing_index) && self.circular.contains(cited_index) =>
            {
                Err((
                    CorrectionCode::CitationCycle,
                    format!("the citations of claim `{id}` lead to a cycle of claims"),
                ))
            }
            Some(cited_index) => Ok(Source::Claim(*cited_index)),
        }
    }
}

/// Sorts nodes topologically, so that the targets of edges come first. Omits nodes that are on a cycle or lead to one.
fn sort_supports_first(edges: &BTreeSet<(usize, usize)>) -> Vec<usize> {
    let mut unresolved: BTreeMap<usize, usize> = BTreeMap::new();
    let mut dependents: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (from, to) in edges {
        *unresolved.entry(*from).or_default() += 1;
        unresolved.entry(*to).or_default();
        dependents.entry(*to).or_default().push(*from);
    }
    let mut order: Vec<usize> =
        unresolved.iter().filter(|(_, count)| **count == 0).map(|(node, _)| *node).collect();
    let mut next = 0;
    while let Some(node) = order.get(next).copied() {
        next += 1;
        for from in dependents.get(&node).into_iter().flatten() {
            if let Some(count) = unresolved.get_mut(from) {
                *count -= 1;
                if *count == 0 {
                    order.push(*from);
                }
            }
        }
    }
    order
}

pub(in super::super) fn limit_to_weakest(
    policy: &PolicyValues,
    claims: &mut [VerifiedClaim],
    sources: &[Vec<Source>],
    findings: &mut Findings,
) {
    let mut edges = BTreeSet::new();
    for (index, cited_sources) in sources.iter().enumerate() {
        for source in cited_sources {
            if let Source::Claim(cited_index) = source {
                edges.insert((index, *cited_index));
            }
        }
    }
    for index in sort_supports_first(&edges) {
        let supports =
            edges.range((index, 0)..=(index, usize::MAX)).map(|(_, cited_index)| *cited_index);
        for cited_index in supports {
            let Some(support) = claims.get(cited_index).map(|claim| claim.judged.clone()) else {
                continue;
            };
            let Some(claim) = claims.get_mut(index).filter(|claim| is_supported(&claim.judged))
            else {
                break;
            };
            let (name, code) = (&support.claim.id, CorrectionCode::WeakerSupport);
            let class = if is_supported(&support) { support.class } else { Class::Ungrounded };
            if class > claim.judged.class {
                let sentence =
                    format!("The claim cites claim `{name}`, which is {}.", support.class.name());
                findings.reclassify(&mut claim.judged, code, class, sentence);
            }
            findings.lower_type(policy, &mut claim.judged, code, support.evidence_type, || {
                format!(
                    "The claim cites claim `{name}`, which is {}.",
                    support.evidence_type.name()
                )
            });
        }
    }
}

/// Finds a cycle of references between claims, in which each claim references the next and the last references the
/// first.
#[must_use]
pub fn claim_cycle<'a>(
    references: impl IntoIterator<Item = (&'a ClaimId, &'a ClaimId)>,
) -> Option<Vec<&'a ClaimId>> {
    let references: Vec<_> = references.into_iter().collect();
    let mut ids: Vec<&ClaimId> = references.iter().flat_map(|(from, to)| [*from, *to]).collect();
    ids.sort_unstable();
    ids.dedup();
    let index = |id: &ClaimId| ids.binary_search(&id).unwrap_or(usize::MAX);
    let edges: BTreeSet<(usize, usize)> =
        references.iter().map(|(from, to)| (index(from), index(to))).collect();
    let acyclic: BTreeSet<usize> = sort_supports_first(&edges).into_iter().collect();
    // Every remaining node has an edge to another remaining node, so following these edges finds a cycle.
    let mut node = edges.iter().map(|(from, _)| *from).find(|from| !acyclic.contains(from))?;
    let mut path: Vec<usize> = Vec::new();
    let mut visited: BTreeMap<usize, usize> = BTreeMap::new();
    loop {
        if let Some(first) = visited.get(&node) {
            let cycle = path.get(*first..)?;
            return cycle.iter().map(|node| ids.get(*node).copied()).collect();
        }
        visited.insert(node, path.len());
        path.push(node);
        node = edges
            .range((node, 0)..=(node, usize::MAX))
            .map(|(_, to)| *to)
            .find(|to| !acyclic.contains(to))?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::VerdictStatus;
    use super::super::super::testing::{
        claims, codes, judged, judged_citing_claims, tool, verify_claims,
    };
    use super::*;
    use crate::claim::EvidenceType::{Inference, SpecificData, Synthesis, ToolMatch};

    #[test]
    fn h27_a_claim_that_cites_itself_or_a_cycle_is_ungrounded() {
        let claims = claims(&["a happened", "b happened", "c happened"]);
        let answer = [
            judged_citing_claims(&claims[0], Class::Grounded, Synthesis, &[&claims[0]]),
            judged_citing_claims(&claims[1], Class::Grounded, Synthesis, &[&claims[2]]),
            judged_citing_claims(&claims[2], Class::Grounded, Synthesis, &[&claims[1]]),
        ];
        let result = verify_claims(&claims, &answer, &[]);
        assert!(result.claims.iter().all(|claim| claim.judged.class == Class::Ungrounded));
        assert!(codes(&result).contains(&CorrectionCode::SelfCitation));
        assert!(codes(&result).contains(&CorrectionCode::CitationCycle));
    }

    #[test]
    fn h27_a_synthesis_is_no_better_than_its_weakest_support() {
        let claims =
            claims(&["pod restarted", "pod was slow", "so checkout was slow", "all was slow"]);
        let answer = [
            judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "pod restarted")]),
            judged(&claims[1], Class::Ungrounded, Inference, &[]),
            judged_citing_claims(&claims[2], Class::Grounded, Synthesis, &[&claims[0], &claims[1]]),
            judged_citing_claims(&claims[3], Class::Grounded, ToolMatch, &[&claims[2]]),
        ];
        let result = verify_claims(&claims, &answer, &[tool("e1", "pod restarted")]);
        let classes: Vec<_> = result.claims.iter().map(|claim| claim.judged.class).collect();
        assert_eq!(
            classes,
            [Class::Grounded, Class::Ungrounded, Class::Ungrounded, Class::Ungrounded]
        );

        let answer = [
            judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "pod restarted")]),
            judged(&claims[1], Class::Grounded, Inference, &[("e1", "pod restarted")]),
            judged_citing_claims(
                &claims[2],
                Class::Complementary,
                SpecificData,
                &[&claims[0], &claims[1]],
            ),
            judged_citing_claims(&claims[3], Class::Grounded, SpecificData, &[&claims[2]]),
        ];
        let result = verify_claims(&claims, &answer, &[tool("e1", "pod restarted")]);
        let verdicts: Vec<_> =
            result.claims.iter().map(|c| (c.judged.class, c.judged.evidence_type)).collect();
        assert_eq!(verdicts[2], (Class::Complementary, Inference));
        assert_eq!(verdicts[3], (Class::Complementary, Inference));
        assert!(result.claims.iter().all(|claim| claim.status == VerdictStatus::AsJudged));
    }

    #[test]
    fn h27_finds_cycles() {
        let id = |name: &str| ClaimId::new(name).unwrap();
        let (a, b, c, d) = (id("a"), id("b"), id("c"), id("d"));
        assert_eq!(claim_cycle([(&a, &b), (&b, &c), (&a, &c)]), None);
        assert_eq!(claim_cycle([(&a, &a)]), Some(Vec::from([&a])));
        assert_eq!(
            claim_cycle([(&d, &a), (&a, &b), (&b, &c), (&c, &a)]).map(|cycle| cycle.len()),
            Some(3)
        );
    }
}
