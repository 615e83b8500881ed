//! Claims about rows in which a detector states a direction or the outcome of a call:
//! `03:54:00 | METRIC | adservice-0 | container_memory_usage_MB | down`, `… | TRACE | a --> b | /path | 500`.
//!
//! | the claim says | holds when | fails when |
//! |---|---|---|
//! | a quantity of named things went up, is high, down, low | each has rows for it, all that way | one has rows for it, all the other way |
//! | calls from one to another failed, were slow | a row of that pair says so | all of its rows say another outcome, and the claim gives no other time |
//!
//! A row about another thing, another quantity or another time says nothing.

use gsar_core::text::figures::{ClockTime, CodeKind};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::{Word, words};

use super::several::{Sort, Tally};
use super::vocabulary::synonyms;
use crate::evidence::observations::Corpus;
use crate::evidence::values;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::words::{Key, exact, key, parts};

/// One row of a detector.
#[derive(Debug)]
pub(crate) struct Row {
    pub(super) field: u32,
    time: Option<ClockTime>,
    pub(super) told: Told,
}

#[derive(Debug)]
pub(super) enum Told {
    /// A quantity of a thing went up or down.
    Moved { thing: Key, root: Key, sort: Sort, metric: Vec<Key>, up: bool },
    /// A call from one thing to another.
    Called { from: Key, to: Key, failed: bool },
}

/// Reads the rows of all items.
pub(super) fn gather(corpus: &Corpus<'_>) -> Vec<Row> {
    let mut fields: Vec<u32> = ["up", "down", "pd", "trace"]
        .iter()
        .flat_map(|word| corpus.by_word.of(key(word)))
        .collect();
    fields.sort_unstable();
    fields.dedup();
    fields.into_iter().filter_map(|field| row(corpus, field)).collect()
}

fn row(corpus: &Corpus<'_>, field: u32) -> Option<Row> {
    let cells: Vec<&str> =
        corpus.line(field).trim().trim_matches('|').split(" | ").map(str::trim).collect();
    let last = *cells.last()?;
    if cells.len() < 4 || !cells.first()?.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let time = values::times(corpus, field).into_iter().next();
    let thing = *cells.get(2)?;
    if let Some((from, to)) = thing.split_once("-->").or_else(|| thing.split_once("->")) {
        let failed = match last {
            "PD" => false,
            status if status.len() == 3 && status.starts_with(['4', '5']) => true,
            _ => return None,
        };
        let told = Told::Called { from: exact(from.trim()), to: exact(to.trim()), failed };
        return Some(Row { field, time, told });
    }
    let up = match last {
        "up" => true,
        "down" => false,
        _ => return None,
    };
    let metric = cells.get(3)?;
    let mut keys: Vec<Key> = words(metric).flat_map(|word| parts(word.text).map(key)).collect();
    keys.extend(words(metric).flat_map(|word| [key(word.text), exact(word.text)]));
    keys.push(exact(metric));
    let root = thing.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    let sort = Sort::of_name(thing);
    let told = Told::Moved { thing: exact(thing), root: exact(root), sort, metric: keys, up };
    Some(Row { field, time, told })
}

/// What a word says of the direction of a quantity.
fn direction(word: &Word<'_>) -> Option<bool> {
    const UP: [&str; 27] = [
        "up",
        "rose",
        "rises",
        "rising",
        "risen",
        "elevated",
        "high",
        "higher",
        "increase",
        "increased",
        "increases",
        "increasing",
        "grew",
        "growing",
        "growth",
        "climbed",
        "raised",
        "busier",
        "surged",
        "surge",
        "spiked",
        "spike",
        "more",
        "jumped",
        "upward",
        "abnormally-high",
        "climbing",
    ];
    const DOWN: [&str; 24] = [
        "down",
        "fell",
        "falls",
        "falling",
        "low",
        "lower",
        "decrease",
        "decreased",
        "decreases",
        "decreasing",
        "drop",
        "dropped",
        "drops",
        "dropping",
        "reduced",
        "declined",
        "declining",
        "less",
        "shrank",
        "shrinking",
        "sank",
        "downward",
        "reduction",
        "decline",
    ];
    if UP.iter().any(|up| word.is(up)) {
        Some(true)
    } else {
        DOWN.iter().any(|down| word.is(down)).then_some(false)
    }
}

/// Words of such claims that say nothing more.
const LIGHT: &str = "the a an of on for at in to and is are was were been has have had shows show showed flagged as alert \
    alerts metric metrics usage use used its their abnormally than usual usually normal uses level levels \
    suffers suffer from experienced experiences indicate indicates indicating statistics value values \
    memory-usage went that which they it all both pods pod node instance count counts number time spent see \
    saw seen reported reports recorded anomalous anomaly anomalies anomalously space being";

