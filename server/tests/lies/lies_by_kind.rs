//! Kinds of lies that favour a report.

use gsar_core::evidence::{Citation, Target};
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};

use super::cases::{Case, citation, content};

pub struct Lie {
    pub name: &'static str,
    /// The expected correction code.
    pub code: &'static str,
    pub build: fn(&Case) -> Vec<JudgedClaim>,
}

/// Lies that must never improve the tier or the score.
pub const LIES: [Lie; 17] = [
    Lie { name: "drops contradicted claims", code: "CLAIM_DROPPED", build: drops_contradicted },
    Lie { name: "drops all but grounded claims", code: "CLAIM_DROPPED", build: drops_unsupported },
    Lie { name: "unknown items", code: "UNKNOWN_EVIDENCE", build: unknown_items },
    Lie {
        name: "unknown items, complementary",
        code: "UNKNOWN_EVIDENCE",
        build: unknown_items_as_complementary,
    },
    Lie { name: "the claim itself as a quote", code: "QUOTE_NOT_FOUND", build: quotes_claim },
    Lie {
        name: "the claim itself as a quote, complementary",
        code: "QUOTE_NOT_FOUND",
        build: quotes_claim_as_complementary,
    },
    Lie { name: "homoglyphs", code: "QUOTE_NOT_FOUND", build: homoglyphs },
    Lie { name: "zero-width characters", code: "QUOTE_NOT_FOUND", build: zero_width },
    Lie { name: "stitched quotes", code: "QUOTE_NOT_FOUND", build: stitched },
    Lie { name: "elided quotes", code: "QUOTE_NOT_FOUND", build: elided },
    Lie { name: "unknown fields", code: "UNKNOWN_FIELD", build: unknown_fields },
    Lie { name: "no citation", code: "NO_VALID_CITATION", build: no_citation },
    Lie {
        name: "ungrounded claims as complementary",
        code: "NO_VALID_CITATION",
        build: as_complementary,
    },
    Lie { name: "invented claims", code: "UNKNOWN_CLAIM", build: invented_claims },
    Lie { name: "a claim judged twice", code: "DUPLICATE_CLAIM", build: judged_twice },
    Lie { name: "altered claims", code: "ALTERED_CLAIM", build: altered_claims },
    Lie { name: "circular citations", code: "CITATION_CYCLE", build: circular_citations },
];

pub fn is_against_report(judged: &JudgedClaim) -> bool {
    matches!(judged.class, Class::Ungrounded | Class::Contradicted)
}

/// Assigns the class, the evidence type and new citations to every claim that counts against the report.
pub fn with_verdicts(
    case: &Case,
    class: Class,
    evidence_type: EvidenceType,
    citations_for: impl Fn(&JudgedClaim) -> Vec<Citation>,
) -> Vec<JudgedClaim> {
    let answer = case.honest.iter().map(|judged| {
        if !is_against_report(judged) {
            return judged.clone();
        }
        JudgedClaim { class, evidence_type, citations: citations_for(judged), ..judged.clone() }
    });
    answer.collect()
}

fn grounded(
    case: &Case,
    citations_for: impl Fn(&JudgedClaim) -> Vec<Citation>,
) -> Vec<JudgedClaim> {
    with_verdicts(case, Class::Grounded, EvidenceType::ToolMatch, citations_for)
}

fn complementary(
    case: &Case,
    citations_for: impl Fn(&JudgedClaim) -> Vec<Citation>,
) -> Vec<JudgedClaim> {
    with_verdicts(case, Class::Complementary, EvidenceType::ComplementaryFinding, citations_for)
}

fn drops_contradicted(case: &Case) -> Vec<JudgedClaim> {
    let is_kept = |judged: &&JudgedClaim| judged.class != Class::Contradicted;
    case.honest.iter().filter(is_kept).cloned().collect()
}

fn drops_unsupported(case: &Case) -> Vec<JudgedClaim> {
    case.honest.iter().filter(|judged| judged.class == Class::Grounded).cloned().collect()
}

fn unknown_items(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |judged| vec![citation("audit-log", "", &judged.claim.text)])
}

fn unknown_items_as_complementary(case: &Case) -> Vec<JudgedClaim> {
    complementary(case, |judged| vec![citation("audit-log", "", &judged.claim.text)])
}

fn quote_of_every_item(case: &Case, quote: &str) -> Vec<Citation> {
    case.request.evidence.iter().map(|item| citation(&item.id, "", quote)).collect()
}

fn quotes_claim(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |judged| quote_of_every_item(case, &judged.claim.text))
}

fn quotes_claim_as_complementary(case: &Case) -> Vec<JudgedClaim> {
    complementary(case, |judged| quote_of_every_item(case, &judged.claim.text))
}

