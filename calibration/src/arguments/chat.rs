//! The flags of the commands that call a chat model.

use std::path::PathBuf;

use clap::Args;

use super::RowArgs;

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// Chat model, as provider:model, such as openai-compatible:llama3.1
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: String,
    /// Base URL, without /chat/completions. Default: the provider's base URL
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// File with the API key, if the provider needs one
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// File to write, one JSON object per line. To resume an interrupted command, run it again
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
