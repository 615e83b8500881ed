//! This module tells whether a judge still says what it said of a frozen set of rows: for a job that runs every night, by its
//! exit status.

use anyhow::{Result, bail, ensure};

use crate::arguments::Drift;
use crate::comparison::pairs;
use crate::policy::named_policy;
use crate::statistics::{Counts, clopper_pearson};
use crate::trace::read;

/// Compares a trace with that of the frozen set and returns what is to be printed.
pub(crate) fn drift(wanted: &Drift) -> Result<String> {
    let policy = named_policy(&wanted.policy)?;
    let (reference, now) = (read(&wanted.reference)?, read(&wanted.now)?);
    let pairs = pairs(&reference, &now, &policy)?;
    ensure!(
        pairs.only_in_one == 0 && !pairs.tiers.is_empty(),
        "{} rows are in one of the traces alone; the frozen set has to be judged whole",
        pairs.only_in_one
    );
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let decisions = Counts {
        hits: count(pairs.tiers.iter().filter(|(then, now)| then != now).count()),
        of: count(pairs.tiers.len()),
    };
    let classes = Counts {
        hits: count(pairs.claims.iter().filter(|claim| claim.first != claim.second).count()),
        of: count(pairs.claims.len()),
    };
    let limit = wanted.max_changed.to_f64();
    let is_beyond =
        |counts: Counts| clopper_pearson(counts, 0.05).is_some_and(|exact| exact.low > limit);
    let said = format!(
        "{} of {} decisions and {} of {} classes differ from {}",
        decisions.hits, decisions.of, classes.hits, classes.of, reference.header.run
    );
    let most = limit * 100.0;
    if is_beyond(decisions) || is_beyond(classes) {
        bail!("the judge has drifted: {said}; more than {most:.1} % is beyond doubt (95 %)");
    }
    Ok(format!("{said}: no more than {most:.1} % is certain to have changed.\n"))
}
