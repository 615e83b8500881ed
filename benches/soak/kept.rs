//! This module keeps what was stored and left alone, for the checks at the end.

use std::time::Duration;

use crate::identity::Principal;

/// A corpus that was acknowledged and never deleted.
#[derive(Clone, Debug)]
pub(crate) struct KeptCorpus {
    /// Whose it is.
    pub(crate) owner: Principal,
    /// The server that has it where servers share nothing.
    pub(crate) home: usize,
    /// Its name.
    pub(crate) corpus_id: String,
    /// The number of the pool of which its evidence speaks.
    pub(crate) key: u64,
    /// When it may go, since the load began; `None` where that is later than any run.
    pub(crate) expires: Option<Duration>,
}

/// An investigation that was acknowledged as finished.
#[derive(Clone, Debug)]
pub(crate) struct KeptInvestigation {
    /// Whose it is.
    pub(crate) owner: Principal,
    /// The server that has it where servers share nothing.
    pub(crate) home: usize,
    /// Its id.
    pub(crate) investigation_id: String,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Corpora.
    pub(crate) corpora: Vec<KeptCorpus>,
    /// Investigations.
    pub(crate) investigations: Vec<KeptInvestigation>,
}