/// Decides a claim about the rows of a detector.
pub(super) fn decide(case: &Case<'_, '_, '_>, rows: &[Row]) -> Option<Ruling> {
    let reading = case.reading;
    let is_open = reading.denies
        || [MarkerKind::Negation, MarkerKind::None, MarkerKind::Some]
            .iter()
            .any(|kind| reading.has(*kind));
    if is_open || rows.is_empty() {
        return None;
    }
    calls(case, rows).or_else(|| moves(case, rows))
}

/// The one time of a claim; `Err` where it has several.
fn time<'c>(case: &'c Case<'_, '_, '_>) -> Result<Option<&'c ClockTime>, ()> {
    match case.reading.figures.times.as_slice() {
        [] => Ok(None),
        [time] => Ok(Some(time)),
        _ => Err(()),
    }
}

fn is_then(row: &Row, time: Option<&ClockTime>) -> bool {
    time.is_none_or(|time| row.time.as_ref().is_some_and(|of| values::same_time(time, of)))
}

/// "Memory of dbservice2 is elevated", "system.disk.used is up on node-4".
fn moves(case: &Case<'_, '_, '_>, rows: &[Row]) -> Option<Ruling> {
    let time = time(case).ok()?;
    let text = case.reading.text;
    let mut up = None;
    let mut things: Vec<Key> = Vec::new();
    let mut roots: Vec<Key> = Vec::new();
    let mut quantity: Vec<Vec<Key>> = Vec::new();
    let mut rest = 0_usize;
    let is_all = case.reading.has(MarkerKind::All);
    let mut tally = Tally::default();
    let all: Vec<Word<'_>> = words(text).collect();
    for (place, word) in all.iter().enumerate() {
        let inside_time = case
            .reading
            .figures
            .times
            .iter()
            .any(|time| time.span.start <= word.span.start && word.span.end <= time.span.end);
        if inside_time {
            continue;
        }
        let name = exact(word.text);
        let names_group = is_all && all.get(place + 1).and_then(Sort::of_noun).is_some();
        if tally.takes(case, word) {
            continue;
        }
        if let Some(direction) = direction(word) {
            if up.is_some_and(|up| up != direction) {
                return None;
            }
            up = Some(direction);
        } else if !names_group
            && rows
                .iter()
                .any(|row| matches!(&row.told, Told::Moved { thing, .. } if *thing == name))
        {
            things.push(name);
        } else if is_all
            && rows.iter().any(|row| matches!(&row.told, Told::Moved { root, .. } if *root == name))
        {
            roots.push(name);
        } else {
            let mut keys = vec![name, key(word.text)];
            keys.extend(synonyms(word.text).map(key));
            let known = |row: &Row| matches!(&row.told, Told::Moved { metric, .. } if keys.iter().any(|key| metric.contains(key)));
            let is_light = LIGHT.split_ascii_whitespace().any(|light| word.is(light));
            if !is_light && rows.iter().any(known) {
                quantity.push(keys);
            } else if !is_light {
                rest += 1;
            }
        }
    }
    let is_about = tally.is_stated() || things.len() + roots.len() > 0;
    let claimed = up.filter(|_| !quantity.is_empty() && is_about)?;
    let of = |name: &dyn Fn(&Key, &Key) -> bool| -> Vec<(&Row, bool)> {
        rows.iter()
            .filter(|row| is_then(row, time))
            .filter_map(|row| match &row.told {
                Told::Moved { thing, root, metric, up, .. }
                    if name(thing, root)
                        && quantity
                            .iter()
                            .all(|keys| keys.iter().any(|key| metric.contains(key))) =>
                {
                    Some((row, *up))
                }
                _ => None,
            })
            .collect()
    };
    if tally.is_stated() {
        let so: Vec<&Row> = of(&|_, _| true)
            .into_iter()
            .filter(|(_, up)| *up == claimed)
            .map(|(row, _)| row)
            .collect();
        return (rest == 0 && roots.is_empty()).then(|| tally.decide(&things, &so)).flatten();
    }
    let mut cites = Vec::new();
    let mut is_whole = roots.is_empty();
    for name in &things {
        let found = of(&|thing, _| thing == name);
        if let Some((row, _)) = found.first().filter(|_| found.iter().all(|(_, up)| *up != claimed))
        {
            return refuted(case, row, rest);
        }
        is_whole &= !found.is_empty() && found.iter().all(|(_, up)| *up == claimed);
        cites.extend(found.iter().map(|(row, _)| Cite::Field(row.field)).take(4));
    }
    for name in &roots {
        let found = of(&|_, root| root == name);
        if let Some((row, _)) = found.iter().find(|(_, up)| *up != claimed) {
            return refuted(case, row, rest);
        }
    }
    let says = told(case, cites.first()?);
    (is_whole && rest == 0).then(|| Ruling::grounded(Basis::Stated, cites, says))
}

