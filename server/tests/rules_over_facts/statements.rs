//! Statements over invented incidents: how many that hold are called contradicted, and how many that do not grounded.

use gsar_core::{Claim, ClaimId, Class, JudgedClaim};
use gsar_server::judge::facts::Observations;

use crate::rules_over_facts::statement_files::{StatementFile, statement_files};

/// Of 360. The rules were not written with these statements at hand; what they get wrong is known and not more.
const MAX_WRONG: usize = 5;
/// So that rules that say nothing fail.
const MIN_RIGHT: usize = 8;

/// How many statements were decided, and how.
#[derive(Default)]
struct StatementCounts {
    statements: usize,
    right: usize,
    wrong: Vec<String>,
}

impl StatementCounts {
    fn add(&mut self, file: &str, holds: bool, judged: &JudgedClaim) {
        self.statements += 1;
        match (judged.class, holds) {
            (Class::Grounded, true) | (Class::Contradicted, false) => self.right += 1,
            (Class::Grounded, false) | (Class::Contradicted, true) => {
                let JudgedClaim { claim, class, note, .. } = judged;
                self.wrong.push(format!("{file}: {}: {}\n    {note}", class.name(), claim.text));
            }
            _ => {}
        }
    }
}

fn judge(file: &StatementFile, tally: &mut StatementCounts) {
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
fn hardly_a_statement_is_decided_wrongly() {
    let mut tally = StatementCounts::default();
    for file in statement_files() {
        println!("== {}", file.name);
        judge(&file, &mut tally);
    }
    println!("{} of {} statements are decided rightly", tally.right, tally.statements);
    println!("decided wrongly:\n{}", tally.wrong.join("\n"));
    assert!(tally.right >= MIN_RIGHT, "{} are decided rightly", tally.right);
    assert!(
        tally.wrong.len() <= MAX_WRONG,
        "{} are decided wrongly:\n{}",
        tally.wrong.len(),
        tally.wrong.join("\n")
    );
}
