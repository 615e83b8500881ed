//! Finds chat tags, conversation turns, delimiters and verdicts in evidence.

use std::ops::Range;

use regex::Regex;

use super::Detection;
use super::expressions::Expression;
use crate::finding::FindingKind;
use crate::marks::Treatment;

/// The start of a line, possibly inside a JSON string, after quotation and emphasis marks.
const LINE: &str = r"(?m)(?:^|\\n)[ \t>*_]{0,8}";
/// The start of a conversation turn.
const TURN: &str = r"(?:(?i:human|assistant)[*_]{0,2}:|\#{1,6} ?\**(?i:system|user|human|assistant|developer|instructions?|response)(?i: prompt| message)?\**:|\[?(?i:system) ?(?i:prompt|message|instructions?|override)\]?:)";
/// A line that delimits evidence or a prompt section.
const DELIMITER: &str = r"(?:[<=#~`*\[(-]{2,}[ \t]{0,2}(?i:begin|end|start|stop|close)(?i:s|ing)?[ _-]{0,3}(?i:of )?(?i:the )?(?i:untrusted |user )?(?i:evidence|data|context|documents?|input|instructions?|prompt|block|section)\b|<{2,}[ /]{0,2}(?i:evidence|instructions?|prompt|context)\b)";
/// A pattern for [`DELIMITER`] in a view.
const DELIMITER_IN_VIEW: &str = r"[<=#~`*\[(-] ?(?:begin|end|start|stop|close)|<[ /]?[ /]?(?:evidence|instruction|prompt|context)";
/// A frame label in brackets.
const CITATION: &str = r"\[/?e[1-9][0-9]{0,2}(?: [0-9a-f]{8})?\]";
/// Chat template tags, and tags that imitate parts of the prompt.
const ROLE_TAG: &str = r"<\|[a-z_ ]{2,24}\|>|\[/?(?:inst|sys)\]|<</?sys>>|<(?:start|end)_of_turn>|</?(?:system|assistant|human|developer|instructions?|prompt|system[-_]?prompt|system[-_]?message|verdict|evidence|judge|tool_call|tool_result|function_calls?|function_results?|im_start|im_end)(?: [^<>]{0,80})?/?>";
/// Tags that are also common in telemetry.
const POSSIBLE_ROLE_TAG: &str =
    r"</?(?:user|claims?|context|document|data|think|thinking|answer|response)(?: [^<>]{0,80})?/?>";
/// JSON in a judge's output format.
const VERDICT: &str = r#"["']class["'] ?: ?["'](?:grounded|ungrounded|contradicted|complementary)["']|["']claims["'] ?: ?\[ ?\{ ?["'](?:id|claim|class|text|label|verdict)["']|["'](?:verdict|decision|tier|judge?ment|grounding)["'] ?: ?["'](?:proceed|regenerate|replan|grounded|ungrounded|supported|contradicted|pass)["']"#;

pub(super) fn expressions() -> Result<Vec<Expression>, regex::Error> {
    let expression = |kind, is_reported, tag| {
        Ok(Expression { regex: Regex::new(tag)?, kind, treatment: Treatment::Break, is_reported })
    };
    Ok(vec![
        expression(FindingKind::Citation, true, CITATION)?,
        expression(FindingKind::RoleTag, true, ROLE_TAG)?,
        expression(FindingKind::RoleTag, false, POSSIBLE_ROLE_TAG)?,
        expression(FindingKind::Verdict, true, VERDICT)?,
    ])
}

/// A tag at the start of a line, matched in the original text.
#[derive(Debug)]
pub(super) struct LineTag {
    kind: FindingKind,
    regex: Regex,
    pub(super) view_pattern: String,
}

impl LineTag {
    pub(super) fn all() -> Result<[Self; 2], regex::Error> {
        let line = |kind, tag: &str, view_pattern| {
            let regex = Regex::new(&format!("{LINE}(?<tag>{tag})"))?;
            Ok(Self { kind, regex, view_pattern })
        };
        let turn_in_view = TURN.replace("(?i:", "(?:");
        Ok([
            line(FindingKind::RoleTag, TURN, turn_in_view)?,
            line(FindingKind::Delimiter, DELIMITER, DELIMITER_IN_VIEW.to_owned())?,
        ])
    }

    pub(super) fn find(&self, text: &str, detections: &mut Vec<Detection>) {
        let tags = self.regex.captures_iter(text).filter_map(|captures| captures.name("tag"));
        detections.extend(tags.map(|tag| break_at(self.kind, tag.range())));
    }
}

pub(super) fn find_comments(text: &str, detections: &mut Vec<Detection>) {
    const OPENING: &str = "<!--";
    // Comments are rare, and `contains` is faster than `match_indices`.
    if text.contains(OPENING) {
        let openings = text.match_indices(OPENING);
        detections.extend(
            openings.map(|(start, opening)| {
                break_at(FindingKind::Comment, start..start + opening.len())
            }),
        );
    }
}

fn break_at(kind: FindingKind, range: Range<usize>) -> Detection {
    Detection { range, kind, treatment: Treatment::Break, is_reported: true }
}
