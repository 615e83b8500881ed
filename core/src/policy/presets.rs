//! The built-in policies.

use super::{Policy, PolicyFileError};

/// A built-in policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// The published paper without guards.
    Paper,
    /// The published values with guards. The default.
    Reference,
    /// For reports sent without human review.
    Strict,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Reference, Self::Strict];

    /// The preset's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Reference => "reference",
            Self::Strict => "strict",
        }
    }

    /// Parses a preset name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }
}

/// The preset's file.
#[must_use]
pub const fn preset_file(preset: Preset) -> &'static str {
    match preset {
        Preset::Paper => include_str!("../../presets/paper.toml"),
        Preset::Reference => include_str!("../../presets/reference.toml"),
        Preset::Strict => include_str!("../../presets/strict.toml"),
    }
}

/// Loads a preset.
#[must_use]
#[expect(clippy::panic, reason = "a preset is part of the build; a test loads each one")]
pub fn preset(preset: Preset) -> Policy {
    match Policy::complete_from_toml(preset_file(preset), preset) {
        Ok(policy) => policy,
        Err(error) => panic!("preset {}: {error}", preset.name()),
    }
}

impl Policy {
    /// Loads all presets.
    pub fn presets() -> Result<Vec<Self>, PolicyFileError> {
        Preset::ALL
            .into_iter()
            .map(|preset| Self::complete_from_toml(preset_file(preset), preset))
            .collect()
    }
}
