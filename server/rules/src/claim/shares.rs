//! How a claim states a share or a factor: "two thirds", "nearly half", "78 %", "four times".

use std::cmp::Ordering;
use std::ops::Range;

use gsar_core::text::figures::{Agreement, Comparator, Decimal, Dimension, Figure, Unit, agree};
use gsar_core::text::tokens::words;

use crate::claim::reading::Reading;

/// A share or factor of a claim.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    /// Where it stands.
    pub(crate) span: Range<usize>,
    stated: Stated,
}

#[derive(Clone, Debug)]
enum Stated {
    /// A figure in percent, or a factor.
    Figure(Figure),
    /// So many of so many.
    Parts { part: i128, of: i128, bound: Bound },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Exactly,
    About,
    /// "Nearly", "almost": a little less.
    Nearly,
    MoreThan,
    LessThan,
}

impl Share {
    /// Whether a ratio is what the claim states; `None` when it is too close to tell.
    pub(crate) fn is(&self, ratio: Decimal) -> Option<bool> {
        match &self.stated {
            Stated::Figure(figure) => {
                let percent = figure.unit.dimension == Dimension::Percent;
                let value = if percent {
                    Decimal { mantissa: ratio.mantissa.checked_mul(100)?, ..ratio }
                } else {
                    ratio
                };
                let unit = if percent { Unit::PERCENT } else { figure.unit };
                let given =
                    Figure { span: 0..0, value, unit, approximate: false, comparator: None };
                match agree(figure, &given) {
                    Agreement::Same => Some(true),
                    Agreement::Different => Some(false),
                    Agreement::Incomparable => None,
                }
            }
            Stated::Parts { part, of, bound } => {
                let scale = 10_i128.checked_pow(ratio.places)?;
                // Both sides times `of` and the scale.
                let (given, stated) = (ratio.mantissa.checked_mul(*of)?, part.checked_mul(scale)?);
                let within = |low: i128, high: i128| {
                    given
                        .checked_mul(100)
                        .zip(stated.checked_mul(low))
                        .zip(stated.checked_mul(high))
                        .map(|((given, low), high)| low <= given && given <= high)
                };
                match bound {
                    Bound::Exactly => within(98, 102),
                    Bound::About => within(93, 107),
                    Bound::Nearly => within(88, 101),
                    Bound::MoreThan => Some(given.cmp(&stated) == Ordering::Greater),
                    Bound::LessThan => Some(given.cmp(&stated) == Ordering::Less),
                }
            }
        }
    }
}

const PARTS: [(&str, i128); 12] = [
    ("third", 3),
    ("quarter", 4),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("twelfth", 12),
    ("fifteenth", 15),
    ("twentieth", 20),
    ("sixtieth", 60),
];
const NUMBERS: [&str; 9] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/// The share of a claim, where it states one.
pub(crate) fn read(reading: &Reading<'_>) -> Option<Share> {
    let text = reading.text;
    let all: Vec<_> = words(text).collect();
    for (order, word) in all.iter().enumerate() {
        let before = |back: usize| order.checked_sub(back).and_then(|at| all.get(at));
        let start;
        let (part, of) = if word.is("half")
            && before(1).is_none_or(|word| !word.is("and") && !word.is("a"))
        {
            start = order;
            (1, 2)
        } else {
            let singular = word.text.strip_suffix('s').unwrap_or(word.text);
            let Some((_, of)) = PARTS.iter().find(|(name, _)| singular.eq_ignore_ascii_case(name))
            else {
                continue;
            };
            let Some(number) = before(1) else { continue };
            let part = if number.is("a") || number.is("an") {
                1
            } else {
                let Some(place) = NUMBERS.iter().position(|name| number.is(name)) else { continue };
                i128::try_from(place + 1).ok()?
            };
            start = order - 1;
            (part, *of)
        };
        let cue = |back: usize| start.checked_sub(back).and_then(|at| all.get(at));
        let is = |back: usize, table: &[&str]| {
            cue(back).is_some_and(|word| table.iter().any(|known| word.is(known)))
        };
        let bound = if is(1, &["than"]) && is(2, &["more", "greater", "higher"])
            || is(1, &["over", "above"])
        {
            Bound::MoreThan
        } else if is(1, &["than"]) && is(2, &["less", "fewer", "lower"])
            || is(1, &["under", "below"])
        {
            Bound::LessThan
        } else if is(1, &["nearly", "almost"]) || is(2, &["nearly", "almost"]) {
            Bound::Nearly
        } else if is(1, &["about", "roughly", "some", "around", "approximately"]) {
            Bound::About
        } else {
            Bound::Exactly
        };
        let from = all.get(start)?.span.start;
        return Some(Share {
            span: from..word.span.end,
            stated: Stated::Parts { part, of, bound },
        });
    }
    let figure = reading.figures.figures.iter().find(|figure| {
        let factor = figure.unit.dimension == Dimension::Multiple;
        figure.unit.dimension == Dimension::Percent || factor
    })?;
    let bounded = matches!(
        figure.comparator,
        None | Some(
            Comparator::Over | Comparator::Under | Comparator::AtLeast | Comparator::AtMost
        )
    );
    bounded.then(|| Share { span: figure.span.clone(), stated: Stated::Figure(figure.clone()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::observations::Corpus;

    fn is(claim: &str, mantissa: i128, places: u32) -> Option<bool> {
        let corpus = Corpus::read(&[]);
        read(&Reading::of(claim, &corpus)).and_then(|share| share.is(Decimal { mantissa, places }))
    }

    #[test]
    fn shares_are_compared_as_stated() {
        assert_eq!(is("two thirds of the replicas", 667, 3), Some(true));
        assert_eq!(is("two thirds of the replicas", 500, 3), Some(false));
        assert_eq!(is("nearly half of its CPU", 458, 3), Some(true));
        assert_eq!(is("nearly half of its CPU", 510, 3), Some(false));
        assert_eq!(is("more than three quarters of the errors", 778, 3), Some(true));
        assert_eq!(is("less than a tenth of the load", 12, 2), Some(false));
        assert_eq!(is("about 98.7 % of the trace", 9874, 4), Some(true));
        assert_eq!(is("the limit is four times its request", 4000, 3), Some(true));
        assert_eq!(is("half an hour later", 5, 1), Some(true));
        assert_eq!(is("nothing of the sort", 5, 1), None);
    }
}
