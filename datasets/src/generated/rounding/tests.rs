//! Tests generated roundings.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

#[test]
fn generation_is_deterministic() {
    assert_eq!(rounding(7, 90), rounding(7, 90));
    assert_ne!(rounding(7, 90), rounding(8, 90));
}

#[test]
fn forms_are_evenly_distributed_with_several_wordings() {
    let mut forms: BTreeMap<RoundingForm, usize> = BTreeMap::new();
    let mut openings: BTreeMap<RoundingForm, BTreeSet<String>> = BTreeMap::new();
    for pair in rounding(1, 900) {
        assert_ne!(pair.truth, pair.falsehood);
        assert!(!pair.falsehood.contains("  "), "{pair:?}");
        *forms.entry(pair.form).or_default() += 1;
        let words: String = pair.truth.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        openings.entry(pair.form).or_default().insert(words);
    }
    assert_eq!(forms.into_iter().collect::<Vec<_>>(), RoundingForm::ALL.map(|form| (form, 100)));
    assert!(openings.values().all(|wordings| wordings.len() >= 4));
}

fn figure(text: &str) -> f64 {
    let start = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let is_of_figure = |letter: char| letter.is_ascii_digit() || letter == '.';
    let figure = start.split(|letter| !is_of_figure(letter)).next().unwrap();
    figure.trim_end_matches('.').parse().unwrap()
}

fn field(pair: &Rounding, key: &str) -> f64 {
    let content = &pair.evidence.content;
    match content.split_once('\n') {
        Some((head, row)) if head.contains(',') => {
            let index = head.split(',').position(|name| name == key).unwrap();
            row.split(',').nth(index).unwrap().parse().unwrap()
        }
        _ => figure(content.split_once(key).unwrap().1),
    }
}

#[test]
fn only_true_claims_are_close_to_the_figure() {
    for pair in rounding(2, 1_800) {
        let (tolerance, figure_shown): (f64, f64) = match pair.form {
            RoundingForm::Percent => (1.0, field(&pair, "cpu_percent")),
            RoundingForm::Ratio => (1.0, field(&pair, "error_ratio") * 100.0),
            RoundingForm::JustOver => (0.35, field(&pair, "memory_mb") / 1_000.0),
            RoundingForm::Nearly => (16.0, field(&pair, "connections")),
            RoundingForm::Roughly => (0.05, field(&pair, "rows_written") / 1_000_000.0),
            _ => continue,
        };
        assert!((figure(&pair.truth) - figure_shown).abs() < tolerance, "{pair:?}");
        let difference = (figure(&pair.falsehood) - figure_shown).abs();
        assert!(difference > 1.9 * tolerance && difference > 0.09 * figure_shown, "{pair:?}");
    }
}

#[test]
fn only_true_claims_satisfy_their_bounds() {
    for pair in rounding(3, 1_800) {
        if pair.form == RoundingForm::MoreThan {
            let used = field(&pair, "disk_used_percent");
            assert!(used > figure(&pair.truth) + 1.0, "{pair:?}");
            assert!(used < figure(&pair.falsehood) - 5.0, "{pair:?}");
        }
        if pair.form == RoundingForm::Portion {
            let share = 1_000.0 * field(&pair, "failed") / field(&pair, "requests");
            let stated_portions = |claim: &str| {
                let portions = PORTIONS.iter().filter(|(words, _)| claim.contains(words));
                portions
                    .map(|(_, thousandths)| f64::from(u16::try_from(*thousandths).unwrap()))
                    .collect::<Vec<_>>()
            };
            assert!(
                stated_portions(&pair.truth).iter().any(|portion| (portion - share).abs() < 10.0),
                "{pair:?}"
            );
            assert!(
                stated_portions(&pair.falsehood)
                    .iter()
                    .all(|portion| (portion - share).abs() > 100.0),
                "{pair:?}"
            );
        }
    }
}

/// Returns the value of the number word in a claim.
fn word(claim: &str) -> f64 {
    let index = NUMBERS.iter().position(|number| claim.contains(&format!(" {number} "))).unwrap();
    f64::from(u8::try_from(index + 2).unwrap())
}

#[test]
fn true_claims_state_slightly_longer_durations() {
    for pair in rounding(4, 1_800) {
        let length = match pair.form {
            RoundingForm::Almost => field(&pair, "latency_ms") / 1_000.0,
            RoundingForm::Within => {
                let clock = |line: &str| {
                    let time = line.split(['T', 'Z']).nth(1).unwrap();
                    time.split(':').fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().unwrap())
                };
                let lines: Vec<&str> = pair.evidence.content.lines().collect();
                (clock(lines[2]) - clock(lines[0])) / 60.0
            }
            _ => continue,
        };
        let (truth, falsehood) = (word(&pair.truth), word(&pair.falsehood));
        assert!(length < truth && truth - length < 1.0, "{pair:?}");
        let is_false = if pair.form == RoundingForm::Within {
            falsehood + 1.0 < length
        } else {
            falsehood > length + 1.5
        };
        assert!(is_false, "{pair:?}");
    }
}