/// A claim with more words than this that the rows do not know is not understood.
const MOST_REST: usize = 4;

fn refuted(case: &Case<'_, '_, '_>, row: &Row, rest: usize) -> Option<Ruling> {
    let cite = Cite::Field(row.field);
    (rest <= MOST_REST).then(|| Ruling::contradicted(Basis::Stated, vec![cite], told(case, &cite)))
}

fn told(case: &Case<'_, '_, '_>, cite: &Cite) -> String {
    match cite {
        Cite::Field(field) => crate::verdict::note::says(case, *field),
        Cite::Sample { .. } | Cite::Item(_) => String::new(),
    }
}

fn is_status_code(word: &str) -> bool {
    word.len() == 3
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && word.starts_with(['4', '5'])
}

/// "Calls from a to b failed", "a request from a to b returned a 500", "500 errors between a and b".
fn calls(case: &Case<'_, '_, '_>, rows: &[Row]) -> Option<Ruling> {
    let reading = case.reading;
    if reading.has(MarkerKind::All) {
        return None;
    }
    let ends = |name: Key| {
        rows.iter().any(|row| matches!(&row.told, Told::Called { from, to, .. } if *from == name || *to == name))
    };
    let all: Vec<Word<'_>> = words(reading.text).collect();
    let named: Vec<(usize, Key)> = all
        .iter()
        .enumerate()
        .map(|(place, word)| (place, exact(word.text)))
        .filter(|(_, name)| ends(*name))
        .collect();
    let [(first, one), (second, other)] = named.as_slice() else { return None };
    let joint = all.get(second.checked_sub(1)?)?;
    let lead = first.checked_sub(1).and_then(|place| all.get(place));
    let says = |word: Option<&Word<'_>>, wanted: &str| word.is_some_and(|word| word.is(wanted));
    let either_way = says(lead, "between") && joint.is("and");
    let forward = joint.is("to") || reading.text.contains("->");
    if !either_way && !forward {
        return None;
    }
    let is_status = reading.figures.codes.iter().any(|code| {
        code.kind == CodeKind::HttpStatus
            && reading.text.get(code.span.clone()).is_some_and(|text| text.starts_with('5'))
    });
    let has = |listed: &[&str]| all.iter().any(|word| listed.iter().any(|entry| word.is(entry)));
    let fails =
        is_status || has(&["500", "failed", "failing", "fail", "fails", "failure", "failures"]);
    let slow = has(&["pd", "slow", "degraded", "degradation", "slower", "slowed", "slowly"]);
    if fails == slow {
        return None;
    }
    let time = time(case).ok()?;
    let pair = |row: &&Row| match &row.told {
        Told::Called { from, to, .. } => {
            from == one && to == other || either_way && from == other && to == one
        }
        Told::Moved { .. } => false,
    };
    let failed = |row: &&Row| matches!(&row.told, Told::Called { failed: true, .. });
    // "failed with a 503": the row has that very status.
    let has_status = |row: &&Row| {
        let line = case.corpus.line(row.field);
        all.iter()
            .filter(|word| is_status_code(word.text))
            .all(|word| line.rsplit('|').next().is_some_and(|last| last.trim() == word.text))
    };
    let found: Vec<&Row> = rows.iter().filter(pair).filter(|row| is_then(row, time)).collect();
    let light = |word: &Word<'_>| {
        const MORE: &str = "call calls request requests trace traces error errors with ended there alerts between \
            pd slow degraded degradation slower slowed failed fail failing fails failure failures returned \
            by http status code get got answered into several some";
        let listed = |table: &str| table.split_ascii_whitespace().any(|entry| word.is(entry));
        let in_time = reading
            .figures
            .times
            .iter()
            .any(|time| time.span.start <= word.span.start && word.span.end <= time.span.end);
        let is_number = in_time || is_status_code(word.text);
        ends(exact(word.text)) || is_number || listed(LIGHT) || listed(MORE)
    };
    let on_path = |word: &Word<'_>| {
        let bears = |row: &&Row| case.corpus.line(row.field).contains(word.text);
        word.text.contains('_') && found.iter().any(bears)
    };
    let rest = all.iter().filter(|word| !light(word) && !on_path(word) && !word.is("on")).count();
    let so: Vec<&&Row> = found.iter().filter(|row| failed(row) == fails).collect();
    if !so.is_empty() {
        let row = so.iter().find(|row| has_status(row))?;
        let cite = Cite::Field(row.field);
        return (rest == 0).then(|| Ruling::grounded(Basis::Stated, vec![cite], told(case, &cite)));
    }
    if !fails {
        return None;
    }
    found.first().and_then(|row| refuted(case, row, rest))
}
