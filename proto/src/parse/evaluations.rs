//! Parses filters for recorded evaluations, except for page tokens.

use core::num::NonZeroU64;

use gsar_core::Tier;
use gsar_core::time::Timestamp;

use super::field::{optional_enumeration, short_text};
use super::path::Path;
use super::time::{elapsed_micros, start_time_bounds};
use crate::v1;
use crate::violations::Violations;

/// The bounds of the counting interval in microseconds: a minute to 366 days.
const INTERVALS: core::ops::RangeInclusive<u64> = 60_000_000..=366 * 86_400_000_000;

/// A parsed filter for evaluations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedEvaluationFilter {
    /// The enforced tier.
    pub tier: Option<Tier>,
    /// The id of the report. An empty id matches all reports.
    pub report_id: String,
    /// The id of the investigation. An empty id matches all evaluations.
    pub investigation_id: String,
    /// The name of the policy. An empty name matches all policies.
    pub policy: String,
    /// The name of the judge. An empty name matches all judges.
    pub judge: String,
    /// The name of the principal. An empty name matches all principals whose evaluations the caller may see.
    pub principal: String,
    /// The inclusive lower bound on the start time.
    pub from: Option<Timestamp>,
    /// The exclusive upper bound on the start time, which is later than `from`.
    pub before: Option<Timestamp>,
    /// `true` for evaluations with grades, `false` for those without.
    pub graded: Option<bool>,
    /// `true` to return only reports that could proceed with claims that are not grounded.
    pub unproven_only: bool,
}

/// Parses the filter of a list request.
pub fn listed_evaluations(
    request: &v1::ListEvaluationsRequest,
    violations: &mut Violations,
) -> Option<ParsedEvaluationFilter> {
    let request = request.clone();
    let filter = v1::EvaluationFilter {
        tier: request.tier,
        report_id: request.report_id,
        investigation_id: request.investigation_id,
        policy: request.policy,
        judge: request.judge,
        principal: request.principal,
        evaluated_from: request.evaluated_from,
        evaluated_before: request.evaluated_before,
        graded: request.graded,
        unproven_only: request.unproven_only,
    };
    read_filter(None, filter, violations)
}

/// Parses the field `evaluations`.
pub fn evaluation_filter(
    filter: Option<v1::EvaluationFilter>,
    violations: &mut Violations,
) -> Option<ParsedEvaluationFilter> {
    let field = Path::root("evaluations");
    read_filter(Some(field), filter.unwrap_or_default(), violations)
}

/// Parses the counting interval, in microseconds. The outer `None` means that it is invalid.
pub fn count_interval(
    interval: Option<prost_types::Duration>,
    violations: &mut Violations,
) -> Option<Option<NonZeroU64>> {
    let Some(interval) = interval else { return Some(None) };
    let path = Path::root("interval");
    let micros = elapsed_micros(path, interval, violations)?;
    if !INTERVALS.contains(&micros) {
        let seconds = micros / 1_000_000;
        violations.add(
            path,
            format_args!(
                "{seconds} s is out of range; give 60 s to 366 days, or omit it for a single count"
            ),
        );
        return None;
    }
    NonZeroU64::new(micros).map(Some)
}

fn read_filter(
    parent: Option<Path<'_>>,
    filter: v1::EvaluationFilter,
    violations: &mut Violations,
) -> Option<ParsedEvaluationFilter> {
    let path_of = |name| parent.as_ref().map_or(Path::root(name), |parent| parent.field(name));
    let time_bounds = start_time_bounds(
        (path_of("evaluated_from"), filter.evaluated_from),
        (path_of("evaluated_before"), filter.evaluated_before),
        violations,
    );
    let tier = optional_enumeration(path_of("tier"), filter.tier, violations);
    let graded = graded(path_of("graded"), filter.graded, violations);
    let mut name = |field, name| short_text(path_of(field), name, violations);
    let report_id = name("report_id", filter.report_id);
    let investigation_id = name("investigation_id", filter.investigation_id);
    let policy = name("policy", filter.policy);
    let judge = name("judge", filter.judge);
    let principal = name("principal", filter.principal);
    let (from, before) = time_bounds?;
    Some(ParsedEvaluationFilter {
        tier: tier?,
        report_id: report_id?,
        investigation_id: investigation_id?,
        policy: policy?,
        judge: judge?,
        principal: principal?,
        from,
        before,
        graded: graded?,
        unproven_only: filter.unproven_only,
    })
}

fn graded(path: Path<'_>, number: i32, violations: &mut Violations) -> Option<Option<bool>> {
    match v1::GradedFilter::try_from(number) {
        Ok(v1::GradedFilter::Unspecified) => Some(None),
        Ok(v1::GradedFilter::Graded) => Some(Some(true)),
        Ok(v1::GradedFilter::NotGraded) => Some(Some(false)),
        Err(_) => {
            let allowed = "give 0 for all, 1 for graded, 2 for not graded";
            violations.add(path, format_args!("{number} is unknown; {allowed}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(filter: v1::EvaluationFilter) -> String {
        let mut violations = Violations::default();
        let parsed = evaluation_filter(Some(filter), &mut violations);
        match violations.finish(parsed) {
            Ok(_) => String::new(),
            Err(status) => status.message().to_owned(),
        }
    }

    #[test]
    fn violations_name_their_field() {
        let timestamp = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
        let no_filter = v1::EvaluationFilter::default;
        for (filter, expected) in [
            (v1::EvaluationFilter { tier: 9, ..no_filter() }, "evaluations.tier: 9 is unknown"),
            (v1::EvaluationFilter { graded: 3, ..no_filter() }, "evaluations.graded: 3 is unknown"),
            (
                v1::EvaluationFilter {
                    evaluated_from: timestamp(5),
                    evaluated_before: timestamp(5),
                    ..no_filter()
                },
                "evaluations.evaluated_before: is not after",
            ),
            (
                v1::EvaluationFilter { judge: "j".repeat(257), ..no_filter() },
                "evaluations.judge: has 257",
            ),
            (
                v1::EvaluationFilter { principal: "\0".to_owned(), ..no_filter() },
                "evaluations.principal",
            ),
        ] {
            let message = problem(filter);
            assert!(message.starts_with(expected), "{expected}: {message}");
        }
        assert_eq!(problem(no_filter()), "");
    }

    #[test]
    fn violations_in_list_requests_name_their_field() {
        let request = v1::ListEvaluationsRequest { tier: 9, ..Default::default() };
        let mut violations = Violations::default();
        assert_eq!(listed_evaluations(&request, &mut violations), None);
        let status = violations.finish(None::<()>).unwrap_err();
        assert!(status.message().starts_with("tier: 9"), "{}", status.message());
    }

    #[test]
    fn rejects_intervals_out_of_range() {
        let parse_micros = |seconds, nanos| {
            let mut violations = Violations::default();
            let interval = Some(prost_types::Duration { seconds, nanos });
            let micros = count_interval(interval, &mut violations);
            assert_eq!(micros.is_none(), !violations.is_empty());
            micros.flatten().map(NonZeroU64::get)
        };
        assert_eq!(parse_micros(60, 0), Some(60_000_000));
        assert_eq!(parse_micros(366 * 86_400, 0), Some(366 * 86_400_000_000));
        for (seconds, nanos) in [(59, 999_999_999), (366 * 86_400, 1_000), (-60, 0), (0, 0)] {
            assert_eq!(parse_micros(seconds, nanos), None, "{seconds} {nanos}");
        }
        assert_eq!(count_interval(None, &mut Violations::default()), Some(None));
    }
}
