//! Words of reports that tools need not write: those for any event, for lasting, for which of several.

/// Words for any event, which tools need not write.
pub(crate) const LEFT_OUT: [&str; 98] = [
    "alarm",
    "alarmed",
    "alert",
    "alerted",
    "anomaly",
    "appeared",
    "arrived",
    "arrives",
    "came",
    "come",
    "comes",
    "condition",
    "declared",
    "emitted",
    "entry",
    "event",
    "fire",
    "fired",
    "fires",
    "firing",
    "flagged",
    "followed",
    "happened",
    "happens",
    "incident",
    "issued",
    "line",
    "log",
    "logged",
    "made",
    "message",
    "moment",
    "notice",
    "noticed",
    "notification",
    "observed",
    "occurred",
    "occurrence",
    "occurs",
    "pod's",
    "printed",
    "problem",
    "raised",
    "recorded",
    "registered",
    "reported",
    "sample",
    "saw",
    "seen",
    "sent",
    "shown",
    "signal",
    "stands",
    "symptom",
    "time",
    "took",
    "trace",
    "warned",
    "were",
    "write",
    "written",
    "tell",
    "called",
    "call",
    "calls",
    "invoked",
    "crossed",
    "passed",
    "exceeded",
    "reached",
    "hit",
    "received",
    "ran",
    "run",
    "runs",
    "first",
    "last",
    "well",
    "long",
    "shortly",
    "soon",
    "already",
    "even",
    "towards",
    "dated",
    "almost",
    "nearly",
    "roughly",
    "approximately",
    "exactly",
    "very",
    "same",
    "itself",
    "own",
    "get",
    "gets",
    "got",
    "getting",
];

pub(crate) const LASTING: [&str; 12] = [
    "continued",
    "kept",
    "lasted",
    "lived",
    "over",
    "period",
    "recurred",
    "repeated",
    "span",
    "spanned",
    "stretched",
    "survived",
];

/// Which of several, before the sort of a thing.
pub(crate) const WHICH: [&str; 10] = [
    "current", "entire", "former", "latest", "next", "previous", "prior", "same", "second", "whole",
];

pub(crate) const STAND_INS: [&str; 5] = ["one", "ones", "that", "those", "did"];

/// What a failing HTTP status says by itself.
pub(crate) const FAILING: [&str; 6] =
    ["error", "errors", "failed", "failing", "failure", "failures"];

pub(crate) fn any(word: &str, table: &[&str]) -> bool {
    table.iter().any(|entry| word.eq_ignore_ascii_case(entry))
}

/// Whether a word stands for any event: "alert", "happened", "passed".
pub(crate) fn is_left_out(word: &str) -> bool {
    any(word, &LEFT_OUT)
        || any(word, &WHICH)
        || any(word, &LASTING)
        || any(
            word,
            &[
                "passed", "elapsed", "lay", "apart", "went", "lies", "earlier", "later", "lasts",
                "takes",
            ],
        )
}
