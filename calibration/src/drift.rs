//! Detects changes in a judge's verdicts on a frozen set of rows.

use anyhow::{Result, bail, ensure};

use crate::arguments::Drift;
use crate::comparison::pairs;
use crate::policy::named_policy;
use crate::statistics::{Counts, clopper_pearson};
use crate::trace::read;

pub(crate) fn drift(args: &Drift) -> Result<String> {
    let policy = named_policy(&args.policy)?;
    let (reference, now) = (read(&args.reference)?, read(&args.now)?);
    let pairs = pairs(&reference, &now, &policy)?;
    ensure!(
        pairs.only_in_one == 0 && !pairs.tiers.is_empty(),
        "{} rows are in only one of the traces; both must contain the whole frozen set",
        pairs.only_in_one
    );
    let decisions: Counts = pairs.tiers.iter().map(|(then, now)| then != now).collect();
    let classes: Counts = pairs.claims.iter().map(|claim| claim.first != claim.second).collect();
    let limit = args.max_changed.to_f64();
    let exceeds_limit =
        |counts: Counts| clopper_pearson(counts, 0.05).is_some_and(|exact| exact.low > limit);
    let summary = format!(
        "{} of {} decisions and {} of {} classes differ from {}",
        decisions.hits, decisions.of, classes.hits, classes.of, reference.header.run
    );
    let max = limit * 100.0;
    if exceeds_limit(decisions) || exceeds_limit(classes) {
        bail!("the judge has drifted: {summary}; the 95 % interval is above {max:.1} %");
    }
    Ok(format!("{summary}; the 95 % interval is not above {max:.1} %.\n"))
}
