//! This module says what is kept of an investigation: how it began, and everything that happened to it. It keeps nothing.

/// How an investigation began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvestigationStart {
    /// Its id.
    pub investigation_id: String,
    /// When, in microseconds since 1970-01-01T00:00:00Z.
    pub started_at_micros: i64,
    /// An encoded `gsar.v1.StartInvestigationRequest`.
    pub start: Vec<u8>,
    /// The policy that applies to all of it, as a file.
    pub policy_toml: String,
}

/// One thing that happened to an investigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// The investigation.
    pub investigation_id: String,
    /// The step that is reached with it: one above the last.
    pub step: u32,
    /// A digest of what was answered, by which a repetition is known.
    pub request_digest: [u8; 32],
    /// An encoded `gsar.v1.InvestigationEvent`.
    pub event: Vec<u8>,
}

/// An investigation in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredInvestigation {
    /// How it began.
    pub start: InvestigationStart,
    /// The digest and the encoded event of every step, from step 1.
    pub events: Vec<([u8; 32], Vec<u8>)>,
}
