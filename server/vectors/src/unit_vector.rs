//! Validates, normalises and compares vectors. Vectors are stored with length 1, so that their dot product is
//! the cosine similarity.

use crate::error::VectorFault;

/// The number of parallel sums, a multiple of the SIMD register width.
const LANES: usize = 16;

pub(crate) fn normalised(vector: &[f32], dimension: usize) -> Result<Vec<f32>, VectorFault> {
    if vector.len() != dimension {
        return Err(VectorFault::Length { found: vector.len(), expected: dimension });
    }
    if let Some(position) = vector.iter().position(|value| !value.is_finite()) {
        return Err(VectorFault::NotFinite { position });
    }
    // In f64 the squares of all f32 values neither overflow nor underflow.
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(VectorFault::Zero);
    }
    #[expect(clippy::cast_possible_truncation, reason = "the quotient is from -1 to 1")]
    Ok(vector.iter().map(|value| (f64::from(*value) / length) as f32).collect())
}

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

/// Quantizes `vector` so that its largest value is ±127. Keeps the direction approximately, but not the length.
#[expect(clippy::cast_possible_truncation, reason = "the values are from -127 to 127")]
pub(crate) fn quantized(vector: &[f32]) -> Vec<i8> {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    vector.iter().map(|value| (value / largest * 127.0).round() as i8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_vectors() {
        assert_eq!(normalised(&[1.0], 2), Err(VectorFault::Length { found: 1, expected: 2 }));
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(normalised(&[1.0, value], 2), Err(VectorFault::NotFinite { position: 1 }));
        }
        assert_eq!(normalised(&[0.0, -0.0], 2), Err(VectorFault::Zero));
    }

    #[test]
    fn accepts_the_largest_and_smallest_values() {
        for value in [f32::MAX, f32::MIN_POSITIVE, 1e-45] {
            let unit = normalised(&[value, -value], 2).unwrap();
            assert!((similarity(&unit, &unit) - 1.0).abs() < 1e-6, "{value}: {unit:?}");
        }
    }

    #[test]
    fn sums_vectors_of_any_length() {
        for length in 1..70 {
            let ones = vec![1.0 / (length as f32).sqrt(); length];
            assert!((similarity(&ones, &ones) - 1.0).abs() < 1e-6, "{length}");
            let mut flipped = ones.clone();
            flipped[length - 1] *= -1.0;
            let expected = 1.0 - 2.0 / length as f32;
            assert!((similarity(&ones, &flipped) - expected).abs() < 1e-6, "{length}");
        }
    }

    #[test]
    fn rounding_uses_the_whole_range() {
        assert_eq!(quantized(&[0.5, -0.25, 0.0]), [127, -64, 0]);
        assert_eq!(quantized(&[-1e-45, 0.0]), [-127, 0]);
    }
}
