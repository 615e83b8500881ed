//! The samples of a track that a clause speaks of.

use gsar_core::text::figures::ClockTime;

use super::gather::{Known, Point, Track};
use super::statement::Window;

const DAY: i64 = 86_400_000_000;

/// Where the samples of a clause lie in a track.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'t> {
    pub(super) track: &'t Track,
    /// The samples of the window.
    pub(super) points: &'t [Point],
    /// Whether the window is all that there is.
    pub(super) is_whole: bool,
}

/// The instant of a claim's time near the samples of a track; `None` where they span more than a day.
pub(super) fn instant(track: &Track, time: &ClockTime) -> Option<i64> {
    let (first, last) = (track.points.first()?.micros, track.points.last()?.micros);
    if first >= DAY
        && let Some(seconds) = time.seconds()
    {
        return seconds.checked_mul(1_000_000);
    }
    if last - first >= DAY {
        return None;
    }
    let of_day = i64::from(time.seconds_of_day) * 1_000_000
        - i64::from(time.offset_minutes.unwrap_or(0)) * 60_000_000;
    let same_day = first.div_euclid(DAY) * DAY + of_day;
    let is_next_day = same_day < first - track.step() && same_day + DAY <= last + track.step();
    Some(if is_next_day { same_day + DAY } else { same_day })
}

/// The samples that a clause speaks of, its single instant aside.
pub(super) fn view<'t>(track: &'t Track, window: &Window) -> Option<View<'t>> {
    let all = track.points.as_slice();
    let (first, last) = (all.first()?.micros, all.last()?.micros);
    let mut start = first;
    let mut end = last;
    if let Some(from) = &window.from {
        start = instant(track, from)?;
    }
    if let Some(until) = &window.until {
        // "until 16:22" takes in what was sampled in that minute.
        let last = if window.ends_before { -1 } else { i64::from(until.grain) - 1 };
        end = instant(track, until)? + last * 1_000_000;
    }
    if let Some(seconds) = window.first_seconds {
        end = start.checked_add(seconds.checked_mul(1_000_000)?)?;
    }
    if let Some(seconds) = window.last_seconds {
        start = end.checked_sub(seconds.checked_mul(1_000_000)?)?;
    }
    let step = track.step();
    if start < first - step || end > last + step.max(60_000_000) || start > end {
        return None;
    }
    let low = all.partition_point(|point| point.micros < start);
    let high = all.partition_point(|point| point.micros <= end);
    let mut points = all.get(low..high)?;
    if let Some(samples) = window.last_samples {
        points = points.get(points.len().checked_sub(samples)?..)?;
    }
    let is_whole = points.len() == all.len();
    if let Some(seconds) = window.lasting {
        let stated = seconds.checked_mul(1_000_000)?;
        let spanned = points.last()?.micros - points.first()?.micros + step;
        if (spanned - stated).abs() > (2 * step).max(stated / 8) {
            return None;
        }
    }
    if points.is_empty() || !is_whole && track.known == Known::Ends {
        return None;
    }
    Some(View { track, points, is_whole })
}

impl<'t> View<'t> {
    /// The sample at a claimed time: the one in the stated minute or second, else the nearest within half a step.
    pub(super) fn at(&self, time: &ClockTime) -> Option<usize> {
        let wanted = instant(self.track, time)?;
        let grain = i64::from(time.grain) * 1_000_000;
        let reach = match self.track.known {
            Known::Ends => 0,
            Known::All | Known::Logged => self.track.step() / 2,
        };
        let points = self.track.points.as_slice();
        let inside =
            points.iter().position(|point| point.micros >= wanted && point.micros < wanted + grain);
        inside.or_else(|| {
            let nearest = (0..points.len()).min_by_key(|place| {
                points.get(*place).map_or(i64::MAX, |point| (point.micros - wanted).abs())
            })?;
            let point = points.get(nearest)?;
            ((point.micros - wanted).abs() <= reach).then_some(nearest)
        })
    }

    /// A sample of the whole track.
    pub(super) fn point(&self, place: usize) -> Option<Point> {
        self.track.points.get(place).copied()
    }

    pub(super) fn first(&self) -> Option<Point> {
        self.points.first().copied()
    }

    pub(super) fn last(&self) -> Option<Point> {
        self.points.last().copied()
    }

    /// The first of the greatest samples.
    pub(super) fn greatest(&self) -> Option<Point> {
        self.points.iter().rev().copied().max_by_key(|point| point.value)
    }

    /// The first of the least samples.
    pub(super) fn least(&self) -> Option<Point> {
        self.points.iter().copied().min_by_key(|point| point.value)
    }

    /// Whether every sample of the window is known.
    pub(super) fn is_complete(&self) -> bool {
        self.track.known != Known::Ends
    }
}
