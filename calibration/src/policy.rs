//! Loads a policy by the name of a preset or from a file.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use gsar_core::policy::{Policy, Preset, preset, removed_preset_hint};

use crate::data_set::read;

/// The preset of a name, or the policy of a file.
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
