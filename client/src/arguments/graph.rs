//! The arguments of the commands for graphs of entities.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum, ValueHint};

use super::{Connection, Output};

/// Graphs of entities, who depends on whom: read, and shown as they were explored
#[derive(Debug, Subcommand)]
pub(crate) enum Graph {
    /// Show what is believed of each entity, and where the fault began
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
        /// How to draw it
        #[arg(long, short, value_enum, default_value_t = GraphFormat::Human)]
        format: GraphFormat,
        #[command(flatten)]
        connection: Connection,
    },
    /// Show what is stored of an entity that is due to be looked at
    #[command(after_help = "\
Examples:
  gsar graph look inc-7 Deployment/cart
  gsar graph look inc-7 Deployment/cart --ask --output json > look.json")]
    Look {
        /// The investigation
        #[arg(value_name = "ID")]
        id: String,
        /// An entity that gsar graph show says is due, by any of its names
        #[arg(value_name = "ENTITY")]
        entity: String,
        /// Have the chat model say what it is that judges.look names
        #[arg(long)]
        ask: bool,
        /// The most bytes of passages, 1024 to 1048576 [default: 16384]
        #[arg(long, value_name = "BYTES")]
        bytes: Option<u32>,
        /// The output format
        #[arg(long, short, value_enum, default_value_t = Output::Human)]
        output: Output,
        #[command(flatten)]
        connection: Connection,
    },
    /// Print the graph that files tell of, for gsar drive --graph
    ///
    /// Each file, or - for standard input, may be given several times.
    #[command(after_help = "\
Examples:
  kubectl get all,ingress,configmap,pvc,hpa -n shop -o json | gsar graph read --kubernetes - --alert Ingress/web
  gsar graph read --traces spans.json --edges by-hand.txt --alert checkout --changed payments > graph.json")]
    Read {
        /// Objects as kubectl get -o json prints them
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        kubernetes: Vec<PathBuf>,
        /// Spans as JSON, of OTLP or Jaeger
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        traces: Vec<PathBuf>,
        /// Lines FROM -> TO, of which the second depends on the first
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        edges: Vec<PathBuf>,
        /// An entity that alerts
        #[arg(long = "alert", value_name = "ENTITY", required = true)]
        alerts: Vec<String>,
        /// An entity in which something was changed
        #[arg(long, value_name = "ENTITY")]
        changed: Vec<String>,
    },
}

/// How a graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Lines for people
    Human,
    /// A GraphState of the contract
    Json,
    /// For Graphviz
    Dot,
    /// For Mermaid
    Mermaid,
    /// A page of its own for a browser
    Html,
}
