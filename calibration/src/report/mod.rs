//! Writes an evaluation report: a self-contained HTML page with a table for every figure.

mod charts;
mod curves;
mod figures;
mod page;
mod scale;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::ablation::{Cell, Measures};
use crate::arguments::Report;
use crate::audit::{AuditedCell, objections};
use crate::policy::named_policy;
use crate::trace::read;
use figures::figures;

pub(crate) fn report(args: &Report) -> Result<String> {
    let policy = named_policy(&args.policy)?;
    let traces = args.traces.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let audited: Vec<AuditedCell> = traces.iter().map(AuditedCell::of).collect();
    let objections = objections(&audited);
    if !objections.is_empty() && !args.force {
        bail!(
            "the audit failed and nothing was written (use --force to write the report with these objections):\n  {}",
            objections.join("\n  ")
        );
    }
    let cells: Vec<(Cell, Measures)> = traces
        .iter()
        .map(|trace| {
            let cell = Cell::of(trace, &policy)?;
            let measures = Measures::of(&cell);
            Ok((cell, measures))
        })
        .collect::<Result<_>>()?;
    let figures = figures(&cells, &policy);
    let html = page::page(&policy, &cells, &figures, &objections);
    write(&args.out, &html)?;
    let mut summary =
        format!("{}: {} cells, {} figures.\n", args.out.display(), cells.len(), figures.len());
    if let Some(folder) = &args.figures {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for figure in &figures {
            write(&folder.join(format!("{}.svg", figure.id)), &figure.standalone())?;
            write(&folder.join(format!("{}.csv", figure.id)), &figure.csv())?;
        }
        summary.push_str(&format!("{}: each figure as SVG, its table as CSV.\n", folder.display()));
    }
    Ok(summary)
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| path.display().to_string())
}
