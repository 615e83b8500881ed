//! Changes a figure's value, unit or count.

use super::evidence::Surroundings;
use super::numbers::{BOUNDS, Figure, NUMBER_WORDS, counted_noun, figures, neighbours, noun};
use super::tokens::{Token, at, lower, match_case, replace_span};

/// The factors as numerators and denominators. Each changes a figure by more than rounding could.
const FACTORS: [(u64, u64); 6] = [(2, 1), (3, 1), (5, 1), (10, 1), (1, 2), (1, 5)];

pub(super) fn values(claim: &str, tokens: &[Token<'_>], evidence: &Surroundings) -> Vec<String> {
    let mut texts = Vec::new();
    for figure in figures(tokens).filter(|figure| counted_noun(tokens, figure).is_none()) {
        let Some(token) = tokens.get(figure.index) else { continue };
        let unit =
            if figure.suffix.is_empty() { lower(tokens, figure.index, 1) } else { figure.suffix };
        for factor in FACTORS {
            let Some(new) = multiply(&figure, factor) else { continue };
            let exceeds_whole = unit == "%" && new.parse().is_ok_and(|value: f64| value > 100.0);
            if !exceeds_whole && !evidence.contains_number(&new.replace(',', "")) {
                let span = token.span.start..token.span.start + figure.digits.len();
                texts.push(replace_span(claim, span, &new));
            }
        }
    }
    texts
}

pub(super) fn units(claim: &str, tokens: &[Token<'_>], evidence: &Surroundings) -> Vec<String> {
    let mut texts = Vec::new();
    for figure in figures(tokens).filter(|figure| !figure.is_zero()) {
        let (Some(token), next) = (tokens.get(figure.index), at(tokens, figure.index, 1)) else {
            continue;
        };
        let (unit, span, separator) = match (figure.suffix, next) {
            ("", Some(next)) => (next.text, next.span.clone(), " "),
            ("", None) => continue,
            (suffix, _) => (suffix, token.span.start + figure.digits.len()..token.span.end, ""),
        };
        for other in neighbours(unit) {
            if !evidence.contains(&format!("{}{separator}{other}", figure.digits)) {
                texts.push(replace_span(claim, span.clone(), other));
            }
        }
    }
    for (index, token) in tokens.iter().enumerate() {
        if lower(tokens, index, -1) == "per" {
            let others = neighbours(token.text);
            texts.extend(others.map(|other| replace_span(claim, token.span.clone(), other)));
        }
    }
    texts
}

pub(super) fn counts(claim: &str, tokens: &[Token<'_>], evidence: &Surroundings) -> Vec<String> {
    let mut texts = Vec::new();
    for figure in figures(tokens) {
        let (Some(noun), Ok(count)) =
            (counted_noun(tokens, &figure), figure.plain().parse::<u64>())
        else {
            continue;
        };
        let Some(token) = tokens.get(figure.index) else { continue };
        // In a large count, a difference of one could be rounding.
        let others = match count {
            0..=20 => [count + 1, count + 3, count.saturating_sub(1)],
            _ => [count + count / 4, count * 2, count - count / 4],
        };
        for other in others {
            if other > 1 && other != count && !evidence.contains(&format!("{other} {noun}")) {
                texts.push(replace_span(claim, token.span.clone(), &other.to_string()));
            }
        }
    }
    for (index, token) in tokens.iter().enumerate() {
        let Some(count) = NUMBER_WORDS.iter().position(|word| *word == token.lower) else {
            continue;
        };
        if count < 2 || noun(tokens, index).is_none() || BOUNDS.contains(&lower(tokens, index, -1))
        {
            continue;
        }
        for other in [count + 1, count + 3] {
            let word = NUMBER_WORDS.get(other);
            texts.extend(word.map(|word| {
                let word = match_case(word, token.text);
                replace_span(claim, token.span.clone(), &word)
            }));
        }
    }
    texts
}

/// Multiplies a figure and keeps its number of decimals. Returns `None` if the change is too small.
fn multiply(figure: &Figure<'_>, (numerator, denominator): (u64, u64)) -> Option<String> {
    let plain = figure.plain();
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let units: u64 = plain.replace('.', "").parse().ok()?;
    let new = units.checked_mul(numerator)? / denominator;
    let is_far = new >= units.checked_mul(3)? / 2 || new <= units * 2 / 3;
    if new == 0 || new == units || !is_far {
        return None;
    }
    let mut digits = format!("{new:0width$}", width = decimals + 1);
    let point = digits.len() - decimals;
    if figure.digits.contains(',') {
        let mut at = point;
        while at > 3 {
            at -= 3;
            digits.insert(at, ',');
        }
    }
    if decimals > 0 {
        digits.insert(digits.len() - decimals, '.');
    }
    Some(digits)
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    type Change = fn(&str, &[Token<'_>], &Surroundings) -> Vec<String>;

    fn changed(change: Change, claim: &str) -> Vec<String> {
        change(claim, &tokens(claim), &Surroundings::default())
    }

    #[test]
    fn values_keep_their_format() {
        let found = changed(values, "About 1,400.50 MB were read");
        assert_eq!(found[0], "About 2,801.00 MB were read");
        assert_eq!(found[4], "About 700.25 MB were read");
        let share = changed(values, "The share was 44.5 % then");
        assert_eq!(share.len(), 3, "shares stay below 100 %: {share:?}");
        assert_eq!(changed(values, "p99 took 4.1ms")[0], "p99 took 8.2ms");
    }

    #[test]
    fn distinguishes_counts_from_rates() {
        let found = changed(counts, "12 kills of three checkout pods");
        assert_eq!(found[0], "13 kills of three checkout pods");
        assert!(found.contains(&"12 kills of four checkout pods".to_owned()), "{found:?}");
        for measured in ["157 requests per second", "9 minutes passed", "5 ms"] {
            assert_eq!(changed(counts, measured), [""; 0]);
        }
        assert_eq!(changed(values, "157 requests per second")[0], "314 requests per second");
    }

    #[test]
    fn units_change_by_one_step() {
        assert_eq!(changed(units, "It took 9 minutes"), ["It took 9 hours", "It took 9 seconds"]);
        let rates = changed(units, "157 requests per second");
        assert!(rates.contains(&"157 requests per minute".to_owned()), "{rates:?}");
        assert_eq!(changed(units, "0 ms passed"), [""; 0]);
    }
}
