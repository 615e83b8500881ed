//! What to say to the model in the one repair turn: exactly what was wrong with its answer, and what to give instead.

use std::fmt::Write as _;

use crate::reading::Reading;
use crate::unreadable::Unreadable;

/// What to ask for after an answer; nothing where every claim was judged or the model abstains.
///
/// After an unreadable answer the whole of it is asked for again; else only the claims that nothing was taken for, which
/// are then the expected ones of [`crate::read`]. Words of the answer stand in it quoted and cut.
#[must_use]
pub fn repair_prompt(outcome: &Result<Reading, Unreadable>) -> Option<String> {
    match outcome {
        Err(unreadable) => Some(format!(
            "Your last answer cannot be used: {unreadable}.\n\
             Answer again in full: one JSON object of the given shape, with every claim once, and nothing before or after it."
        )),
        Ok(reading) if reading.abstained.is_some() => None,
        Ok(reading) => of_losses(reading),
    }
}

fn of_losses(reading: &Reading) -> Option<String> {
    let wanted: Vec<String> = reading.unsettled().map(|id| quoted(id.as_str())).collect();
    if wanted.is_empty() {
        return None;
    }
    let mut prompt = String::from("Parts of your last answer cannot be used:\n");
    for lost in &reading.lost {
        let _ = match (&lost.claim, lost.entry) {
            (Some(claim), _) => {
                writeln!(prompt, "- claim {}: {}.", quoted(claim.as_str()), lost.reason)
            }
            (None, Some(entry)) => {
                writeln!(prompt, "- entry {entry} of \"claims\": {}.", lost.reason)
            }
            (None, None) => Ok(()),
        };
    }
    for claim in &reading.missing {
        let _ = writeln!(prompt, "- claim {}: it is missing.", quoted(claim.as_str()));
    }
    for id in &reading.invented {
        let _ = writeln!(prompt, "- {} is not the id of a given claim.", quoted(id));
    }
    let _ = write!(
        prompt,
        "Answer again for these claims only: {}. Give one JSON object of the given shape, with each of them once, and \
         nothing before or after it.",
        wanted.join(", ")
    );
    Some(prompt)
}

fn quoted(id: &str) -> String {
    format!("{id:?}")
}
