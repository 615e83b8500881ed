//! The kinds of lies that favour a report.

use gsar_core::evidence::{Citation, Target};
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};

use super::cases::{Case, citation, content};

pub struct Lie {
    pub name: &'static str,
    /// The expected correction code. Empty if the lie is harmless.
    pub code: &'static str,
    pub tell: fn(&Case) -> Vec<JudgedClaim>,
}

/// Lies that must never improve the tier or the score.
pub const LIES: [Lie; 17] = [
    Lie { name: "drops what is contradicted", code: "CLAIM_DROPPED", tell: drops_contradicted },
    Lie { name: "drops all but the grounded", code: "CLAIM_DROPPED", tell: drops_unsupported },
    Lie { name: "unknown items", code: "UNKNOWN_EVIDENCE", tell: unknown_items },
    Lie {
        name: "unknown items, complementary",
        code: "UNKNOWN_EVIDENCE",
        tell: unknown_items_beside,
    },
    Lie { name: "its own words as a quote", code: "QUOTE_NOT_FOUND", tell: own_words },
    Lie { name: "its own words, complementary", code: "QUOTE_NOT_FOUND", tell: own_words_beside },
    Lie { name: "homoglyphs", code: "QUOTE_NOT_FOUND", tell: homoglyphs },
    Lie { name: "zero-width characters", code: "QUOTE_NOT_FOUND", tell: zero_width },
    Lie { name: "stitched quotes", code: "QUOTE_NOT_FOUND", tell: stitched },
    Lie { name: "elided quotes", code: "QUOTE_NOT_FOUND", tell: elided },
    Lie { name: "field paths", code: "UNKNOWN_FIELD", tell: field_paths },
    Lie { name: "no citation", code: "NO_VALID_CITATION", tell: no_citation },
    Lie { name: "ungrounded as complementary", code: "NO_VALID_CITATION", tell: as_complementary },
    Lie { name: "invented claims", code: "UNKNOWN_CLAIM", tell: invented_claims },
    Lie { name: "a claim twice", code: "DUPLICATE_CLAIM", tell: twice },
    Lie { name: "other words of a claim", code: "ALTERED_CLAIM", tell: altered },
    Lie { name: "claims that rest on each other", code: "CITATION_CYCLE", tell: circles },
];

pub fn counts_against(judged: &JudgedClaim) -> bool {
    matches!(judged.class, Class::Ungrounded | Class::Contradicted)
}

/// Grounds every claim that counts against the report, with these citations.
pub fn says_it_holds(
    case: &Case,
    class: Class,
    evidence_type: EvidenceType,
    cites: impl Fn(&JudgedClaim) -> Vec<Citation>,
) -> Vec<JudgedClaim> {
    let lied = case.honest.iter().map(|judged| {
        if !counts_against(judged) {
            return judged.clone();
        }
        JudgedClaim { class, evidence_type, citations: cites(judged), ..judged.clone() }
    });
    lied.collect()
}

fn grounded(case: &Case, cites: impl Fn(&JudgedClaim) -> Vec<Citation>) -> Vec<JudgedClaim> {
    says_it_holds(case, Class::Grounded, EvidenceType::ToolMatch, cites)
}

fn complementary(case: &Case, cites: impl Fn(&JudgedClaim) -> Vec<Citation>) -> Vec<JudgedClaim> {
    says_it_holds(case, Class::Complementary, EvidenceType::ComplementaryFinding, cites)
}

fn drops_contradicted(case: &Case) -> Vec<JudgedClaim> {
    let stays = |judged: &&JudgedClaim| judged.class != Class::Contradicted;
    case.honest.iter().filter(stays).cloned().collect()
}

fn drops_unsupported(case: &Case) -> Vec<JudgedClaim> {
    case.honest.iter().filter(|judged| judged.class == Class::Grounded).cloned().collect()
}

fn unknown_items(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |judged| vec![citation("audit-log", "", &judged.claim.text)])
}

fn unknown_items_beside(case: &Case) -> Vec<JudgedClaim> {
    complementary(case, |judged| vec![citation("audit-log", "", &judged.claim.text)])
}

fn of_every_item(case: &Case, quote: &str) -> Vec<Citation> {
    case.request.evidence.iter().map(|item| citation(&item.id, "", quote)).collect()
}

fn own_words(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |judged| of_every_item(case, &judged.claim.text))
}

