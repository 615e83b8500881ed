//! Statements over fresh evidence: one that holds is never called contradicted, one that does not
//! is never called grounded.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::allow_attributes,
    reason = "a test fails by panicking and prints what it measures"
)]

mod support;

use std::fmt::Write as _;

use gsar_core::{Claim, ClaimId, Class, JudgedClaim};
use gsar_rules::Observations;
use support::{StatementFile, statement_files};

/// How many statements were decided, and how.
#[derive(Default)]
struct Tally {
    statements: usize,
    right: usize,
    wrong: String,
}

impl Tally {
    fn add(&mut self, file: &str, holds: bool, judged: &JudgedClaim) {
        self.statements += 1;
        match (judged.class, holds) {
            (Class::Grounded, true) | (Class::Contradicted, false) => self.right += 1,
            (Class::Grounded, false) | (Class::Contradicted, true) => {
                let text = &judged.claim.text;
                writeln!(self.wrong, "{file}: {}: {text}", judged.class.name())
                    .and_then(|()| writeln!(self.wrong, "    {}", judged.note))
                    .expect("a string takes all");
            }
            _ => {}
        }
    }
}

fn judge(file: &StatementFile, tally: &mut Tally) {
    let observations = Observations::read(&file.evidence);
    for statement in &file.statements {
        let claim = Claim {
            id: ClaimId::new("c1".to_owned()).expect("an id"),
            text: statement.text.clone(),
            span: None,
        };
        let judged = observations.judge(&[claim], || true).expect("nothing stops it");
        for judged in &judged {
            println!("{:12} {:5} {}", judged.class.name(), statement.holds, statement.text);
            tally.add(&file.name, statement.holds, judged);
        }
    }
}

#[test]
fn no_statement_is_decided_wrongly() {
    let mut tally = Tally::default();
    for file in statement_files() {
        println!("== {}", file.name);
        judge(&file, &mut tally);
    }
    println!("{} of {} statements are decided rightly", tally.right, tally.statements);
    assert!(tally.wrong.is_empty(), "decided wrongly:\n{}", tally.wrong);
}
