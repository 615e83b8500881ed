//! The flags of `run`.

use std::path::PathBuf;

use clap::Args;

use super::RowArgs;

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    /// Trace to write, one JSON object per line. To resume an interrupted run, run the command again
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Send reports without their labelled claims, so that the server splits the reports into claims
    #[arg(long)]
    pub(crate) whole: bool,
    /// Drive each row through the whole loop: faulty claims are dropped, and with --top-k, each replan
    /// adds the next K pieces of evidence per claim
    #[arg(long = "loop", conflicts_with = "max_rate")]
    pub(crate) is_loop: bool,
    /// Retrieve K pieces of evidence per claim from the evidence of all rows, instead of using only the
    /// row's own evidence
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=50))]
    pub(crate) top_k: Option<u32>,
    /// Policy to request. Default: the server's default policy
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) policy: String,
    /// Use the judgements stored in the rows as the judge
    #[arg(long, conflicts_with_all = ["top_k", "whole"])]
    pub(crate) stored: bool,
    /// Name of the run. Default: the name of the trace file
    #[arg(long, value_name = "NAME")]
    pub(crate) run: Option<String>,
    /// Trace of an earlier run, with the same judge, that this run repeats
    #[arg(long, value_name = "FILE")]
    pub(crate) repeat_of: Option<PathBuf>,
    /// Maximum number of rows per second
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(crate) max_rate: Option<f64>,
    /// Maximum model cost in dollars, as counted by the server
    #[arg(long, value_name = "USD", value_parser = micros)]
    pub(crate) max_cost: Option<u64>,
    /// Print an estimate of the run's size without sending anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn rate(given: &str) -> Result<f64, String> {
    let rate = given.parse().ok().filter(|rate| (0.001..=100_000.0).contains(rate));
    rate.ok_or_else(|| "expected 0.001 to 100000 rows per second".to_owned())
}

fn micros(given: &str) -> Result<u64, String> {
    let dollars: Option<f64> = given.parse().ok().filter(|dollars| (0.0..=1e6).contains(dollars));
    let micros = dollars.map(|dollars| (dollars * 1e6).round() as u64);
    micros.ok_or_else(|| "expected 0 to 1000000 dollars".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_rates_and_costs_out_of_range() {
        assert_eq!((rate("2.5"), micros("0.25")), (Ok(2.5), Ok(250_000)));
        for wrong in ["0", "-1", "x", "nan", "inf"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
        assert!(micros("-1").is_err() && micros("nan").is_err());
    }
}
