//! The types of findings in evidence.

use std::fmt;
use std::ops::Range;

use gsar_core::evidence::EvidenceId;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// Characters without width, directional marks, tags, control characters.
    Invisible,
    /// A tag or line that assigns a part of a conversation to a role: `<|im_start|>`, `[INST]`, `Human:`.
    RoleTag,
    /// A line that looks like the frame around evidence, or its end.
    Delimiter,
    /// A citation or label that only the frame may contain.
    Citation,
    /// A verdict in the format of judges.
    Verdict,
    /// A phrase that instructs its reader.
    Instruction,
    /// A phrase or tag that appears only after decoding.
    Encoded,
    /// An HTML comment, which people do not see but models read.
    Comment,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Invisible,
        Self::RoleTag,
        Self::Delimiter,
        Self::Citation,
        Self::Verdict,
        Self::Instruction,
        Self::Encoded,
        Self::Comment,
    ];

    /// Returns the name used in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invisible => "invisible",
            Self::RoleTag => "role_tag",
            Self::Delimiter => "delimiter",
            Self::Citation => "citation",
            Self::Verdict => "verdict",
            Self::Instruction => "instruction",
            Self::Encoded => "encoded",
            Self::Comment => "comment",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A field of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The content.
    Content,
    /// The name of the tool.
    Tool,
    /// The query.
    Query,
    /// The description of the part.
    Part,
}

/// A range of evidence that may instruct a judge. It is neutralized, not removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The item.
    pub evidence: EvidenceId,
    /// The field of the item.
    pub field: Field,
    /// The kind of finding.
    pub kind: FindingKind,
    /// Its bytes in the original.
    pub range: Range<usize>,
    /// The original text, shortened to [`MAX_EXCERPT_CHARS`](Self::MAX_EXCERPT_CHARS) characters and escaped.
    pub excerpt: String,
}

impl Finding {
    /// The maximum number of characters of an excerpt, before escaping.
    pub const MAX_EXCERPT_CHARS: usize = 80;
}
