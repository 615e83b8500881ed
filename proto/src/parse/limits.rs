//! The limits of a request.

/// Limits from the server's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of claims in a report. The default is 2000.
    pub max_claims: usize,
    /// The maximum number of evidence items. The default is 10 000.
    pub max_evidence_items: usize,
    /// The maximum size of a synthesis, an evidence item or a tool result in bytes. The default is 8 MiB.
    pub max_text_bytes: usize,
    /// The maximum size of any other text in bytes, such as a claim, a quote or a note. The default is 16 KiB.
    pub max_claim_bytes: usize,
    /// The maximum depth of a JSON document. The default is 100. The JSON parser is limited to 127.
    pub max_json_depth: usize,
    /// The maximum number of citations per claim. The default is 100.
    pub max_citations: usize,
    /// The maximum number of hypotheses. The default is 100.
    pub max_hypotheses: usize,
    /// The maximum number of evidence records per hypothesis. The default is 1000.
    pub max_hypothesis_evidence: usize,
    /// The maximum number of changes. The default is 1000.
    pub max_changes: usize,
    /// The maximum number of steps in the path to a suspect. The default is 100.
    pub max_path_steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_claims: 2_000,
            max_evidence_items: 10_000,
            max_text_bytes: 8 << 20,
            max_claim_bytes: 16 << 10,
            max_json_depth: 100,
            max_citations: 100,
            max_hypotheses: 100,
            max_hypothesis_evidence: 1_000,
            max_changes: 1_000,
            max_path_steps: 100,
        }
    }
}
