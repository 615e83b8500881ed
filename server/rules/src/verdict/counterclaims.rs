//! A finding that would bear out the contrary of a claim just as well has not read the claim: it decides nothing.
//!
//! The contrary differs in one place: a denial is left out, a direction, an order or an extreme is turned round, a
//! figure or a time is far off. Nothing here looks at evidence.

use std::ops::Range;

use gsar_core::text::figures::{ClockTime, Comparator, Dimension, Figure, spelled};
use gsar_core::text::polarity::{MarkerKind, is_denial};
use gsar_core::text::tokens::{Word, words};

use crate::claim::reading::{Reading, Term};

/// The most places of a claim that are turned round.
const MOST: usize = 12;

/// The contraries of a claim that differ from it in one place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Contrary {
    /// What it says. Where there are several, the finding has to bear out all of them to be blind to the place:
    /// "more than 5" is not the contrary of "more than 500" and the other way round.
    pub(crate) texts: Vec<String>,
}

/// What a claim could say instead, place by place.
pub(crate) fn contraries(reading: &Reading<'_>) -> Vec<Contrary> {
    let mut found = Vec::new();
    denials(reading, &mut found);
    wholes(reading, &mut found);
    exchanges(reading, &mut found);
    turns(reading, &mut found);
    for figure in &reading.figures.figures {
        found.extend(other_figures(reading, figure));
    }
    for time in &reading.figures.times {
        found.extend(other_times(reading, time));
    }
    found.truncate(MOST);
    found
}

/// The wordings of a claim of which one at most can be true together with it: with a direction, an order or an
/// extreme turned round.
pub(crate) fn exclusive(reading: &Reading<'_>) -> Vec<String> {
    const BOTH_POSSIBLE: [&str; 14] = [
        "cpu", "memory", "began", "ended", "end", "start", "started", "finished", "peaked",
        "bottomed", "first", "last", "maximum", "minimum",
    ];
    let mut found = Vec::new();
    let all: Vec<Word<'_>> = words(reading.text).collect();
    if !all.iter().any(|word| BOTH_POSSIBLE.iter().any(|listed| word.is(listed))) {
        turns(reading, &mut found);
    }
    let single = found.into_iter().filter(|contrary| contrary.texts.len() == 1);
    single.flat_map(|contrary| contrary.texts).filter(|text| !text.contains("40 times")).collect()
}

pub(crate) fn replaced(text: &str, span: &Range<usize>, by: &str) -> Option<String> {
    let (before, after) = (text.get(..span.start)?, text.get(span.end..)?);
    let mut made = String::with_capacity(text.len() + by.len());
    made.push_str(before);
    made.push_str(by);
    made.push_str(after);
    Some(made)
}

fn one(text: Option<String>) -> Option<Contrary> {
    text.map(|text| Contrary { texts: vec![text] })
}

/// The claim without one of its denials.
fn denials(reading: &Reading<'_>, found: &mut Vec<Contrary>) {
    let mut last_end = 0;
    for marker in reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation) {
        let cue = reading.text.get(marker.span.clone()).unwrap_or("");
        let Some(first) = words(cue).next().filter(is_denial) else { continue };
        if marker.span.start < last_end || is_quoted(reading, &marker.span) {
            continue;
        }
        last_end = marker.span.end;
        // "did not drop until 08:05" says when it dropped.
        let rest = reading.text.get(marker.span.end..).unwrap_or("");
        if words(rest).any(|word| word.is("until")) {
            continue;
        }
        let affirmed = affirmed(&first, cue);
        found.extend(one(replaced(reading.text, &marker.span, affirmed)));
    }
}

