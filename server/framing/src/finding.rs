//! Findings in evidence.

use std::fmt;
use std::ops::Range;

use gsar_core::evidence::EvidenceId;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// A zero-width, bidirectional, tag or control character.
    Invisible,
    /// A chat template tag or a line that starts a conversation turn: `<|im_start|>`, `[INST]`, `Human:`.
    RoleTag,
    /// A line that imitates a delimiter of the evidence block.
    Delimiter,
    /// A label or citation in the frame's format.
    Citation,
    /// A verdict in a judge's output format.
    Verdict,
    /// A phrase that instructs the model.
    Instruction,
    /// An instruction that appears only after decoding.
    Encoded,
    /// An HTML comment, which is invisible to people but not to models.
    Comment,
}

impl FindingKind {
    /// Returns the serialized name.
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

/// A range of evidence that may instruct a judge. Findings are neutralized, not removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The evidence item.
    pub evidence: EvidenceId,
    /// The kind.
    pub kind: FindingKind,
    /// The byte range in the original field.
    pub range: Range<usize>,
    /// The original text, truncated to [`MAX_EXCERPT_CHARS`](Self::MAX_EXCERPT_CHARS) characters and escaped.
    pub excerpt: String,
}

impl Finding {
    /// The maximum number of characters in an excerpt, before escaping.
    pub const MAX_EXCERPT_CHARS: usize = 80;
}
