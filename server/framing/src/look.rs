//! Where evidence tries to instruct. Each module knows one way; all are linear in the text, because no match is longer
//! than a bound.

mod encoded;
mod invisible;
mod phrases;
mod tags;
mod view;

use std::ops::Range;

use crate::finding::FindingKind;
use crate::marks::Treatment;
use view::{Letters, View};

/// How deep base64 within base64 is decoded.
const DEEPEST: usize = 2;

/// A stretch that is made inert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sighting {
    pub(crate) range: Range<usize>,
    pub(crate) kind: FindingKind,
    pub(crate) treatment: Treatment,
    /// Whether it is reported; what everyday evidence has as well is only made inert.
    pub(crate) is_told: bool,
}

/// Everything that is looked for.
#[derive(Debug)]
pub(crate) struct Look {
    phrases: phrases::Phrases,
    tags: tags::Tags,
}

impl Look {
    pub(crate) fn new() -> Result<Self, regex::Error> {
        Ok(Self { phrases: phrases::Phrases::new()?, tags: tags::Tags::new()? })
    }

    /// All sightings in a text, ascending; those of one treatment apart.
    pub(crate) fn at(&self, text: &str) -> Vec<Sighting> {
        self.at_depth(text, 0)
    }

    fn at_depth(&self, text: &str, depth: usize) -> Vec<Sighting> {
        let mut sightings = Vec::new();
        invisible::find(text, &mut sightings);
        self.tags.find_in_lines(text, &mut sightings);
        self.find_in_view(text, &View::new(text, Letters::AsTheyAre), &mut sightings);
        if view::has_lookalikes(text) {
            self.find_in_view(text, &View::new(text, Letters::Latin), &mut sightings);
        }
        if depth < DEEPEST {
            for (range, decoded) in encoded::decoded(text) {
                // Zeros and digests decode to control characters: they alone say nothing.
                let says = |sighting: &Sighting| {
                    sighting.is_told && sighting.kind != FindingKind::Invisible
                };
                if self.at_depth(&decoded, depth + 1).iter().any(says) {
                    let (kind, treatment) = (FindingKind::Encoded, Treatment::Mark);
                    sightings.push(Sighting { range, kind, treatment, is_told: true });
                }
            }
        }
        apart(sightings)
    }

    fn find_in_view(&self, text: &str, view: &View<'_>, sightings: &mut Vec<Sighting>) {
        let found = self.phrases.find(view.as_str()).chain(self.tags.find(view.as_str()));
        sightings.extend(found.map(|mut sighting| {
            sighting.range = view.original(sighting.range);
            let stretch = text.get(sighting.range.clone()).unwrap_or_default();
            if stretch.contains("\\u") {
                sighting.kind = FindingKind::Encoded;
            }
            sighting
        }));
    }
}

/// Sightings in their order, without those that overlap an earlier one of the same treatment.
fn apart(mut sightings: Vec<Sighting>) -> Vec<Sighting> {
    sightings.sort_by(|a, b| {
        (a.range.start, b.is_told, b.range.end).cmp(&(b.range.start, a.is_told, a.range.end))
    });
    let mut ends: Vec<(Treatment, usize)> = Vec::new();
    sightings.retain(|sighting| {
        match ends.iter_mut().find(|(treatment, _)| *treatment == sighting.treatment) {
            Some((_, end)) if sighting.range.start < *end => return false,
            Some((_, end)) => *end = sighting.range.end,
            None => ends.push((sighting.treatment, sighting.range.end)),
        }
        !sighting.range.is_empty()
    });
    sightings
}