/// The claim with the two names exchanged of which one stands in place of the other.
fn exchanges(reading: &Reading<'_>, found: &mut Vec<Contrary>) {
    const IN_PLACE: [&str; 6] = [
        " in place of ",
        " instead of ",
        " in lieu of ",
        " took over from ",
        " replaced ",
        " replacing ",
    ];
    let text = reading.text;
    let Some((at, phrase)) =
        IN_PLACE.iter().find_map(|phrase| text.find(phrase).map(|at| (at, *phrase)))
    else {
        return;
    };
    let named = |term: &&Term<'_>| term.is_strict() && !term.span.is_empty();
    let second =
        reading.terms.iter().filter(named).find(|term| term.span.start >= at + phrase.len());
    let Some(second) = second else { return };
    // Of the names before, the one of the same make: an address for an address.
    let mut first =
        reading.terms.iter().filter(named).filter(|term| term.span.end <= at).filter(|term| {
            let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
            digit(term.text) == digit(second.text)
        });
    let Some(first) = first.next_back() else { return };
    let other = replaced(text, &second.span, first.text)
        .and_then(|text| replaced(&text, &first.span, second.text));
    found.extend(one(other));
}

/// The claim with "no" in place of "every", "each" and "both".
fn wholes(reading: &Reading<'_>, found: &mut Vec<Contrary>) {
    for marker in reading.markers.iter().filter(|marker| marker.kind == MarkerKind::All) {
        let cue = reading.text.get(marker.span.clone()).unwrap_or("");
        let Some(first) = words(cue).next() else { continue };
        let none = if first.is("both") { "neither" } else { "no" };
        let before = reading.text.get(..marker.span.start).unwrap_or("");
        let is_scope = words(before).last().is_some_and(|word| {
            ["on", "in", "across", "at", "for", "of"].iter().any(|scope| word.is(scope))
        });
        if is_scope && !first.is("all") && !is_quoted(reading, &marker.span) {
            found.extend(one(replaced(reading.text, &marker.span, none)));
        }
    }
}

