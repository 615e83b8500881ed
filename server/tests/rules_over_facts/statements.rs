//! Tests that no true statement is contradicted and no false statement is grounded.

use gsar_core::budget::Budget;
use gsar_core::{Claim, ClaimId, Class, JudgedClaim};
use gsar_server::judge::facts::Observations;

use crate::rules_over_facts::statement_files::{StatementFile, statement_files};

#[derive(Default)]
struct StatementCounts {
    statements: usize,
    correct_count: usize,
    wrong_statements: Vec<String>,
}

impl StatementCounts {
    fn add(&mut self, file: &str, holds: bool, judged: &JudgedClaim) {
        self.statements += 1;
        match (judged.class, holds) {
            (Class::Grounded, true) | (Class::Contradicted, false) => self.correct_count += 1,
            (Class::Grounded, false) | (Class::Contradicted, true) => {
                let JudgedClaim { claim, class, note, .. } = judged;
                self.wrong_statements.push(format!(
                    "{file}: {}: {}\n    {note}",
                    class.name(),
                    claim.text
                ));
            }
            _ => {}
        }
    }
}

fn judge_statements(file: &StatementFile, tally: &mut StatementCounts) {
    let observations = Observations::read(&file.evidence, &Budget::unlimited());
    for statement in &file.statements {
        let claim = Claim::new(ClaimId::new("c1").expect("an id"), &statement.text);
        let judged =
            observations.judge(&[claim], &Budget::unlimited()).expect("an unlimited budget");
        for judged in &judged {
            println!("{:12} {:5} {}", judged.class.name(), statement.holds, statement.text);
            tally.add(&file.name, statement.holds, judged);
        }
    }
}

#[test]
fn no_statement_is_decided_wrongly() {
    let mut tally = StatementCounts::default();
    for file in statement_files() {
        println!("== {}", file.name);
        judge_statements(&file, &mut tally);
    }
    println!("{} of {} statements are decided correctly", tally.correct_count, tally.statements);
    assert!(
        tally.wrong_statements.is_empty(),
        "decided wrongly:\n{}",
        tally.wrong_statements.join("\n")
    );
}
