//! What part one series has of another, or of all that a query parts by a label: "9 out of 10 requests ended in 5xx".
//!
//! The share is a series of its own: at each time the part over the whole, in percent. Every claim about series can
//! then be made of it.

use gsar_core::text::figures::{Decimal, Dimension, Figure, Unit};

use super::clauses::Token;
use super::exact::Scale;
use super::gather::{Known, Point, Track};
use super::phrases::Cue;
use super::statement::Statement;
use super::subject::Subject;
use crate::vocabulary::words::Key;

/// Decimal places of a share in percent.
const PLACES: u32 = 3;

/// "nine out of ten", "3 in 100 of its requests" as percentages.
pub(super) fn merged<'c>(clause: &[Token<'c>]) -> Option<Vec<Token<'c>>> {
    let mut all = clause.to_vec();
    let mut found = false;
    let mut place = 0;
    while place < all.len() {
        if let Some((figure, length)) = all.get(place..).and_then(out_of) {
            all.splice(place..place + length, [Token::Figure(figure)]);
            found = true;
        }
        place += 1;
    }
    found.then_some(all)
}

fn out_of(tokens: &[Token<'_>]) -> Option<(Figure, usize)> {
    let (part, whole, length) = match tokens {
        [
            Token::Figure(part),
            Token::Cue(Cue::Filler, out),
            Token::Cue(Cue::Filler, of),
            Token::Figure(whole),
            ..,
        ] if out.eq_ignore_ascii_case("out") && of.eq_ignore_ascii_case("of") => (part, whole, 4),
        [Token::Figure(part), Token::Cue(Cue::Within, within), Token::Figure(whole), ..]
            if within.eq_ignore_ascii_case("in") =>
        {
            (part, whole, 3)
        }
        _ => return None,
    };
    let is_plain = |figure: &Figure| figure.unit == Unit::COUNT && figure.value.places == 0;
    let (upper, lower) = (part.value.mantissa, whole.value.mantissa);
    let is_round = matches!(lower, 2..=10 | 20 | 100 | 1_000);
    if !is_plain(part) || !is_plain(whole) || upper <= 0 || upper >= lower || !is_round {
        return None;
    }
    let value = Decimal { mantissa: upper.checked_mul(10_000)?.checked_div(lower)?, places: 2 };
    let approximate = part.approximate || part.comparator.is_none();
    let span = part.span.start..whole.span.end;
    Some((
        Figure { span, value, unit: Unit::PERCENT, approximate, comparator: part.comparator },
        length,
    ))
}

/// "of the requests", "of all traffic": whether what follows a figure names what it is a part of.
pub(super) fn is_of_whole(after: &[Token<'_>], tracks: &[Track]) -> bool {
    const LEADS: [&str; 9] =
        ["the", "all", "its", "these", "those", "their", "total", "overall", "our"];
    let [Token::Cue(Cue::Filler, of), rest @ ..] = after else { return false };
    let next = rest.iter().find(|token| {
        !matches!(token, Token::Cue(_, word) if LEADS.iter().any(|lead| word.eq_ignore_ascii_case(lead)))
    });
    of.eq_ignore_ascii_case("of")
        && matches!(next, Some(Token::Word(noun)) if Subject::measures(noun, tracks))
}

/// The series of the shares that a clause speaks of.
pub(super) fn derived(statement: &Statement, tracks: &[Track]) -> Option<Track> {
    let in_percent = |(_, figure): &(_, Figure)| figure.unit.dimension == Dimension::Percent;
    let states_share = !statement.values.is_empty() && statement.values.iter().all(in_percent);
    let says = [Cue::Not, Cue::Fraction, Cue::Gone, Cue::Saturated, Cue::NearZero];
    if !states_share
        || !statement.of_whole
        || statement.subject.is_empty()
        || says.iter().any(|cue| statement.has(*cue))
        || statement.value(super::statement::Part::By).is_some()
        || !statement.more.is_empty()
    {
        return None;
    }
    let both = statement.subject.clone().and(&statement.part);
    let pairs: Vec<(&Track, Vec<&Track>)> = if statement.part.is_empty() {
        let one = one(&both, tracks);
        one.map(|part| (part, siblings(part, tracks))).into_iter().collect()
    } else {
        Vec::new()
    };
    let both = if statement.part.is_empty() { both.with_hints() } else { both };
    let pairs =
        if pairs.iter().any(|(_, all)| !all.is_empty()) { pairs } else { splits(&both, tracks) };
    let [(part, whole)] = pairs.as_slice() else { return None };
    if is_count(part) && !whole.is_empty() { share(part, whole) } else { None }
}

fn one<'t>(subject: &Subject, tracks: &'t [Track]) -> Option<&'t Track> {
    match subject.tracks(tracks).as_slice() {
        [only] if only.known == Known::All => Some(only),
        _ => None,
    }
}

