//! Test evidence, and a frame parser that knows the nonce.

use gsar_core::evidence::{EvidenceId, EvidenceKind, Lane};
use gsar_framing::{Frame, Framer, Item, Nonce};

pub(crate) const NONCE: Nonce = Nonce::new(0x7d1c_22ab_90e4_4f6b_8f10_55aa_3c2b_1d0e);

pub(crate) fn frame(framer: &Framer, contents: &[&str]) -> Frame {
    let ids: Vec<EvidenceId> =
        (0..contents.len()).map(|n| EvidenceId::new(format!("item-{n}")).unwrap()).collect();
    let items: Vec<Item<'_>> = ids
        .iter()
        .zip(contents)
        .map(|(id, content)| Item {
            tool: content,
            query: content,
            ..Item::new(id, EvidenceKind::ToolOutput, Lane::Logs, content)
        })
        .collect();
    framer.frame(NONCE, &items).unwrap()
}

/// Parses a block by its delimiters and returns the contents.
pub(crate) fn contents(frame: &Frame) -> Result<Vec<String>, String> {
    let (block, label) = (frame.nonce().block(), frame.nonce().label());
    let body = frame
        .text()
        .strip_prefix(&format!("<<<evidence {block}>>>\n"))
        .and_then(|rest| rest.strip_suffix(&format!("<<<end of evidence {block}>>>\n")))
        .ok_or("the block has no frame")?;
    let mut contents = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        let number = contents.len() + 1;
        let (header, following) = rest.split_once('\n').ok_or("label line is missing")?;
        let header = header.strip_prefix(&format!("[E{number} {label}] ")).ok_or("wrong label")?;
        if header.contains(&label) {
            return Err(format!("label in header: {header}"));
        }
        let end = format!("\n[/E{number} {label}]\n");
        let (content, following) = following.split_once(&end).ok_or("item has no end")?;
        if content.contains(&label) {
            return Err(format!("label in content: {content}"));
        }
        contents.push(content.to_owned());
        rest = following;
    }
    Ok(contents)
}
