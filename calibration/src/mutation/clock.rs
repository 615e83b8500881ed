//! Shifts all times of day in a claim.

use super::evidence::Surroundings;
use super::tokens::{Token, replace_span};

/// The offsets in minutes. Most are longer than an incident lasts.
const OFFSETS: [i32; 4] = [97, -97, 191, -323];

const MINUTES_PER_DAY: i32 = 24 * 60;

struct Clock {
    /// The byte offset of `HH:MM`.
    start: usize,
    /// Minutes since midnight.
    minutes: i32,
    /// The seconds with their colon. May be empty.
    seconds: String,
}

pub(super) fn times(claim: &str, tokens: &[Token<'_>], evidence: &Surroundings) -> Vec<String> {
    let clocks: Vec<Clock> = tokens.iter().filter_map(clock).collect();
    if clocks.is_empty() {
        return Vec::new();
    }
    let moved = |offset: i32| {
        let mut text = claim.to_owned();
        for clock in &clocks {
            let minutes = (clock.minutes + offset).rem_euclid(MINUTES_PER_DAY);
            let written = format!("{:02}:{:02}", minutes / 60, minutes % 60);
            if evidence.contains(&format!("{written}{}", clock.seconds)) {
                return None;
            }
            text = replace_span(&text, clock.start..clock.start + written.len(), &written);
        }
        Some(text)
    };
    OFFSETS.into_iter().filter_map(moved).collect()
}

/// Parses `14:02`, `14:02:17`, `14:02:17.5Z` or `2026-03-12T14:02:17Z`.
fn clock(token: &Token<'_>) -> Option<Clock> {
    let (date, time) = match token.text.split_once('T') {
        Some((date, time)) if date.len() == 10 && date.matches('-').count() == 2 => {
            (date.len() + 1, time)
        }
        Some(_) => return None,
        None => (0, token.text),
    };
    let (hours, rest) = time.split_once(':')?;
    let minutes = rest.get(..2)?;
    let is_two_digits = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
    if !is_two_digits(hours) || !is_two_digits(minutes) {
        return None;
    }
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let rest = rest.get(2..)?;
    let seconds =
        rest.get(..3).filter(|seconds| seconds.strip_prefix(':').is_some_and(is_two_digits));
    let is_time = hours < 24 && minutes < 60 && !rest.starts_with(|c: char| c.is_ascii_digit());
    is_time.then(|| Clock {
        start: token.span.start + date,
        minutes: hours * 60 + minutes,
        seconds: seconds.unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn shifts_all_times_by_the_same_offset() {
        let claim = "From 23:30 to 23:40:05 UTC on 2026-03-12T23:50:01Z 127.0.0.1:5432 listened";
        let moved = times(claim, &tokens(claim), &Surroundings::default());
        assert_eq!(
            moved[0],
            "From 01:07 to 01:17:05 UTC on 2026-03-12T01:27:01Z 127.0.0.1:5432 listened"
        );
        assert_eq!(moved.len(), OFFSETS.len());
    }

    #[test]
    fn skips_times_that_the_evidence_contains() {
        let evidence = Surroundings::new(["13:37:00 started"]);
        let claim = "It started at 12:00:00";
        let moved = times(claim, &tokens(claim), &evidence);
        assert_eq!(moved.len(), OFFSETS.len() - 1);
    }
}
