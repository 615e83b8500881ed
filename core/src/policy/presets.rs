//! The presets, compiled in as files.

use super::{Policy, PolicyFileError};

/// The built-in policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// The published paper, without guards.
    Paper,
    /// The published numbers with the guards on. The default.
    Reference,
    /// For reports that are sent without human review.
    Strict,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Reference, Self::Strict];

    /// The name of the preset.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Reference => "reference",
            Self::Strict => "strict",
        }
    }

    /// Returns the preset with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }
}

/// Explains what to use instead of a removed preset; `None` for any other name.
#[must_use]
pub fn removed_preset_hint(name: &str) -> Option<&'static str> {
    (name == "local").then_some(
        "the preset `local` was removed, because its thresholds let false reports proceed; use `reference`, which abstains \
         if the judge leaves the deciding claims undecided",
    )
}

/// The text of a preset's file, including comments.
#[must_use]
pub const fn preset_file(preset: Preset) -> &'static str {
    match preset {
        Preset::Paper => include_str!("../../presets/paper.toml"),
        Preset::Reference => include_str!("../../presets/reference.toml"),
        Preset::Strict => include_str!("../../presets/strict.toml"),
    }
}

/// Returns the policy of a preset.
#[must_use]
#[expect(clippy::panic, reason = "a preset is part of the build; a test loads each one")]
pub fn preset(preset: Preset) -> Policy {
    match Policy::complete_from_toml(preset_file(preset), preset) {
        Ok(policy) => policy,
        Err(error) => panic!("preset {}: {error}", preset.name()),
    }
}

impl Policy {
    /// Returns every preset.
    ///
    /// # Errors
    /// Never for the files of this build, which a test loads.
    pub fn presets() -> Result<Vec<Self>, PolicyFileError> {
        Preset::ALL
            .into_iter()
            .map(|preset| Self::complete_from_toml(preset_file(preset), preset))
            .collect()
    }
}
