//! Stored investigations.

/// The start of an investigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvestigationStart {
    /// The id.
    pub investigation_id: String,
    /// The start time, in microseconds since 1970-01-01T00:00:00Z.
    pub started_at_micros: i64,
    /// An encoded `gsar.v1.StartInvestigationRequest`.
    pub start: Vec<u8>,
    /// The investigation's policy as TOML.
    pub policy_toml: String,
}

/// An event of an investigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// The id of the investigation.
    pub investigation_id: String,
    /// The number of the step: one more than the last.
    pub step: u32,
    /// A digest of the request, to detect retries.
    pub request_digest: [u8; 32],
    /// An encoded `gsar.v1.InvestigationEvent`.
    pub event: Vec<u8>,
}

/// A stored investigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredInvestigation {
    /// The start.
    pub start: InvestigationStart,
    /// The request digest and the encoded event of each step, from step 1.
    pub events: Vec<([u8; 32], Vec<u8>)>,
}
