//! Checks whether a judge still gives the same verdicts on a frozen set of rows. The exit status reports drift.

use anyhow::{Result, bail, ensure};

use crate::arguments::Drift;
use crate::comparison::pairs;
use crate::policy::named_policy;
use crate::statistics::{Counts, clopper_pearson};
use crate::trace::read;

/// Compares a trace with that of the frozen set and returns what is to be printed.
pub(crate) fn drift(args: &Drift) -> Result<String> {
    let policy = named_policy(&args.policy)?;
    let (reference, now) = (read(&args.reference)?, read(&args.now)?);
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
    let limit = args.max_changed.to_f64();
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
