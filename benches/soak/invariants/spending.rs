//! Compares the recorded spending with the daily budget and the charges.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;

use crate::invariants::Violation;
use crate::servers::database::Database;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Day {
    /// The server, if each has its own ledger.
    pub(crate) server: Option<usize>,
    /// Days since 1970-01-01, UTC.
    pub(crate) day: i64,
    /// In millionths of a dollar, including reservations.
    pub(crate) micros: u64,
}

pub(crate) fn shared(database: &Database) -> anyhow::Result<Vec<Day>> {
    let rows = database.query("SELECT day, micros FROM spending ORDER BY day")?;
    rows.lines()
        .map(|row| {
            let (day, micros) = row.split_once('|').with_context(|| format!("`{row}`"))?;
            Ok(Day { server: None, day: day.parse()?, micros: micros.parse()? })
        })
        .collect()
}

pub(crate) fn of_server(server: usize, data: &Path) -> anyhow::Result<Vec<Day>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(data.join("judgements.sqlite3"), flags)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    let mut statement = connection.prepare("SELECT day, micros FROM spending ORDER BY day")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
    rows.map(|row| {
        let (day, micros) = row?;
        Ok(Day { server: Some(server), day, micros: micros.try_into()? })
    })
    .collect()
}

pub(crate) fn check(days: &[Day], daily_budget: u64, paid: u64) -> Vec<Violation> {
    let over = days.iter().filter(|day| day.micros > daily_budget);
    let mut violations: Vec<_> = over
        .map(|day| {
            Violation::new("budget", format!("{day:?} is over the daily budget of {daily_budget}"))
        })
        .collect();
    let written: u64 = days.iter().map(|day| day.micros).sum();
    if written < paid {
        let found = format!("{written} recorded as spent, but {paid} were paid");
        violations.push(Violation::new("budget", found));
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_overspending_and_unrecorded_charges() {
        let days = |micros| {
            [Day { server: None, day: 1, micros }, Day { server: None, day: 2, micros: 10 }]
        };
        assert_eq!(check(&days(100), 100, 110), []);
        assert!(check(&days(101), 100, 0)[0].found.contains("over the daily budget"));
        assert!(check(&days(100), 100, 111)[0].found.contains("111 were paid"));
    }
}
