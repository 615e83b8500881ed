//! Data that the load leaves for the final checks.

use std::time::Duration;

use crate::identity::Principal;

#[derive(Clone, Debug)]
pub(crate) struct StoredCorpus {
    pub(crate) owner: Principal,
    /// The index of its server, if servers share nothing.
    pub(crate) home: usize,
    pub(crate) corpus_id: String,
    /// The number of the database that its evidence describes.
    pub(crate) key: u64,
    /// The expiry, relative to the start of the load. `None` if it is after the run.
    pub(crate) expires: Option<Duration>,
}

#[derive(Clone, Debug)]
pub(crate) struct FinishedInvestigation {
    pub(crate) owner: Principal,
    /// The index of its server, if servers share nothing.
    pub(crate) home: usize,
    pub(crate) investigation_id: String,
}

#[derive(Debug, Default)]
pub(crate) struct LeftData {
    pub(crate) corpora: Vec<StoredCorpus>,
    pub(crate) investigations: Vec<FinishedInvestigation>,
}
