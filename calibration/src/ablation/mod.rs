//! Measures stored partitions: M1 to M5, ablations and baselines.

mod cell;
mod classes;
mod measures;
mod of_loop;
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

pub(crate) fn ablate(args: &Ablate) -> Result<String> {
    let policy = named_policy(&args.policy)?;
    let mut page = String::from("# Ablations\n\n");
    let _ = writeln!(
        page,
        "Policy `{}`, on stored partitions; no judge is called. 95 % intervals: percentile bootstrap over rows, paired for differences.",
        policy.name
    );
    for path in &args.traces {
        let cell = Cell::of(&read(path)?, &policy)?;
        page::cell(&mut page, &cell, &Measures::of(&cell));
    }
    Ok(page)
}
