//! This module says which evaluations a list shows, and checks it.

use super::error::LedgerError;
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
    /// Only with grades, or only without; `None` for all.
    pub graded: Option<bool>,
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
        for text in [&mut self.report_id, &mut self.investigation_id, &mut self.page_token] {
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

/// One page of a list, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The evaluations of this page.
    pub evaluations: Vec<Summary>,
    /// What asks for the next page; `None` when this is the last.
    pub next_page_token: Option<String>,
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
