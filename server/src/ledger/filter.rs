//! This module says which evaluations a list shows, and checks it.

use super::error::LedgerError;
use super::page_token;
use super::record::Summary;

/// The page size for 0.
const DEFAULT_PAGE: usize = 50;
/// The largest page.
const MAX_PAGE: usize = 1000;

/// Which evaluations to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this tier, as the number of a `gsar.v1.Tier`; `None` for all.
    pub tier: Option<i32>,
    /// Only this report; `None` or empty for all.
    pub report_id: Option<String>,
    /// Only this investigation; `None` or empty for all.
    pub investigation_id: Option<String>,
    /// Only of this policy by name; `None` or empty for all.
    pub policy: Option<String>,
    /// Only of this judge; `None` or empty for all.
    pub judge: Option<String>,
    /// Only what is kept for this principal; `None` or empty for all that the owner of the ledger sees.
    pub principal: Option<String>,
    /// The first instant at which they began, in microseconds since 1970-01-01T00:00:00Z; `None` for no bound.
    pub from_micros: Option<i64>,
    /// The instant before which they began, in the same unit; `None` for no bound.
    pub before_micros: Option<i64>,
    /// Only with grades, or only without; `None` for all.
    pub graded: Option<bool>,
    /// Only reports that could go out without every claim grounded: that proceeded with a claim that is not grounded,
    /// or were in shadow and not to proceed. What is not known counts as not grounded.
    pub unproven_only: bool,
    /// How many at most, 1 to 1000; 0 for 50.
    pub page_size: usize,
    /// The `next_page_token` of the page before; `None` or empty for the first page.
    pub page_token: Option<String>,
}

impl Filter {
    /// The filter with empty texts taken as none and the page size that applies.
    ///
    /// # Errors
    /// [`LedgerError::InvalidPageSize`].
    pub(super) fn normalised(mut self) -> Result<Self, LedgerError> {
        let names =
            [&mut self.report_id, &mut self.investigation_id, &mut self.policy, &mut self.judge];
        for text in names.into_iter().chain([&mut self.principal, &mut self.page_token]) {
            text.take_if(|text| text.is_empty());
        }
        self.page_size = match self.page_size {
            0 => DEFAULT_PAGE,
            size @ 1..=MAX_PAGE => size,
            given => return Err(LedgerError::InvalidPageSize { given }),
        };
        Ok(self)
    }
}

impl Filter {
    /// The names that it restricts to.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let names =
            [&self.report_id, &self.investigation_id, &self.policy, &self.judge, &self.principal];
        names.into_iter().flatten().map(String::as_str)
    }
}

/// One page of a list, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The evaluations of this page.
    pub evaluations: Vec<Summary>,
    /// What asks for the next page; `None` when this is the last.
    pub next_page_token: Option<String>,
}

/// One page of evaluations with what was answered, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerPage {
    /// The evaluations of this page: as many as were asked for, or fewer where they are large.
    pub evaluations: Vec<Answered>,
    /// What asks for the next page; `None` when this is the last.
    pub next_page_token: Option<String>,
}

/// One evaluation with what was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The evaluation as in a list.
    pub summary: Summary,
    /// An encoded `gsar.v1.Report`.
    pub report: Vec<u8>,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// The policy that applied, as a file.
    pub policy_toml: String,
}

/// How many evaluations of an interval were decided alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// When the interval begins, in microseconds since 1970-01-01T00:00:00Z; 0 where there is one interval.
    pub from_micros: i64,
    /// The policy by name.
    pub policy: String,
    /// The judge that judged.
    pub judge: String,
    /// The number of a `gsar.v1.Outcome`.
    pub outcome: i32,
    /// The number of a `gsar.v1.Tier`.
    pub tier: i32,
    /// Whether the tier did not govern.
    pub in_shadow: bool,
    /// Whether the first judge of the chain failed and another one was asked.
    pub fell_back: bool,
    /// How many there are.
    pub evaluations: u64,
}

/// The most counts of one answer.
pub const MAX_COUNTS: usize = 10_000;

/// What a page of answers takes, and where the next one begins: of rows with their sequence and whether there are more.
pub(super) fn answer_page(
    rows: Vec<(i64, Answered)>,
    has_more: bool,
    filter: &Filter,
) -> AnswerPage {
    let last = rows.last().map(|(sequence, _)| *sequence).filter(|_| has_more);
    AnswerPage {
        evaluations: rows.into_iter().map(|(_, answered)| answered).collect(),
        next_page_token: last.map(|sequence| page_token::encode(sequence, filter)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_texts_restrict_nothing() {
        let filter = Filter {
            report_id: Some(String::new()),
            investigation_id: Some(String::new()),
            page_token: Some(String::new()),
            ..Filter::default()
        };
        assert_eq!(filter.normalised(), Ok(Filter { page_size: 50, ..Filter::default() }));
    }

    #[test]
    fn a_page_size_beyond_the_bound_is_refused() {
        let sized = |page_size| {
            Filter { page_size, ..Filter::default() }.normalised().map(|filter| filter.page_size)
        };
        assert_eq!(sized(1000), Ok(1000));
        assert_eq!(sized(1001), Err(LedgerError::InvalidPageSize { given: 1001 }));
    }
}
