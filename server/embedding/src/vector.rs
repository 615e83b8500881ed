//! Unit vectors.

use std::sync::Arc;

/// A text's embedding, normalized so that a dot product is a cosine. Shared by caches and callers.
pub type Vector = Arc<[f32]>;

/// The maximum deviation of a stored vector's length from 1.
const TOLERANCE: f64 = 1e-4;

/// Normalizes values. Returns `None` if they are not finite or all zero.
pub(crate) fn unit(values: &[f32]) -> Option<Vector> {
    let length = length(values);
    (length.is_finite() && length > 0.0)
        .then(|| values.iter().map(|value| (f64::from(*value) / length) as f32).collect())
}

pub(crate) fn is_unit(vector: &[f32], dimension: usize) -> bool {
    vector.len() == dimension && (length(vector) - 1.0).abs() < TOLERANCE
}

fn length(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizes_values() {
        assert_eq!(&*unit(&[3.0, 4.0]).unwrap(), &[0.6, 0.8]);
        assert!(is_unit(&unit(&[f32::MAX, f32::MAX]).unwrap(), 2));
        assert!(is_unit(&unit(&[f32::MIN_POSITIVE, 0.0]).unwrap(), 2));
        for invalid in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(unit(invalid), None);
        }
    }

    #[test]
    fn rejects_vectors_with_the_wrong_dimension_or_length() {
        assert!(is_unit(&[0.6, 0.8], 2));
        assert!(!is_unit(&[0.6, 0.8], 3));
        assert!(!is_unit(&[0.6, 0.9], 2));
        assert!(!is_unit(&[f32::NAN, 0.8], 2));
    }
}
