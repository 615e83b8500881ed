//! The flags of the commands that call a chat model.

use std::path::PathBuf;

use clap::Args;

use super::RowArgs;

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// Chat model, as provider:model, such as openai-compatible:llama3.1
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: String,
    /// Base URL, the part before /chat/completions; the provider's by default
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// File with the API key, if the provider needs one
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// File to write, one JSON object per line; an interrupted command is resumed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Grade {
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) chat: ChatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Write {
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) chat: ChatArgs,
}
