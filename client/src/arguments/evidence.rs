//! The arguments of `gsar evidence` and `gsar search`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use gsar_core::evidence::{EvidenceKind, Lane};

use super::{Call, Connection};

/// Manage corpora of stored evidence
///
/// Use a corpus with gsar evaluate --corpus or gsar search. Requires a running server, or --data-dir.
#[derive(Debug, Subcommand)]
pub(crate) enum Evidence {
    /// Add files to a corpus, creating it if necessary
    ///
    /// Accepts the same files and directories as gsar evaluate, and - for standard input. Items that the corpus already
    /// contains are left unchanged.
    Put {
        /// The corpus
        #[arg(value_name = "CORPUS")]
        corpus: String,
        /// The files and directories to store
        #[arg(value_name = "PATH", required = true, value_hint = ValueHint::AnyPath)]
        paths: Vec<PathBuf>,
        /// Keep the corpus for this many hours from now [default: unchanged, or the server's]
        #[arg(long, value_name = "HOURS", value_parser = clap::value_parser!(u32).range(1..))]
        keep: Option<u32>,
        #[command(flatten)]
        call: Call,
    },
    /// Print the content of an item
    ///
    /// Prints the full content, or a range of lines.
    Get {
        /// The corpus
        #[arg(value_name = "CORPUS")]
        corpus: String,
        /// The item's id, or the key of its content
        #[arg(value_name = "ITEM")]
        item: String,
        /// The lines to print, such as 120-143
        #[arg(long, value_name = "FIRST-LAST", value_parser = parse_line_range)]
        lines: Option<(u64, u64)>,
        #[command(flatten)]
        connection: Connection,
    },
    /// List corpora
    List {
        #[command(flatten)]
        call: Call,
    },
    /// Delete corpora
    Delete {
        /// The corpora to delete
        #[arg(value_name = "CORPUS", required = true)]
        corpora: Vec<String>,
        #[command(flatten)]
        connection: Connection,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// By shared words
    Lexical,
    /// By meaning
    Vector,
    /// By words and meaning
    Hybrid,
}

/// Search a corpus for relevant passages
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar search inc-7 'Pod checkout-1 restarted 4 times'
  gsar search inc-7 'connection refused' --lane logs --entity checkout-1 -n 3")]
pub(crate) struct Search {
    /// The corpus
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,
    /// The query, in plain words, such as the text of a claim
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    /// The maximum number of passages
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(crate) most: u32,
    /// The search method [default: the best available]
    #[arg(long, value_enum)]
    pub(crate) method: Option<Method>,
    /// Search only items of this kind, such as tool_output or signal
    #[arg(long, value_name = "KIND", value_parser = parse_kind)]
    pub(crate) kind: Vec<EvidenceKind>,
    /// Search only items in this lane, such as logs or metrics
    #[arg(long, value_name = "LANE", value_parser = parse_lane)]
    pub(crate) lane: Vec<Lane>,
    /// Search only passages that mention this name
    #[arg(long, value_name = "NAME")]
    pub(crate) entity: Vec<String>,
    #[command(flatten)]
    pub(crate) call: Call,
}

fn parse_line_range(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = first.parse().ok().zip(last.parse().ok());
    range.filter(|(first, last)| *first > 0 && first <= last).ok_or_else(|| {
        "invalid line range; expected the first and the last line, such as 120-143".to_owned()
    })
}

fn parse_kind(name: &str) -> Result<EvidenceKind, String> {
    EvidenceKind::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = EvidenceKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("unknown kind; expected one of {}", names.join(", "))
    })
}

fn parse_lane(name: &str) -> Result<Lane, String> {
    Lane::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Lane::ALL.iter().map(|lane| lane.name()).collect();
        format!("unknown lane; expected one of {}", names.join(", "))
    })
}
