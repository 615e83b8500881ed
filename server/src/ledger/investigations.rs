//! Investigations as the ledger stores them: a start and a sequence of events.

/// The start of an investigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvestigationStart {
    /// Its id.
    pub investigation_id: String,
    /// The start time, in microseconds since 1970-01-01T00:00:00Z.
    pub started_at_micros: i64,
    /// An encoded `gsar.v1.StartInvestigationRequest`.
    pub start: Vec<u8>,
    /// The policy of the whole investigation, as a file.
    pub policy_toml: String,
}

/// An event of an investigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// The investigation.
    pub investigation_id: String,
    /// The step reached with this event: one above the last.
    pub step: u32,
    /// A digest of the request, to detect a repetition.
    pub request_digest: [u8; 32],
    /// An encoded `gsar.v1.InvestigationEvent`.
    pub event: Vec<u8>,
}

/// An investigation in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredInvestigation {
    /// The start.
    pub start: InvestigationStart,
    /// The digest and the encoded event of every step, from step 1.
    pub events: Vec<([u8; 32], Vec<u8>)>,
}
