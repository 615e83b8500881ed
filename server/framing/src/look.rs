//! This module finds where evidence tries to instruct. Each submodule knows one way; all are linear in the text,
//! because no match is longer than a bound.

mod encoded;
mod expressions;
mod invisible;
mod phrases;
mod tags;
mod view;

use std::ops::Range;

use crate::finding::FindingKind;
use crate::marks::Treatment;
use expressions::{Candidates, Expression, Needs};
pub use invisible::visible_json;
use tags::LineTag;
use view::{Letters, View};

/// The most levels of base64 within base64 that are decoded.
const DEEPEST: usize = 2;

/// A stretch that is made inert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sighting {
    /// Its bytes in the original.
    pub(crate) range: Range<usize>,
    pub(crate) kind: FindingKind,
    pub(crate) treatment: Treatment,
    /// Whether it is reported; what everyday evidence has as well is only made inert.
    pub(crate) is_reported: bool,
}

/// Everything that is looked for.
#[derive(Debug)]
pub(crate) struct Look {
    in_view: Vec<Expression>,
    in_lines: [LineTag; 2],
    /// Of the expressions in views, and behind them of the tags in lines.
    needs: Needs,
}

impl Look {
    pub(crate) fn new() -> Result<Self, regex::Error> {
        let mut in_view = phrases::expressions()?;
        in_view.extend(tags::expressions()?);
        let in_lines = LineTag::all()?;
        let of_views = in_view.iter().map(|expression| expression.regex.as_str());
        let of_lines = in_lines.iter().map(|tag| tag.in_view.as_str());
        let needs = Needs::new(of_views.chain(of_lines))?;
        Ok(Self { in_view, in_lines, needs })
    }

    /// All sightings in a text, ascending; those of one treatment apart.
    pub(crate) fn at(&self, text: &str) -> Vec<Sighting> {
        self.at_depth(text, 0)
    }

    fn at_depth(&self, text: &str, depth: usize) -> Vec<Sighting> {
        let mut sightings = Vec::new();
        let view = View::new(text, Letters::AsTheyAre);
        let candidates = self.needs.candidates(view.as_str());
        if !view.is_plain() {
            invisible::find(text, &mut sightings);
        }
        for (place, tag) in (self.in_view.len()..).zip(&self.in_lines) {
            if candidates.has(place) {
                tag.find(text, &mut sightings);
            }
        }
        tags::find_comments(text, &mut sightings);
        self.find_in_view(text, &view, candidates, &mut sightings);
        if view::has_lookalikes(text) {
            let view = View::new(text, Letters::Latin);
            let candidates = self.needs.candidates(view.as_str());
            self.find_in_view(text, &view, candidates, &mut sightings);
        }
        if depth < DEEPEST {
            for (range, decoded) in encoded::decoded(text) {
                // Zeros and digests decode to control characters: they alone say nothing.
                let says = |sighting: &Sighting| {
                    sighting.is_reported && sighting.kind != FindingKind::Invisible
                };
                if self.at_depth(&decoded, depth + 1).iter().any(says) {
                    let (kind, treatment) = (FindingKind::Encoded, Treatment::Mark);
                    sightings.push(Sighting { range, kind, treatment, is_reported: true });
                }
            }
        }
        apart(sightings)
    }

    fn find_in_view(
        &self,
        text: &str,
        view: &View<'_>,
        candidates: Candidates,
        sightings: &mut Vec<Sighting>,
    ) {
        let expressions = (0..).zip(&self.in_view).filter(|(place, _)| candidates.has(*place));
        let found = expressions.flat_map(|(_, expression)| expression.find(view.as_str()));
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
        (a.range.start, b.is_reported, b.range.end).cmp(&(
            b.range.start,
            a.is_reported,
            a.range.end,
        ))
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static LOOK: LazyLock<Look> = LazyLock::new(|| Look::new().unwrap());

    /// The injections and the harmless texts of the tests.
    static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let folders = ["injections", "harmless"].map(|folder| tests.join(folder));
        let mut files: Vec<_> = folders
            .iter()
            .flat_map(|folder| std::fs::read_dir(folder).unwrap())
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
    });

    #[rustfmt::skip]
    const PIECES: [&str; 40] = [
        "\n", "\\n", "\\\\n", "\\", "\\u0069", "\\u000a", "\\u200b", "\\u00e9", "\\\"", "\"", "'", "/", " ", "  ", "\t", "\r\n", "\u{a0}",
        "\u{3000}", "\u{200b}", "\u{ad}", "\u{85}", "\u{b}", "\u{1b}[", "\0", "\u{301}", "\u{338}", "ſ", "\u{212a}", "İ", "ﬃ", "о", "＼",
        "Human:", "aſsistant:", "## System prompt:", "[system]:", "-- begin data", "<<\t/context", "=END OF THE ", "忽略",
    ];

    /// Pieces of anything, and of texts that mean harm.
    fn text() -> impl Strategy<Value = String> {
        let of_texts = (0..TEXTS.len(), any::<(prop::sample::Index, prop::sample::Index)>())
            .prop_map(|(text, (one, other))| {
                let characters: Vec<char> = TEXTS[text].chars().collect();
                let (one, other) =
                    (one.index(characters.len() + 1), other.index(characters.len() + 1));
                characters[one.min(other)..one.max(other)].iter().collect()
            });
        let piece = prop_oneof![
            1 => any::<String>(),
            1 => "[ -~\n]{0,20}",
            2 => prop::sample::select(&PIECES).prop_map(str::to_owned),
            3 => of_texts,
            1 => (0..TEXTS.len()).prop_map(|text| TEXTS[text].clone()),
        ];
        prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    fn assert_that_only_candidates_match(text: &str) {
        for letters in [Letters::AsTheyAre, Letters::Latin] {
            let view = View::new(text, letters);
            let candidates = LOOK.needs.candidates(view.as_str());
            for (place, expression) in LOOK.in_view.iter().enumerate() {
                let matches = expression.regex.is_match(view.as_str());
                assert!(!matches || candidates.has(place), "{}: {text:?}", expression.regex);
            }
        }
        let view = View::new(text, Letters::AsTheyAre);
        let candidates = LOOK.needs.candidates(view.as_str());
        for (place, tag) in (LOOK.in_view.len()..).zip(&LOOK.in_lines) {
            let mut sightings = Vec::new();
            tag.find(text, &mut sightings);
            assert!(sightings.is_empty() || candidates.has(place), "{sightings:?}: {text:?}");
        }
        let mut sightings = Vec::new();
        invisible::find(text, &mut sightings);
        assert!(sightings.is_empty() || !view.is_plain(), "{sightings:?}: {text:?}");
    }

    #[test]
    fn ordinary_telemetry_has_no_candidates() {
        let nothing = LOOK.needs.candidates("");
        let places = 0..LOOK.in_view.len() + LOOK.in_lines.len();
        assert!(!places.clone().any(|place| nothing.has(place)), "{nothing:?}");
        for text in [
            "2026-03-12t14:02:17.123z info checkout-7f9c4d8b6-x2x1z order ord-771 took 35 ms",
            r#"{"level":"error","message":"upstream request timeout","data":{"context":[1,2]}}"#,
            "# type http_requests_total counter http_requests_total{status=\"503\"} 17",
        ] {
            assert_eq!(LOOK.needs.candidates(text), nothing, "{text}");
        }
        for text in TEXTS.iter() {
            assert_that_only_candidates_match(text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn only_candidates_match(text in text()) {
            assert_that_only_candidates_match(&text);
        }
    }
}
