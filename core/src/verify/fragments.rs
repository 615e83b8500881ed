//! This module weighs what was found of a part of a sentence against the whole sentence: a fragment has its subject, names
//! and figures from the words around it. It makes no check itself.
//!
//! A name or figure is missing only where everything that is cited for the sentence lacks it; citations are unrelated only
//! where those of the sentence have nothing to do with it. A conflict is found only where the sentence is in conflict with
//! what is cited for the fragment: a figure that another fragment cites is none of this one's.

use alloc::string::String;
use alloc::vec::Vec;

use super::agreement::Cited;
use super::corrections::{CorrectionCode, Findings, is_supported};
use super::evidence_set::Sources;
use super::resolve::Source;
use super::{VerifiedClaim, check_meaning};
use crate::claim::{Claim, JudgedClaim};
use crate::evidence::Citation;
use crate::policy::PolicyValues;

/// The most citations that a sentence lends to its parts.
const MAX_CITATIONS: usize = 64;

/// The sentences of a report of which claims are parts.
#[derive(Debug, Default)]
pub(super) struct Sentences<'r> {
    all: Vec<Sentence<'r>>,
    /// For each claim its place among them.
    of_claims: Vec<Option<usize>>,
}

/// A sentence, with what is cited for those of its parts that count in favour of the report.
#[derive(Debug)]
pub(super) struct Sentence<'r> {
    text: &'r str,
    citations: Vec<Citation>,
    points_at: Vec<Source>,
}

impl<'r> Sentences<'r> {
    /// Those of claims; `points_at` runs in step.
    pub(super) fn of(
        claims: &[VerifiedClaim],
        points_at: &[Vec<Source>],
        sources: &Sources<'r>,
    ) -> Self {
        let mut sentences = Self::default();
        for (claim, points_at) in claims.iter().zip(points_at) {
            let text = sources.sentence(&claim.judged.claim);
            let place = text.map(|text| sentences.place(text));
            if let Some(sentence) = place.and_then(|place| sentences.all.get_mut(place))
                && is_supported(&claim.judged)
            {
                sentence.add(&claim.judged.citations, points_at);
            }
            let is_part = text.is_some_and(|text| is_more_than(text, &claim.judged.claim.text));
            sentences.of_claims.push(place.filter(|_| is_part));
        }
        sentences
    }

    /// The sentence that a claim is a part of, by the place of the claim; nothing where the claim says all of it.
    pub(super) fn around(&self, claim: usize) -> Option<&Sentence<'r>> {
        self.all.get((*self.of_claims.get(claim)?)?)
    }

    /// The place of a sentence, which is added where it is new. Claims of one sentence mostly follow each other.
    fn place(&mut self, text: &'r str) -> usize {
        let known = self.all.iter().rposition(|known| core::ptr::eq(known.text, text));
        known.unwrap_or_else(|| {
            self.all.push(Sentence { text, citations: Vec::new(), points_at: Vec::new() });
            self.all.len() - 1
        })
    }
}

/// Whether a sentence has words that a claim has not.
fn is_more_than(sentence: &str, claim: &str) -> bool {
    let ends = |c: char| !c.is_alphanumeric();
    sentence.trim_matches(ends) != claim.trim_matches(ends)
}

impl Sentence<'_> {
    /// Adds citations, each once.
    fn add(&mut self, citations: &[Citation], points_at: &[Source]) {
        for (citation, points_at) in citations.iter().zip(points_at) {
            if self.citations.len() < MAX_CITATIONS && !self.citations.contains(citation) {
                self.citations.push(citation.clone());
                self.points_at.push(points_at.clone());
            }
        }
    }

    /// Those of the findings of a fragment that its sentence clears.
    pub(super) fn clears(
        &self,
        found: &[CorrectionCode],
        policy: &PolicyValues,
        judged: &JudgedClaim,
        own: &Cited<'_>,
        texts: &[String],
        sources: &mut Sources<'_>,
    ) -> Vec<CorrectionCode> {
        let claim = Claim { text: String::from(self.text), span: None, ..judged.claim.clone() };
        let whole = JudgedClaim { claim, citations: Vec::new(), ..judged.clone() };
        let all = Cited::of(&self.citations, &self.points_at, texts, sources);
        let mut cleared = found.to_vec();
        let mut hold =
            |weighed: fn(CorrectionCode) -> bool, claim: &JudgedClaim, cited: &Cited<'_>| {
                if found.iter().any(|code| weighed(*code)) {
                    let stands = found_of(policy, claim, cited, sources);
                    cleared.retain(|code| !weighed(*code) || !stands.contains(code));
                }
            };
        hold(is_missing, judged, &all);
        hold(is_unrelated, &whole, &all);
        hold(is_conflict, &whole, own);
        cleared
    }
}

