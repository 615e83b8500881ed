//! Parses the values in policy files.

use super::RolloutMode;
use crate::fixed_point::Millionths;

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

    pub(super) fn decimal(&self) -> Result<Millionths, String> {
        match self {
            Self::Number(number) => number.parse().map_err(|error| format!("`{number}` {error}")),
            _ => Err(self.unexpected("a number")),
        }
    }

    pub(super) fn limit(&self) -> Result<Option<Millionths>, String> {
        match self {
            Self::Text(text) if text == "none" => Ok(None),
            Self::Number(_) => self.decimal().map(Some),
            _ => Err(self.unexpected("a number or \"none\"")),
        }
    }

    pub(super) fn count(&self) -> Result<u32, String> {
        match self {
            Self::Number(number) => number
                .parse()
                .map_err(|_| self.unexpected(&format!("a whole number from 0 to {}", u32::MAX))),
            _ => Err(self.unexpected("a whole number")),
        }
    }

    pub(super) fn switch(&self) -> Result<bool, String> {
        match self {
            Self::Switch(switch) => Ok(*switch),
            _ => Err(self.unexpected("true or false")),
        }
    }

    pub(super) fn text(&self) -> Result<String, String> {
        self.as_text().map(ToOwned::to_owned).ok_or_else(|| self.unexpected("a string"))
    }

    pub(super) fn rollout(&self) -> Result<RolloutMode, String> {
        self.choice(RolloutMode::ALL, RolloutMode::name)
    }

    pub(super) fn choice<T: Copy, const N: usize>(
        &self,
        choices: [T; N],
        name: fn(T) -> &'static str,
    ) -> Result<T, String> {
        let choice = choices.into_iter().find(|choice| Some(name(*choice)) == self.as_text());
        choice.ok_or_else(|| {
            let names = choices.map(name).join(", ");
            format!("unknown value `{}`; expected one of {names}", self.as_str())
        })
    }

    fn unexpected(&self, expected: &str) -> String {
        format!("invalid value `{}`; expected {expected}", self.as_str())
    }

    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Number(text) | Self::Text(text) => text,
            Self::Switch(true) => "true",
            Self::Switch(false) => "false",
            Self::Other => "a list, date or table",
        }
    }
}
