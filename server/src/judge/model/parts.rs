//! This module splits evidence that is too long for one call, asks about each part, and merges the answers.

use gsar_core::evidence::EvidenceItem;
use gsar_core::{Class, JudgedClaim};

use super::shown::Piece;

/// The most parts that are asked about.
pub(super) const MAX_PARTS: usize = 32;

/// Parts the evidence into as few calls as its order allows, each of at most `room` bytes. A longer item is cut behind
/// a line where there is one; no part has two pieces of one item.
pub(super) fn parts(evidence: &[EvidenceItem], room: usize) -> Vec<Vec<Piece<'_>>> {
    let room = room.max(1 << 10);
    let mut parts: Vec<Vec<Piece<'_>>> = vec![Vec::new()];
    let mut left = room;
    for item in evidence {
        let mut rest = item.content.as_str();
        loop {
            let (content, after) = if rest.len() <= left {
                (rest, "")
            } else if rest.len() <= room {
                ("", rest)
            } else {
                cut(rest, left)
            };
            if let Some(last) = parts.last_mut()
                && (!content.is_empty() || after.is_empty())
            {
                last.push(Piece { item, content });
                left -= content.len();
            }
            if after.is_empty() {
                break;
            }
            rest = after;
            parts.push(Vec::new());
            left = room;
        }
    }
    parts
}

/// The beginning of a text, of at most `max` bytes, and the rest.
fn cut(text: &str, most: usize) -> (&str, &str) {
    let end = text.floor_char_boundary(most);
    let line = text.get(..end).and_then(|head| head.rfind('\n')).map(|at| at + 1);
    text.split_at_checked(line.filter(|at| *at * 2 > end).unwrap_or(end)).unwrap_or((text, ""))
}

/// Puts together what was said of a claim part by part: contradicted, else grounded, else complementary, else
/// ungrounded; with every citation of those who said so.
pub(super) fn merged(said: Vec<JudgedClaim>) -> Option<JudgedClaim> {
    const STRONGEST: [Class; 4] =
        [Class::Contradicted, Class::Grounded, Class::Complementary, Class::Ungrounded];
    let class =
        STRONGEST.into_iter().find(|class| said.iter().any(|claim| claim.class == *class))?;
    let mut agreeing = said.into_iter().filter(|claim| claim.class == class);
    let mut first = agreeing.next()?;
    for other in agreeing {
        for citation in other.citations {
            if !first.citations.contains(&citation) {
                first.citations.push(citation);
            }
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
    use gsar_core::evidence::{Citation, Content, EvidenceId, EvidenceKind, Lane, Target};
    use gsar_core::{Claim, ClaimId, EvidenceType};
    use proptest::prelude::*;

    use super::*;

    fn item(id: usize, content: &str) -> EvidenceItem {
        EvidenceItem {
            id: EvidenceId::new(format!("e{id}")).unwrap(),
            kind: EvidenceKind::ToolOutput,
            lane: Lane::Logs,
            tool: String::new(),
            query: String::new(),
            content: Content::Text(content.to_owned()),
            collected_at: None,
            exhaustive: false,
            attested: false,
            step_id: String::new(),
            specialist_id: String::new(),
            verification_result: None,
        }
    }

    proptest! {
        #[test]
        fn parts_are_the_evidence_and_each_has_room(
            texts in proptest::collection::vec("[a-zé\n]{0,3000}", 0..8),
            room in 1024_usize..4096,
        ) {
            let evidence: Vec<EvidenceItem> =
                texts.iter().enumerate().map(|(id, text)| item(id, text)).collect();
            let parts = parts(&evidence, room);
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
    fn the_worst_word_counts_and_keeps_its_citations() {
        let said = |class, quote: &str, note: &str| JudgedClaim {
            claim: Claim { id: ClaimId::new("c1").unwrap(), text: "x".to_owned(), span: None },
            class,
            evidence_type: EvidenceType::ToolMatch,
            citations: vec![Citation {
                target: Target::Evidence {
                    id: EvidenceId::new("e1").unwrap(),
                    field_path: String::new(),
                },
                quote: quote.to_owned(),
                bytes: None,
            }],
            note: note.to_owned(),
            rules: Vec::new(),
        };
        let both = merged(vec![
            said(Class::Ungrounded, "", "nothing"),
            said(Class::Grounded, "a", "one"),
            said(Class::Grounded, "b", "two"),
        ])
        .unwrap();
        assert_eq!(
            (both.class, both.citations.len(), both.note.as_str()),
            (Class::Grounded, 2, "one; two")
        );
        let denied =
            merged(vec![said(Class::Grounded, "a", ""), said(Class::Contradicted, "b", "")]);
        assert_eq!(denied.unwrap().class, Class::Contradicted);
        assert_eq!(merged(Vec::new()), None);
    }
}
