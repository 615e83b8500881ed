//! Measures traces: M1 to M5, the ablations of the method and its baselines, on the stored partitions.

mod cell;
mod classes;
mod measures;
mod page;
mod variant;

use std::fmt::Write as _;

use anyhow::Result;

use crate::arguments::Ablate;
use crate::policy::named_policy;
use crate::trace::read;
pub(crate) use cell::{Cell, Row};
pub(crate) use classes::ClassCounts;
pub(crate) use measures::{Effect, Mean, Measures};
pub(crate) use variant::Variant;

/// Measures the traces of runs and returns what is to be printed.
pub(crate) fn ablate(args: &Ablate) -> Result<String> {
    let policy = named_policy(&args.policy)?;
    let mut page = String::from("# Ablations\n\n");
    // Writing to a String cannot fail.
    let _ = writeln!(
        page,
        "Policy `{}`, on stored partitions: no judge was asked. 95 % intervals are percentiles of drawn rows, paired for differences.",
        policy.name
    );
    for path in &args.traces {
        let cell = Cell::of(&read(path)?, &policy)?;
        page::cell(&mut page, &cell, &Measures::of(&cell));
    }
    Ok(page)
}
