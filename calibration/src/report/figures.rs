//! Builds a report's figures, each with its table.

use gsar_core::Tier;
use gsar_core::policy::Policy;
use maud::Markup;

use super::charts::{ErrorBar, Series, columns, error_bars, lines, plane, stacked};
use super::curves::{BINS, bins, trades};
use crate::ablation::{Cell, Effect, Estimate, Measures, Variant};

const STYLE: &str = include_str!("figure.css");

pub(super) struct Figure {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) svg: Markup,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Figure {
    pub(super) fn standalone(&self) -> String {
        let svg = self.svg.0.as_str();
        let style = format!("><style>{STYLE}</style>");
        svg.replacen('>', &style, 1)
    }

    /// Returns the table as CSV (RFC 4180).
    pub(super) fn csv(&self) -> String {
        let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |cells: &Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(",");
        let lines = std::iter::once(&self.head).chain(&self.rows).map(line);
        lines.map(|line| line + "\r\n").collect()
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn share(value: f64) -> String {
    format!("{value:.4}")
}

pub(super) fn figures(cells: &[(Cell, Measures)], policy: &Policy) -> Vec<Figure> {
    let mut figures = vec![decisions(cells), rho_zero(cells)];
    figures.extend(contradictions_and_complements(cells));
    figures.extend(cells.iter().enumerate().map(|(at, (cell, _))| effects(at, cell)));
    figures.extend(reliability(cells));
    figures.extend(cells.iter().enumerate().map(|(at, (cell, _))| histogram(at, cell)));
    figures.extend(trade(cells, policy));
    figures
}

fn decisions(cells: &[(Cell, Measures)]) -> Figure {
    let bars: Vec<(String, Vec<usize>)> = cells
        .iter()
        .map(|(cell, _)| (cell.header.run.clone(), cell.tiers(Variant::Policy).to_vec()))
        .collect();
    let title = "Decisions";
    let rows = bars.iter().map(|(label, counts)| {
        std::iter::once(label.clone()).chain(counts.iter().map(usize::to_string)).collect()
    });
    Figure {
        id: "decisions".to_owned(),
        title: title.to_owned(),
        caption: "Rows per decision.".to_owned(),
        svg: stacked(title, &Tier::ALL.map(Tier::name), &bars),
        head: words(&["run", "proceed", "regenerate", "replan", "abstain"]),
        rows: rows.collect(),
    }
}

fn error_bar(label: &str, mean: Option<Estimate>, unit: f64, colour: usize) -> Option<ErrorBar> {
    let Estimate { value, interval } = mean?;
    let (low, high) = (interval.low * unit, interval.high * unit);
    Some(ErrorBar { label: label.to_owned(), value: value * unit, low, high, colour })
}

fn values(error_bars: &[ErrorBar]) -> Vec<Vec<String>> {
    let row = |error_bar: &ErrorBar| {
        vec![
            error_bar.label.clone(),
            share(error_bar.value),
            share(error_bar.low),
            share(error_bar.high),
        ]
    };
    error_bars.iter().map(row).collect()
}

fn rho_zero(cells: &[(Cell, Measures)]) -> Figure {
    let effects: Vec<ErrorBar> = cells
        .iter()
        .enumerate()
        .filter_map(|(colour, (cell, _))| {
            let effect = Effect::of(cell, Variant::RhoZero);
            error_bar(&cell.header.run, effect.more_score, 1.0, colour)
        })
        .collect();
    let title = "Change of S without a penalty for contradictions (rho = 0)";
    Figure {
        id: "rho-zero".to_owned(),
        title: title.to_owned(),
        caption:
            "The mean change of S with its 95 % interval. A value above zero means that the penalty lowers scores."
                .to_owned(),
        svg: error_bars(title, "change of S", &effects),
        head: words(&["run", "change of S", "low", "high"]),
        rows: values(&effects),
    }
}

fn contradictions_and_complements(cells: &[(Cell, Measures)]) -> Option<Figure> {
    let series: Vec<Series> = cells
        .iter()
        .filter_map(|(cell, measures)| {
            let caught = measures.contradictions_caught.value?;
            let separate = measures.complementary_separate.value?;
            Some(Series { label: cell.header.run.clone(), points: vec![(caught, separate)] })
        })
        .collect();
    let rows = series.iter().flat_map(|series| {
        series.points.iter().map(|(m4, m5)| vec![series.label.clone(), share(*m4), share(*m5)])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let title = "Contradictions caught and complementary claims kept apart";
    (!series.is_empty()).then(|| Figure {
        id: "m4-m5".to_owned(),
        title: title.to_owned(),
        caption: "M4 and M5 of each run, shares from 0 to 1.".to_owned(),
        svg: plane(
            title,
            ("M4: contradictions caught", "M5: complementary claims kept apart"),
            &series,
        ),
        head: words(&["run", "M4", "M5"]),
        rows,
    })
}

fn effects(at: usize, cell: &Cell) -> Figure {
    let variants = Variant::ALL.into_iter().filter(|variant| *variant != Variant::Policy);
    let effects: Vec<ErrorBar> = variants
        .filter_map(|variant| {
            error_bar(variant.name(), Effect::of(cell, variant).more_proceeds, 100.0, at)
        })
        .collect();
    let title = format!("{}: ablations and baselines", cell.header.run);
    Figure {
        id: format!("ablations-{}", at + 1),
        caption:
            "Change in the share of rows that proceed, in points, with the 95 % interval of paired draws."
                .to_owned(),
        svg: error_bars(&title, "more proceeds, points", &effects),
        title,
        head: words(&["variant", "points", "low", "high"]),
        rows: values(&effects),
    }
}

fn reliability(cells: &[(Cell, Measures)]) -> Option<Figure> {
    let mut rows = Vec::new();
    let series: Vec<Series> = cells
        .iter()
        .map(|(cell, _)| {
            let bins = bins(cell);
            let points = bins.iter().filter_map(|bin| Some((bin.mean()?, bin.share_right()?)));
            let points: Vec<(f64, f64)> = points.collect();
            for bin in bins.iter().filter(|bin| bin.rows() > 0) {
                rows.push(vec![
                    cell.header.run.clone(),
                    bin.mean().map_or_else(String::new, share),
                    bin.share_right().map_or_else(String::new, share),
                    bin.rows().to_string(),
                ]);
            }
            Series { label: cell.header.run.clone(), points }
        })
        .collect();
    let title = "Reliability of the score";
    (!rows.is_empty()).then(|| Figure {
        id: "reliability".to_owned(),
        title: title.to_owned(),
        caption: "The share of rows with about this score and no claim labelled ungrounded or contradicted. S is not a probability; the curve should rise.".to_owned(),
        svg: lines(title, ("mean S", "share right"), true, &series),
        head: words(&["run", "mean S", "share right", "rows"]),
        rows,
    })
}

fn histogram(at: usize, cell: &Cell) -> Figure {
    let bins = bins(cell);
    let counts: Vec<[usize; 2]> = bins.iter().map(|bin| [bin.right, bin.wrong]).collect();
    let title = format!("{}: scores of right and wrong rows", cell.header.run);
    let rows = counts.iter().enumerate().map(|(index, [right, wrong])| {
        let (low, high) = (index as f64 / BINS as f64, (index + 1) as f64 / BINS as f64);
        vec![format!("{low:.1} to {high:.1}"), right.to_string(), wrong.to_string()]
    });
    let rows = rows.collect();
    Figure {
        id: format!("scores-{}", at + 1),
        caption: "A row is wrong if a claim is labelled ungrounded or contradicted.".to_owned(),
        svg: columns(&title, ("S", "rows"), ["right", "wrong"], &counts),
        title,
        head: words(&["S", "right", "wrong"]),
        rows,
    }
}

fn trade(cells: &[(Cell, Measures)], policy: &Policy) -> Option<Figure> {
    let mut rows = Vec::new();
    let series: Vec<Series> = cells
        .iter()
        .filter_map(|(cell, _)| {
            let trades = trades(cell);
            for trade in trades.iter().step_by(5) {
                rows.push(vec![
                    cell.header.run.clone(),
                    format!("{:.2}", trade.threshold),
                    share(trade.right_held_back),
                    share(trade.wrong_proceeding),
                ]);
            }
            let points = trades.iter().map(|trade| (trade.right_held_back, trade.wrong_proceeding));
            let points: Vec<(f64, f64)> = points.collect();
            (!points.is_empty()).then(|| Series { label: cell.header.run.clone(), points })
        })
        .collect();
    let title = "Trade-off of the threshold";
    (!series.is_empty()).then(|| Figure {
        id: "trade".to_owned(),
        title: title.to_owned(),
        caption: format!(
            "For every threshold on S: right rows held back against wrong rows that proceed, without guards. Policy {} uses {}. Lower left is better.",
            policy.name, policy.tau_proceed
        ),
        svg: lines(title, ("right rows held back", "wrong rows that proceed"), false, &series),
        head: words(&["run", "threshold", "right held back", "wrong that proceed"]),
        rows,
    })
}
