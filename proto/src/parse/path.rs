//! The path of a field in a request. A path does not allocate until it is formatted.

use core::fmt;

/// The path of a field, as a caller writes it: `report.claims[0].id`.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    name: &'static str,
    index: Option<usize>,
}

impl<'a> Path<'a> {
    /// Returns a field of the request.
    pub(super) const fn root(name: &'static str) -> Self {
        Self { parent: None, name, index: None }
    }

    /// Returns a field of this message.
    pub(super) const fn field(&'a self, name: &'static str) -> Self {
        Self { parent: Some(self), name, index: None }
    }

    /// Returns the element of this list at an index.
    pub(super) const fn element(self, index: usize) -> Self {
        Self { parent: self.parent, name: self.name, index: Some(index) }
    }

    /// Returns the last segment only: `claims[0]`.
    pub(super) const fn last(self) -> Path<'static> {
        Path { parent: None, name: self.name, index: self.index }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            write!(f, "{parent}.")?;
        }
        f.write_str(self.name)?;
        match self.index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

impl From<Path<'_>> for String {
    fn from(path: Path<'_>) -> Self {
        path.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_formatted_as_callers_write_them() {
        let gate = Path::root("gate");
        let hypothesis = gate.field("hypotheses").element(2);
        let evidence = hypothesis.field("evidence").element(0);
        let lane = evidence.field("lane");
        assert_eq!(lane.to_string(), "gate.hypotheses[2].evidence[0].lane");
        assert_eq!(evidence.last().to_string(), "evidence[0]");
    }
}
