//! This module computes what an answer costs, in exact integers. Prices are configuration and not known here.

use std::collections::BTreeMap;

use crate::model_name::ModelName;
use crate::reply::Usage;

/// What a million tokens cost, in millionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// A million tokens read, not from a cache, in millionths of a dollar.
    pub input: u64,
    /// A million tokens written, in millionths of a dollar.
    pub output: u64,
    /// A million tokens read from the provider's cache, in millionths of a dollar.
    pub cached: u64,
}

impl Price {
    /// The cost in millionths of a dollar, rounded up, at most `u64::MAX`: the sum of tokens × price / 1 000 000.
    ///
    /// Tokens said to be cached beyond those read count as read.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> u64 {
        const MILLION: u128 = 1_000_000;
        let cached = usage.cached.unwrap_or(0).min(usage.input);
        let parts = [
            (usage.input - cached, self.input),
            (cached, self.cached),
            (usage.output, self.output),
        ];
        // Three products of 64 bits each can exceed 128 bits.
        let total = parts
            .iter()
            .map(|&(tokens, price)| u128::from(tokens) * u128::from(price))
            .fold(0, u128::saturating_add);
        u64::try_from(total.div_ceil(MILLION)).unwrap_or(u64::MAX)
    }
}

/// Prices by model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriceTable(BTreeMap<ModelName, Price>);

impl PriceTable {
    /// The price of exactly this model.
    #[must_use]
    pub fn price(&self, model: &ModelName) -> Option<&Price> {
        self.0.get(model)
    }

    /// What an answer costs, in millionths of a dollar; `None` where the price or the tokens are not known.
    #[must_use]
    pub fn cost(&self, model: &ModelName, usage: Option<&Usage>) -> Option<u64> {
        Some(self.price(model)?.cost(usage?))
    }
}

impl FromIterator<(ModelName, Price)> for PriceTable {
    fn from_iter<I: IntoIterator<Item = (ModelName, Price)>>(prices: I) -> Self {
        Self(prices.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 0.40 $, 1.60 $ and 0.10 $ per million.
    const PRICE: Price = Price { input: 400_000, output: 1_600_000, cached: 100_000 };

    const fn usage(input: u64, output: u64, cached: Option<u64>) -> Usage {
        Usage { input, output, cached, reasoning: None }
    }

    #[test]
    fn costs_are_exact_and_rounded_up() {
        for (tokens, cost) in [
            (usage(0, 0, None), 0),
            (usage(1, 0, None), 1),
            (usage(5, 0, None), 2),
            (usage(6, 0, None), 3),
            (usage(1_000_000, 0, None), 400_000),
            (usage(1_000_000, 0, Some(1_000_000)), 100_000),
            (usage(1_000_000, 0, Some(2_000_000)), 100_000),
            (usage(8_000, 1_200, Some(6_000)), 800 + 600 + 1_920),
        ] {
            assert_eq!(PRICE.cost(&tokens), cost, "{tokens:?}");
        }
        let most = Price { input: u64::MAX, output: u64::MAX, cached: u64::MAX };
        assert_eq!(most.cost(&usage(u64::MAX, u64::MAX, Some(1))), u64::MAX);
    }

    #[test]
    fn what_is_not_known_is_not_free() {
        let model: ModelName = "openai:gpt-4.1-mini".parse().unwrap();
        let other: ModelName = "oci:gpt-4.1-mini".parse().unwrap();
        let table = PriceTable::from_iter([(model.clone(), PRICE)]);
        assert_eq!(table.cost(&model, Some(&usage(5, 0, None))), Some(2));
        assert_eq!(table.cost(&model, None), None);
        assert_eq!(table.cost(&other, Some(&usage(5, 0, None))), None);
    }

    proptest! {
        #[test]
        fn a_sum_of_costs_is_at_least_the_cost_of_the_sum_and_less_than_two_more(
            one in (0..1_u64 << 40, 0..1_u64 << 40),
            other in (0..1_u64 << 40, 0..1_u64 << 40),
        ) {
            let separate = PRICE.cost(&usage(one.0, one.1, None)) + PRICE.cost(&usage(other.0, other.1, None));
            let together = PRICE.cost(&usage(one.0 + other.0, one.1 + other.1, None));
            prop_assert!(together <= separate && separate < together + 2);
        }
    }
}
