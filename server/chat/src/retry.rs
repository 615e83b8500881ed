//! Schedules retries.

use std::time::{Duration, Instant};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::clock::Jitter;
use crate::failure::Failure;
use crate::settings::Retry;

/// Returns the start time of the next attempt, if there is one.
pub(crate) fn next_attempt(
    retry: &Retry,
    jitter: &dyn Jitter,
    failure: &Failure,
    failures: u32,
    now: Instant,
    deadline: Instant,
) -> Option<Instant> {
    if !failure.is_retryable() || failures >= retry.attempts {
        return None;
    }
    let wait = match failure.retry_after() {
        // Jitter spreads out callers that received the same delay.
        Some(requested) => requested.checked_add(jitter.up_to(retry.base))?,
        None => jitter.up_to(max_wait(retry, failures)),
    };
    let start = now.checked_add(wait)?;
    (start.checked_add(retry.min_time)? <= deadline).then_some(start)
}

fn max_wait(retry: &Retry, failures: u32) -> Duration {
    let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
    retry.base.saturating_mul(doubled).min(retry.cap)
}

/// Returns the requested delay: `retry-after-ms`, or `Retry-After` in seconds or as a date. Dates are compared
/// with the response's `Date`, because the local clock may be wrong.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let header = |name| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(milliseconds) = header("retry-after-ms").and_then(|header| header.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let requested = header(RETRY_AFTER.as_str())?;
    seconds(requested).or_else(|| {
        let retry_at = httpdate::parse_http_date(requested).ok()?;
        let sent = httpdate::parse_http_date(header(DATE.as_str())?).ok()?;
        Some(retry_at.duration_since(sent).unwrap_or(Duration::ZERO))
    })
}

/// Parses a number of seconds, such as `30`, `1.5` or `34.07s`.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.strip_suffix('s').unwrap_or(text).parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::{MaxJitter, UniformJitter};

    const RETRY: Retry = Retry {
        attempts: 4,
        base: Duration::from_secs(1),
        cap: Duration::from_secs(3),
        min_time: Duration::from_secs(1),
    };

    fn wait(failure: &Failure, failures: u32, seconds_left: u64) -> Option<Duration> {
        let now = Instant::now();
        let deadline = now + Duration::from_secs(seconds_left);
        let start = next_attempt(&RETRY, &MaxJitter, failure, failures, now, deadline)?;
        Some(start - now)
    }

    fn rate_limited(seconds: u64) -> Failure {
        let body = crate::Excerpt::new(b"", &crate::excerpt::Secrets::default());
        Failure::RateLimited { retry_after: Some(Duration::from_secs(seconds)), body }
    }

    #[test]
    fn waits_double_up_to_the_cap() {
        let seconds = |number| wait(&Failure::EmptyAnswer, number, 60).map(|wait| wait.as_secs());
        assert_eq!([1, 2, 3, 4].map(seconds), [Some(1), Some(2), Some(3), None]);
        assert_eq!(wait(&Failure::AnswerTooLarge { limit: 1 }, 1, 60), None);
    }

    #[test]
    fn does_not_retry_too_close_to_the_deadline() {
        assert_eq!(wait(&Failure::EmptyAnswer, 1, 2), Some(Duration::from_secs(1)));
        assert_eq!(wait(&Failure::EmptyAnswer, 1, 1), None);
        assert_eq!(wait(&rate_limited(30), 1, 32), Some(Duration::from_secs(31)));
        assert_eq!(wait(&rate_limited(30), 1, 31), None);
        assert_eq!(wait(&rate_limited(u64::MAX), 1, 31), None);
    }

    fn parse(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        retry_after(&map)
    }

    #[test]
    fn parses_every_form_of_retry_after() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let later_date = "Sun, 06 Nov 1994 08:50:07 GMT";
        for (headers, milliseconds) in [
            (&[("retry-after", "30")][..], Some(30_000)),
            (&[("retry-after", " 1.5 ")], Some(1_500)),
            (&[("retry-after", "30"), ("retry-after-ms", "20")], Some(20)),
            (&[("retry-after", later_date), ("date", date)], Some(30_000)),
            (&[("retry-after", date), ("date", later_date)], Some(0)),
            (&[("retry-after", later_date)], None),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "1e300")], None),
            (&[("retry-after", "soon")], None),
            (&[], None),
        ] {
            assert_eq!(parse(headers), milliseconds.map(Duration::from_millis), "{headers:?}");
        }
    }

    proptest! {
        #[test]
        fn attempts_leave_time_before_the_deadline(failures in 1..6_u32, seconds_left in 0..10_u64, requested_seconds in 0..10_u64) {
            let now = Instant::now();
            let deadline = now + Duration::from_secs(seconds_left);
            for failure in [Failure::EmptyAnswer, rate_limited(requested_seconds)] {
                let start = next_attempt(&RETRY, &UniformJitter, &failure, failures, now, deadline);
                if let Some(start) = start {
                    prop_assert!(start + RETRY.min_time <= deadline && failures < RETRY.attempts);
                    prop_assert!(start - now >= failure.retry_after().unwrap_or_default());
                }
            }
        }

        #[test]
        fn parses_or_ignores_any_header_value(value in "[ -~]{0,30}") {
            parse(&[("retry-after", &value), ("retry-after-ms", &value), ("date", &value)]);
        }
    }
}
