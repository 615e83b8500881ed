//! Loads a preset or a policy file.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use gsar_core::policy::{Policy, Preset, preset};

use crate::data_set::read;

/// Returns the preset with this name, or else the policy in the file at this path.
pub(crate) fn named_policy(name: &str) -> Result<Policy> {
    if let Some(found) = Preset::from_name(name) {
        return Ok(preset(found));
    }
    let path = Path::new(name);
    if !path.exists() {
        bail!("`{name}` is neither a preset (paper, reference, strict) nor a file");
    }
    Policy::from_toml(&read(path)?).with_context(|| path.display().to_string())
}
