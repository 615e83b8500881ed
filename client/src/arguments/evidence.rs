//! The arguments of the commands that store evidence and find it again.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use gsar_core::evidence::{EvidenceKind, Lane};

use super::{Connection, Output};

/// Keep evidence in corpora
///
/// A corpus outlives one call: reports are evaluated with gsar evaluate --corpus, passages found with
/// gsar search. Needs a running server, or --data-dir with the directory that holds the corpora.
#[derive(Debug, Subcommand)]
pub(crate) enum Evidence {
    /// Store files in a corpus, made where there is none
    ///
    /// Files and directories as for gsar evaluate; - for standard input. What the corpus has already, with
    /// the same content, is left alone.
    Put {
        /// The corpus
        #[arg(value_name = "CORPUS")]
        corpus: String,
        /// What to store
        #[arg(value_name = "PATH", required = true, value_hint = ValueHint::AnyPath)]
        paths: Vec<PathBuf>,
        /// How long the corpus is kept from now on; without it as it was, or the server's default
        #[arg(long, value_name = "HOURS", value_parser = clap::value_parser!(u32).range(1..))]
        keep: Option<u32>,
        /// The output format
        #[arg(long, short, value_enum, default_value_t = Output::Human)]
        output: Output,
        #[command(flatten)]
        connection: Connection,
    },
    /// Print the content of an item
    ///
    /// The whole content, piece by piece, or a range of its lines.
    Get {
        /// The corpus
        #[arg(value_name = "CORPUS")]
        corpus: String,
        /// The item's id, or the key of its content
        #[arg(value_name = "ITEM")]
        item: String,
        /// Only these lines, such as 120-143
        #[arg(long, value_name = "FIRST-LAST", value_parser = lines)]
        lines: Option<(u64, u64)>,
        #[command(flatten)]
        connection: Connection,
    },
    /// List the corpora
    List {
        /// The output format
        #[arg(long, short, value_enum, default_value_t = Output::Human)]
        output: Output,
        #[command(flatten)]
        connection: Connection,
    },
    /// Delete corpora and everything in them
    Delete {
        /// The corpora
        #[arg(value_name = "CORPUS", required = true)]
        corpora: Vec<String>,
        #[command(flatten)]
        connection: Connection,
    },
}

/// How passages are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// By the words that passage and query share
    Lexical,
    /// By meaning
    Vector,
    /// By both
    Hybrid,
}

/// Find the passages of a corpus that bear on a query
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar search inc-7 'Pod checkout-1 restarted 4 times'
  gsar search inc-7 'connection refused' --lane logs --entity checkout-1 -n 3")]
pub(crate) struct Search {
    /// The corpus
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,
    /// What to look for, in plain words; a claim does
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    /// How many passages at most
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(crate) most: u32,
    /// How to find: by words, by meaning, or by both where a model is at hand
    #[arg(long, value_enum)]
    pub(crate) method: Option<Method>,
    /// Only items of this kind, such as tool_output or signal
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub(crate) kind: Vec<EvidenceKind>,
    /// Only items of this lane, such as logs or metrics
    #[arg(long, value_name = "LANE", value_parser = lane)]
    pub(crate) lane: Vec<Lane>,
    /// Only passages that name this
    #[arg(long, value_name = "NAME")]
    pub(crate) entity: Vec<String>,
    /// The output format
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// A range of lines, counted from 1: `120-143`.
fn lines(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = first.parse().ok().zip(last.parse().ok());
    range.filter(|(first, last)| *first > 0 && first <= last).ok_or_else(|| {
        "it is no range of lines; give one such as 120-143, counted from 1".to_owned()
    })
}

fn kind(name: &str) -> Result<EvidenceKind, String> {
    EvidenceKind::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = EvidenceKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("there is no such kind; known are {}", known.join(", "))
    })
}

fn lane(name: &str) -> Result<Lane, String> {
    Lane::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Lane::ALL.iter().map(|lane| lane.name()).collect();
        format!("there is no such lane; known are {}", known.join(", "))
    })
}
