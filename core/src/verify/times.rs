//! This module checks that the times of a claim are those of what it cites. See the table of `agreement`.

use alloc::format;
use alloc::string::String;

use super::agreement::Cited;
use super::corrections::{CorrectionCode, Findings};
use super::evidence_set::Sources;
use super::figures::Quoted;
use super::minutes::Minutes;
use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::policy::PolicyValues;
use crate::text::figures::{Agreement, ClockTime, Figures, agree_times};
use crate::text::part;
use crate::text::tokens::words;

/// Seconds of a minute.
const MINUTE: u32 = 60;

/// Makes a claim ungrounded whose time is another than those of what it cites, or a synthesis where that is open.
pub(super) fn check(
    policy: &PolicyValues,
    judged: &mut JudgedClaim,
    claimed: &Figures,
    quoted: &[Quoted<'_>],
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    if judged.class == Class::Grounded
        && let Some(time) = mentioned_nowhere(&judged.claim.text, claimed, cited, sources)
    {
        let stated = String::from(part(&judged.claim.text, time.span.clone()));
        let sentence = format!("No item mentions the time {stated}.");
        findings.reclass(judged, CorrectionCode::TimeConflict, Class::Ungrounded, sentence);
        return;
    }
    for time in &claimed.times {
        let text = judged.claim.text.as_str();
        if is_bound(text, time) || quoted.iter().any(|quote| states(&quote.read.times, time)) {
            continue;
        }
        let mut elsewhere = Elsewhere::default();
        for quote in quoted {
            elsewhere.compare(time, &quote.read.times);
        }
        for position in &cited.items {
            elsewhere.compare(time, &sources.figures(*position).times);
        }
        let stated = String::from(part(text, time.span.clone()));
        if elsewhere.stated || elsewhere.compared == 0 || mention(time, cited, sources) {
            continue;
        }
        if elsewhere.different == elsewhere.compared || is_other_than_quoted(time, quoted) {
            let sentence = format!("The cited items hold other times than {stated}.");
            findings.reclass(judged, CorrectionCode::TimeConflict, Class::Ungrounded, sentence);
            return;
        }
        if judged.class == Class::Grounded {
            findings.retype(
                policy,
                judged,
                CorrectionCode::Derived,
                EvidenceType::Synthesis,
                || format!("No cited item states the time {stated}."),
            );
        }
    }
}

/// A time to the minute that neither the cited items, which mention others, nor any other item mentions.
fn mentioned_nowhere<'c>(
    text: &str,
    claimed: &'c Figures,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
) -> Option<&'c ClockTime> {
    const ROUND: u16 = 5;
    let precise = |time: &&ClockTime| time.grain <= MINUTE;
    if !claimed.times.iter().any(|time| precise(&time)) {
        return None;
    }
    let every = 0..sources.len();
    let zones = Minutes::of(text).has_zones()
        || every.clone().any(|position| sources.minutes(position).has_zones());
    let cites_times = cited.items.iter().any(|position| !sources.minutes(*position).is_empty());
    claimed.times.iter().filter(precise).filter(|_| cites_times).find(|time| {
        let minute = u16::try_from(time.seconds_of_day / MINUTE).unwrap_or(0);
        // A bound may be a round time that nothing happened at, and an instant may leave its zone out.
        let rounded_bound = minute % ROUND == 0 && is_bound(text, time);
        let zones = zones || (time.grain == 1 && time.offset_minutes.is_none());
        !rounded_bound
            && !every.clone().any(|position| sources.minutes(position).mention(minute, zones))
    })
}

/// Whether a cited item mentions the minute of a time in a notation of its own, such as seconds since 1970.
fn mention(time: &ClockTime, cited: &Cited<'_>, sources: &mut Sources<'_>) -> bool {
    let minute = u16::try_from(time.seconds_of_day / MINUTE).unwrap_or(0);
    cited
        .items
        .iter()
        .any(|position| time.grain <= MINUTE && sources.minutes(*position).mention(minute, false))
}

fn states(times: &[ClockTime], time: &ClockTime) -> bool {
    times.iter().any(|other| agree_times(time, other) == Agreement::Same)
}

/// How the times of the evidence relate to a claim's.
#[derive(Default)]
struct Elsewhere {
    stated: bool,
    compared: usize,
    different: usize,
}

