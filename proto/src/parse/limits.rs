//! This module holds the limits of a request.

/// Bounds on a request, filled in by the server's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most claims of a report, given or judged; 2000.
    pub max_claims: usize,
    /// The most evidence items of a request; 10 000.
    pub max_evidence_items: usize,
    /// The most bytes of a synthesis, of the content of an evidence item and of a tool result; 8 MiB.
    pub max_text_bytes: usize,
    /// The most bytes of every other text: a claim, quote, note, field path, tool line, query, statement or summary;
    /// 16 KiB.
    pub max_claim_bytes: usize,
    /// The deepest nesting of a JSON document; 100. Over 127 the JSON reader's own bound of 127 applies.
    pub max_json_depth: usize,
    /// The most citations of one judged claim; 100.
    pub max_citations: usize,
    /// The most hypotheses of an investigation; 100.
    pub max_hypotheses: usize,
    /// The most evidence records of one hypothesis; 1000.
    pub max_hypothesis_evidence: usize,
    /// The most changes of an investigation; 1000.
    pub max_changes: usize,
    /// The most steps of the path to a suspect; 100.
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
