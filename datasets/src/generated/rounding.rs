//! Generates pairs of claims that round or convert a figure, one correctly and one incorrectly.

use super::Evidence;
use crate::Random;

/// A way to round a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoundingForm {
    /// "about 38 %" for 38.2 %.
    Percent,
    /// "about 38 %" for a ratio of 0.3817.
    Ratio,
    /// "three quarters" for 301 in 400.
    Portion,
    /// "just over 2 GB" for 2090 MB.
    JustOver,
    /// "almost three seconds" for 2840 ms.
    Almost,
    /// "nearly 500" for 487.
    Nearly,
    /// "roughly 1.2 million" for 1213442.
    Roughly,
    /// "more than 90 %" for 93.4 %.
    MoreThan,
    /// "within seven minutes" for the time between two events.
    Within,
}

impl RoundingForm {
    /// All forms.
    pub const ALL: [Self; 9] = [
        Self::Percent,
        Self::Ratio,
        Self::Portion,
        Self::JustOver,
        Self::Almost,
        Self::Nearly,
        Self::Roughly,
        Self::MoreThan,
        Self::Within,
    ];

    /// Returns the form's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Percent => "about n percent",
            Self::Ratio => "percent of a ratio",
            Self::Portion => "portion of two counts",
            Self::JustOver => "just over, in another unit",
            Self::Almost => "almost, in another unit",
            Self::Nearly => "nearly a round number",
            Self::Roughly => "roughly n million",
            Self::MoreThan => "more than",
            Self::Within => "within, between two events",
        }
    }
}

/// A correct and an incorrect rounding of the same evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounding {
    /// The form of both claims.
    pub form: RoundingForm,
    /// The evidence that decides both claims.
    pub evidence: Evidence,
    /// The true claim.
    pub truth: String,
    /// The false claim.
    pub falsehood: String,
}

/// Generates `count` pairs, distributed evenly over the forms. The result is deterministic for a given seed.
pub fn rounding(seed: u64, count: usize) -> Vec<Rounding> {
    let mut random = Random::new(seed);
    let forms = RoundingForm::ALL.into_iter().cycle().take(count);
    forms.map(|form| make_pair(form, &mut random)).collect()
}

const SERVICES: [&str; 6] =
    ["checkout", "orders-read", "api-gateway", "ledger-writer", "search-index", "thumbnailer"];

const NUMBERS: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// Fractions in words, with their values in thousandths.
const PORTIONS: [(&str, usize); 7] = [
    ("half", 500),
    ("a third", 333),
    ("two thirds", 667),
    ("a quarter", 250),
    ("three quarters", 750),
    ("a fifth", 200),
    ("a tenth", 100),
];

fn make_pair(form: RoundingForm, random: &mut Random) -> Rounding {
    let name = random.word(&SERVICES);
    let (evidence, truth, falsehood) = match form {
        RoundingForm::Percent => percent(name, random),
        RoundingForm::Ratio => ratio(name, random),
        RoundingForm::Portion => portion(name, random),
        RoundingForm::JustOver => just_over(name, random),
        RoundingForm::Almost => almost(name, random),
        RoundingForm::Nearly => nearly(name, random),
        RoundingForm::Roughly => roughly(name, random),
        RoundingForm::MoreThan => more_than(name, random),
        RoundingForm::Within => within(name, random),
    };
    Rounding { form, evidence, truth, falsehood }
}

type Pair = (Evidence, String, String);

fn fill_wording(
    evidence: Evidence,
    wording: &str,
    name: &str,
    truth: &str,
    falsehood: &str,
) -> Pair {
    let claim = |figure: &str| wording.replace("{name}", name).replace("{figure}", figure);
    (evidence, claim(truth), claim(falsehood))
}

/// Draws a percentage from 4 to 97 that is at least twelve points away from `percent`.
fn another_percent(percent: usize, random: &mut Random) -> usize {
    let far = random.between(12, 30);
    if percent >= far + 4 && (percent + far > 97 || random.percent(50)) {
        percent - far
    } else {
        percent + far
    }
}

