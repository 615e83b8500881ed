//! Draws bar charts, error bars, scatter plots and line charts as SVG.

use maud::{Markup, html};

use super::scale::Scale;

const WIDTH: f64 = 640.0;
const LEFT: f64 = 216.0;
const RIGHT: f64 = 620.0;
const LINE: f64 = 26.0;

/// CSS class prefixes for parts and for runs.
const PARTS: &str = "c";
const RUNS: &str = "r";

pub(super) struct ErrorBar {
    pub(super) label: String,
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) colour: usize,
}

pub(super) struct Series {
    pub(super) label: String,
    pub(super) points: Vec<(f64, f64)>,
}

fn frame(height: f64, title: &str, inner: &Markup) -> Markup {
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(title) {
            (inner)
        }
    }
}

fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn legend(palette: &str, labels: &[&str], top: f64) -> Markup {
    let mut at = LEFT;
    let places: Vec<(usize, &str, f64)> = labels
        .iter()
        .enumerate()
        .filter(|(_, label)| !label.is_empty())
        .map(|(colour, label)| {
            let place = at;
            at += 26.0 + 7.2 * label.chars().count() as f64;
            (colour, *label, place)
        })
        .collect();
    html! {
        @for (colour, label, place) in places {
            rect class=(format!("{palette}{}", colour % 6)) x=(place) y=(top) width="12" height="12" {}
            text x=(place + 17.0) y=(top + 10.5) { (label) }
        }
    }
}

pub(super) fn stacked(title: &str, parts: &[&str], bars: &[(String, Vec<usize>)]) -> Markup {
    let height = 34.0 + LINE * bars.len() as f64;
    let bar = |counts: &[usize]| {
        let all: usize = counts.iter().sum();
        let scale = Scale::new(0.0, all.max(1) as f64, LEFT, RIGHT);
        let mut before = 0;
        let mut places = Vec::new();
        for (colour, count) in counts.iter().enumerate() {
            let (from, to) = (scale.at(before as f64), scale.at((before + count) as f64));
            places.push((colour, *count, from, to - from));
            before += count;
        }
        places
    };
    let inner = html! {
        (legend(PARTS, parts, 4.0))
        @for (at, (label, counts)) in bars.iter().enumerate() {
            @let top = 30.0 + LINE * at as f64;
            text class="l" x=(LEFT - 8.0) y=(top + 13.0) { (label) }
            @for (colour, count, from, width) in bar(counts) {
                rect class=(format!("{PARTS}{}", colour % 6)) x=(from) y=(top) width=(width) height="18" { title { (count) } }
                @if width > 26.0 { text class="in" x=(from + width / 2.0) y=(top + 13.0) { (count) } }
            }
        }
    };
    frame(height, title, &inner)
}

pub(super) fn error_bars(title: &str, unit: &str, error_bars: &[ErrorBar]) -> Markup {
    let ends =
        error_bars.iter().flat_map(|error_bar| [error_bar.low, error_bar.high, error_bar.value]);
    let scale = Scale::around(ends, LEFT, RIGHT);
    let bottom = 12.0 + LINE * error_bars.len() as f64;
    let inner = html! {
        @for tick in scale.ticks() {
            line class="g" x1=(scale.at(tick)) x2=(scale.at(tick)) y1="4" y2=(bottom) {}
            text class="t" x=(scale.at(tick)) y=(bottom + 15.0) { (number(tick)) }
        }
        line class="z" x1=(scale.at(0.0)) x2=(scale.at(0.0)) y1="4" y2=(bottom) {}
        @for (at, error_bar) in error_bars.iter().enumerate() {
            @let middle = 20.0 + LINE * at as f64;
            text class="l" x=(LEFT - 8.0) y=(middle + 4.0) { (error_bar.label) }
            line class=(format!("w{}", error_bar.colour % 6)) x1=(scale.at(error_bar.low)) x2=(scale.at(error_bar.high)) y1=(middle) y2=(middle) {}
            circle class=(format!("{RUNS}{}", error_bar.colour % 6)) cx=(scale.at(error_bar.value)) cy=(middle) r="5" {
                title { (number(error_bar.value)) " [" (number(error_bar.low)) ", " (number(error_bar.high)) "]" }
            }
        }
        text class="t" x=((LEFT + RIGHT) / 2.0) y=(bottom + 32.0) { (unit) }
    };
    frame(bottom + 40.0, title, &inner)
}

const TOP: f64 = 12.0;
const BOTTOM: f64 = 300.0;
const PLANE_LEFT: f64 = 60.0;

