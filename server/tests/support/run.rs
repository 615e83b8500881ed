//! Runs the server binary until it exits.

use std::process::Command;

/// Runs the binary with only these environment variables. Returns its exit status, and its standard output followed by
/// its standard error.
pub fn run(arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsar-server"));
    command.args(arguments).env_clear().envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code(), text)
}
