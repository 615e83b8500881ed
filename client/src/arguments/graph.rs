//! The arguments of `gsar graph`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum, ValueHint};

use super::{Call, Connection};

/// Build and show dependency graphs of entities
#[derive(Debug, Subcommand)]
pub(crate) enum Graph {
    /// Show an explored graph and its likely root cause
    #[command(after_help = "\
Examples:
  gsar graph show inc-7
  gsar graph show inc-7 --format mermaid > graph.mmd
  gsar graph show inc-7 --format dot | dot -Tsvg > graph.svg
  gsar graph show inc-7 --format html > graph.html")]
    Show {
        /// The investigation
        #[arg(value_name = "ID")]
        id: String,
        /// The output format
        #[arg(long, short, value_enum, default_value_t = GraphFormat::Human)]
        format: GraphFormat,
        #[command(flatten)]
        connection: Connection,
    },
    /// Show the stored evidence about an entity
    #[command(after_help = "\
Examples:
  gsar graph look inc-7 Deployment/cart
  gsar graph look inc-7 Deployment/cart --ask --output json > look.json")]
    Look {
        /// The investigation
        #[arg(value_name = "ID")]
        id: String,
        /// An entity that gsar graph show lists as due, by any of its names
        #[arg(value_name = "ENTITY")]
        entity: String,
        /// Let the chat model in judges.look classify the entity
        #[arg(long)]
        ask: bool,
        /// The maximum size of the passages in bytes, 1024 to 1048576 [default: 16384]
        #[arg(long, value_name = "BYTES")]
        bytes: Option<u32>,
        /// The number of passages to skip, in order to see passages that did not fit
        #[arg(long, value_name = "PASSAGES", default_value_t = 0)]
        skip: u32,
        #[command(flatten)]
        call: Call,
    },
    /// Build a graph for gsar drive --graph
    ///
    /// Reads Kubernetes objects, traces and lists of edges. Each option may be repeated. Pass - to read standard input.
    #[command(after_help = "\
Examples:
  kubectl get all,ingress,configmap,pvc,hpa -n shop -o json |
      gsar graph read --kubernetes - --alert Ingress/web
  gsar graph read --traces spans.json --alert checkout > graph.json")]
    Read {
        /// Objects in the format of kubectl get -o json
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        kubernetes: Vec<PathBuf>,
        /// OTLP or Jaeger spans, as JSON
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        traces: Vec<PathBuf>,
        /// Edges, one per line, of the form FROM -> TO, where TO depends on FROM
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        edges: Vec<PathBuf>,
        /// An entity with an active alert
        #[arg(long = "alert", value_name = "ENTITY", required = true)]
        alerts: Vec<String>,
        /// An entity that was changed
        #[arg(long, value_name = "ENTITY")]
        changed: Vec<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Text for a terminal
    Human,
    /// A GraphState message
    Json,
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
    /// A standalone HTML page
    Html,
}
