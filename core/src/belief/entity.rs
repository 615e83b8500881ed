//! This module names entities: `namespace/Kind/name`, without what a cluster makes up anew for each instance.

use core::fmt;

/// The letters that Kubernetes makes suffixes of.
const GENERATED: &str = "bcdfghjklmnpqrstvwxz2456789";
/// Kinds whose instances carry generated suffixes.
const INSTANCES: [&str; 3] = ["pod", "replicaset", "job"];

/// An entity of a graph. Instances that are replaced by others like them have one name: the pod
/// `shop/Pod/cart-7d9f8b6c5d-x2x4q` is `shop/Pod/cart`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity(String);

/// Why a text names no entity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{given}` names no entity; give namespace/Kind/name, Kind/name or a name of 1 to {} bytes without spaces",
    Entity::MAX_BYTES
)]
pub struct EntityError {
    /// What was given, cut after 80 characters.
    given: String,
}

impl Entity {
    /// The most bytes of a name.
    pub const MAX_BYTES: usize = 256;

    /// Reads `namespace/Kind/name`, `Kind/name` of what has no namespace, or a name alone.
    ///
    /// # Errors
    /// [`EntityError`].
    pub fn parse(text: &str) -> Result<Self, EntityError> {
        let refused = || EntityError { given: text.chars().take(80).collect() };
        let parts = text.split('/').count();
        let is_sound = (1..=3).contains(&parts)
            && text.len() <= Self::MAX_BYTES
            && text.split('/').all(|part| !part.is_empty())
            && !text.chars().any(|letter| letter.is_whitespace() || letter.is_control());
        if !is_sound {
            return Err(refused());
        }
        let Some((before, name)) = text.rsplit_once('/') else { return Ok(Self(text.to_string())) };
        let kind = before.rsplit('/').next().unwrap_or_default();
        let is_instance = INSTANCES.iter().any(|known| kind.eq_ignore_ascii_case(known));
        let name = if is_instance { without_generated(name) } else { name };
        Ok(Self(format!("{before}/{name}")))
    }

    /// The whole name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name without namespace and kind.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A name without the suffix of its instance, of its replica set and of its run.
fn without_generated(name: &str) -> &str {
    let name = without(name, |last| last.len() == 5 && is_generated(last));
    let name = without(name, |last| (8..=10).contains(&last.len()) && is_generated(last));
    // When a CronJob started it, in minutes or seconds since the epoch.
    without(name, |last| last.len() >= 8 && last.bytes().all(|byte| byte.is_ascii_digit()))
}

fn without(name: &str, is_suffix: impl Fn(&str) -> bool) -> &str {
    match name.rsplit_once('-') {
        Some((stem, last)) if !stem.is_empty() && is_suffix(last) => stem,
        _ => name,
    }
}

fn is_generated(suffix: &str) -> bool {
    suffix.chars().all(|letter| GENERATED.contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cluster_makes_up_is_no_part_of_a_name() {
        for (given, named) in [
            ("shop/Pod/cart-7d9f8b6c5d-x2x4q", "shop/Pod/cart"),
            ("shop/pod/cart-7d9f8b6c5d-x2x4q", "shop/pod/cart"),
            ("shop/ReplicaSet/cart-7d9f8b6c5d", "shop/ReplicaSet/cart"),
            ("shop/Pod/fluentd-zx24w", "shop/Pod/fluentd"),
            ("shop/Pod/backup-29384756-kq2vz", "shop/Pod/backup"),
            ("shop/Job/backup-29384756", "shop/Job/backup"),
            // Ordinals, and words with vowels, are part of the name.
            ("shop/Pod/mysql-0", "shop/Pod/mysql-0"),
            ("shop/Pod/cart-redis", "shop/Pod/cart-redis"),
            ("shop/Service/cart-zx24w", "shop/Service/cart-zx24w"),
            ("Node/worker-3", "Node/worker-3"),
            ("checkout", "checkout"),
            ("shop/Pod/-x2x4q", "shop/Pod/-x2x4q"),
        ] {
            assert_eq!(Entity::parse(given).unwrap().as_str(), named, "{given}");
        }
    }

    #[test]
    fn a_name_is_named_once() {
        for given in ["shop/Pod/cart-7d9f8b6c5d-x2x4q", "shop/Job/backup-29384756", "a"] {
            let named = Entity::parse(given).unwrap();
            assert_eq!(Entity::parse(named.as_str()).unwrap(), named);
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let long = "a".repeat(257);
        for given in ["", "/", "a//b", "a/b/c/d", "shop/Pod/", "two words", "a\nb", &long] {
            let error = Entity::parse(given).unwrap_err().to_string();
            assert!(error.contains("names no entity") && error.len() < 250, "{error}");
        }
    }
}
