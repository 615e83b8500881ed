//! An absence is shown by a search or by a list that holds everything, and by nothing else.
//!
//! "The logs do not mention X" over an item that never looked for X is no finding. This holds for claims
//! typed as negative evidence and for claims that report an absence under another type, unless the quoted
//! words themselves deny, count zero or are empty.

use alloc::string::String;

use super::agreement::Cited;
use super::corpus::Sources;
use super::corrections::{CorrectionCode, Findings, is_supported};
use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::evidence::EvidenceItem;
use crate::policy::PolicyValues;
use crate::text::polarity::reports_absence;

/// Makes an absence without a search behind it ungrounded.
pub(super) fn check(
    policy: &PolicyValues,
    judged: &mut JudgedClaim,
    cited: &Cited<'_>,
    sources: &Sources<'_>,
    findings: &mut Findings,
) {
    if !policy.guards.absence_needs_search || !is_supported(judged) {
        return;
    }
    // A claim that rests on claims alone may have its type from one of them, whose own citations were checked.
    let typed = judged.evidence_type == EvidenceType::NegEvidence && !cited.items.is_empty();
    let reported = reports_absence(&judged.claim.text) && !cited.deny();
    if !typed && !reported {
        return;
    }
    let shows = |position: &usize| sources.item(*position).is_some_and(EvidenceItem::shows_absence);
    let shown = cited.items.iter().any(shows);
    if !shown {
        let sentence = String::from(
            "An absence needs a cited search, or an item that lists everything in its scope.",
        );
        findings.reclass(judged, CorrectionCode::AbsenceNotShown, Class::Ungrounded, sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{
        claims, codes, judged, resting_on, tool, verified, verified_under,
    };
    use super::*;
    use crate::policy::Preset;
    use EvidenceType::{NegEvidence, ToolMatch};

    #[test]
    fn h08_not_mentioned_is_no_evidence_of_absence() {
        let given = claims(&["The logs do not mention a DNS failure"]);
        for claimed in [NegEvidence, ToolMatch] {
            let answer =
                [judged(&given[0], Class::Grounded, claimed, &[("e1", "checkout started")])];
            let result = verified(&given, &answer, &[tool("e1", "checkout started")]);
            assert_eq!(result.claims[0].judged.class, Class::Ungrounded, "{claimed:?}");
            assert_eq!(codes(&result), [CorrectionCode::AbsenceNotShown]);
        }
    }

    #[test]
    fn h08_what_rests_on_a_shown_absence_needs_no_search_of_its_own() {
        let given = claims(&["No DNS failure was logged", "checkout resolved its names"]);
        let searched = EvidenceItem { query: String::from("dns"), ..tool("e1", "[]") };
        let absent = judged(&given[0], Class::Grounded, NegEvidence, &[("e1", "")]);
        for class in [Class::Grounded, Class::Complementary] {
            let resting = resting_on(&given[1], class, NegEvidence, &[&given[0]]);
            let result =
                verified(&given, &[absent.clone(), resting], core::slice::from_ref(&searched));
            assert!(!codes(&result).contains(&CorrectionCode::AbsenceNotShown), "{class:?}");
        }
    }

    #[test]
    fn h08_a_search_or_an_exhaustive_item_shows_absence() {
        let given = claims(&["No DNS failure was logged"]);
        let answer = [judged(&given[0], Class::Grounded, NegEvidence, &[("e1", "")])];
        let searched = EvidenceItem {
            query: String::from("{app=\"checkout\"} |= \"dns\""),
            ..tool("e1", "[]")
        };
        let exhaustive = EvidenceItem { exhaustive: true, ..tool("e1", "checkout started") };
        for item in [searched, exhaustive] {
            let result = verified(&given, &answer, &[item]);
            assert_eq!(result.claims[0].judged.class, Class::Grounded, "{:?}", result.corrections);
        }
        let result = verified(&given, &answer, &[tool("e1", "checkout started")]);
        assert_eq!(result.claims[0].judged.class, Class::Ungrounded);
    }

    #[test]
    fn h08_a_quote_that_denies_states_the_absence_itself() {
        let given = claims(&["No resources were found in shop"]);
        let answer = [judged(
            &given[0],
            Class::Grounded,
            ToolMatch,
            &[("e1", "No resources found in shop namespace.")],
        )];
        let result =
            verified(&given, &answer, &[tool("e1", "No resources found in shop namespace.")]);
        assert!(result.corrections.is_empty(), "{:?}", result.corrections);
    }

    #[test]
    fn paper_asks_for_no_search() {
        let given = claims(&["The logs do not mention a DNS failure"]);
        let answer = [judged(&given[0], Class::Grounded, NegEvidence, &[("e1", "the DNS logs")])];
        let result = verified_under(Preset::Paper, &given, &answer, &[tool("e1", "the DNS logs")]);
        assert!(result.corrections.is_empty());
    }
}
