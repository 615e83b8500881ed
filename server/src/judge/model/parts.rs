//! Splits evidence that is too large for one call, and merges the verdicts on the parts.

use gsar_core::{Class, JudgedClaim};
use gsar_retrieval::cohesion::best_cut;

use super::framed::Piece;
use crate::judge::push_unique;

const LOOKAHEAD_BYTES: usize = 4 << 10;

pub(super) const MAX_PARTS: usize = 32;

/// Splits evidence into parts of at most `room` bytes. Longer pieces are cut, at the end of a line if
/// possible. A part never contains two fragments of the same piece.
pub(super) fn split<'e>(evidence: &[Piece<'e>], room: usize) -> Vec<Vec<Piece<'e>>> {
    let room = room.max(1 << 10);
    let mut parts: Vec<Vec<Piece<'e>>> = vec![Vec::new()];
    let mut remaining = room;
    for piece in evidence {
        let mut rest = piece.content;
        loop {
            let (content, after) = if rest.len() <= remaining {
                (rest, "")
            } else if rest.len() <= room {
                ("", rest)
            } else {
                cut(rest, remaining)
            };
            if let Some(last) = parts.last_mut()
                && (!content.is_empty() || after.is_empty())
            {
                last.push(Piece { content, ..*piece });
                remaining -= content.len();
            }
            if after.is_empty() {
                break;
            }
            rest = after;
            parts.push(Vec::new());
            remaining = room;
        }
    }
    parts
}

/// Splits off at most `max` bytes. Prefers the line break in the last quarter where adjacent lines have the
/// least in common.
fn cut(text: &str, max: usize) -> (&str, &str) {
    let end = text.floor_char_boundary(max);
    let window =
        text.get(..text.floor_char_boundary(max.saturating_add(LOOKAHEAD_BYTES))).unwrap_or(text);
    let line = best_cut(window, end - end / 4..end + 1).or_else(|| {
        let head = text.get(..end)?;
        head.rfind('\n').map(|index| index + 1).filter(|index| *index * 2 > end)
    });
    text.split_at_checked(line.unwrap_or(end)).unwrap_or((text, ""))
}

/// Merges the verdicts on a claim. The strongest class wins, in the order contradicted, grounded,
/// complementary, ungrounded. The merged verdict has all citations for that class.
pub(super) fn merge_verdicts(verdicts: Vec<JudgedClaim>) -> Option<JudgedClaim> {
    const STRONGEST: [Class; 4] =
        [Class::Contradicted, Class::Grounded, Class::Complementary, Class::Ungrounded];
    let class =
        STRONGEST.into_iter().find(|class| verdicts.iter().any(|claim| claim.class == *class))?;
    let mut agreeing = verdicts.into_iter().filter(|claim| claim.class == class);
    let mut first = agreeing.next()?;
    for other in agreeing {
        for citation in other.citations {
            push_unique(&mut first.citations, citation);
        }
        if !other.note.is_empty() && !first.note.contains(&other.note) {
            first.note.push_str("; ");
            first.note.push_str(&other.note);
        }
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use gsar_core::evidence::{Citation, Content, EvidenceId, EvidenceItem, Lane};
    use gsar_core::{Claim, ClaimId, EvidenceType};
    use proptest::prelude::*;

    use super::*;

    fn item(id: usize, content: &str) -> EvidenceItem {
        let id = EvidenceId::new(format!("e{id}")).unwrap();
        EvidenceItem::new(id, Lane::Logs, Content::Text(content.to_owned()))
    }

    proptest! {
        #[test]
        fn parts_cover_the_evidence_and_respect_the_size_limit(
            texts in proptest::collection::vec("[a-zé\n]{0,3000}", 0..8),
            room in 1024_usize..4096,
        ) {
            let evidence: Vec<EvidenceItem> =
                texts.iter().enumerate().map(|(id, text)| item(id, text)).collect();
            let pieces: Vec<Piece<'_>> = evidence.iter().map(Piece::from_item).collect();
            let parts = split(&pieces, room);
            for part in &parts {
                prop_assert!(part.iter().map(|piece| piece.content.len()).sum::<usize>() <= room);
                let mut ids: Vec<&str> = part.iter().map(|piece| piece.item.id.as_str()).collect();
                ids.dedup();
                prop_assert_eq!(ids.len(), part.len());
            }
            for item in &evidence {
                let pieces = parts.iter().flatten().filter(|piece| piece.item.id == item.id);
                let joined: String = pieces.map(|piece| piece.content).collect();
                prop_assert_eq!(joined.as_str(), item.content.as_str());
            }
        }
    }

    #[test]
    fn the_strongest_class_wins_with_its_citations() {
        let claim = Claim::new(ClaimId::new("c1").unwrap(), "x");
        let verdict = |class, quote: &str, note: &str| JudgedClaim {
            citations: vec![Citation::new(EvidenceId::new("e1").unwrap(), quote)],
            note: note.to_owned(),
            ..JudgedClaim::new(claim.clone(), class, EvidenceType::ToolMatch)
        };
        let merged = merge_verdicts(vec![
            verdict(Class::Ungrounded, "", "nothing"),
            verdict(Class::Grounded, "a", "one"),
            verdict(Class::Grounded, "b", "two"),
        ])
        .unwrap();
        assert_eq!(
            (merged.class, merged.citations.len(), merged.note.as_str()),
            (Class::Grounded, 2, "one; two")
        );
        let contradicted = merge_verdicts(vec![
            verdict(Class::Grounded, "a", ""),
            verdict(Class::Contradicted, "b", ""),
        ]);
        assert_eq!(contradicted.unwrap().class, Class::Contradicted);
        assert_eq!(merge_verdicts(Vec::new()), None);
    }
}
