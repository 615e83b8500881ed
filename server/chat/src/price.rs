//! The cost of answers, computed with integers.

use crate::reply::Usage;

/// A model's prices per million tokens, in millionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// The price of uncached input tokens.
    pub input: u64,
    /// The price of output tokens.
    pub output: u64,
    /// The price of input tokens from the provider's cache.
    pub cached: u64,
}

impl Price {
    /// Returns the cost in millionths of a dollar: the sum of tokens × price / 1 000 000, rounded up. The
    /// result saturates at `u64::MAX`. Cached tokens beyond the input tokens are ignored.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> u64 {
        const MILLION: u128 = 1_000_000;
        let cached = usage.cached.unwrap_or(0).min(usage.input);
        let parts = [
            (usage.input - cached, self.input),
            (cached, self.cached),
            (usage.output, self.output),
        ];
        // The sum of three products of 64-bit numbers can exceed 128 bits.
        let total = parts
            .iter()
            .map(|&(tokens, price)| u128::from(tokens) * u128::from(price))
            .fold(0, u128::saturating_add);
        u64::try_from(total.div_ceil(MILLION)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PRICE: Price = Price { input: 400_000, output: 1_600_000, cached: 100_000 };

    const fn usage(input: u64, output: u64, cached: Option<u64>) -> Usage {
        Usage { input, output, cached, reasoning: None }
    }

    #[test]
    fn costs_are_exact_and_rounded_up() {
        for (token_usage, cost) in [
            (usage(0, 0, None), 0),
            (usage(1, 0, None), 1),
            (usage(5, 0, None), 2),
            (usage(6, 0, None), 3),
            (usage(1_000_000, 0, None), 400_000),
            (usage(1_000_000, 0, Some(1_000_000)), 100_000),
            (usage(1_000_000, 0, Some(2_000_000)), 100_000),
            (usage(8_000, 1_200, Some(6_000)), 800 + 600 + 1_920),
        ] {
            assert_eq!(PRICE.cost(&token_usage), cost, "{token_usage:?}");
        }
        let max = Price { input: u64::MAX, output: u64::MAX, cached: u64::MAX };
        assert_eq!(max.cost(&usage(u64::MAX, u64::MAX, Some(1))), u64::MAX);
    }

    proptest! {
        #[test]
        fn rounding_adds_less_than_two_per_split(
            first in (0..1_u64 << 40, 0..1_u64 << 40),
            second in (0..1_u64 << 40, 0..1_u64 << 40),
        ) {
            let separate = PRICE.cost(&usage(first.0, first.1, None)) + PRICE.cost(&usage(second.0, second.1, None));
            let together = PRICE.cost(&usage(first.0 + second.0, first.1 + second.1, None));
            prop_assert!(together <= separate && separate < together + 2);
        }
    }
}