fn percent(name: &str, random: &mut Random) -> Pair {
    let percent = random.between(8, 60);
    let below = random.percent(50);
    let (whole, tenth) =
        if below { (percent - 1, random.between(6, 9)) } else { (percent, random.between(1, 4)) };
    let evidence = record(name, &[("cpu_percent", format!("{whole}.{tenth}"))], random);
    let wording = random.word(&[
        "The CPU usage of {name} was about {figure} %.",
        "{name} used roughly {figure} % of CPU.",
        "CPU usage on {name} was around {figure} %.",
        "{name} ran at some {figure} % CPU.",
    ]);
    let other = another_percent(percent, random);
    fill_wording(evidence, wording, name, &percent.to_string(), &other.to_string())
}

fn ratio(name: &str, random: &mut Random) -> Pair {
    let percent = random.between(8, 60);
    let ten_thousandths = percent * 100 + random.between(10, 39);
    let evidence = record(name, &[("error_ratio", format!("0.{ten_thousandths:04}"))], random);
    let wording = random.word(&[
        "About {figure} % of the requests to {name} failed.",
        "The error ratio of {name} was about {figure} %.",
        "{name} failed roughly {figure} % of its requests.",
        "Around {figure} % of requests on {name} ended in errors.",
    ]);
    let other = another_percent(percent, random);
    fill_wording(evidence, wording, name, &percent.to_string(), &other.to_string())
}

fn portion(name: &str, random: &mut Random) -> Pair {
    let (words, thousandths) = random.pick(&PORTIONS).copied().unwrap_or(("half", 500));
    let far: Vec<&str> = PORTIONS
        .iter()
        .filter(|(_, other)| other.abs_diff(thousandths) >= 150)
        .map(|(words, _)| *words)
        .collect();
    let other = random.pick(&far).copied().unwrap_or("all");
    let total = 40 * random.between(10, 100);
    let failed = total * thousandths / 1_000 + random.below(3);
    let evidence =
        record(name, &[("requests", total.to_string()), ("failed", failed.to_string())], random);
    let wording = random.word(&[
        "About {figure} of the requests to {name} failed.",
        "Of the requests to {name}, roughly {figure} failed.",
        "{name} failed around {figure} of its requests.",
        "Close to {figure} of the requests that {name} got failed.",
    ]);
    fill_wording(evidence, wording, name, words, other)
}

fn just_over(name: &str, random: &mut Random) -> Pair {
    let gigabytes = random.between(2, 9);
    // The value exceeds the claimed figure in both decimal and binary units.
    let megabytes = gigabytes * 1_024 + random.between(10, 80);
    let evidence = record(name, &[("memory_mb", megabytes.to_string())], random);
    let wording = random.word(&[
        "{name} used just over {figure} GB of memory.",
        "The memory of {name} was just over {figure} GB.",
        "{name} took up a little over {figure} GB of memory.",
        "Memory usage of {name} was slightly above {figure} GB.",
    ]);
    let above = gigabytes + random.between(2, 3);
    let other = if gigabytes >= 4 && random.percent(50) { gigabytes / 2 } else { above };
    fill_wording(evidence, wording, name, &gigabytes.to_string(), &other.to_string())
}

fn almost(name: &str, random: &mut Random) -> Pair {
    let index = random.below(NUMBERS.len() - 3);
    let seconds = index + 2;
    let milliseconds = seconds * 1_000 - random.between(30, 180);
    let evidence = record(name, &[("latency_ms", milliseconds.to_string())], random);
    let wording = random.word(&[
        "{name} took almost {figure} seconds to answer.",
        "The latency of {name} was almost {figure} seconds.",
        "{name} answered in just under {figure} seconds.",
        "It took {name} nearly {figure} seconds to respond.",
    ]);
    let word = |index: usize| NUMBERS.get(index).copied().unwrap_or_default();
    fill_wording(evidence, wording, name, word(index), word(index + random.between(2, 3)))
}

fn nearly(name: &str, random: &mut Random) -> Pair {
    let hundreds = random.between(3, 9);
    let connections = hundreds * 100 - random.between(3, 15);
    let evidence = record(name, &[("connections", connections.to_string())], random);
    let wording = random.word(&[
        "{name} had nearly {figure} connections.",
        "Almost {figure} connections were open to {name}.",
        "There were close to {figure} connections on {name}.",
        "The connections of {name} numbered nearly {figure}.",
    ]);
    let below = hundreds - random.between(1, 2);
    let other = if random.percent(50) { below } else { hundreds + hundreds / 3 + 1 };
    let hundred = |hundreds: usize| (hundreds * 100).to_string();
    fill_wording(evidence, wording, name, &hundred(hundreds), &hundred(other))
}

