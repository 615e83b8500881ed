//! The targets of faults: servers, database, disks, and chat model.

pub(crate) mod database;
pub(crate) mod disk;
pub(crate) mod model;
pub(crate) mod process;
pub(crate) mod sidecar;
