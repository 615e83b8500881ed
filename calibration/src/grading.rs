//! Grades reports from 1 to 5 with a chat model.

use std::fmt::Write as _;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::arguments::Grade;
use crate::chat::{Model, RowAnswer};
use crate::rows::rows;

const TASK: &str = "\
You are the on-call engineer who acts on an incident report. A wrong report makes you change the wrong system. Grade how \
well the evidence supports the report, from what the items say only, without knowledge of your own:
5: every statement is shown by an item.
4: every statement that you would act on is shown; a detail is not.
3: something that you would act on is neither shown nor refuted.
2: the main statement is not shown, or a detail is refuted.
1: a statement that you would act on is refuted.
Choose the lower grade if in doubt. Answer with one JSON object: a reason of one sentence that names the worst statement, \
and the grade.";

const SCHEMA: &str = r#"{"type":"object","properties":{"reason":{"type":"string"},"grade":{"type":"integer","enum":[1,2,3,4,5]}},"required":["reason","grade"],"additionalProperties":false}"#;

const GRADES: std::ops::RangeInclusive<u8> = 1..=5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    reason: String,
    grade: u8,
}

#[derive(Serialize, Deserialize)]
struct Line {
    row: String,
    /// The grade, scaled to a value from 0 to 1.
    score: f64,
    grade: u8,
    reason: String,
}

impl RowAnswer for Line {
    fn row_id(&self) -> &str {
        &self.row
    }
}

pub(crate) async fn grade(args: &Grade) -> Result<String> {
    let (_, rows) = rows(&args.rows)?;
    let model = Model::new(&args.chat, TASK, SCHEMA)?;
    let check = |answer: &Answer| {
        let Answer { grade, .. } = answer;
        GRADES
            .contains(grade)
            .then_some(())
            .ok_or_else(|| format!("grade {grade}; expected 1 to 5"))
    };
    let graded = model
        .answer_all(&args.chat, &rows, async |row| {
            let Answer { reason, grade } = model.ask(row, &row.text(), check).await?;
            let score = f64::from(grade.saturating_sub(1)) / 4.0;
            Ok(Line { row: row.id.clone(), score, grade, reason })
        })
        .await?;
    let mut page = format!("{}: graded reports: {}.\n", args.chat.out.display(), graded.len());
    for grade in GRADES.rev() {
        let count = graded.iter().filter(|line| line.grade == grade).count();
        let _ = writeln!(page, "Grade {grade}: {count}.");
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use crate::chat::tests::{message_count, run_command, write_key};
    use gsar_chat_wire::{ScriptedReply, Server, Wire};

    #[tokio::test]
    async fn grades_become_scores() {
        let folder = tempfile::tempdir().unwrap();
        let rows = folder.path().join("rows.jsonl");
        let row = |id: &str, claim: &str| {
            format!(
                r#"{{"id":"{id}","claim":"{claim}","label":"SUPPORTS","evidence":[{{"text":"api-1 has 5 replicas."}}]}}"#
            )
        };
        let two = [row("a", "api-1 has 9 replicas."), row("b", "api-1 has 5 replicas.")];
        std::fs::write(&rows, two.join("\n")).unwrap();
        let server = Server::start().await.unwrap();
        server.answer_with(|request| {
            let seen = request.body.to_string();
            let grade = match (seen.contains("9 replicas"), message_count(request)) {
                (false, _) => 5,
                (true, 2) => 7,
                (true, _) => 2,
            };
            ScriptedReply::Answer(format!(r#"{{"reason":"It says so.","grade":{grade}}}"#))
        });
        let (url, out) = (server.base_url(Wire::OpenAi), folder.path().join("judge.jsonl"));
        let page =
            run_command("grade", &rows, &url, &write_key(folder.path()), &out).await.unwrap();
        assert!(page.contains("graded reports: 2.\nGrade 5: 1.\nGrade 4: 0.\n"), "{page}");
        let expected =
            [r#"{"row":"a","score":0.25,"grade":2"#, r#"{"row":"b","score":1.0,"grade":5"#];
        let written = std::fs::read_to_string(&out).unwrap();
        for (line, expected) in written.lines().zip(expected) {
            assert!(line.starts_with(expected), "{line}");
        }
        assert_eq!(server.requests().len(), 3, "one request was repeated after an invalid answer");
        let first = server.requests()[0].body.to_string();
        assert!(first.contains("on-call engineer") && first.contains("<<<evidence"), "{first}");
        run_command("grade", &rows, &url, &write_key(folder.path()), &out).await.unwrap();
        assert_eq!(server.requests().len(), 3, "graded rows are not graded again");
    }
}
