//! Uses a chat model to write a report for each row. Each statement restates a claim and keeps its gold class.

use anyhow::Result;
use serde::Deserialize;

use crate::arguments::Write;
use crate::chat::{Model, RowAnswer};
use crate::rows::{GoldClaim, Row, rows};

const TASK: &str = "\
You write incident reports to test a checker of reports. Restate each numbered claim of the draft as one sentence in your \
own words, as an engineer would write it in a report, in the same order. Take names from the items. Some claims are \
false or not shown by the items on purpose: keep exactly what each claim asserts, do not correct, weaken or omit it, and \
add nothing. Answer with one JSON object: the statements, one for each claim.";

const SCHEMA: &str = r#"{"type":"object","properties":{"statements":{"type":"array","items":{"type":"string"}}},"required":["statements"],"additionalProperties":false}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    statements: Vec<String>,
}

impl RowAnswer for Row {
    fn row_id(&self) -> &str {
        &self.id
    }
}

pub(crate) async fn write(args: &Write) -> Result<String> {
    let (_, rows) = rows(&args.rows)?;
    let model = Model::new(&args.chat, TASK, SCHEMA)?;
    let written = model
        .answer_all(&args.chat, &rows, async |row| {
            let claims = (1..).zip(&row.claims);
            let draft: Vec<String> =
                claims.map(|(number, claim)| format!("{number}. {}", claim.text)).collect();
            let check = |answer: &Answer| check(answer, row.claims.len());
            Ok(restated(row, model.ask(row, &draft.join("\n"), check).await?))
        })
        .await?;
    Ok(format!("{}: reports written: {}.\n", args.chat.out.display(), written.len()))
}

fn check(answer: &Answer, claims: usize) -> Result<(), String> {
    let count = answer.statements.iter().filter(|statement| !statement.trim().is_empty()).count();
    (count == claims && answer.statements.len() == claims)
        .then_some(())
        .ok_or_else(|| format!("{count} statements; expected {claims}, one for each claim"))
}

fn restated(row: &Row, answer: Answer) -> Row {
    let statements = answer.statements.iter().map(|statement| statement.trim());
    let claims = row.claims.iter().zip(statements.clone());
    let claims = claims.map(|(claim, text)| GoldClaim::unjudged(text, claim.gold));
    Row {
        id: row.id.clone(),
        report: statements.collect::<Vec<_>>().join(" "),
        claims: claims.collect(),
        evidence: row.evidence.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::chat::tests::{message_count, run_command, write_key};
    use crate::rows::open;
    use gsar_chat_wire::{ScriptedReply, Server, Wire};
    use gsar_core::Class;

    #[tokio::test]
    async fn statements_keep_the_classes_of_their_claims() {
        let folder = tempfile::tempdir().unwrap();
        let rows = folder.path().join("rows.jsonl");
        let row = r#"{"id":"r1","claims":[{"text":"It is up.","gold":"grounded"},{"text":"It is red.","gold":"contradicted"}],"evidence":[{"id":"e1","text":"up, green"}]}"#;
        std::fs::write(&rows, row).unwrap();
        let server = Server::start().await.unwrap();
        server.answer_with(|request| {
            let answer = match message_count(request) {
                2 => r#"{"statements":["The api is up."]}"#,
                _ => r#"{"statements":["The api is up."," Its state is red."]}"#,
            };
            ScriptedReply::Answer(answer.to_owned())
        });
        let (url, out) = (server.base_url(Wire::OpenAi), folder.path().join("written.jsonl"));
        let page =
            run_command("write", &rows, &url, &write_key(folder.path()), &out).await.unwrap();
        assert!(page.ends_with("written.jsonl: reports written: 1.\n"), "{page}");
        let written = open(&out, None).unwrap().rows().unwrap().next().unwrap().unwrap();
        assert_eq!(written.report, "The api is up. Its state is red.");
        let gold: Vec<Class> = written.claims.iter().map(|claim| claim.gold.0).collect();
        assert_eq!(gold, [Class::Grounded, Class::Contradicted]);
        assert!(written.claims.iter().all(|claim| written.report.contains(&claim.text)));
        server.always(ScriptedReply::answer(r#"{"statements":[]}"#));
        std::fs::remove_file(&out).unwrap();
        let error =
            run_command("write", &rows, &url, &write_key(folder.path()), &out).await.unwrap_err();
        let error = format!("{error:#}");
        assert!(error.ends_with("0 statements; expected 2, one for each claim"), "{error}");
    }
}
