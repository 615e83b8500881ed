//! This module holds unit vectors: checked, scaled to length 1, and compared.
//!
//! Every vector is scaled once, where it enters, so that cosine similarity is a plain sum of products. The one
//! function that sums is here; whatever way a hit was found, its similarity comes from it.

use crate::error::VectorFault;

/// Values summed side by side; a multiple of what a vector register holds.
const LANES: usize = 16;

/// `vector` scaled to length 1.
pub(crate) fn normalised(vector: &[f32], dimension: usize) -> Result<Vec<f32>, VectorFault> {
    if vector.len() != dimension {
        return Err(VectorFault::Length { found: vector.len(), expected: dimension });
    }
    if let Some(position) = vector.iter().position(|value| !value.is_finite()) {
        return Err(VectorFault::NotFinite { position });
    }
    // In f64 the squares of the largest and of the smallest f32 are still numbers.
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(VectorFault::Zero);
    }
    #[expect(clippy::cast_possible_truncation, reason = "a share of the length is in -1 to 1")]
    Ok(vector.iter().map(|value| (f64::from(*value) / length) as f32).collect())
}

/// The cosine of the angle between two vectors of length 1, in -1 to 1.
#[inline]
pub(crate) fn similarity(first: &[f32], second: &[f32]) -> f32 {
    let (first_blocks, first_rest) = first.as_chunks::<LANES>();
    let (second_blocks, second_rest) = second.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in first_blocks.iter().zip(second_blocks) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f32 = first_rest.iter().zip(second_rest).map(|(a, b)| a * b).sum();
    (sums.iter().sum::<f32>() + rest).clamp(-1.0, 1.0)
}

/// `vector` in whole numbers of one byte, its largest value as ±127. The angle to other vectors hardly changes;
/// the length does.
#[expect(clippy::cast_possible_truncation, reason = "rounded values are in -127 to 127")]
pub(crate) fn rounded(vector: &[f32]) -> Vec<i8> {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    vector.iter().map(|value| (value / largest * 127.0).round() as i8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_direction_is_refused() {
        assert_eq!(normalised(&[1.0], 2), Err(VectorFault::Length { found: 1, expected: 2 }));
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(normalised(&[1.0, value], 2), Err(VectorFault::NotFinite { position: 1 }));
        }
        assert_eq!(normalised(&[0.0, -0.0], 2), Err(VectorFault::Zero));
    }

    #[test]
    fn the_largest_and_the_smallest_numbers_are_directions() {
        for value in [f32::MAX, f32::MIN_POSITIVE, 1e-45] {
            let unit = normalised(&[value, -value], 2).unwrap();
            assert!((similarity(&unit, &unit) - 1.0).abs() < 1e-6, "{value}: {unit:?}");
        }
    }

    #[test]
    fn every_length_is_summed_to_its_end() {
        for length in 1..70 {
            let ones = vec![1.0 / (length as f32).sqrt(); length];
            assert!((similarity(&ones, &ones) - 1.0).abs() < 1e-6, "{length}");
            let mut turned = ones.clone();
            turned[length - 1] *= -1.0;
            let expected = 1.0 - 2.0 / length as f32;
            assert!((similarity(&ones, &turned) - expected).abs() < 1e-6, "{length}");
        }
    }

    #[test]
    fn rounding_uses_the_whole_range() {
        assert_eq!(rounded(&[0.5, -0.25, 0.0]), [127, -64, 0]);
        assert_eq!(rounded(&[-1e-45, 0.0]), [-127, 0]);
    }
}
