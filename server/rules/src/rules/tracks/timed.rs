//! Figures that bring their own times: "from 3 at 09:22 to 22 at 09:40 and 40 at 09:58".

use gsar_core::text::figures::{ClockTime, Dimension, Figure};

use super::clauses::Token;
use super::finding::Finding;
use super::levels;
use super::moves::{self, Way};
use super::phrases::Cue;
use super::statement::Statement;
use super::window::View;

/// A figure and the time at which the series had it.
pub(super) type Timed = (Figure, ClockTime);

/// The figures of a clause with a time each, and the clause without them; `None` where fewer than two are so.
pub(super) fn part<'c>(clause: &[Token<'c>]) -> Option<(Vec<Timed>, Vec<Token<'c>>)> {
    let mut found = Vec::new();
    let mut rest = Vec::with_capacity(clause.len());
    let mut place = 0;
    while let Some(token) = clause.get(place) {
        let after = clause.get(place + 1..).unwrap_or_default();
        match (token, own_time(after)) {
            (Token::Figure(figure), Some((time, length)))
                if figure.unit.dimension != Dimension::Duration || figure.comparator.is_none() =>
            {
                while let Some(Token::Cue(Cue::From | Cue::To | Cue::And | Cue::At, _)) =
                    rest.last()
                {
                    rest.pop();
                }
                found.push((figure.clone(), time));
                place += 1 + length;
            }
            _ => {
                rest.push(token.clone());
                place += 1;
            }
        }
    }
    (found.len() > 1).then_some((found, rest))
}

/// The time right behind a figure, its unit's words aside, and how many tokens that takes.
fn own_time(after: &[Token<'_>]) -> Option<(ClockTime, usize)> {
    const BETWEEN: [&str; 6] = ["per", "second", "minute", "requests", "the", "a"];
    let skipped = after
        .iter()
        .take_while(|token| match token {
            Token::Cue(Cue::Filler, word) => {
                BETWEEN.iter().any(|known| word.eq_ignore_ascii_case(known))
            }
            _ => false,
        })
        .count();
    match after.get(skipped..)? {
        [Token::Cue(Cue::At, _), Token::Time(time), rest @ ..] => {
            // "at 10:12 and 10:20" belongs to no single figure.
            let goes_on =
                matches!(rest, [Token::Cue(Cue::And | Cue::Until, _), Token::Time(_), ..]);
            (!goes_on).then(|| (time.clone(), skipped + 2))
        }
        _ => None,
    }
}

/// Every figure is that of the sample at its time, and the series went the way that the clause says.
pub(super) fn decide(view: &View<'_>, statement: &Statement) -> Option<Finding> {
    if !statement.values.is_empty() || statement.factor.is_some() {
        return None;
    }
    let mut all: Option<Finding> = None;
    for (figure, time) in &statement.timed {
        let found = levels::at(view, time, figure)?;
        all = match all {
            _ if !found.holds => return Some(found),
            Some(before) => Some(before.and(found)),
            None => Some(found),
        };
    }
    let steady = statement.has(Cue::Steady) || statement.has(Cue::Every);
    let way = match (statement.has(Cue::Rise), statement.has(Cue::Fall)) {
        (true, false) => Way::Up,
        (false, true) => Way::Down,
        _ => return all,
    };
    let point = |(_, time): &Timed| view.at(time).and_then(|place| view.point(place));
    let (first, last) = (point(statement.timed.first()?)?, point(statement.timed.last()?)?);
    if way.gain(first, last) > 0 && first.micros < last.micros {
        let inside =
            |point: &&super::gather::Point| (first.micros..=last.micros).contains(&point.micros);
        let within: Vec<super::gather::Point> =
            view.track.points.iter().filter(inside).copied().collect();
        let part = View { points: &within, is_whole: false, ..*view };
        if steady {
            moves::steady(&part, statement, way).filter(|_| view.is_complete())
        } else {
            all
        }
    } else {
        Some(Finding::fails(view, &[first, last]))
    }
}
