//! Tags and lines that belong to a conversation, to a frame or to a verdict, and stand in evidence.

use regex::Regex;

use super::Sighting;
use crate::finding::FindingKind;
use crate::marks::Treatment;

/// Begins a line, also within a JSON string, behind marks of quotation and emphasis.
const LINE: &str = r"(?m)(?:^|\\n)[ \t>*_]{0,8}";
/// Somebody's turn in a conversation.
const TURN: &str = r"(?:(?i:human|assistant)[*_]{0,2}:|\#{1,6} ?\**(?i:system|user|human|assistant|developer|instructions?|response)(?i: prompt| message)?\**:|\[?(?i:system) ?(?i:prompt|message|instructions?|override)\]?:)";
/// A line that parts evidence from something else.
const DELIMITER: &str = r"(?:[<=#~`*\[(-]{2,}[ \t]{0,2}(?i:begin|end|start|stop|close)(?i:s|ing)?[ _-]{0,3}(?i:of )?(?i:the )?(?i:untrusted |user )?(?i:evidence|data|context|documents?|input|instructions?|prompt|block|section)\b|<{2,}[ /]{0,2}(?i:evidence|instructions?|prompt|context)\b)";
/// A label of the frame, in brackets.
const CITATION: &str = r"\[/?e[1-9][0-9]{0,2}(?: [0-9a-f]{8})?\]";
/// Tags of chat templates, and tags that pretend to be a part of the prompt.
const ROLE_TAG: &str = r"<\|[a-z_ ]{2,24}\|>|\[/?(?:inst|sys)\]|<</?sys>>|<(?:start|end)_of_turn>|</?(?:system|assistant|human|developer|instructions?|prompt|system[-_]?prompt|system[-_]?message|verdict|evidence|judge|tool_call|tool_result|function_calls?|function_results?|im_start|im_end)(?: [^<>]{0,80})?/?>";
/// Tags that telemetry has as well.
const PERHAPS_ROLE_TAG: &str =
    r"</?(?:user|claims?|context|document|data|think|thinking|answer|response)(?: [^<>]{0,80})?/?>";
/// What only a judge writes.
const VERDICT: &str = r#"["']class["'] ?: ?["'](?:grounded|ungrounded|contradicted|complementary)["']|["']claims["'] ?: ?\[ ?\{ ?["'](?:id|claim|class|text|label|verdict)["']|["'](?:verdict|decision|tier|judge?ment|grounding)["'] ?: ?["'](?:proceed|regenerate|replan|grounded|ungrounded|supported|contradicted|pass)["']"#;

/// Finds tags.
#[derive(Debug)]
pub(super) struct Tags {
    lines: [(FindingKind, Regex); 2],
    anywhere: [(FindingKind, bool, Regex); 4],
}

impl Tags {
    pub(super) fn new() -> Result<Self, regex::Error> {
        let line = |expression: &str| Regex::new(&format!("{LINE}(?<tag>{expression})"));
        Ok(Self {
            lines: [
                (FindingKind::RoleTag, line(TURN)?),
                (FindingKind::Delimiter, line(DELIMITER)?),
            ],
            anywhere: [
                (FindingKind::Citation, true, Regex::new(CITATION)?),
                (FindingKind::RoleTag, true, Regex::new(ROLE_TAG)?),
                (FindingKind::RoleTag, false, Regex::new(PERHAPS_ROLE_TAG)?),
                (FindingKind::Verdict, true, Regex::new(VERDICT)?),
            ],
        })
    }

    /// What counts only at the start of a line, and comments; in the text as it is.
    pub(super) fn find_in_lines(&self, text: &str, sightings: &mut Vec<Sighting>) {
        for (kind, regex) in &self.lines {
            let tags = regex.captures_iter(text).filter_map(|captures| captures.name("tag"));
            sightings.extend(tags.map(|tag| Sighting {
                range: tag.range(),
                kind: *kind,
                treatment: Treatment::Break,
                is_told: true,
            }));
        }
        sightings.extend(text.match_indices("<!--").map(|(at, opening)| Sighting {
            range: at..at + opening.len(),
            kind: FindingKind::Comment,
            treatment: Treatment::Break,
            is_told: true,
        }));
    }

    /// What counts anywhere; in a view.
    pub(super) fn find<'v>(&'v self, view: &'v str) -> impl Iterator<Item = Sighting> + 'v {
        self.anywhere.iter().flat_map(move |(kind, is_told, regex)| {
            regex.find_iter(view).map(|found| Sighting {
                range: found.range(),
                kind: *kind,
                treatment: Treatment::Break,
                is_told: *is_told,
            })
        })
    }
}