/// What stands in place of a denial when it is taken back.
fn affirmed(first: &Word<'_>, cue: &str) -> &'static str {
    const AFFIRMED: [(&str, &str); 7] = [
        ("without", "with"),
        ("cannot", "can"),
        ("none", "all"),
        ("neither", "both"),
        ("nor", "and"),
        ("nothing", "everything"),
        ("nobody", "everybody"),
    ];
    let whole = words(cue).count();
    let of = words(cue).last().is_some_and(|last| last.is("of"));
    AFFIRMED.iter().find(|(denial, _)| first.is(denial)).map_or("", |(_, affirmed)| {
        match (*affirmed, whole) {
            ("all", 2) if of => "all of",
            (affirmed, _) => affirmed,
        }
    })
}

fn is_quoted(reading: &Reading<'_>, span: &Range<usize>) -> bool {
    let inside =
        |quotation: &Range<usize>| quotation.start <= span.start && span.end <= quotation.end;
    reading.quotations.iter().any(inside)
}

/// Words that say the opposite of each other.
const OPPOSITES: [(&str, &str); 37] = [
    ("above", "below"),
    ("after", "before"),
    ("began", "ended"),
    ("climbed", "dropped"),
    ("cpu", "memory"),
    ("decreased", "increased"),
    ("doubled", "halved"),
    ("down", "up"),
    ("earlier", "later"),
    ("earliest", "latest"),
    ("end", "start"),
    ("ended", "started"),
    ("exceeded", "undercut"),
    ("failed", "succeeded"),
    ("fell", "rose"),
    ("fewer", "more"),
    ("finished", "started"),
    ("first", "last"),
    ("grew", "shrank"),
    ("greatest", "smallest"),
    ("grows", "shrinks"),
    ("growing", "shrinking"),
    ("high", "low"),
    ("higher", "lower"),
    ("highest", "lowest"),
    ("largest", "smallest"),
    ("less", "more"),
    ("longest", "shortest"),
    ("longer", "shorter"),
    ("maximum", "minimum"),
    ("newest", "oldest"),
    ("over", "under"),
    ("passed", "failed"),
    ("peaked", "bottomed"),
    ("rising", "falling"),
    ("slower", "faster"),
    ("true", "false"),
];

/// The claim with one word of direction, order or extreme turned round.
fn turns(reading: &Reading<'_>, found: &mut Vec<Contrary>) {
    let all: Vec<Word<'_>> = words(reading.text).collect();
    for (at, word) in all.iter().enumerate() {
        if is_quoted(reading, &word.span) || is_idle(&all, at) {
            continue;
        }
        let other = (word.is("twice") || word.is("thrice")).then_some("40 times");
        if let Some(other) = other {
            found.extend(one(replaced(reading.text, &word.span, other)));
            continue;
        }
        let opposite = OPPOSITES.iter().find_map(|(one, other)| {
            if word.is(one) { Some(*other) } else { word.is(other).then_some(*one) }
        });
        if let Some(opposite) = opposite {
            found.extend(one(replaced(reading.text, &word.span, opposite)));
        }
    }
}

/// Whether a word stands in a phrase in which its opposite says nothing else: "up to", "over the window", "its last
/// exit code", "lasted two seconds before it was killed", "ended with status 500".
fn is_idle(all: &[Word<'_>], at: usize) -> bool {
    let Some(here) = all.get(at) else { return false };
    let before = at.checked_sub(1).and_then(|at| all.get(at));
    let next = all.get(at + 1);
    let is = |word: Option<&Word<'_>>, listed: &[&str]| {
        word.is_some_and(|word| listed.iter().any(|entry| word.is(entry)))
    };
    let here_is = |listed: &[&str]| listed.iter().any(|entry| here.is(entry));
    let measures = |word: Option<&Word<'_>>| {
        word.is_some_and(|word| word.text.bytes().any(|byte| byte.is_ascii_digit()))
            || word.is_some_and(|word| is_spelled(word.text))
    };
    if here_is(&["peaked", "bottomed"]) {
        return all.iter().any(|word| word.is("when") || word.is("same"));
    }
    if here_is(&["cpu", "memory"]) {
        return !all.iter().any(|word| word.text.starts_with(|c: char| c.is_ascii_digit()));
    }
    if here_is(&["over", "under"]) {
        return !measures(next);
    }
    if here_is(&["up", "down"]) {
        return is(next, &["to"]) || is(before, &["add", "adds", "added", "made", "came", "come"]);
    }
    if here_is(&["before", "after"]) {
        let is_count = measures(next) && !next.is_some_and(|next| next.text.contains(':'));
        return is_count
            || is(next, &["it", "they", "that", "being"])
            || is(before, &["minute", "hour", "day", "week", "second", "month"]);
    }
    if here_is(&["first", "last", "earliest", "latest"]) && says_about(all) {
        return true;
    }
    if here_is(&["last", "latest"]) {
        const STATES: [&str; 13] = [
            "container",
            "crash",
            "exit",
            "sample",
            "known",
            "reported",
            "restart",
            "run",
            "seen",
            "start",
            "state",
            "terminated",
            "termination",
        ];
        return is(next, &STATES);
    }
    if here_is(&["earlier", "later"]) {
        return all.iter().any(|word| word.is("before") || word.is("after"));
    }
    here_is(&["began", "started", "ended", "finished"])
        && (next.is_none() || is(before, &["had"]) || is(next, &["as", "with", "in"]))
}