fn own_words_beside(case: &Case) -> Vec<JudgedClaim> {
    complementary(case, |judged| of_every_item(case, &judged.claim.text))
}

fn homoglyphs(case: &Case) -> Vec<JudgedClaim> {
    let alike = |quote: &str| quote.replace('e', "\u{435}").replace('o', "\u{43e}");
    grounded(case, |_| forged(case, |line| Some(alike(line)).filter(|quote| quote != line)))
}

fn zero_width(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |judged| {
        let hidden: Vec<String> = judged.claim.text.split(' ').map(str::to_owned).collect();
        of_every_item(case, &hidden.join("\u{200b} \u{2060}"))
    })
}

/// Joins the beginning of one line to the end of another.
fn stitched(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |_| {
        forged(case, |line| Some(format!("{} and therefore {}", begin(line)?, end(line)?)))
    })
}

/// Joins the beginning of one record to the end of another with an ellipsis.
fn elided(case: &Case) -> Vec<JudgedClaim> {
    grounded(case, |_| {
        let of_item = |item: &gsar_proto::v1::EvidenceItem| {
            let mut lines = content(item).lines().map(str::trim);
            let first = lines.find(|line| line.contains(' '))?;
            let last = lines.rfind(|line| line.contains(' '))?;
            let quote = format!("{} … {}", half(first, true)?, half(last, false)?);
            Some(citation(&item.id, "", &quote))
        };
        case.request.evidence.iter().filter_map(of_item).collect()
    })
}

fn half(line: &str, is_first: bool) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (first, last) = words.split_at_checked(words.len().div_ceil(2))?;
    Some(if is_first { first } else { last }.join(" ")).filter(|half| half.len() > 2)
}

fn begin(line: &str) -> Option<&str> {
    line.split_once(' ').map(|(first, _)| first).filter(|first| first.len() > 2)
}

fn end(line: &str) -> Option<&str> {
    line.rsplit_once(' ').map(|(_, last)| last).filter(|last| last.len() > 2)
}

/// Returns a forged quote from each item's first suitable line.
fn forged(case: &Case, forge: impl Fn(&str) -> Option<String>) -> Vec<Citation> {
    let of_item = |item: &gsar_proto::v1::EvidenceItem| {
        let quote = content(item).lines().map(str::trim).find_map(&forge)?;
        Some(citation(&item.id, "", &quote))
    };
    case.request.evidence.iter().filter_map(of_item).collect()
}

fn field_paths(case: &Case) -> Vec<JudgedClaim> {
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
    let borne_out = case.honest.iter().filter(|judged| judged.class == Class::Grounded);
    let invented = borne_out.enumerate().map(|(number, judged)| {
        let id = ClaimId::new(format!("more-{number}")).unwrap();
        JudgedClaim { claim: Claim { id, ..judged.claim.clone() }, ..judged.clone() }
    });
    invented.chain(case.honest.iter().cloned()).collect()
}

fn twice(case: &Case) -> Vec<JudgedClaim> {
    let better = grounded(case, |judged| of_every_item(case, &judged.claim.text));
    let again = better.iter().filter(|judged| !case.honest.contains(judged)).cloned();
    again.clone().chain(case.honest.iter().cloned()).chain(again.clone()).collect()
}

/// Judges the evidence's statement in place of the report's.
fn altered(case: &Case) -> Vec<JudgedClaim> {
    let Some(shown) = case.honest.iter().find(|judged| judged.class == Class::Grounded) else {
        return case.honest.clone();
    };
    let lied = case.honest.iter().map(|judged| {
        if !counts_against(judged) {
            return judged.clone();
        }
        let claim = Claim { text: shown.claim.text.clone(), ..judged.claim.clone() };
        JudgedClaim { claim, citations: Vec::new(), class: Class::Grounded, ..judged.clone() }
    });
    lied.collect()
}

fn circles(case: &Case) -> Vec<JudgedClaim> {
    let accused: Vec<ClaimId> = case
        .honest
        .iter()
        .filter(|judged| counts_against(judged))
        .map(|judged| judged.claim.id.clone())
        .collect();
    says_it_holds(case, Class::Grounded, EvidenceType::Synthesis, |judged| {
        let others = accused.iter().filter(|id| **id != judged.claim.id);
        let to = |id: &ClaimId| Citation {
            target: Target::Claim(id.clone()),
            quote: String::new(),
            bytes: None,
        };
        others.map(to).collect()
    })
}
