//! Records data left in the servers for the final checks.

use std::time::Duration;

use crate::identity::Principal;

/// A corpus that was acknowledged and never deleted.
#[derive(Clone, Debug)]
pub(crate) struct StoredCorpus {
    pub(crate) owner: Principal,
    /// Its server, if servers share nothing.
    pub(crate) home: usize,
    pub(crate) corpus_id: String,
    /// The number of the pool in its evidence.
    pub(crate) key: u64,
    /// When it may go, since the load began; `None` if that is later than any run.
    pub(crate) expires: Option<Duration>,
}

/// An investigation that was acknowledged as finished.
#[derive(Clone, Debug)]
pub(crate) struct FinishedInvestigation {
    pub(crate) owner: Principal,
    /// Its server, if servers share nothing.
    pub(crate) home: usize,
    pub(crate) investigation_id: String,
}

#[derive(Debug, Default)]
pub(crate) struct LeftData {
    pub(crate) corpora: Vec<StoredCorpus>,
    pub(crate) investigations: Vec<FinishedInvestigation>,
}
