//! The real things that a run consists of, and that faults hit: servers, their database, their disks, their chat model.

pub(crate) mod database;
pub(crate) mod disk;
pub(crate) mod model;
pub(crate) mod process;
pub(crate) mod sidecar;
