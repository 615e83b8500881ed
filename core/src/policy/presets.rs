//! This module holds the presets, as files compiled in.

use super::{Policy, PolicyFileError};

/// The policies that come with the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// The method as published, without guards.
    Paper,
    /// The published numbers with the guards on: the default.
    Reference,
    /// For reports that no person reads before they go out.
    Strict,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Reference, Self::Strict];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Reference => "reference",
            Self::Strict => "strict",
        }
    }

    /// The preset of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }
}

/// What to use instead of a preset of an earlier version; `None` for any other name.
#[must_use]
pub fn instead_of(name: &str) -> Option<&'static str> {
    (name == "local").then_some(
        "the preset `local` was removed, because its thresholds let false reports out; use `reference`, which abstains \
         where the judge leaves the deciding claims undecided",
    )
}

/// The text of a preset's file, comments included.
#[must_use]
pub const fn preset_file(preset: Preset) -> &'static str {
    match preset {
        Preset::Paper => include_str!("../../presets/paper.toml"),
        Preset::Reference => include_str!("../../presets/reference.toml"),
        Preset::Strict => include_str!("../../presets/strict.toml"),
    }
}

/// The checked policy of a preset.
#[must_use]
#[expect(clippy::panic, reason = "a preset is part of the build; a test loads each one")]
pub fn preset(preset: Preset) -> Policy {
    match Policy::complete_from_toml(preset_file(preset), preset) {
        Ok(policy) => policy,
        Err(error) => panic!("preset {}: {error}", preset.name()),
    }
}

impl Policy {
    /// Every preset, checked.
    ///
    /// # Errors
    /// Never for the files of this build; the test of this module proves it.
    pub fn presets() -> Result<Vec<Self>, PolicyFileError> {
        Preset::ALL
            .into_iter()
            .map(|preset| Self::complete_from_toml(preset_file(preset), preset))
            .collect()
    }
}
