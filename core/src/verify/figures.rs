//! This module checks that the figures of a claim agree with what it cites. See the table of `agreement`.

use alloc::format;
use alloc::vec::Vec;

use super::agreement::Cited;
use super::attributes::{Attributes, are_alike, are_close, attributes};
use super::corrections::{CorrectionCode, Findings, is_supported};
use super::derivable;
use super::evidence_set::Sources;
use super::numbers::{Numbers, numbers};
use super::wording::{
    begins_word, has_suffix, is_far_from_count, is_loosely_put, is_part_of_ratio, is_rate,
    states_aggregate, units_of,
};
use super::{quotes, times};
use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::policy::PolicyValues;
use crate::text::figures::{Agreement, Dimension, Figure, Figures, Unit, agree, figures};
use crate::text::part;

/// The most figures or times of a claim that is still one statement.
const MAX_FIGURES: usize = 32;

/// Reclasses or retypes a claim whose figures or times are not those of what it cites.
pub(super) fn check(
    policy: &PolicyValues,
    judged: &mut JudgedClaim,
    claimed: &Figures,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    if !is_supported(judged) || claimed.is_empty() {
        return;
    }
    if claimed.figures.len().max(claimed.times.len()) > MAX_FIGURES {
        let sentence =
            format!("More than {MAX_FIGURES} figures or times are no one checkable statement.");
        findings.reclass(judged, CorrectionCode::FigureNotInEvidence, Class::Ungrounded, sentence);
        return;
    }
    let quoted: Vec<Quoted<'_>> = cited.quotes.iter().map(|quote| Quoted::of(quote)).collect();
    check_conflicts(judged, claimed, &quoted, cited, sources, findings);
    // What was not there, or what is generally so, need not stand in the evidence.
    let stated = !matches!(judged.evidence_type, EvidenceType::NegEvidence | EvidenceType::Domain);
    if judged.class == Class::Grounded && stated {
        check_presence(policy, judged, claimed, &quoted, cited, sources, findings);
    }
    if is_supported(judged) {
        times::check(policy, judged, claimed, &quoted, cited, sources, findings);
    }
}

/// A quote with its figures.
pub(super) struct Quoted<'a> {
    pub(super) read: Figures,
    text: &'a str,
}

impl<'a> Quoted<'a> {
    fn of(text: &'a str) -> Self {
        Self { read: figures(text), text }
    }
}

