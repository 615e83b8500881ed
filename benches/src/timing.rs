//! This module times what readers of evidence and embedded judges do on one thread, and has the baseline that they are
//! held against. It measures no server.

use std::time::Duration;

use gsar_core::Claim;

use crate::processor_time::of_this_thread;

/// The median processor time of a run, over a number of rounds.
pub fn median(rounds: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let before = of_this_thread();
            run();
            of_this_thread().saturating_sub(before)
        })
        .collect();
    times.sort_unstable();
    times.get(rounds / 2).copied().unwrap_or_default()
}

/// A time in milliseconds.
#[must_use]
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The line of the evidence that has most words of each claim, by lower-casing every line and looking for every word
/// in it: the least that any judge without an index does.
#[must_use]
pub fn scan<'e>(evidence: &'e str, claims: &[Claim]) -> Vec<Option<&'e str>> {
    let most = |claim: &Claim| {
        let claim = claim.text.to_ascii_lowercase();
        let words: Vec<&str> = claim.split_whitespace().collect();
        evidence.lines().max_by_key(|line| {
            let line = line.to_ascii_lowercase();
            words.iter().filter(|word| line.contains(**word)).count()
        })
    };
    claims.iter().map(most).collect()
}

#[cfg(test)]
mod tests {
    use gsar_core::ClaimId;

    use super::*;

    #[test]
    fn the_line_with_most_words_of_a_claim_is_found() {
        let claim = Claim {
            id: ClaimId::new("c1").unwrap(),
            text: "Checkout restarted twice".to_owned(),
            span: None,
        };
        let evidence = "payments restarted\ncheckout RESTARTED twice\ncheckout is fine";
        assert_eq!(scan(evidence, &[claim]), [Some("checkout RESTARTED twice")]);
    }

    #[test]
    fn every_round_is_run() {
        let mut runs = 0;
        let time = median(3, || runs += 1);
        assert_eq!(runs, 3);
        assert!(milliseconds(time) >= 0.0);
    }
}
