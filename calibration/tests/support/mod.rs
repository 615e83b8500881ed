//! Starts the server for tests of `gsar-calibrate`.

#[path = "../../../server/tests/support/process.rs"]
pub(crate) mod process;
#[path = "../../../server/tests/support/server_binary.rs"]
pub(crate) mod server_binary;

use std::path::Path;

use process::Process;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_gsar-calibrate");

/// A server that listens on `gsar.sock` in a folder. It is killed when dropped.
pub(crate) struct Server {
    _process: Process,
    pub(crate) endpoint: String,
}

impl Server {
    pub(crate) fn start(folder: &Path, configuration: &str) -> Self {
        let endpoint = format!("unix://{}", folder.join("gsar.sock").display());
        Self { _process: Process::with_config(folder, configuration), endpoint }
    }
}