/// Whether a claim states no more than about how much: then the first and the last may both be so.
fn says_about(all: &[Word<'_>]) -> bool {
    const ABOUT: [&str; 5] = ["about", "around", "roughly", "some", "approximately"];
    all.iter().any(|word| ABOUT.iter().any(|about| word.is(about)))
}

/// Whether a word spells a number that counts something.
fn is_spelled(word: &str) -> bool {
    spelled(word).is_some_and(|number| number > 0)
}

/// The claim with a far greater and with a far smaller figure.
fn other_figures(reading: &Reading<'_>, figure: &Figure) -> Option<Contrary> {
    if figure.unit.dimension == Dimension::Multiple || is_quoted(reading, &figure.span) {
        return None;
    }
    let written = reading.text.get(figure.span.clone())?;
    let first = words(written).next()?;
    let number = figure.span.start + first.span.start..figure.span.start + first.span.end;
    let digits = number_in(reading.text, &number)?;
    let before = reading.text.get(..number.start).and_then(|before| words(before).last());
    let begins_range = reading.figures.figures.iter().any(|next| {
        let gap = reading.text.get(figure.span.end..next.span.start).map(str::trim);
        matches!(gap, Some("to" | "-" | "–" | "and" | "or"))
    });
    if begins_range || before.is_some_and(|word| word.is("within")) {
        return None;
    }
    let value = figure.value;
    let large = value.mantissa.checked_mul(29)?.checked_add(17)?;
    let small = value.mantissa / 31;
    let other = |mantissa: i128| replaced(reading.text, &digits, &plain(mantissa, value.places));
    let denied = reading.markers.iter().any(|marker| marker.kind == MarkerKind::Negation);
    let texts: Vec<String> = match figure.comparator.filter(|_| !denied) {
        Some(Comparator::Over | Comparator::AtLeast) => vec![other(large)?],
        Some(Comparator::Under | Comparator::AtMost) => vec![other(small)?],
        None if small == value.mantissa => vec![other(large)?],
        None => vec![other(large)?, other(small)?],
    };
    Some(Contrary { texts })
}

/// Where the digits, or the word, of a number stand.
pub(crate) fn number_in(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let written = text.get(word.clone())?;
    if is_spelled(written) {
        return Some(word.clone());
    }
    let start = written.find(|c: char| c.is_ascii_digit())?;
    let tail = written.get(start..)?;
    let length =
        tail.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(tail.len());
    let length = tail.get(..length)?.trim_end_matches(['.', ',']).len();
    Some(word.start + start..word.start + start + length)
}

/// A decimal as it is written.
pub(crate) fn plain(mantissa: i128, places: u32) -> String {
    let Some(scale) = 10_i128.checked_pow(places).filter(|_| places > 0) else {
        return mantissa.to_string();
    };
    let (whole, rest) = (mantissa / scale, (mantissa % scale).abs());
    format!("{whole}.{rest:0width$}", width = places as usize)
}

/// The claim with a time hours earlier and with one hours later.
fn other_times(reading: &Reading<'_>, time: &ClockTime) -> Option<Contrary> {
    let written = reading.text.get(time.span.clone())?;
    let colon = written.find(':')?;
    let start = written.get(..colon)?.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    let hour: u32 = written.get(start..colon)?.parse().ok()?;
    let span = time.span.start + start..time.span.start + colon;
    let other = |hour: u32| replaced(reading.text, &span, &format!("{hour:02}"));
    Some(Contrary { texts: vec![other((hour + 5) % 24)?, other((hour + 19) % 24)?] })
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{self, Grounded};

    use crate::tests::{class, json, text};

    fn is_grounded(claim: &str, evidence: &[gsar_core::evidence::EvidenceItem]) -> bool {
        class(claim, evidence) == Class::Grounded
    }

    #[test]
    fn what_bears_out_the_contrary_as_well_decides_nothing() {
        let lag = json(
            "lag",
            "cloudwatch",
            r#"{"metric_name":"ReplicaLag","unit":"Seconds","timestamps":["2026-03-12T11:20:00Z",
            "2026-03-12T11:21:00Z","2026-03-12T11:22:00Z","2026-03-12T11:23:00Z"],"values":[2,40,390,900]}"#,
        );
        let evidence = [lag];
        assert_eq!(class("ReplicaLag rose to 900 s at 11:23.", &evidence), Grounded);
        for claim in [
            "ReplicaLag dropped to 900 s at 11:23.",
            "ReplicaLag never reached 900 s.",
            "ReplicaLag almost reached 900 s.",
            "ReplicaLag reached 900 s for the third time.",
            "ReplicaLag reached 900 s at the start of the window.",
        ] {
            assert!(!is_grounded(claim, &evidence), "{claim}");
        }
    }

    #[test]
    fn the_other_word_of_a_pair_says_otherwise() {
        let evidence = [
            json("svc", "kubectl get endpoints", r#"{"items":[{"name":"cart","endpoints":[]}]}"#),
            text(
                "cond",
                "kubectl describe",
                "Conditions:\n  QuotaExceeded   True    FailedCreate\n  Ready   False   Down\n",
            ),
            text("log", "git log", "rename DB_HOST to ORDERS_DB_HOST, default localhost"),
        ];
        for claim in [
            "cart has endpoints.",
            "The condition QuotaExceeded is False.",
            "DB_HOST was renamed from ORDERS_DB_HOST.",
        ] {
            assert!(!is_grounded(claim, &evidence), "{claim}");
        }
        assert!(is_grounded("DB_HOST was renamed to ORDERS_DB_HOST.", &evidence));
    }
}
