//! This module holds vectors of unit length.

use std::sync::Arc;

/// The vector of a text: of unit length, so that a dot product is a cosine; shared, so that caches and
/// callers hold one copy.
pub type Vector = Arc<[f32]>;

/// The greatest difference from 1 that the length of a stored vector may have.
const TOLERANCE: f64 = 1e-4;

/// The values at unit length; `None` where they have no direction: not finite, or all zero.
pub(crate) fn unit(values: &[f32]) -> Option<Vector> {
    let length = length(values);
    (length.is_finite() && length > 0.0)
        .then(|| values.iter().map(|value| (f64::from(*value) / length) as f32).collect())
}

/// Whether a vector that was stored can be one of a model of this dimension.
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
    fn directions_come_out_at_unit_length() {
        assert_eq!(&*unit(&[3.0, 4.0]).unwrap(), &[0.6, 0.8]);
        assert!(is_unit(&unit(&[f32::MAX, f32::MAX]).unwrap(), 2));
        assert!(is_unit(&unit(&[f32::MIN_POSITIVE, 0.0]).unwrap(), 2));
        for none in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(unit(none), None);
        }
    }

    #[test]
    fn what_cannot_be_a_vector_of_the_model_is_reported() {
        assert!(is_unit(&[0.6, 0.8], 2));
        assert!(!is_unit(&[0.6, 0.8], 3));
        assert!(!is_unit(&[0.6, 0.9], 2));
        assert!(!is_unit(&[f32::NAN, 0.8], 2));
    }
}