/// What the query parts by a label: the track and those beside it.
fn siblings<'t>(part: &Track, tracks: &'t [Track]) -> Vec<&'t Track> {
    let all: Vec<&Track> = tracks
        .iter()
        .filter(|track| {
            track.name == part.name
                && track.context == part.context
                && track.named.len() == part.named.len()
                && same_times(track, part)
        })
        .collect();
    // A part of what two labels part is a part of what?
    let differs = |(name, value): &&(Key, Key)| {
        all.iter().any(|track| !track.named.contains(&(*name, *value)))
    };
    let parting = part.named.iter().filter(differs).count();
    if parting == 1 && all.len() > 1 { all } else { Vec::new() }
}

/// The ways in which the words of a subject name two series, one of which is part of the other.
fn splits<'t>(both: &Subject, tracks: &'t [Track]) -> Vec<(&'t Track, Vec<&'t Track>)> {
    let mut found: Vec<(&Track, Vec<&Track>)> = Vec::new();
    for (whole, part) in both.splits(tracks) {
        let (Some(whole), Some(part)) = (one(&whole, tracks), one(&part, tracks)) else { continue };
        let is_part = part.points.iter().zip(&whole.points).all(|(a, b)| a.value <= b.value);
        let is_new = !found.iter().any(|(known, _)| std::ptr::eq(*known, part));
        if same_times(part, whole) && is_part && !std::ptr::eq(part, whole) && is_new {
            found.push((part, vec![whole]));
        }
    }
    found
}

/// What several series of counts come to together; `None` where they cannot be added up.
pub(super) fn total(parts: &[&Track]) -> Option<Track> {
    let (first, others) = parts.split_first()?;
    let are_alike = others.iter().all(|part| part.name == first.name && same_times(part, first));
    if !is_count(first) || !are_alike {
        return None;
    }
    let mut points = first.points.clone();
    for part in others {
        for (point, more) in points.iter_mut().zip(&part.points) {
            point.value = point.value.checked_add(more.value)?;
        }
    }
    Some(Track { points, ..(*first).clone() })
}

fn is_count(track: &Track) -> bool {
    let dimension = track.scale.unit.map(|unit| unit.dimension);
    matches!(dimension, None | Some(Dimension::Count | Dimension::Rate))
}

fn same_times(a: &Track, b: &Track) -> bool {
    a.points.len() == b.points.len()
        && a.scale.unit == b.scale.unit
        && a.scale.places == b.scale.places
        && a.points.iter().zip(&b.points).all(|(a, b)| a.micros == b.micros)
}

fn share(part: &Track, whole: &[&Track]) -> Option<Track> {
    let mut points = Vec::with_capacity(part.points.len());
    for (place, point) in part.points.iter().enumerate() {
        let mut sum = 0_i128;
        for track in whole {
            sum = sum.checked_add(track.points.get(place)?.value)?;
        }
        if sum <= 0 || point.value < 0 {
            continue;
        }
        let value = point.value.checked_mul(100 * 10_i128.pow(PLACES))?.checked_div(sum)?;
        points.push(Point { value, ..*point });
    }
    (points.len() > 1).then(|| Track {
        name: format!("the share of {} in percent", part.name),
        scale: Scale { unit: Some(Unit::PERCENT), places: PLACES, is_share: false },
        points,
        ..part.clone()
    })
}
