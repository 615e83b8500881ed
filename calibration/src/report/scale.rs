//! Maps values to a chart axis.

#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Maps `low..=high` to the pixels `from..=to`.
    pub(super) fn new(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self { low, high, from, to }
    }

    /// Creates a scale that covers the values, zero and a margin.
    pub(super) fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let margin = if high - low < 1e-9 { 0.5 } else { (high - low) * 0.05 };
        Self::new(low - margin, high + margin, from, to)
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    pub(super) fn ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / 5.0;
        let power = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|number| number as f64 * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_values_and_places_round_ticks() {
        let scale = Scale::new(0.0, 1.0, 100.0, 300.0);
        assert_eq!((scale.at(0.5), scale.at(-1.0), scale.at(2.0)), (200.0, 100.0, 300.0));
        let ticks: Vec<String> = scale.ticks().iter().map(|tick| format!("{tick:.1}")).collect();
        assert_eq!(ticks, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        let covering = Scale::around([-3.0, 17.0].into_iter(), 0.0, 100.0);
        assert!(covering.at(-3.0) > 0.0 && covering.at(17.0) < 100.0);
        let empty = Scale::around(std::iter::empty(), 0.0, 100.0);
        assert_eq!(empty.at(0.0), 50.0);
    }
}
