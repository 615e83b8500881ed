//! This module holds the types of what was found in evidence.

use std::fmt;
use std::ops::Range;

use gsar_core::evidence::EvidenceId;

/// What a stretch of evidence tries, or how it hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// Characters without width, marks of direction, tags, control characters.
    Invisible,
    /// A tag or a line that gives a part of a conversation to somebody: `<|im_start|>`, `[INST]`, `Human:`.
    RoleTag,
    /// A line that looks like the frame around evidence, or ends it.
    Delimiter,
    /// A citation or a label where only the frame has one.
    Citation,
    /// A verdict in the form in which judges give theirs.
    Verdict,
    /// A phrase that instructs its reader.
    Instruction,
    /// A phrase or a tag that shows only after decoding.
    Encoded,
    /// A comment of HTML, which people do not see and models read.
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

    /// The word used in output.
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

/// The part of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The content.
    Content,
    /// The name of the tool.
    Tool,
    /// The query.
    Query,
    /// What says which part of the item it is.
    Part,
}

/// A stretch of evidence that tries to instruct. It was made inert and is still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The item.
    pub evidence: EvidenceId,
    /// The part of the item.
    pub field: Field,
    /// What it is.
    pub kind: FindingKind,
    /// Its bytes in the original.
    pub range: Range<usize>,
    /// The original there, shortened to [`MAX_EXCERPT_CHARS`](Self::MAX_EXCERPT_CHARS) characters, escaped.
    pub excerpt: String,
}

impl Finding {
    /// The most characters of an excerpt, before escaping.
    pub const MAX_EXCERPT_CHARS: usize = 80;
}