fn roughly(name: &str, random: &mut Random) -> Pair {
    let tenths = random.between(12, 89);
    let rows = tenths * 100_000 + random.between(1_000, 40_000);
    let evidence = record(name, &[("rows_written", rows.to_string())], random);
    let wording = random.word(&[
        "{name} wrote roughly {figure} million rows.",
        "About {figure} million rows were written by {name}.",
        "Rows written by {name} came to around {figure} million.",
        "Some {figure} million rows were written by {name}.",
    ]);
    let far = tenths / 5 + random.between(3, 6);
    let other = if random.percent(50) { tenths - far } else { tenths + far };
    let figure = |tenths: usize| format!("{}.{}", tenths / 10, tenths % 10);
    fill_wording(evidence, wording, name, &figure(tenths), &figure(other))
}

fn more_than(name: &str, random: &mut Random) -> Pair {
    let round = 10 * random.between(3, 8);
    let (whole, tenth) = (round + random.between(1, 4), random.between(1, 9));
    let evidence = record(name, &[("disk_used_percent", format!("{whole}.{tenth}"))], random);
    let wording = random.word(&[
        "The disk of {name} was more than {figure} % full.",
        "{name} had more than {figure} % of its disk in use.",
        "Disk usage of {name} was above {figure} %.",
        "Over {figure} % of the disk of {name} was used.",
    ]);
    let other = round + 10 * random.between(1, (100 - round) / 10 - 1);
    fill_wording(evidence, wording, name, &round.to_string(), &other.to_string())
}

fn within(name: &str, random: &mut Random) -> Pair {
    let index = random.between(2, NUMBERS.len() - 1);
    // At least five seconds below the stated number of minutes.
    let seconds = (index + 2) * 60 - random.between(5, 55);
    let (hour, start) = (random.between(6, 20), random.below(45 * 60));
    let time =
        |second: usize| format!("2026-03-12T{hour:02}:{:02}:{:02}Z", second / 60, second % 60);
    let lines = [
        format!("{} WARN {name} health check failed", time(start)),
        format!("{} INFO {name} retrying", time(start + seconds / 3)),
        format!("{} INFO {name} recovered", time(start + seconds)),
    ];
    let evidence = Evidence::log(lines.join("\n"));
    let wording = random.word(&[
        "{name} recovered within {figure} minutes of the failed health check.",
        "Within {figure} minutes of the failed health check {name} had recovered.",
        "Less than {figure} minutes after its health check failed, {name} recovered.",
        "{name} needed less than {figure} minutes to recover from the failed health check.",
    ]);
    let word = |index: usize| NUMBERS.get(index).copied().unwrap_or_default();
    let far = random.between(2, 4).min(index);
    fill_wording(evidence, wording, name, word(index), word(index - far))
}

fn record(name: &str, fields: &[(&str, String)], random: &mut Random) -> Evidence {
    let fields = || fields.iter().map(|(key, value)| (*key, value.as_str()));
    let joined = |before: &str, between: &str, after: &str| {
        let fields = fields().map(|(key, value)| format!("{before}{key}{between}{value}"));
        fields.collect::<Vec<_>>().join(after)
    };
    match random.below(4) {
        0 => Evidence {
            tool: format!("curl -s http://metrics/v1/services/{name}"),
            json: true,
            ..Evidence::state(format!("{{\"service\":\"{name}\",{}}}", joined("\"", "\":", ",")))
        },
        1 => Evidence::log(format!(
            "ts=2026-03-12T14:20:31Z level=info msg=sample service={name} {}",
            joined("", "=", " ")
        )),
        2 => Evidence {
            tool: format!("svcctl describe {name}"),
            ..Evidence::state(format!("name: {name}\n{}", joined("", ": ", "\n")))
        },
        _ => {
            let keys: Vec<&str> = fields().map(|(key, _)| key).collect();
            let values: Vec<&str> = fields().map(|(_, value)| value).collect();
            Evidence {
                tool: format!("svcctl report --service {name} --format csv"),
                ..Evidence::state(format!(
                    "service,{}\n{name},{}",
                    keys.join(","),
                    values.join(",")
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests;
