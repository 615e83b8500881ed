//! Formats scenes as log lines.

use super::super::Evidence;
use super::super::scene::{Row, Scene};
use crate::Random;

const OTHER_LINES: [&str; 4] = [
    "INFO ticker tick 4417 done",
    "DEBUG housekeeping pass complete",
    "INFO config reloaded, nothing changed",
    "INFO heartbeat sent",
];

/// Draws a log time that is later than all claimed times.
pub(super) fn stamp(random: &mut Random) -> String {
    format!("2026-03-12T21:{:02}:{:02}Z", random.below(60), random.below(60))
}

/// Formats a scene as one line with one clause per thing.
pub(super) fn clauses(scene: &Scene, part: &str, random: &mut Random) -> Evidence {
    let style = random.below(3);
    let clauses: Vec<String> = scene.rows().map(|row| clause(&row, style)).collect();
    let opening = random.word(&[
        "INFO probe round done: ",
        "WARN watcher: ",
        "INFO reporter summary - ",
        "INFO monitor ",
    ]);
    let line = format!("{} {opening}{}", stamp(random), clauses.join(part));
    log(vec![line], random)
}

fn clause(row: &Row<'_>, style: usize) -> String {
    let clause = |(column, cell): (&super::super::scene::Column, &str)| match style {
        0 => column
            .attribute
            .clauses
            .0
            .replace("{name}", row.name)
            .replace("{value}", column.prose(row.index)),
        1 => format!("{}: {} {cell}", row.name, column.key()),
        _ => format!("{} {}={cell}", row.name, column.key()),
    };
    row.fields().map(clause).collect::<Vec<_>>().join(" ")
}

/// Formats a scene as a line such as `queue-in depth=40 queue-out depth=900`, or with the name before every key.
pub(super) fn key_value_run(scene: &Scene, random: &mut Random) -> Evidence {
    let name_once = random.percent(60);
    let mut words = Vec::new();
    for row in scene.rows() {
        if name_once {
            words.push(row.name.to_owned());
        }
        let before = if name_once { String::new() } else { format!("{}.", row.name) };
        words.extend(row.fields().map(|(column, cell)| format!("{before}{}={cell}", column.key())));
    }
    let line = format!("{} INFO stats {}", stamp(random), words.join(" "));
    log(vec![line], random)
}

pub(super) fn logfmt(scene: &Scene, random: &mut Random) -> Evidence {
    let time = stamp(random);
    let lines = scene.rows().map(|row| {
        let name = format!("{}={}", scene.kind.noun, row.name);
        let fields = row.fields().map(|(column, cell)| format!("{}={cell}", column.key()));
        let fields: Vec<String> = std::iter::once(name).chain(fields).collect();
        format!("ts={time} level=info msg=sample {}", fields.join(" "))
    });
    Evidence::log(lines.collect::<Vec<_>>().join("\n"))
}

pub(super) fn syslog(scene: &Scene, random: &mut Random) -> Evidence {
    let mut lines = Vec::new();
    for row in scene.rows() {
        let process = random.between(400, 4_000);
        let (minute, second) = (random.below(60), random.below(60));
        let fields = row.fields().map(|(column, cell)| format!("{}={cell}", column.key()));
        let fields = fields.collect::<Vec<_>>().join(" ");
        lines.push(format!(
            "Mar 12 21:{minute:02}:{second:02} {} inventoryd[{process}]: self check: {fields}",
            row.name
        ));
    }
    let tool = "cat /var/log/central/messages".to_owned();
    Evidence { tool, ..Evidence::log(lines.join("\n")) }
}

/// Joins lines into a log, sometimes with irrelevant lines.
pub(super) fn log(mut lines: Vec<String>, random: &mut Random) -> Evidence {
    if random.percent(40) {
        lines.insert(0, format!("2026-03-12T20:59:58Z {}", random.word(&OTHER_LINES)));
    }
    if random.percent(40) {
        lines.push(format!("2026-03-12T22:00:01Z {}", random.word(&OTHER_LINES)));
    }
    Evidence::log(lines.join("\n"))
}
