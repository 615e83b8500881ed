//! Everything that is wrong with a request, collected before it is answered.

use core::fmt::Display;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt as _};

use crate::ERROR_DOMAIN;

/// The most bytes of violations that one answer carries; the rest is counted. Details travel in a header,
/// in base64, and common clients take no more than 8 KiB of headers.
const MOST_BYTES: usize = 4096;

/// Field violations in the order in which they were found.
#[derive(Debug, Default)]
pub struct Violations {
    found: Vec<FieldViolation>,
    bytes: usize,
    more: usize,
}

impl Violations {
    /// Notes that a field is wrong. The description says what was given, what is allowed and the mend.
    pub fn add(&mut self, field: impl Into<String>, description: impl Display) {
        if self.bytes >= MOST_BYTES {
            self.more += 1;
            return;
        }
        let violation = FieldViolation::new(field, description.to_string());
        self.bytes += violation.field.len() + violation.description.len();
        self.found.push(violation);
    }

    /// The value, or `None` with the error noted under the field.
    pub fn note<T, E: Display>(
        &mut self,
        field: impl Into<String>,
        result: Result<T, E>,
    ) -> Option<T> {
        result.map_err(|error| self.add(field, error)).ok()
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// INVALID_ARGUMENT with every violation.
    #[must_use]
    pub fn into_status(self) -> Status {
        let first = self.found.first();
        let others = self.found.len().saturating_sub(1) + self.more;
        let message = match (first, others) {
            (None, _) => "invalid request".to_owned(),
            (Some(only), 0) => format!("{}: {}", only.field, only.description),
            (Some(first), others) => {
                format!("{}: {} (and {others} more)", first.field, first.description)
            }
        };
        let mut details = ErrorDetails::with_bad_request(self.found);
        details.set_error_info("INVALID_FIELDS", ERROR_DOMAIN, []);
        Status::with_error_details(Code::InvalidArgument, message, details)
    }

    /// The value when nothing was found, else the status.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when anything was noted, or when there is no value.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Status> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            _ => Err(self.into_status()),
        }
    }
}
