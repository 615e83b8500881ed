//! This module finds tags and lines that belong to a conversation, to a frame or to a verdict and stand in evidence.

use std::ops::Range;

use regex::Regex;

use super::Sighting;
use super::expressions::Expression;
use crate::finding::FindingKind;
use crate::marks::Treatment;

/// Begins a line, also within a JSON string, behind marks of quotation and emphasis.
const LINE: &str = r"(?m)(?:^|\\n)[ \t>*_]{0,8}";
/// Somebody's turn in a conversation.
const TURN: &str = r"(?:(?i:human|assistant)[*_]{0,2}:|\#{1,6} ?\**(?i:system|user|human|assistant|developer|instructions?|response)(?i: prompt| message)?\**:|\[?(?i:system) ?(?i:prompt|message|instructions?|override)\]?:)";
/// A line that parts evidence from something else.
const DELIMITER: &str = r"(?:[<=#~`*\[(-]{2,}[ \t]{0,2}(?i:begin|end|start|stop|close)(?i:s|ing)?[ _-]{0,3}(?i:of )?(?i:the )?(?i:untrusted |user )?(?i:evidence|data|context|documents?|input|instructions?|prompt|block|section)\b|<{2,}[ /]{0,2}(?i:evidence|instructions?|prompt|context)\b)";
/// What a view has where the text has a [`DELIMITER`].
const DELIMITER_IN_VIEW: &str = r"[<=#~`*\[(-] ?(?:begin|end|start|stop|close)|<[ /]?[ /]?(?:evidence|instruction|prompt|context)";
/// A label of the frame, in brackets.
const CITATION: &str = r"\[/?e[1-9][0-9]{0,2}(?: [0-9a-f]{8})?\]";
/// Tags of chat templates, and tags that pretend to be a part of the prompt.
const ROLE_TAG: &str = r"<\|[a-z_ ]{2,24}\|>|\[/?(?:inst|sys)\]|<</?sys>>|<(?:start|end)_of_turn>|</?(?:system|assistant|human|developer|instructions?|prompt|system[-_]?prompt|system[-_]?message|verdict|evidence|judge|tool_call|tool_result|function_calls?|function_results?|im_start|im_end)(?: [^<>]{0,80})?/?>";
/// Tags that telemetry has as well.
const PERHAPS_ROLE_TAG: &str =
    r"</?(?:user|claims?|context|document|data|think|thinking|answer|response)(?: [^<>]{0,80})?/?>";
/// What only a judge writes.
const VERDICT: &str = r#"["']class["'] ?: ?["'](?:grounded|ungrounded|contradicted|complementary)["']|["']claims["'] ?: ?\[ ?\{ ?["'](?:id|claim|class|text|label|verdict)["']|["'](?:verdict|decision|tier|judge?ment|grounding)["'] ?: ?["'](?:proceed|regenerate|replan|grounded|ungrounded|supported|contradicted|pass)["']"#;

/// What counts anywhere; in a view.
pub(super) fn expressions() -> Result<Vec<Expression>, regex::Error> {
    let expression = |kind, is_reported, tag| {
        Ok(Expression { regex: Regex::new(tag)?, kind, treatment: Treatment::Break, is_reported })
    };
    Ok(vec![
        expression(FindingKind::Citation, true, CITATION)?,
        expression(FindingKind::RoleTag, true, ROLE_TAG)?,
        expression(FindingKind::RoleTag, false, PERHAPS_ROLE_TAG)?,
        expression(FindingKind::Verdict, true, VERDICT)?,
    ])
}

/// A tag that counts only at the start of a line; in the text as it is.
#[derive(Debug)]
pub(super) struct LineTag {
    kind: FindingKind,
    regex: Regex,
    /// What a view has where the text has the tag.
    pub(super) in_view: String,
}

impl LineTag {
    /// Every one.
    pub(super) fn all() -> Result<[Self; 2], regex::Error> {
        let line = |kind, tag: &str, in_view| {
            let regex = Regex::new(&format!("{LINE}(?<tag>{tag})"))?;
            Ok(Self { kind, regex, in_view })
        };
        let turn_in_view = TURN.replace("(?i:", "(?:");
        Ok([
            line(FindingKind::RoleTag, TURN, turn_in_view)?,
            line(FindingKind::Delimiter, DELIMITER, DELIMITER_IN_VIEW.to_owned())?,
        ])
    }

    pub(super) fn find(&self, text: &str, sightings: &mut Vec<Sighting>) {
        let tags = self.regex.captures_iter(text).filter_map(|captures| captures.name("tag"));
        sightings.extend(tags.map(|tag| broken(self.kind, tag.range())));
    }
}

/// Comments; in the text as it is.
pub(super) fn find_comments(text: &str, sightings: &mut Vec<Sighting>) {
    const OPENING: &str = "<!--";
    // Seldom there, and found sooner when not each place is asked for.
    if text.contains(OPENING) {
        let openings = text.match_indices(OPENING);
        sightings.extend(
            openings.map(|(at, opening)| broken(FindingKind::Comment, at..at + opening.len())),
        );
    }
}

fn broken(kind: FindingKind, range: Range<usize>) -> Sighting {
    Sighting { range, kind, treatment: Treatment::Break, is_reported: true }
}
