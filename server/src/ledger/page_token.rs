//! Page tokens: where the next page of a list begins, bound to the list's filter.
//!
//! A token is 34 hexadecimal digits: a version, the sequence of the last row shown, and a check of both
//! with the filter. The check finds mistakes (a token of another list, a cut token); it keeps nothing
//! secret, and a forged token shows nothing that a list would not.

use super::error::LedgerError;
use super::filter::Filter;

const VERSION: u8 = 1;
const BYTES: usize = 17;
/// How much of a refused token an error repeats.
const SHOWN: usize = 64;

/// The token of the page that begins below `sequence` in the list of `filter`.
pub(super) fn encode(sequence: i64, filter: &Filter) -> String {
    let mut token = String::with_capacity(BYTES * 2);
    for byte in bytes(sequence, filter) {
        for nibble in [byte >> 4, byte & 0xf] {
            token.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
    }
    token
}

/// The sequence below which the page begins.
///
/// # Errors
/// [`LedgerError::InvalidPageToken`] when the token was not made for the list of `filter`.
pub(super) fn decode(token: &str, filter: &Filter) -> Result<i64, LedgerError> {
    sequence_of(token)
        .filter(|sequence| encode(*sequence, filter) == token)
        .ok_or_else(|| LedgerError::InvalidPageToken { given: token.chars().take(SHOWN).collect() })
}

fn sequence_of(token: &str) -> Option<i64> {
    if token.len() != BYTES * 2 {
        return None;
    }
    token.get(2..18).and_then(|digits| u64::from_str_radix(digits, 16).ok()).map(u64::cast_signed)
}

fn bytes(sequence: i64, filter: &Filter) -> impl Iterator<Item = u8> {
    let mut check = blake3::Hasher::new();
    check.update(&[VERSION]);
    check.update(&sequence.to_be_bytes());
    check.update(&filter.tier.map_or(i64::MIN, i64::from).to_be_bytes());
    for text in [&filter.report_id, &filter.investigation_id] {
        let text = text.as_deref().unwrap_or_default();
        check.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        check.update(text.as_bytes());
    }
    // Left out where nothing is restricted, so that tokens of before the restriction stay valid.
    if let Some(graded) = filter.graded {
        check.update(&[u8::from(graded)]);
    }
    for (field, text) in (2_u8..).zip([&filter.policy, &filter.judge, &filter.principal]) {
        if let Some(text) = text {
            check.update(&[field]);
            check.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
            check.update(text.as_bytes());
        }
    }
    for (field, instant) in (5_u8..).zip([filter.from_micros, filter.before_micros]) {
        if let Some(instant) = instant {
            check.update(&[field]);
            check.update(&instant.to_be_bytes());
        }
    }
    if filter.unproven_only {
        check.update(&[7]);
    }
    let check = *check.finalize().as_bytes();
    [VERSION].into_iter().chain(sequence.to_be_bytes()).chain(check.into_iter().take(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filter(tier: Option<i32>, report: &str, investigation: &str) -> Filter {
        Filter {
            tier,
            report_id: Some(report.to_owned()),
            investigation_id: Some(investigation.to_owned()),
            ..Filter::default()
        }
    }

    proptest! {
        #[test]
        fn a_token_leads_back_to_its_row(sequence in any::<i64>(), tier in any::<Option<i32>>(), report in ".{0,8}") {
            let filter = filter(tier, &report, "");
            prop_assert_eq!(decode(&encode(sequence, &filter), &filter), Ok(sequence));
        }

        #[test]
        fn a_token_of_another_list_is_refused(sequence in any::<i64>(), one in "[ab]{0,3}", other in "[ab]{0,3}") {
            let mine = filter(None, &one, &other);
            let swapped = filter(None, &other, &one);
            prop_assert_eq!(decode(&encode(sequence, &mine), &swapped).is_ok(), mine == swapped);
        }

        #[test]
        fn any_other_text_is_refused(text in ".{0,40}", digits in "[0-9a-fA-F+]{34}") {
            let filter = Filter::default();
            prop_assert!(decode(&text, &filter).is_err());
            prop_assert!(decode(&digits, &filter).is_err());
        }

        #[test]
        fn one_changed_digit_is_noticed(sequence in any::<i64>(), at in 0_usize..34, digit in "[0-9a-f]") {
            let filter = filter(Some(1), "r", "i");
            let token = encode(sequence, &filter);
            let mut changed = token.clone();
            changed.replace_range(at..=at, &digit);
            prop_assert_eq!(decode(&changed, &filter).is_ok(), changed == token);
        }
    }

    #[test]
    fn a_token_is_of_one_restriction_to_graded_evaluations() {
        let graded = |graded| Filter { graded, ..Filter::default() };
        let all = [None, Some(false), Some(true)].map(graded);
        for one in &all {
            for other in &all {
                assert_eq!(decode(&encode(7, one), other).is_ok(), one == other);
            }
        }
    }

    #[test]
    fn a_long_token_is_cut_in_the_error() {
        let Err(LedgerError::InvalidPageToken { given }) =
            decode(&"é".repeat(5_000), &Filter::default())
        else {
            panic!("accepted");
        };
        assert_eq!(given.chars().count(), 64);
    }
}
