//! The parts that figures and times play in a clause: values, ends of a change, lengths of time, counts of samples.

use gsar_core::text::figures::{ClockTime, Comparator, Decimal, Dimension, Figure, spelled};
use gsar_core::text::tokens::Word;

use super::clauses::Token;
use super::gather::Track;
use super::nouns::is_role;
use super::phrases::Cue;
use super::statement::{Factor, Part, Statement};
use super::subject::Subject;

impl Statement {
    /// Gives a figure its part.
    pub(super) fn take_figure(
        &mut self,
        figure: &Figure,
        (before, after): (&[Token<'_>], &[Token<'_>]),
        text: &str,
        tracks: &[Track],
    ) {
        let lead = leading(before);
        if self.is_share_of(figure, before)
            || matches!(before.last(), Some(Token::Cue(Cue::Others, _)))
        {
            return;
        }
        let whole =
            usize::try_from(figure.value.mantissa).ok().filter(|_| figure.value.places == 0);
        let next_is_sample = after
            .iter()
            .take(2)
            .any(|token| matches!(token, Token::Cue(Cue::Sample | Cue::Consecutive, _)));
        if figure.unit.dimension == Dimension::Cores {
            self.subject.of_cores(tracks);
        }
        if figure.unit.dimension == Dimension::Multiple {
            let Some(denominator) = 10_i128.checked_pow(figure.value.places) else { return };
            self.factor = Some(Factor {
                numerator: figure.value.mantissa,
                denominator,
                comparator: figure.comparator,
            });
            return;
        }
        let counts_things = matches!(after.first(), Some(Token::Cue(Cue::Filler, word))
            if is_role(word.trim_end_matches('s')) || is_role(word));
        let counts_others = match after.first() {
            Some(Token::Word(noun)) => !is_unit(noun) && !Subject::measures(noun, tracks),
            _ => false,
        };
        if figure.unit.dimension == Dimension::Count && (counts_things || counts_others) {
            self.not_understood();
            return;
        }
        let is_distance = after.iter().take(3).any(|token| {
            matches!(token, Token::Cue(Cue::From | Cue::Until, _))
                || matches!(token, Token::Cue(_, word) if word.eq_ignore_ascii_case("later"))
        });
        if figure.unit.dimension == Dimension::Count && next_is_sample && is_distance {
            self.rest += 1;
            return;
        }
        if figure.unit.dimension == Dimension::Count && next_is_sample {
            match (lead, self.counted) {
                (Some(Cue::Last), _) => self.window.last_samples = whole,
                (_, Some((count, None))) => self.counted = Some((count, whole)),
                _ => self.counted = whole.map(|count| (count, None)),
            }
            return;
        }
        let follows_of =
            after.first().is_some_and(|token| matches!(token, Token::Cue(Cue::Filler, "of")));
        let of_samples = follows_of
            && after.iter().take(5).any(|token| matches!(token, Token::Cue(Cue::Sample, _)));
        if figure.unit.dimension == Dimension::Count && of_samples {
            self.counted = whole.map(|count| (count, None));
            return;
        }
        if figure.unit.dimension == Dimension::Duration {
            let seconds = i64::try_from(figure.value.mantissa).ok().and_then(|mantissa| {
                let nanos = mantissa.checked_mul(i64::try_from(figure.unit.factor).ok()?)?;
                Some(nanos / 1_000_000_000 / 10_i64.checked_pow(figure.value.places)?)
            });
            match lead {
                Some(Cue::First) => {
                    self.window.first_seconds = seconds;
                    return;
                }
                Some(Cue::Last) => {
                    self.window.last_seconds = seconds;
                    return;
                }
                // "stayed within 1.2 s of the primary".
                Some(Cue::Within) if self.has(Cue::Keep) => {
                    let comparator = Some(Comparator::AtMost);
                    self.values.push((Part::Value, Figure { comparator, ..figure.clone() }));
                    return;
                }
                Some(Cue::Within) => {
                    self.window.within = seconds;
                    return;
                }
                Some(Cue::Every) => {
                    self.window.lasting = seconds;
                    return;
                }
                _ => {}
            }
            let sign = match after.first() {
                Some(Token::Cue(Cue::From, word)) if word.eq_ignore_ascii_case("after") => Some(1),
                Some(Token::Cue(Cue::Until, word)) if word.eq_ignore_ascii_case("before") => {
                    Some(-1)
                }
                _ => None,
            };
            let next =
                after.iter().skip(1).find(|token| !matches!(token, Token::Cue(Cue::Filler, _)));
            let is_distance = matches!(next, Some(Token::Word(_)))
                && !matches!(lead, Some(Cue::Above | Cue::Below | Cue::To | Cue::Reach));
            if let (Some(sign), Some(seconds), true) =
                (sign, seconds, is_distance && self.says_something())
            {
                self.later = Some(sign * seconds);
                return;
            }
            let over = matches!(before.last(), Some(Token::Cue(Cue::Above, word)) if word.eq_ignore_ascii_case("over"));
            if over && !self.values.is_empty() {
                self.window.lasting = seconds;
                return;
            }
            let before_is = |wanted: &str| matches!(before.last(), Some(Token::Cue(Cue::Filler, word)) if word.eq_ignore_ascii_case(wanted));
            if before_is("for") || before_is("over") || before_is("the") {
                self.window.lasting = seconds;
                return;
            }
        }
        let second = self.values.last().is_some_and(|(_, first)| {
            let between = text.get(first.span.end..figure.span.start).unwrap_or("").trim();
            let joined = matches!(between, "-" | "–" | "to" | "and");
            joined && (between != "to" || !self.has(Cue::From))
        });
        let part = match preposition(before) {
            Some(Cue::From) => Part::From,
            Some(Cue::To) if !second => Part::To,
            Some(Cue::By) => Part::By,
            _ => Part::Value,
        };
        if second {
            self.is_range = true;
            if let Some((of, _)) = self.values.last_mut() {
                *of = Part::Value;
            }
            self.values.push((Part::Value, figure.clone()));
            return;
        }
        let figure = match lead {
            Some(Cue::Above) if figure.comparator.is_none() => {
                Figure { comparator: Some(Comparator::Over), ..figure.clone() }
            }
            Some(Cue::Below) if figure.comparator.is_none() => {
                Figure { comparator: Some(Comparator::Under), ..figure.clone() }
            }
            _ => figure.clone(),
        };
        self.values.push((part, figure));
    }