fn homoglyphs(case: &Case) -> Vec<JudgedClaim> {
    let with_look_alikes = |quote: &str| quote.replace('e', "\u{435}").replace('o', "\u{43e}");
    grounded(case, |_| {
        with_forged_quote(case, |line| Some(with_look_alikes(line)).filter(|quote| quote != line))
    })
}

fn zero_width(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |judged| {
        quote_of_every_item(case, &judged.claim.text.replace(' ', "\u{200b} \u{2060}"))
    })
}

/// Joins the first and the last word of a line with words that are not in the evidence.
fn stitched(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |_| {
        with_forged_quote(case, |line| {
            Some(format!("{} and therefore {}", first_word(line)?, last_word(line)?))
        })
    })
}

/// Joins the first half of an item's first line to the second half of its last line with an ellipsis.
fn elided(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |_| {
        let quote_of_item = |item: &gsar_proto::v1::EvidenceItem| {
            let mut lines = content(item).lines().map(str::trim);
            let first = lines.find(|line| line.contains(' '))?;
            let last = lines.rfind(|line| line.contains(' '))?;
            let quote = format!("{} … {}", half_of(first, true)?, half_of(last, false)?);
            Some(citation(&item.id, "", &quote))
        };
        case.request.evidence.iter().filter_map(quote_of_item).collect()
    })
}

fn half_of(line: &str, is_first: bool) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (first, last) = words.split_at_checked(words.len().div_ceil(2))?;
    Some(if is_first { first } else { last }.join(" ")).filter(|half| half.len() > 2)
}

fn first_word(line: &str) -> Option<&str> {
    line.split_once(' ').map(|(first, _)| first).filter(|first| first.len() > 2)
}

fn last_word(line: &str) -> Option<&str> {
    line.rsplit_once(' ').map(|(_, last)| last).filter(|last| last.len() > 2)
}

/// Returns a citation of each item, with a quote forged from the item's first suitable line.
fn with_forged_quote(case: &Case, forge: impl Fn(&str) -> Option<String>) -> Vec<Citation> {
    let quote_of_item = |item: &gsar_proto::v1::EvidenceItem| {
        let quote = content(item).lines().map(str::trim).find_map(&forge)?;
        Some(citation(&item.id, "", &quote))
    };
    case.request.evidence.iter().filter_map(quote_of_item).collect()
}

fn unknown_fields(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |_| {
        let items = case.request.evidence.iter();
        items.map(|item| citation(&item.id, "/verdict/0/grounded", "")).collect()
    })
}

fn no_citation(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |_| Vec::new())
}

fn as_complementary(case: &Case) -> Vec<JudgedClaim> {
    complementary(case, |_| Vec::new())
}

fn invented_claims(case: &Case) -> Vec<JudgedClaim> {
    let grounded_claims = case.honest.iter().filter(|judged| judged.class == Class::Grounded);
    let invented = grounded_claims.enumerate().map(|(number, judged)| {
        let id = ClaimId::new(format!("more-{number}")).unwrap();
        JudgedClaim { claim: Claim { id, ..judged.claim.clone() }, ..judged.clone() }
    });
    invented.chain(case.honest.iter().cloned()).collect()
}

fn judged_twice(case: &Case) -> Vec<JudgedClaim> {
    let all_grounded = grounded(case, |judged| quote_of_every_item(case, &judged.claim.text));
    let second_verdicts =
        all_grounded.iter().filter(|judged| !case.honest.contains(judged)).cloned();
    second_verdicts
        .clone()
        .chain(case.honest.iter().cloned())
        .chain(second_verdicts.clone())
        .collect()
}

/// Judges the text of a grounded claim in place of each claim that counts against the report.
fn altered_claims(case: &Case) -> Vec<JudgedClaim> {
    let Some(grounded) = case.honest.iter().find(|judged| judged.class == Class::Grounded) else {
        return case.honest.clone();
    };
    let lying_answer = case.honest.iter().map(|judged| {
        if !is_against_report(judged) {
            return judged.clone();
        }
        let claim = Claim { text: grounded.claim.text.clone(), ..judged.claim.clone() };
        JudgedClaim { claim, citations: Vec::new(), class: Class::Grounded, ..judged.clone() }
    });
    lying_answer.collect()
}

fn circular_citations(case: &Case) -> Vec<JudgedClaim> {
    let ids: Vec<ClaimId> = case
        .honest
        .iter()
        .filter(|judged| is_against_report(judged))
        .map(|judged| judged.claim.id.clone())
        .collect();
    with_verdicts(case, Class::Grounded, EvidenceType::Synthesis, |judged| {
        let other_ids = ids.iter().filter(|id| **id != judged.claim.id);
        let cite_claim = |id: &ClaimId| Citation {
            target: Target::Claim(id.clone()),
            quote: String::new(),
            bytes: None,
        };
        other_ids.map(cite_claim).collect()
    })
}
