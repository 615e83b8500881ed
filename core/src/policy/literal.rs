//! This module reads the values of policy files: numbers off their digits, words off closed lists. It knows no field.

use super::RolloutMode;
use crate::fixed::Millionths;

/// A value as it is written.
pub(super) enum Literal {
    Number(String),
    Text(String),
    Switch(bool),
    Other,
}

impl Literal {
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A decimal.
    pub(super) fn decimal(&self) -> Result<Millionths, String> {
        decimal(self)
    }

    /// A whole number.
    pub(super) fn count(&self) -> Result<u32, String> {
        count(self)
    }

    /// A text.
    pub(super) fn text(&self) -> Result<String, String> {
        text(self)
    }

    pub(super) fn shown(&self) -> &str {
        match self {
            Self::Number(text) | Self::Text(text) => text,
            Self::Switch(true) => "true",
            Self::Switch(false) => "false",
            Self::Other => "a list, date or table",
        }
    }
}

pub(super) fn decimal(literal: &Literal) -> Result<Millionths, String> {
    match literal {
        Literal::Number(number) => number.parse().map_err(|error| format!("{error}")),
        _ => Err("is not a number".to_owned()),
    }
}

pub(super) fn limit(literal: &Literal) -> Result<Option<Millionths>, String> {
    match literal {
        Literal::Text(text) if text == "none" => Ok(None),
        Literal::Number(_) => decimal(literal).map(Some),
        _ => Err("is neither a number nor \"none\"".to_owned()),
    }
}

pub(super) fn count(literal: &Literal) -> Result<u32, String> {
    match literal {
        Literal::Number(number) => {
            number.parse().map_err(|_| format!("is not a whole number from 0 to {}", u32::MAX))
        }
        _ => Err("is not a whole number".to_owned()),
    }
}

pub(super) fn switch(literal: &Literal) -> Result<bool, String> {
    match literal {
        Literal::Switch(switch) => Ok(*switch),
        _ => Err("is neither true nor false".to_owned()),
    }
}

pub(super) fn text(literal: &Literal) -> Result<String, String> {
    literal.as_text().map(ToOwned::to_owned).ok_or_else(|| "is not a text".to_owned())
}

pub(super) fn rollout(literal: &Literal) -> Result<RolloutMode, String> {
    let modes = [
        ("off", RolloutMode::Off),
        ("shadow", RolloutMode::Shadow),
        ("active", RolloutMode::Active),
    ];
    choice(literal, &modes)
}

pub(super) fn choice<T: Copy>(literal: &Literal, choices: &[(&str, T)]) -> Result<T, String> {
    let given = literal.as_text();
    let found = choices.iter().find(|(name, _)| Some(*name) == given);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        format!("is not one of {}", names.join(", "))
    })
}
