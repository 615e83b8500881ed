//! Parses export requests, except for their token.

use super::evaluations::ParsedEvaluationFilter;
use super::field::{optional_enumeration, short_text};
use super::list::parse_each;
use super::path::Path;
use super::time::start_time_bounds;
use crate::v1;
use crate::violations::Violations;

/// A parsed export request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedExport {
    /// The kinds of records: at least one, without duplicates.
    pub kinds: Vec<v1::ExportKind>,
    /// The filter for evaluations.
    pub filter: ParsedEvaluationFilter,
}

/// Parses an export request.
pub fn export(request: v1::ExportRequest, violations: &mut Violations) -> Option<ParsedExport> {
    let kinds = kinds(request.kinds, violations);
    let time_bounds = start_time_bounds(
        (Path::root("evaluated_from"), request.evaluated_from),
        (Path::root("evaluated_before"), request.evaluated_before),
        violations,
    );
    let policy = short_text(Path::root("policy"), request.policy, violations);
    let judge = short_text(Path::root("judge"), request.judge, violations);
    let tier = optional_enumeration(Path::root("tier"), request.tier, violations);
    let investigation = Path::root("investigation_id");
    let investigation_id = short_text(investigation, request.investigation_id, violations);
    let (from, before) = time_bounds?;
    let filter = ParsedEvaluationFilter {
        from,
        before,
        policy: policy?,
        judge: judge?,
        tier: tier?,
        investigation_id: investigation_id?,
        graded: request.graded_only.then_some(true),
        ..ParsedEvaluationFilter::default()
    };
    Some(ParsedExport { kinds: kinds?, filter })
}

fn kinds(numbers: Vec<i32>, violations: &mut Violations) -> Option<Vec<v1::ExportKind>> {
    const ALLOWED: &str =
        "give PARTITIONS (1), GRADES (2), PREFERENCES (3) or CLAIM_REWARDS (4), each at most once";
    let path = Path::root("kinds");
    if numbers.is_empty() {
        violations.add(path, format_args!("is empty; {ALLOWED}"));
        return None;
    }
    let mut earlier_kinds = Vec::new();
    parse_each(
        path,
        numbers,
        violations,
        |path, number, violations| match v1::ExportKind::try_from(number) {
            Ok(kind) if kind != v1::ExportKind::Unspecified && !earlier_kinds.contains(&kind) => {
                earlier_kinds.push(kind);
                Some(kind)
            }
            Ok(v1::ExportKind::Unspecified) | Err(_) => {
                violations.add(path, format_args!("{number} is unknown; {ALLOWED}"));
                None
            }
            Ok(kind) => {
                violations
                    .add(path, format_args!("{} is given twice; {ALLOWED}", kind.as_str_name()));
                None
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(request: v1::ExportRequest) -> Result<ParsedExport, String> {
        let mut violations = Violations::default();
        let parsed = export(request, &mut violations);
        violations.finish(parsed).map_err(|status| status.message().to_owned())
    }

    fn request_for(kinds: &[i32]) -> v1::ExportRequest {
        v1::ExportRequest { kinds: kinds.to_vec(), ..v1::ExportRequest::default() }
    }

    #[test]
    fn violations_name_their_field() {
        let timestamp = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
        let reversed = v1::ExportRequest {
            evaluated_from: timestamp(5),
            evaluated_before: timestamp(5),
            ..request_for(&[1])
        };
        for (request, expected) in [
            (request_for(&[]), "kinds: is empty"),
            (request_for(&[0]), "kinds[0]: 0 is unknown"),
            (request_for(&[1, 5]), "kinds[1]: 5 is unknown"),
            (request_for(&[2, 2]), "kinds[1]: EXPORT_KIND_GRADES is given twice"),
            (reversed, "evaluated_before: is not after"),
            (v1::ExportRequest { tier: 9, ..request_for(&[1]) }, "tier: 9 is unknown"),
            (v1::ExportRequest { judge: "j".repeat(257), ..request_for(&[1]) }, "judge: has 257"),
        ] {
            let message = parse(request).expect_err(expected);
            assert!(message.starts_with(expected), "{expected}: {message}");
        }
    }

    #[test]
    fn omitted_fields_do_not_restrict_the_export() {
        let parsed = parse(request_for(&[3, 1])).expect("the request is valid");
        assert_eq!(parsed.kinds, [v1::ExportKind::Preferences, v1::ExportKind::Partitions]);
        assert_eq!(parsed.filter, ParsedEvaluationFilter::default());
    }
}
