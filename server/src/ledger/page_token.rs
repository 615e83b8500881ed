//! Page tokens: the position of a list's next page, bound to the list's selection.
//!
//! A token is 34 hexadecimal digits: a version, the sequence of the last row on the page, and a checksum
//! over these and the selection. The checksum only detects mistakes. A forged token reveals nothing that a
//! list would not reveal.

use data_encoding::HEXLOWER;

use super::error::LedgerError;
use super::selection::{Cursor, Selection};

const VERSION: u8 = 1;
const BYTES: usize = 17;
/// The number of characters of an invalid token that an error quotes.
const SHOWN: usize = 64;

impl Selection {
    /// Returns the token for the page that begins at `next` in this selection's newest-first list.
    #[must_use]
    pub fn page_token(&self, next: Cursor) -> String {
        let bytes: Vec<u8> = token_bytes(next.sequence(), self).collect();
        HEXLOWER.encode(&bytes)
    }

    /// Parses a page token. An empty token means the first page.
    ///
    /// # Errors
    /// Returns [`LedgerError::InvalidPageToken`] if the token is for another list.
    pub fn cursor(&self, token: &str) -> Result<Cursor, LedgerError> {
        if token.is_empty() {
            return Ok(Cursor::NEWEST);
        }
        let cursor = parse_sequence(token).map(Cursor::Before);
        cursor.filter(|cursor| self.page_token(*cursor) == token).ok_or_else(|| {
            LedgerError::InvalidPageToken { given: token.chars().take(SHOWN).collect() }
        })
    }
}

fn parse_sequence(token: &str) -> Option<i64> {
    if token.len() != BYTES * 2 {
        return None;
    }
    token.get(2..18).and_then(|digits| u64::from_str_radix(digits, 16).ok()).map(u64::cast_signed)
}

fn token_bytes(sequence: i64, selection: &Selection) -> impl Iterator<Item = u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[VERSION]);
    hasher.update(&sequence.to_be_bytes());
    for text in selection.texts() {
        let text = text.as_deref().unwrap_or_default();
        hasher.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(text.as_bytes());
    }
    let Selection { tier, from_micros, before_micros, graded, unproven_only, .. } = selection;
    for number in [tier.map(i64::from), *from_micros, *before_micros, graded.map(i64::from)] {
        hasher.update(&[u8::from(number.is_some())]);
        hasher.update(&number.unwrap_or_default().to_be_bytes());
    }
    hasher.update(&[u8::from(*unproven_only)]);
    let checksum = *hasher.finalize().as_bytes();
    [VERSION].into_iter().chain(sequence.to_be_bytes()).chain(checksum.into_iter().take(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn selection(tier: Option<i32>, report: &str, investigation: &str) -> Selection {
        let (report_id, investigation_id) =
            (Some(report.to_owned()), Some(investigation.to_owned()));
        Selection { tier, report_id, investigation_id, ..Selection::default() }
    }

    proptest! {
        #[test]
        fn a_token_round_trips(sequence in any::<i64>(), tier in any::<Option<i32>>(), report in ".{0,8}") {
            let selection = selection(tier, &report, "");
            let cursor = Cursor::Before(sequence);
            prop_assert_eq!(selection.cursor(&selection.page_token(cursor)), Ok(cursor));
        }

        #[test]
        fn rejects_a_token_of_another_list(sequence in any::<i64>(), report in "[ab]{0,3}", investigation in "[ab]{0,3}") {
            let original = selection(None, &report, &investigation);
            let swapped = selection(None, &investigation, &report);
            let token = original.page_token(Cursor::Before(sequence));
            prop_assert_eq!(swapped.cursor(&token).is_ok(), original == swapped);
        }

        #[test]
        fn rejects_invalid_tokens(text in ".{1,40}", digits in "[0-9a-fA-F+]{34}") {
            prop_assert!(Selection::default().cursor(&text).is_err());
            prop_assert!(Selection::default().cursor(&digits).is_err());
        }

        #[test]
        fn one_changed_digit_is_detected(sequence in any::<i64>(), index in 0_usize..34, digit in "[0-9a-f]") {
            let selection = selection(Some(1), "r", "i");
            let token = selection.page_token(Cursor::Before(sequence));
            let mut changed = token.clone();
            changed.replace_range(index..=index, &digit);
            prop_assert_eq!(selection.cursor(&changed).is_ok(), changed == token);
        }
    }

    #[test]
    fn tokens_depend_on_every_field() {
        let text = || Some("a".to_owned());
        let selections = [
            Selection::default(),
            Selection { tier: Some(0), ..Selection::default() },
            Selection { report_id: text(), ..Selection::default() },
            Selection { investigation_id: text(), ..Selection::default() },
            Selection { policy: text(), ..Selection::default() },
            Selection { judge: text(), ..Selection::default() },
            Selection { principal: text(), ..Selection::default() },
            Selection { from_micros: Some(0), ..Selection::default() },
            Selection { before_micros: Some(0), ..Selection::default() },
            Selection { graded: Some(false), ..Selection::default() },
            Selection { graded: Some(true), ..Selection::default() },
            Selection { unproven_only: true, ..Selection::default() },
        ];
        for first in &selections {
            for second in &selections {
                let token = first.page_token(Cursor::Before(7));
                assert_eq!(second.cursor(&token).is_ok(), first == second, "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn errors_truncate_long_tokens() {
        let Err(LedgerError::InvalidPageToken { given }) =
            Selection::default().cursor(&"é".repeat(5_000))
        else {
            panic!("the token was accepted");
        };
        assert_eq!(given.chars().count(), 64);
    }
}
