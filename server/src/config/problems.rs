//! Collects the errors in a configuration.

use std::fmt;

use figment::Figment;

use super::print::{key, origin};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    path: Vec<String>,
    description: String,
    /// The origin of the value, set by [`Problems::locate`].
    origin: Option<String>,
}

/// The errors in a configuration, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds an error for the value at a path of keys. In the output, the description follows the key. It
    /// should name the given value, the allowed values and the fix.
    pub fn add(&mut self, path: &[&str], description: impl fmt::Display) {
        let path = path.iter().map(|part| (*part).to_owned()).collect();
        let problem = Problem { path, description: description.to_string(), origin: None };
        if !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    /// Returns the value, or `None` after adding the error.
    pub fn note<T, E: fmt::Display>(&mut self, path: &[&str], result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.add(path, error)).ok()
    }

    /// Returns `true` if there are no errors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` if there are errors at or below a path. Checks that depend on the values there are
    /// then skipped.
    #[must_use]
    pub fn has_errors_at(&self, path: &[&str]) -> bool {
        self.0.iter().any(|problem| {
            problem.path.len() >= path.len() && problem.path.iter().zip(path).all(|(a, b)| a == b)
        })
    }

    /// Adds the value's origin to each error, unless it is a default.
    pub fn locate(&mut self, layers: &Figment) {
        for problem in &mut self.0 {
            let path: Vec<&str> = problem.path.iter().map(String::as_str).collect();
            problem.origin = Some(origin(layers, &path)).filter(|origin| origin != "default");
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0.len() == 1 { "" } else { "s" };
        write!(f, "configuration: {} problem{plural}", self.0.len())?;
        for Problem { path, description, origin } in &self.0 {
            let path: Vec<String> = path.iter().map(|part| key(part)).collect();
            f.write_str("\n  ")?;
            if !path.is_empty() {
                write!(f, "{}: ", path.join("."))?;
            }
            f.write_str(&description.replace('\n', "\n    "))?;
            if let Some(origin) = origin {
                write!(f, " (from {origin})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_keys_as_in_the_file() {
        let mut problems = Problems::default();
        problems.add(&["judges", "models", "openai:gpt-4.1", "timeout"], "3h is too long");
        problems.add(&["listen"], "is empty");
        problems.add(&["listen"], "is empty");
        let text = "configuration: 2 problems\n  judges.models.\"openai:gpt-4.1\".timeout: 3h is too long\n  listen: is empty";
        assert_eq!(problems.to_string(), text);
        assert!(
            problems.has_errors_at(&["judges", "models"])
                && !problems.has_errors_at(&["judges", "chain"])
        );
    }
}
