//! Loads a preset or a policy file.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use gsar_core::policy::{Policy, Preset, preset, removed_preset_hint};

use crate::data_set::read;

/// Returns the preset with this name, or else the policy in this file.
pub(crate) fn named_policy(name: &str) -> Result<Policy> {
    if let Some(found) = Preset::from_name(name) {
        return Ok(preset(found));
    }
    let path = Path::new(name);
    if !path.exists() {
        let instead =
            removed_preset_hint(name).map(|instead| format!(": {instead}")).unwrap_or_default();
        bail!("`{name}` is neither a preset (paper, reference, strict) nor a file{instead}");
    }
    Policy::from_toml(&read(path)?).with_context(|| path.display().to_string())
}
