//! Parses policy names. Shell completions offer the presets, but a server can have other policies.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

#[derive(Clone, Copy, Debug)]
pub(super) struct PolicyName;

impl TypedValueParser for PolicyName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            gsar_core::Preset::ALL.map(|preset| PossibleValue::new(preset.name())).into_iter(),
        ))
    }
}
