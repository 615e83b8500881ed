//! Renders declarations and runs of checks.

use gsar_core::check::{CheckDeclaration, CheckRun};

use crate::v1;

/// Renders a declaration.
#[must_use]
pub fn check_declaration(declaration: &CheckDeclaration) -> v1::CheckDeclaration {
    let pass = declaration.pass();
    v1::CheckDeclaration {
        name: declaration.name().to_owned(),
        command: declaration.command().to_vec(),
        timeout_seconds: Some(declaration.timeout_seconds()),
        pass: Some(v1::PassCondition {
            exit_status: pass.exit_status,
            contains: pass.contains.clone(),
            lacks: pass.lacks.clone(),
        }),
    }
}

/// Renders a run.
#[must_use]
pub fn check_run(run: &CheckRun) -> v1::CheckRun {
    v1::CheckRun {
        declaration: Some(check_declaration(&run.declaration)),
        exit_status: run.exit_status,
        output: run.output.clone(),
    }
}
