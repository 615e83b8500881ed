//! The built-in policies.

use std::sync::LazyLock;

use super::Policy;
use crate::names;

/// A built-in policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// The values of the published paper, without guards.
    Paper,
    /// The values of the published paper, with guards. This is the default.
    #[default]
    Reference,
    /// The policy for reports that are sent without human review.
    Strict,
}

names!(Preset { Paper => "paper", Reference => "reference", Strict => "strict" }, from_name);

/// The preset's file.
#[must_use]
pub const fn preset_file(preset: Preset) -> &'static str {
    match preset {
        Preset::Paper => include_str!("../../presets/paper.toml"),
        Preset::Reference => include_str!("../../presets/reference.toml"),
        Preset::Strict => include_str!("../../presets/strict.toml"),
    }
}

/// Returns a preset. Its file is parsed once per process.
#[must_use]
pub fn preset(preset: Preset) -> Policy {
    static LOADED: LazyLock<[Policy; Preset::ALL.len()]> = LazyLock::new(|| Preset::ALL.map(load));
    let loaded = LOADED.iter().find(|policy| policy.base == preset);
    loaded.cloned().unwrap_or_else(|| load(preset))
}

#[expect(clippy::panic, reason = "presets are part of the build, and a test loads each of them")]
fn load(preset: Preset) -> Policy {
    match Policy::complete_from_toml(preset_file(preset), preset) {
        Ok(policy) => policy,
        Err(error) => panic!("preset {}: {error}", preset.name()),
    }
}
