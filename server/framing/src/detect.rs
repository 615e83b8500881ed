//! Detects instructions in evidence. Match lengths are bounded, so that every search is linear in the text
//! length.

mod encoded;
mod expressions;
mod invisible;
mod normalized_text;
mod phrases;
mod tags;

use std::ops::Range;

use crate::finding::FindingKind;
use crate::marks::Treatment;
use expressions::{Candidates, Expression, RequiredWords};
pub use invisible::visible_json;
use normalized_text::{Letters, View};
use tags::LineTag;

const MAX_DEPTH: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detection {
    pub(crate) range: Range<usize>,
    pub(crate) kind: FindingKind,
    pub(crate) treatment: Treatment,
    /// `true` if the range is reported. Ranges that are common in ordinary evidence are only neutralized.
    pub(crate) is_reported: bool,
}

#[derive(Debug)]
pub(crate) struct Detector {
    view_expressions: Vec<Expression>,
    line_tags: [LineTag; 2],
    /// Required words of the view expressions, followed by those of the line tags.
    required_words: RequiredWords,
}

impl Detector {
    pub(crate) fn new() -> Result<Self, regex::Error> {
        let mut view_expressions = phrases::expressions()?;
        view_expressions.extend(tags::expressions()?);
        let line_tags = LineTag::all()?;
        let view_patterns = view_expressions.iter().map(|expression| expression.regex.as_str());
        let line_patterns = line_tags.iter().map(|tag| tag.view_pattern.as_str());
        let required_words = RequiredWords::new(view_patterns.chain(line_patterns))?;
        Ok(Self { view_expressions, line_tags, required_words })
    }

    /// Returns the detections in a text, in order. Detections with the same treatment do not overlap.
    pub(crate) fn detect(&self, text: &str) -> Vec<Detection> {
        self.detect_at_depth(text, 0)
    }

    fn detect_at_depth(&self, text: &str, depth: usize) -> Vec<Detection> {
        let mut detections = Vec::new();
        if text.is_empty() {
            return detections;
        }
        let view = View::new(text, Letters::Unchanged);
        let candidates = self.required_words.candidates(view.as_str());
        if !view.is_plain() {
            invisible::find(text, &mut detections);
        }
        for (index, tag) in (self.view_expressions.len()..).zip(&self.line_tags) {
            if candidates.contains(index) {
                tag.find(text, &mut detections);
            }
        }
        tags::find_comments(text, &mut detections);
        self.find_in_view(text, &view, candidates, &mut detections);
        if normalized_text::has_lookalikes(text) {
            let view = View::new(text, Letters::Latin);
            let candidates = self.required_words.candidates(view.as_str());
            self.find_in_view(text, &view, candidates, &mut detections);
        }
        if depth < MAX_DEPTH {
            for (range, decoded) in encoded::decode_runs(text) {
                // Zeros and digests decode to control characters; these are not reported.
                let is_instruction = |detection: &Detection| {
                    detection.is_reported && detection.kind != FindingKind::Invisible
                };
                if self.detect_at_depth(&decoded, depth + 1).iter().any(is_instruction) {
                    let (kind, treatment) = (FindingKind::Encoded, Treatment::Mark);
                    detections.push(Detection { range, kind, treatment, is_reported: true });
                }
            }
        }
        remove_overlaps(detections)
    }

    fn find_in_view(
        &self,
        text: &str,
        view: &View<'_>,
        candidates: Candidates,
        detections: &mut Vec<Detection>,
    ) {
        if candidates == Candidates::NONE {
            return;
        }
        let expressions =
            (0..).zip(&self.view_expressions).filter(|(index, _)| candidates.contains(*index));
        let detections_in_view =
            expressions.flat_map(|(_, expression)| expression.find(view.as_str()));
        detections.extend(detections_in_view.map(|mut detection| {
            detection.range = view.original(detection.range);
            let excerpt = text.get(detection.range.clone()).unwrap_or_default();
            if excerpt.contains("\\u") {
                detection.kind = FindingKind::Encoded;
            }
            detection
        }));
    }
}

/// Sorts the detections and drops those that overlap an earlier detection with the same treatment.
fn remove_overlaps(mut detections: Vec<Detection>) -> Vec<Detection> {
    detections.sort_by(|a, b| {
        (a.range.start, b.is_reported, b.range.end)
            .cmp(&(b.range.start, a.is_reported, a.range.end))
    });
    let mut ends: Vec<(Treatment, usize)> = Vec::new();
    detections.retain(|detection| {
        match ends.iter_mut().find(|(treatment, _)| *treatment == detection.treatment) {
            Some((_, end)) if detection.range.start < *end => return false,
            Some((_, end)) => *end = detection.range.end,
            None => ends.push((detection.treatment, detection.range.end)),
        }
        !detection.range.is_empty()
    });
    detections
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static DETECTOR: LazyLock<Detector> = LazyLock::new(|| Detector::new().unwrap());

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

    fn text() -> impl Strategy<Value = String> {
        let excerpt = (0..TEXTS.len(), any::<(prop::sample::Index, prop::sample::Index)>())
            .prop_map(|(text, (first, second))| {
                let characters: Vec<char> = TEXTS[text].chars().collect();
                let (first, second) =
                    (first.index(characters.len() + 1), second.index(characters.len() + 1));
                characters[first.min(second)..first.max(second)].iter().collect()
            });
        let piece = prop_oneof![
            1 => any::<String>(),
            1 => "[ -~\n]{0,20}",
            2 => prop::sample::select(&PIECES).prop_map(str::to_owned),
            3 => excerpt,
            1 => (0..TEXTS.len()).prop_map(|text| TEXTS[text].clone()),
        ];
        prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    fn assert_that_only_candidates_match(text: &str) {
        for letters in [Letters::Unchanged, Letters::Latin] {
            let view = View::new(text, letters);
            let candidates = DETECTOR.required_words.candidates(view.as_str());
            for (index, expression) in DETECTOR.view_expressions.iter().enumerate() {
                let is_match = expression.regex.is_match(view.as_str());
                assert!(!is_match || candidates.contains(index), "{}: {text:?}", expression.regex);
            }
        }
        let view = View::new(text, Letters::Unchanged);
        let candidates = DETECTOR.required_words.candidates(view.as_str());
        for (index, tag) in (DETECTOR.view_expressions.len()..).zip(&DETECTOR.line_tags) {
            let mut detections = Vec::new();
            tag.find(text, &mut detections);
            assert!(
                detections.is_empty() || candidates.contains(index),
                "{detections:?}: {text:?}"
            );
        }
        let mut detections = Vec::new();
        invisible::find(text, &mut detections);
        assert!(detections.is_empty() || !view.is_plain(), "{detections:?}: {text:?}");
    }

    #[test]
    fn ordinary_telemetry_has_no_candidates() {
        let no_candidates = DETECTOR.required_words.candidates("");
        let indices = 0..DETECTOR.view_expressions.len() + DETECTOR.line_tags.len();
        assert!(!indices.clone().any(|index| no_candidates.contains(index)), "{no_candidates:?}");
        for text in [
            "2026-03-12t14:02:17.123z info checkout-7f9c4d8b6-x2x1z order ord-771 took 35 ms",
            r#"{"level":"error","message":"upstream request timeout","data":{"context":[1,2]}}"#,
            "# type http_requests_total counter http_requests_total{status=\"503\"} 17",
        ] {
            assert_eq!(DETECTOR.required_words.candidates(text), no_candidates, "{text}");
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
