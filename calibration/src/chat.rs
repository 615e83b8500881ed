//! Asks a chat model about rows, and appends its answers to a file.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use futures_util::StreamExt as _;
use gsar_chat::{Chat, Endpoint, Request, Role, Schema, SecretString, Settings, Turn};
use gsar_core::evidence::{EvidenceId, EvidenceKind, Lane};
use gsar_framing::{Framer, Item, Nonce};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arguments::ChatArgs;
use crate::data_set::{lines, read};
use crate::rows::Row;

const MAX_CONCURRENT: usize = 8;

const DEADLINE: Duration = Duration::from_secs(300);

/// The id and tool name of the report among the framed items.
const REPORT: &str = "report";

pub(crate) struct Model {
    chat: Chat,
    framer: Framer,
    task: &'static str,
    schema: Schema,
}

/// A line of the output file, which stores the id of its row.
pub(crate) trait RowAnswer: Serialize + DeserializeOwned {
    fn row_id(&self) -> &str;
}

impl Model {
    pub(crate) fn new(args: &ChatArgs, task: &'static str, schema: &str) -> Result<Self> {
        let key = args.key_file.as_deref().map(read).transpose()?;
        let key = key.map(|key| SecretString::from(key.trim().to_owned()));
        let endpoint = Endpoint::new(args.model.parse()?, args.url.as_deref(), key)?;
        let chat = Chat::new(&endpoint, Settings::default())?;
        Ok(Self { chat, framer: Framer::new()?, task, schema: Schema::new("answer", schema)? })
    }

    /// Answers the rows that are not yet in the file. Returns all lines of the file, including the earlier ones.
    pub(crate) async fn answer_all<T: RowAnswer>(
        &self,
        args: &ChatArgs,
        rows: &[Row],
        answer: impl AsyncFn(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all: Vec<T> = if args.out.exists() { lines(&args.out)? } else { Vec::new() };
        let file_name = || args.out.display().to_string();
        let file = OpenOptions::new().append(true).create(true).open(&args.out);
        let mut file = file.with_context(file_name)?;
        let done: HashSet<String> = all.iter().map(|line| line.row_id().to_owned()).collect();
        let left = rows.iter().filter(|row| !done.contains(&row.id));
        let calls = left.map(async |row| {
            answer(row).await.with_context(|| format!("row {}; run again to resume", row.id))
        });
        let mut calls = futures_util::stream::iter(calls).buffered(MAX_CONCURRENT);
        while let Some(line) = calls.next().await {
            let line = line?;
            let text = serde_json::to_string(&line)? + "\n";
            file.write_all(text.as_bytes()).with_context(file_name)?;
            all.push(line);
        }
        Ok(all)
    }

    /// Asks about a report and its evidence. If the answer is invalid, asks once more.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        row: &Row,
        report: &str,
        check: impl Fn(&T) -> Result<(), String>,
    ) -> Result<T> {
        let mut request = self.request(row, report)?;
        let mut is_second = false;
        loop {
            let reply = self.chat.ask(&request, Instant::now() + DEADLINE).await?;
            let parsed = serde_json::from_str::<T>(reply.text.trim());
            let parsed = parsed.map_err(|error| error.to_string());
            let invalid = match parsed.and_then(|answer| check(&answer).map(|()| answer)) {
                Ok(answer) => return Ok(answer),
                Err(invalid) => invalid,
            };
            if is_second {
                return Err(anyhow!("both answers were invalid, the second because: {invalid}"));
            }
            is_second = true;
            let correction = format!("The answer is invalid: {invalid}. Answer again.");
            request.messages.extend([
                Turn { role: Role::Assistant, text: reply.text },
                Turn { role: Role::User, text: correction },
            ]);
        }
    }

    fn request(&self, row: &Row, report: &str) -> Result<Request> {
        let item = |id: &str| anyhow::Ok(EvidenceId::new(id.to_owned())?);
        let ids: Vec<EvidenceId> =
            row.evidence.iter().map(|found| item(&found.id)).collect::<Result<_>>()?;
        let report_id = item(REPORT)?;
        let frame =
            |id, kind, lane, tool, content| Item { tool, ..Item::new(id, kind, lane, content) };
        let mut items: Vec<Item<'_>> = ids
            .iter()
            .zip(&row.evidence)
            .map(|(id, item)| frame(id, item.kind, item.lane, &item.tool, &item.text))
            .collect();
        items.push(frame(&report_id, EvidenceKind::StepOutput, Lane::StaticInfra, REPORT, report));
        // The author of an evidence item cannot predict the digest of all texts.
        let mut digest = blake3::Hasher::new();
        for item in &items {
            digest.update(item.content.as_bytes()).update(&[0]);
        }
        let mut nonce = [0; 16];
        digest.finalize_xof().fill(&mut nonce);
        let framed = self.framer.frame(Nonce::new(u128::from_le_bytes(nonce)), &items)?;
        let label = framed.label(&report_id).unwrap_or(REPORT);
        let system = format!("{}\nThe report is item {label}. {}", self.task, framed.how_to_read());
        let mut request = Request::new(system, framed.text());
        request.schema = Some(self.schema.clone());
        Ok(request)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::{Path, PathBuf};

    use clap::Parser as _;
    use gsar_chat_wire::{KEY, ReceivedRequest};

    use super::*;
    use crate::arguments::Arguments;

    pub(crate) fn write_key(folder: &Path) -> PathBuf {
        let path = folder.join("key");
        std::fs::write(&path, KEY).unwrap();
        path
    }

    /// Returns the number of messages, including the system prompt.
    pub(crate) fn message_count(request: &ReceivedRequest) -> usize {
        request.body["messages"].as_array().map_or(0, Vec::len)
    }

    pub(crate) async fn run_command(
        command: &str,
        rows: &Path,
        url: &str,
        key: &Path,
        out: &Path,
    ) -> Result<String> {
        let paths = [rows, key, out].map(|path| path.to_str().unwrap());
        let [rows, key, out] = paths;
        let model = "openai-compatible:m";
        let flags = ["--model", model, "--url", url, "--key-file", key, "--out", out];
        let arguments = [["gsar-calibrate", command, rows].as_slice(), &flags].concat();
        crate::run(Arguments::parse_from(arguments)).await
    }
}