fn found_of(
    policy: &PolicyValues,
    judged: &JudgedClaim,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
) -> Vec<CorrectionCode> {
    let mut findings = Findings::noting();
    check_meaning(policy, &mut judged.clone(), cited, sources, &mut findings);
    findings.reclassed_since(0)
}

/// Whether a finding is a name or figure that the evidence lacks: the fragment has it, and any citation may hold it.
const fn is_missing(code: CorrectionCode) -> bool {
    matches!(code, CorrectionCode::NameNotInEvidence | CorrectionCode::FigureNotInEvidence)
}

/// Whether a finding is that citations have nothing to do with the claim: the sentence says what it is about.
const fn is_unrelated(code: CorrectionCode) -> bool {
    matches!(code, CorrectionCode::CitationUnrelated | CorrectionCode::AbsenceNotShown)
}

const fn is_conflict(code: CorrectionCode) -> bool {
    !is_missing(code) && !is_unrelated(code)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::testing::{claims, judged, tool};
    use super::super::{CorrectionCode, EvidenceSet, verify};
    use crate::claim::Class;
    use crate::claim::EvidenceType::ToolMatch;
    use crate::policy::{Preset, VerificationMode, preset};

    /// What is found of the parts of a report, each with what is quoted for it from one of two items.
    fn found(report: &str, parts: &[(&str, &str)], content: &str) -> Vec<CorrectionCode> {
        let texts: Vec<&str> = parts.iter().map(|(text, _)| *text).collect();
        let mut given = claims(&texts);
        for claim in &mut given {
            let start = report.find(&claim.text).unwrap();
            claim.span = Some(start..start + claim.text.len());
        }
        let answer = given
            .iter()
            .zip(parts)
            .map(|(claim, (_, quote))| judged(claim, Class::Grounded, ToolMatch, &[("e1", quote)]));
        let items: Vec<_> =
            content.split('|').zip(["e1", "e2"]).map(|(text, id)| tool(id, text)).collect();
        let evidence_set = EvidenceSet::new(&items).with_report(report);
        let policy = preset(Preset::Reference);
        let result =
            verify(VerificationMode::Enforce, &policy, &given, answer.collect(), &evidence_set);
        result.corrections.iter().map(|found| found.code).collect()
    }

    #[test]
    fn a_fragment_has_its_subject_from_its_sentence() {
        let report = "Calls of RouteEta hardly varied, so demand did not grow.";
        let calls = ("Calls of RouteEta hardly varied", "RouteEta calls 18211");
        let parts = [calls, ("demand did not grow", "RouteEta calls 18602")];
        let content = "RouteEta calls 18211\nRouteEta calls 18602";
        assert_eq!(found(report, &parts, content), []);
        let alone = "Calls of RouteEta hardly varied. Demand did not grow.";
        let parts = [calls, ("Demand did not grow", "RouteEta calls 18602")];
        assert_eq!(found(alone, &parts, content), [CorrectionCode::CitationUnrelated]);
    }

    #[test]
    fn a_sentence_says_whose_quotes_are_lent() {
        let content = "api03 DOWN\napi02 UP\napi01 UP";
        let report = "HAProxy marks api03 as down, whereas api01 is up.";
        let parts = [("HAProxy marks api03 as down", "api03 DOWN"), ("api01 is up", "api03 DOWN")];
        assert_eq!(found(report, &parts, content), []);
        let alone = [("api01 is up", "api03 DOWN")];
        assert_eq!(found("So api01 is up.", &alone, content), [CorrectionCode::NameConflict]);
    }

    #[test]
    fn a_figure_of_a_neighbour_is_none_of_the_fragment() {
        let content = "queue a depth 40|queue b depth 90";
        let report = "Queue a had a depth of 90 and queue b had a depth of 40.";
        let parts = [
            ("Queue a had a depth of 90", "queue a depth 40"),
            ("queue b had a depth of 40", "queue b depth 90"),
        ];
        let conflict = |code: &CorrectionCode| *code == CorrectionCode::FigureConflict;
        assert_eq!(found(report, &parts, content).iter().filter(|code| conflict(code)).count(), 2);
    }

    #[test]
    fn what_the_whole_sentence_lacks_is_missing() {
        let report = "The pool was full, and worker-9 was killed.";
        let parts = [("The pool was full", "pool full"), ("worker-9 was killed", "pool full")];
        let codes = found(report, &parts, "pool full");
        assert_eq!(codes, [CorrectionCode::NameNotInEvidence]);
    }
}