impl Elsewhere {
    fn compare(&mut self, time: &ClockTime, times: &[ClockTime]) {
        for other in times {
            self.compared += 1;
            match agree_times(time, other) {
                Agreement::Same => self.stated = true,
                Agreement::Different if !within_a_minute(time, other) => self.different += 1,
                Agreement::Different | Agreement::Incomparable => {}
            }
        }
    }
}

/// Whether the quotes hold one time, which is another even if zones were left out.
fn is_other_than_quoted(time: &ClockTime, quoted: &[Quoted<'_>]) -> bool {
    const HALF_HOUR: u32 = 1_800;
    let mut times = quoted.iter().flat_map(|quote| &quote.read.times);
    let (Some(other), None) = (times.next(), times.next()) else { return false };
    let zones = [time, other].map(|time| time.offset_minutes.unwrap_or(0) * 60);
    let of_day = |time: &ClockTime, zone: i32| i64::from(time.seconds_of_day) - i64::from(zone);
    let [zone, other_zone] = zones;
    let gap = (of_day(time, zone) - of_day(other, other_zone)).rem_euclid(86_400);
    let gap = u32::try_from(gap.min(86_400 - gap)).unwrap_or(0);
    let one_zone_unknown = time.offset_minutes.is_some() != other.offset_minutes.is_some();
    // Whole half hours apart may be one instant in two zones.
    let shifted = one_zone_unknown && gap % HALF_HOUR <= time.grain.max(other.grain);
    gap > 60 && time.grain <= 60 && other.grain <= 60 && !shifted
}

/// Tools disagree by up to a minute about when a thing happened.
fn within_a_minute(a: &ClockTime, b: &ClockTime) -> bool {
    a.seconds().zip(b.seconds()).is_some_and(|(a, b)| a.abs_diff(b) <= 60)
}

/// Whether a time bounds a stretch rather than being an instant: "since 14:02", "between 14:02 and 14:17".
pub(super) fn is_bound(text: &str, time: &ClockTime) -> bool {
    const BOUNDS: [&str; 15] = [
        "before",
        "after",
        "since",
        "until",
        "till",
        "from",
        "by",
        "between",
        "to",
        "and",
        "around",
        "about",
        "approximately",
        "past",
        "through",
    ];
    let before = part(text, 0..time.span.start);
    let last = words(before).last();
    let dashed = before.trim_end().ends_with(['-', '–', '—', '~', '≈']);
    dashed || last.is_some_and(|word| BOUNDS.iter().any(|bound| word.is(bound)))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::testing::{codes, single};
    use super::*;
    use EvidenceType::ToolMatch;

    fn class_of(claim: &str, content: &str, quote: &str) -> Class {
        single(claim, Class::Grounded, ToolMatch, content, quote).claims[0].judged.class
    }

    #[test]
    fn h22_a_dated_time_that_no_item_holds_is_ungrounded() {
        let content =
            "2024-05-01T14:02:31Z ERROR pool exhausted\n2024-05-01T14:02:45Z ERROR pool exhausted";
        let quote = "ERROR pool exhausted";
        let at = |time: &str| {
            let claim = format!("The pool was exhausted {time}");
            let result = single(&claim, Class::Grounded, ToolMatch, content, quote);
            (result.claims[0].judged.class, codes(&result))
        };
        assert_eq!(at("at 2024-05-01T14:02:31Z"), (Class::Grounded, Vec::new()));
        assert_eq!(at("at 14:02"), (Class::Grounded, Vec::new()));
        assert_eq!(at("at 2024-05-01T16:02:31+02:00"), (Class::Grounded, Vec::new()));
        assert_eq!(at("after 2024-05-01T13:00:00Z"), (Class::Grounded, Vec::new()));
        assert_eq!(at("at 2024-05-01T15:30:00Z").0, Class::Ungrounded);
        assert_eq!(at("after 13:00"), (Class::Grounded, Vec::new()));
        assert_eq!(at("at 15:30"), (Class::Ungrounded, Vec::from([CorrectionCode::TimeConflict])));
    }

    #[test]
    fn h22_another_time_of_day_without_date_is_no_contradiction() {
        let quote = "2024-05-01T14:02:31Z ERROR pool exhausted";
        let class = |claim: &str| class_of(claim, quote, quote);
        assert_eq!(class("The pool was exhausted at 14:40 UTC"), Class::Ungrounded);
        assert_eq!(class("The pool was exhausted at 14:40"), Class::Ungrounded);
        assert_eq!(class("The pool was exhausted at 16:02:31"), Class::Grounded);
        assert_eq!(class("The pool was exhausted at 14:03 UTC"), Class::Grounded);
    }
}