fn axes(x: &Scale, y: &Scale, names: (&str, &str)) -> Markup {
    html! {
        @for tick in x.ticks() {
            line class="g" x1=(x.at(tick)) x2=(x.at(tick)) y1=(TOP) y2=(BOTTOM) {}
            text class="t" x=(x.at(tick)) y=(BOTTOM + 15.0) { (number(tick)) }
        }
        @for tick in y.ticks() {
            line class="g" x1=(PLANE_LEFT) x2=(RIGHT) y1=(y.at(tick)) y2=(y.at(tick)) {}
            text class="l" x=(PLANE_LEFT - 6.0) y=(y.at(tick) + 4.0) { (number(tick)) }
        }
        text class="t" x=((PLANE_LEFT + RIGHT) / 2.0) y=(BOTTOM + 34.0) { (names.0) }
        text class="t" transform=(format!("translate(14 {}) rotate(-90)", (TOP + BOTTOM) / 2.0)) { (names.1) }
    }
}

pub(super) fn plane(title: &str, names: (&str, &str), series: &[Series]) -> Markup {
    let x = Scale::new(0.0, 1.0, PLANE_LEFT, RIGHT);
    let y = Scale::new(0.0, 1.0, BOTTOM, TOP);
    let labels: Vec<&str> = series.iter().map(|series| series.label.as_str()).collect();
    let inner = html! {
        (axes(&x, &y, names))
        @for (colour, series) in series.iter().enumerate() {
            @for (across, up) in &series.points {
                circle class=(format!("{RUNS}{}", colour % 6)) cx=(x.at(*across)) cy=(y.at(*up)) r="6" { title { (series.label) } }
            }
        }
        (legend(RUNS, &labels, BOTTOM + 46.0))
    };
    frame(BOTTOM + 66.0, title, &inner)
}

/// Draws lines with x and y from 0 to 1, optionally with the diagonal.
pub(super) fn lines(
    title: &str,
    names: (&str, &str),
    with_diagonal: bool,
    series: &[Series],
) -> Markup {
    let x = Scale::new(0.0, 1.0, PLANE_LEFT, RIGHT);
    let y = Scale::new(0.0, 1.0, BOTTOM, TOP);
    let labels: Vec<&str> = series.iter().map(|series| series.label.as_str()).collect();
    let path = |points: &[(f64, f64)]| {
        let places =
            points.iter().map(|(across, up)| format!("{:.1},{:.1}", x.at(*across), y.at(*up)));
        places.collect::<Vec<_>>().join(" ")
    };
    let inner = html! {
        (axes(&x, &y, names))
        @if with_diagonal { line class="d" x1=(x.at(0.0)) y1=(y.at(0.0)) x2=(x.at(1.0)) y2=(y.at(1.0)) {} }
        @for (colour, series) in series.iter().enumerate() {
            polyline class=(format!("w{}", colour % 6)) points=(path(&series.points)) {}
            @for (across, up) in series.points.iter().filter(|_| series.points.len() <= 20) {
                circle class=(format!("{RUNS}{}", colour % 6)) cx=(x.at(*across)) cy=(y.at(*up)) r="4" {}
            }
        }
        (legend(RUNS, &labels, BOTTOM + 46.0))
    };
    frame(BOTTOM + 66.0, title, &inner)
}

pub(super) fn columns(
    title: &str,
    names: (&str, &str),
    parts: [&str; 2],
    bins: &[[usize; 2]],
) -> Markup {
    let max = bins.iter().flatten().copied().max().unwrap_or(0).max(1) as f64;
    let x = Scale::new(0.0, 1.0, PLANE_LEFT, RIGHT);
    let y = Scale::new(0.0, max * 1.05, BOTTOM, TOP);
    let width = (RIGHT - PLANE_LEFT) / bins.len().max(1) as f64;
    let inner = html! {
        (axes(&x, &y, names))
        @for (at, counts) in bins.iter().enumerate() {
            @for (colour, count) in counts.iter().enumerate() {
                @let left = PLANE_LEFT + width * (at as f64 + 0.1 + 0.4 * colour as f64);
                rect class=(format!("{PARTS}{}", colour * 2)) x=(left) y=(y.at(*count as f64)) width=(width * 0.38) height=(BOTTOM - y.at(*count as f64)) { title { (count) } }
            }
        }
        (legend(PARTS, &[parts[0], "", parts[1]], BOTTOM + 46.0))
    };
    frame(BOTTOM + 66.0, title, &inner)
}