/// How a claim's figure relates to the quoted ones of the same attribute.
#[derive(Clone, Copy)]
enum Conflict<'a> {
    /// The same number in another unit.
    MixUp(&'a str),
    /// One rival, and everything around it agrees.
    Exact(&'a str),
    /// Rivals.
    Loose(&'a str),
}

fn check_conflicts(
    judged: &mut JudgedClaim,
    claimed: &Figures,
    quoted: &[Quoted<'_>],
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    let text = judged.claim.text.as_str();
    let of_quotes: Vec<i128> = cited.quotes.iter().flat_map(|quote| numbers(quote)).collect();
    let mut conflicts = claimed.figures.iter().filter_map(|figure| {
        let stated = quoted.iter().any(|quote| has_same(&quote.read, figure));
        if stated || is_part_of_ratio(text, figure) || counts_quoted_lines(figure, quoted) {
            return None;
        }
        let around = attributes(text, figure);
        let conflict = conflict_of(text, figure, &around, quoted)?;
        // "6 GiB less" may be the difference of two quoted limits.
        let in_digits = part(text, figure.span.clone()).contains(|c: char| c.is_ascii_digit());
        if in_digits
            && !matches!(conflict, Conflict::MixUp(_))
            && derivable::combines(figure, &of_quotes)
        {
            return None;
        }
        let elsewhere = match conflict {
            Conflict::Exact(_) | Conflict::MixUp(_) => {
                is_stated_elsewhere(figure, &around, cited, sources)
            }
            Conflict::Loose(_) => {
                cited.items.iter().any(|position| item_holds(*position, figure, sources))
            }
        };
        let stands = !elsewhere && !states_aggregate(text);
        stands.then(|| (part(text, figure.span.clone()), conflict))
    });
    let Some((figure, conflict)) = conflicts.next() else { return };
    let alone = conflicts.next().is_none();
    let (class, rival) = match conflict {
        Conflict::Exact(rival) | Conflict::MixUp(rival) if alone => (Class::Contradicted, rival),
        Conflict::Exact(rival) | Conflict::MixUp(rival) | Conflict::Loose(rival) => {
            (Class::Ungrounded, rival)
        }
    };
    let sentence = format!("The claim says {figure}, the quote {rival}.");
    findings.reclass(judged, CorrectionCode::FigureConflict, class, sentence);
}

fn conflict_of<'q>(
    text: &str,
    figure: &Figure,
    around: &Attributes,
    quoted: &[Quoted<'q>],
) -> Option<Conflict<'q>> {
    let mut rivals = Vec::new();
    for quote in quoted {
        for other in &quote.read.figures {
            if agree(figure, other) != Agreement::Different
                || is_far_from_count(text, figure, other)
            {
                continue;
            }
            let mixed_up = is_unit_mix_up(figure, other, &quote.read);
            let other_around = attributes(quote.text, other);
            if mixed_up || are_alike(around, &other_around) {
                let exact = are_close(around, &other_around);
                let rival = part(quote.text, other.span.clone());
                rivals.push(if mixed_up {
                    Conflict::MixUp(rival)
                } else if exact {
                    Conflict::Exact(rival)
                } else {
                    Conflict::Loose(rival)
                });
            }
        }
    }
    match rivals.as_slice() {
        [] => None,
        [only] => Some(*only),
        [mixed_up @ Conflict::MixUp(_), ..] => Some(*mixed_up),
        [Conflict::Exact(rival) | Conflict::Loose(rival), ..] => Some(Conflict::Loose(rival)),
    }
}

/// Whether a count is that of the quoted lines or of the citations.
fn counts_quoted_lines(figure: &Figure, quoted: &[Quoted<'_>]) -> bool {
    let lines: usize = quoted.iter().map(|quote| quote.text.trim().lines().count()).sum();
    let count = usize::try_from(figure.value.mantissa).ok();
    let is_count = figure.unit == Unit::COUNT && figure.value.places == 0;
    is_count && lines > 1 && (count == Some(lines) || count == Some(quoted.len()))
}

fn has_same(read: &Figures, figure: &Figure) -> bool {
    read.figures.iter().any(|other| agree(figure, other) == Agreement::Same)
}

/// "71 GiB" where the quote's only figure of the kind is "71Mi".
fn is_unit_mix_up(figure: &Figure, other: &Figure, read: &Figures) -> bool {
    let dimension = figure.unit.dimension;
    let only = read.figures.iter().filter(|figure| figure.unit.dimension == dimension).count() == 1;
    only && figure.unit != other.unit && figure.value.is_same_number(other.value)
}

/// Whether the cited items state a figure of the same attribute outside the quote.
fn is_stated_elsewhere(
    figure: &Figure,
    around: &Attributes,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
) -> bool {
    cited.items.iter().any(|position| {
        let read = sources.figures(*position).clone();
        let content = sources.plain(*position);
        let mut same = read.figures.iter().filter(|other| agree(figure, other) == Agreement::Same);
        same.any(|other| are_alike(around, &attributes(content, other)))
    })
}

fn check_presence(
    policy: &PolicyValues,
    judged: &mut JudgedClaim,
    claimed: &Figures,
    quoted: &[Quoted<'_>],
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    let text = judged.claim.text.clone();
    let mut derived = None;
    for figure in &claimed.figures {
        let written = part(&text, figure.span.clone());
        let is_held = is_one(figure)
            || states_number(written, cited, sources)
            || quoted.iter().any(|quote| holds(&quote.read, figure))
            || cited.items.iter().any(|position| item_holds(*position, figure, sources));
        if is_held {
            continue;
        }
        let follows = follows_from_numbers(&text, figure, cited, sources)
            .unwrap_or_else(|| may_derive(figure, cited, quoted, sources));
        if !follows {
            let code = CorrectionCode::FigureNotInEvidence;
            let sentence = format!(
                "Nothing quoted states {written} or adds up to it; quote what it follows from."
            );
            findings.reclass(judged, code, Class::Ungrounded, sentence);
            return;
        }
        derived = derived.or(Some(written));
    }
    if let Some(written) = derived {
        findings.retype(policy, judged, CorrectionCode::Derived, EvidenceType::Synthesis, || {
            format!("No cited item states {written}; it may only follow from what they state.")
        });
    }
}

/// Whether a figure in digits is a rounding, conversion, sum, difference or share of the numbers that are cited; `None`
/// where it may be something else.
fn follows_from_numbers(
    text: &str,
    figure: &Figure,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
) -> Option<bool> {
    let written = part(text, figure.span.clone());
    let in_digits = written.starts_with(|c: char| c.is_ascii_digit());
    if !in_digits || !cited.items.iter().all(|position| sources.may_search(*position)) {
        return None;
    }
    let mut numbers = Numbers::of_quotes(cited.quotes.iter().map(|quote| &**quote));
    if figure.unit.dimension == Dimension::Duration {
        numbers.add_times(&figures(text).times);
    }
    let has_rates = is_rate(text, figure) && numbers.add_rates();
    let is_known = !numbers.are_none_for(figure.unit.dimension);
    for position in &cited.items {
        let asked = sources.item(*position).map(|item| [item.tool.as_str(), &item.query]);
        numbers.add_item(sources.plain(*position), asked.unwrap_or_default());
    }
    let has_unit = !matches!(figure.unit.dimension, Dimension::Count | Dimension::Multiple);
    let is_comparable = is_known
        && (has_unit || derivable::is_specific(figure.value) && !begins_word(text, figure))
        && (has_rates || !is_rate(text, figure))
        && !states_aggregate(text)
        && !is_part_of_ratio(text, figure);
    let follows = derivable::may_follow(figure, is_loosely_put(text, figure), &numbers);
    (follows || is_comparable).then_some(follows)
}

/// Whether the digits of a figure stand in what is cited, in whatever unit: `6.2/s`, `418i`, `id=991231`.
fn states_number(written: &str, cited: &Cited<'_>, sources: &mut Sources<'_>) -> bool {
    let ends = |c: char| !c.is_ascii_digit() && c != '.' && c != ',';
    let Some(number) = written.split(ends).find(|number| !number.is_empty()) else { return false };
    let is_long = number.bytes().filter(u8::is_ascii_digit).count() >= 2;
    let stands_in = |text: &str| quotes::find(text, number).is_some() || has_suffix(text, number);
    is_long
        && (cited.quotes.iter().any(|quote| stands_in(quote))
            || cited.items.iter().any(|position| stands_in(sources.plain(*position))))
}

/// "One pod" is shown by naming it.
fn is_one(figure: &Figure) -> bool {
    figure.unit == Unit::COUNT && figure.value.mantissa == 1 && figure.value.places == 0
}

fn item_holds(position: usize, figure: &Figure, sources: &mut Sources<'_>) -> bool {
    sources.figures_asked_for(position).iter().any(|asked| holds(asked, figure))
        || holds(sources.figures(position), figure)
}

/// Whether a figure is among those read, or a bare number among them is it in some unit of its kind.
fn holds(read: &Figures, figure: &Figure) -> bool {
    let is_it = |unit: Unit, other: &Figure| {
        agree(figure, &Figure { unit, ..other.clone() }) == Agreement::Same
    };
    read.figures.iter().any(|other| {
        agree(figure, other) == Agreement::Same
            || (other.unit == Unit::COUNT
                && units_of(figure.unit.dimension).any(|unit| is_it(unit, other)))
    })
}

/// Whether the cited items hold enough from which a figure might follow: lines to count, two figures of its
/// kind, counts for a share, times for a length of time.
fn may_derive(
    figure: &Figure,
    cited: &Cited<'_>,
    quoted: &[Quoted<'_>],
    sources: &mut Sources<'_>,
) -> bool {
    let dimension = figure.unit.dimension;
    let (mut alike, mut any, mut times, mut entries) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut add = |read: &Figures, text: &str| {
        alike += read
            .figures
            .iter()
            .filter(|other| other.unit.dimension == dimension || other.unit == Unit::COUNT)
            .count();
        any += read.figures.len();
        times += read.times.len();
        entries += 1 + text.bytes().filter(|byte| matches!(byte, b'\n' | b'{' | b',')).count();
    };
    for position in &cited.items {
        let read = sources.figures(*position).clone();
        add(&read, sources.plain(*position));
    }
    if cited.items.is_empty() {
        for quote in quoted {
            add(&quote.read, quote.text);
        }
    }
    let countable = || {
        figure.value.places == 0
            && usize::try_from(figure.value.mantissa).is_ok_and(|count| count <= entries)
    };
    match dimension {
        Dimension::Count => alike >= 2 || countable(),
        Dimension::Duration => alike >= 2 || times >= 2,
        Dimension::Percent | Dimension::Multiple => any >= 2,
        _ => alike >= 2,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{codes, single};
    use super::*;
    use EvidenceType::{Synthesis, ToolMatch};

    fn class_of(claim: &str, content: &str, quote: &str) -> Class {
        single(claim, Class::Grounded, ToolMatch, content, quote).claims[0].judged.class
    }

    #[test]
    fn a_difference_of_two_quoted_numbers_is_no_conflict() {
        let diff = "-memory limit: 20Gi\n+memory limit: 14Gi";
        let found = |claim: &str| codes(&single(claim, Class::Grounded, ToolMatch, diff, diff));
        let conflict = CorrectionCode::FigureConflict;
        assert!(!found("The memory limit fell by 6 GiB").contains(&conflict));
        assert!(found("The memory limit is 9 GiB").contains(&conflict));
    }

    #[test]
    fn h21_the_same_quantity_in_other_words_agrees() {
        for (claim, quote) in [
            ("p99 latency rose to 1800 ms", "p99 latency 1.8 s"),
            ("CPU was at 95 %", "cpu usage 0.95"),
            ("CPU was at about 97 %", "cpu usage 95.9 %"),
            ("memory limit is 512 MiB", "memory limit 512Mi"),
            ("checkout restarted three times", "checkout restarted 3 times"),
        ] {
            let result = single(claim, Class::Grounded, ToolMatch, quote, quote);
            assert!(result.corrections.is_empty(), "{claim}: {:?}", result.corrections);
        }
    }

    #[test]
    fn h21_one_differing_figure_contradicts() {
        for (claim, quote) in [
            ("checkout restarted 5 times", "checkout restarted 3 times"),
            ("memory limit is 512 MB", "memory limit 512 MiB"),
            ("p99 latency of checkout rose to 2.8 s", "checkout p99 latency 1.8 s"),
        ] {
            assert_eq!(class_of(claim, quote, quote), Class::Contradicted, "{claim}");
        }
    }

    #[test]
    fn h21_figures_that_differ_among_several_are_ungrounded() {
        let quote = "checkout restarted 3 times, then checkout restarted 4 times";
        assert_eq!(class_of("checkout restarted 5 times", quote, quote), Class::Ungrounded);
        assert_eq!(class_of("checkout restarted 4 times", quote, quote), Class::Grounded);
    }

    #[test]
    fn h37_counts_of_other_things_and_sums_do_not_conflict() {
        for (claim, quote) in [
            ("Neither of the two containers was restarted", "Restart Count:  0"),
            ("Together the pods have restarted 12 times", "\"restart_count\": 6"),
            ("The volume is 28 days old", "volume   Pending   <unset>    28d"),
        ] {
            let result = single(claim, Class::Grounded, ToolMatch, quote, quote);
            assert!(!codes(&result).contains(&CorrectionCode::FigureConflict), "{claim}");
        }
    }

    #[test]
    fn h37_figures_of_other_attributes_do_not_conflict() {
        let content =
            "memory usage 490Mi of checkout, memory limit 512Mi, pod restarts 7, port 8080, v2.3.1";
        for (claim, quote) in [
            ("memory limit of checkout is 512Mi", "memory usage 490Mi of checkout"),
            ("checkout has restarted 7 times", "port 8080"),
            ("payments allows 8080 connections", "port 8080, v2.3.1"),
        ] {
            let result = single(claim, Class::Grounded, ToolMatch, content, quote);
            assert!(!codes(&result).contains(&CorrectionCode::FigureConflict), "{claim}");
        }
    }

    #[test]
    fn h21_a_figure_out_of_nowhere_is_ungrounded() {
        let quote = "connection pool exhausted";
        let result =
            single("The pool of 50 GB was exhausted", Class::Grounded, ToolMatch, quote, quote);
        assert_eq!(codes(&result), [CorrectionCode::FigureNotInEvidence]);
        assert_eq!(result.claims[0].judged.class, Class::Ungrounded);
    }

    #[test]
    fn what_may_follow_from_the_evidence_is_synthesis() {
        let content = "errors 142\nrequests 407";
        let result =
            single("35 % of requests failed", Class::Grounded, ToolMatch, content, "errors 142");
        assert_eq!(codes(&result), [CorrectionCode::Derived]);
        assert_eq!(result.claims[0].judged.evidence_type, Synthesis);
        assert_eq!(result.claims[0].judged.class, Class::Grounded);
    }

    #[test]
    fn h21_bare_numbers_under_a_headed_column_are_read_in_the_claims_unit() {
        let content = "POD        LATENCY_MS\ncheckout   1800";
        assert!(
            single(
                "latency of checkout was 1.8 s",
                Class::Grounded,
                ToolMatch,
                content,
                "checkout   1800"
            )
            .corrections
            .is_empty()
        );
    }

    #[test]
    fn h21_equal_digits_in_another_unit_contradict() {
        for (claim, quote) in [
            ("promtail uses 71 GiB of memory", "promtail-fcq5r   14m   71Mi"),
            (
                "The readiness probe has a delay of 300 seconds",
                "Readiness: http-get http://:80/health delay=180s",
            ),
            ("Pulling the image took 2.9 minutes", "pulled image in 2.9s"),
            ("The restart count of the pod stands at 61", "Restart Count:  16"),
            ("The probe has an initial delay of 30 seconds", "initialDelaySeconds: 15"),
        ] {
            assert_ne!(class_of(claim, quote, quote), Class::Grounded, "{claim}");
        }
    }
}
