//! The limits of a request.

/// Limits of a request, set by the server's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of claims of a report, given or judged; 2000.
    pub max_claims: usize,
    /// The maximum number of evidence items of a request; 10 000.
    pub max_evidence_items: usize,
    /// The maximum size of a synthesis, of the content of an evidence item and of a tool result, in bytes; 8 MiB.
    pub max_text_bytes: usize,
    /// The maximum size of every other text (a claim, quote, note, field path, tool line, query, statement or summary),
    /// in bytes; 16 KiB.
    pub max_claim_bytes: usize,
    /// The maximum nesting of a JSON document; 100. The JSON parser itself is limited to 127.
    pub max_json_depth: usize,
    /// The maximum number of citations of a judged claim; 100.
    pub max_citations: usize,
    /// The maximum number of hypotheses of an investigation; 100.
    pub max_hypotheses: usize,
    /// The maximum number of evidence records of a hypothesis; 1000.
    pub max_hypothesis_evidence: usize,
    /// The maximum number of changes of an investigation; 1000.
    pub max_changes: usize,
    /// The maximum number of steps of the path to a suspect; 100.
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