    /// Gives a time its part.
    pub(super) fn take_time(
        &mut self,
        time: &ClockTime,
        before: &[Token<'_>],
        after: &[Token<'_>],
    ) {
        let lead = leading(before);
        // "from 3420 at 11:20 to 11840 at 11:21".
        let of_start = matches!(before, [.., Token::Figure(_), Token::Cue(Cue::At, _)])
            && matches!(self.values.last(), Some((Part::From, _)))
            && lead == Some(Cue::At);
        if of_start && self.window.from.is_none() {
            self.window.from = Some(time.clone());
            return;
        }
        let goes_on = matches!(after.first(), Some(Token::Cue(Cue::On, _)));
        let follows_time =
            matches!(before, [.., Token::Time(_), Token::Cue(Cue::And | Cue::To | Cue::Until, _)]);
        let slot = if follows_time {
            if self.window.from.is_none() {
                self.window.from = self.window.at.take();
            }
            &mut self.window.until
        } else {
            match lead {
                Some(Cue::From | Cue::Between) => &mut self.window.from,
                Some(Cue::Until) => {
                    self.window.ends_before = leads_with(before, "before");
                    &mut self.window.until
                }
                _ if goes_on => &mut self.window.from,
                _ => &mut self.window.at,
            }
        };
        if slot.is_some() && lead == Some(Cue::By) {
            // "of 02:00 … by 02:14".
            self.window.from = self.window.at.take();
            self.window.until = Some(time.clone());
            return;
        }
        if slot.is_some() {
            self.rest += 1;
        }
        *slot = Some(time.clone());
        self.is_deadline |= lead == Some(Cue::By);
    }

    /// "within 3 % of 25,000": a range around a figure.
    fn is_share_of(&mut self, figure: &Figure, before: &[Token<'_>]) -> bool {
        let [.., Token::Figure(share), Token::Cue(Cue::Filler, "of")] = before else {
            return false;
        };
        let is_percent = share.unit.dimension == Dimension::Percent;
        if !is_percent || !self.has(Cue::Within) || figure.unit.dimension == Dimension::Percent {
            return false;
        }
        let ends = || {
            let whole = 100_i128.checked_mul(10_i128.checked_pow(share.value.places)?)?;
            let end = |factor: i128| {
                Some(Figure {
                    value: Decimal {
                        mantissa: figure.value.mantissa.checked_mul(factor)?,
                        places: figure.value.places + share.value.places + 2,
                    },
                    ..figure.clone()
                })
            };
            Some((end(whole - share.value.mantissa)?, end(whole + share.value.mantissa)?))
        };
        let Some((low, high)) = ends() else { return false };
        self.values = vec![(Part::Value, low), (Part::Value, high)];
        self.is_range = true;
        true
    }
}

/// Whether a word is among the cues right before a place.
fn leads_with(before: &[Token<'_>], wanted: &str) -> bool {
    before
        .iter()
        .rev()
        .map_while(|token| match token {
            Token::Cue(_, written) => Some(*written),
            _ => None,
        })
        .any(|written| written.eq_ignore_ascii_case(wanted))
}

/// The last cue that is no filler.
fn leading(before: &[Token<'_>]) -> Option<Cue> {
    before.iter().rev().take_while(|token| matches!(token, Token::Cue(..))).find_map(|token| {
        match token {
            Token::Cue(Cue::Filler | Cue::Sample, _) => None,
            Token::Cue(cue, _) => Some(*cue),
            _ => None,
        }
    })
}

/// The last cue before a figure, words of comparison aside: "by" in "by more than".
fn preposition(before: &[Token<'_>]) -> Option<Cue> {
    before
        .iter()
        .rev()
        .map_while(|token| match token {
            Token::Cue(cue, _) => Some(*cue),
            _ => None,
        })
        .find(|cue| !matches!(cue, Cue::Filler | Cue::Sample | Cue::Than | Cue::Above | Cue::Below))
}

/// "fivefold", "about seventyfold", "more than tenfold".
pub(super) fn fold(written: &str, before: &[Token<'_>]) -> Option<Factor> {
    const OTHERS: [(&str, i128); 5] = [
        ("quintupled", 5),
        ("sextupled", 6),
        ("septupled", 7),
        ("hundred", 100),
        ("thousand", 1000),
    ];
    let number = |word: &str| {
        let other = OTHERS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
        let spelled = || spelled(word).filter(|number| *number > 1).map(i128::from);
        other.map(|(_, number)| *number).or_else(spelled)
    };
    let numerator = match number(written) {
        Some(number) => number,
        None => {
            let end = written.len().checked_sub("fold".len())?;
            let stem = written.get(..end)?.trim_end_matches('-');
            number(stem).or_else(|| stem.parse().ok())?
        }
    };
    let recent: Vec<&str> = before
        .iter()
        .rev()
        .take(3)
        .filter_map(|token| match token {
            Token::Cue(_, written) => Some(*written),
            _ => None,
        })
        .collect();
    let says = |words: &[&str]| recent.iter().any(|word| words.contains(word));
    let comparator = if says(&["more", "over", "than"]) {
        Some(Comparator::Over)
    } else if says(&["less", "under"]) {
        Some(Comparator::Under)
    } else {
        None
    };
    Some(Factor { numerator, denominator: 1, comparator })
}

/// "a twentieth": 20.
pub(super) fn fraction(written: &str) -> Option<i128> {
    const PARTS: [(&str, i128); 12] = [
        ("third", 3),
        ("quarter", 4),
        ("fifth", 5),
        ("sixth", 6),
        ("eighth", 8),
        ("tenth", 10),
        ("twelfth", 12),
        ("fifteenth", 15),
        ("twentieth", 20),
        ("thirtieth", 30),
        ("fiftieth", 50),
        ("hundredth", 100),
    ];
    PARTS.iter().find(|(name, _)| written.eq_ignore_ascii_case(name)).map(|(_, part)| *part)
}

/// Whether a word after a number is the unit of a level and counts no things.
fn is_unit(word: &Word<'_>) -> bool {
    const UNITS: [&str; 8] =
        ["operations", "ops", "sessions", "messages", "queries", "calls", "events", "items"];
    UNITS.iter().any(|unit| word.is(unit))
}

/// Whether a figure or time follows at once.
pub(super) fn is_measured(after: &[Token<'_>]) -> bool {
    let next = after.iter().find(|token| {
        !matches!(
            token,
            Token::Cue(
                Cue::Filler | Cue::First | Cue::Last | Cue::Above | Cue::Below | Cue::Than,
                _
            )
        )
    });
    matches!(next, Some(Token::Figure(_) | Token::Time(_)))
}

/// "a minute later": whether a length of time stands before.
pub(super) fn follows_length(before: &[Token<'_>]) -> bool {
    let is_length = |figure: &Figure| figure.unit.dimension == Dimension::Duration;
    unit_before(before).is_some()
        || matches!(before.last(), Some(Token::Figure(figure)) if is_length(figure))
}

/// The seconds of "a minute", "an hour", "one second".
pub(super) fn unit_before(before: &[Token<'_>]) -> Option<i64> {
    let Some(Token::Cue(_, unit)) = before.last() else { return None };
    const UNITS: [(&str, i64); 3] = [("second", 1), ("minute", 60), ("hour", 3600)];
    UNITS.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name)).map(|(_, seconds)| *seconds)
}
