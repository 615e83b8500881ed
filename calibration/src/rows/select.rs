//! Draws rows without changing their order.

use std::collections::HashSet;

use anyhow::{Result, ensure};

use super::composed::compose;
use super::{Mode, Row, RowFile};
use crate::statistics::Random;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    pub(crate) mode: Mode,
    pub(crate) count: Option<usize>,
    pub(crate) seed: u64,
}

/// Draws rows from the files, or composes reports from all their rows.
pub(crate) fn select(files: &[RowFile], selection: Selection) -> Result<Vec<Row>> {
    let Selection { mode, count, seed } = selection;
    if mode == Mode::Single {
        return draw(files, count, seed);
    }
    let mut reports = compose(draw(files, None, seed)?, mode, seed);
    ensure!(!reports.is_empty(), "too few claims for a report");
    reports.truncate(count.unwrap_or(usize::MAX));
    Ok(reports)
}

/// Draws rows by reservoir sampling (Vitter 1985, algorithm R).
fn draw(files: &[RowFile], count: Option<usize>, seed: u64) -> Result<Vec<Row>> {
    let mut random = Random::new(seed);
    let mut drawn: Vec<(usize, Row)> = Vec::new();
    let mut ids = HashSet::new();
    let mut seen = 0;
    for file in files {
        for row in file.rows()? {
            let row = row?;
            ensure!(ids.insert(row.id.clone()), "{}: duplicate row {}", file.name(), row.id);
            match count.filter(|count| drawn.len() >= *count) {
                None => drawn.push((seen, row)),
                Some(_) => {
                    if let Some(slot) = drawn.get_mut(random.below(seen + 1)) {
                        *slot = (seen, row);
                    }
                }
            }
            seen += 1;
        }
    }
    ensure!(!drawn.is_empty(), "no rows");
    drawn.sort_unstable_by_key(|(position, _)| *position);
    Ok(drawn.into_iter().map(|(_, row)| row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::open;

    #[test]
    fn draws_are_seeded_and_ordered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let line = |at: u32| {
            format!(
                r#"{{"id":"r{at:03}","claim":"x","label":"SUPPORTS","evidence":[{{"text":"y"}}]}}"#
            )
        };
        std::fs::write(&path, (0..200).map(line).collect::<Vec<_>>().join("\n")).unwrap();
        let files = [open(&path, None).unwrap()];
        let ids = |count, seed| -> Vec<String> {
            let rows = select(&files, Selection { mode: Mode::Single, count, seed }).unwrap();
            rows.into_iter().map(|row| row.id).collect()
        };
        assert_eq!(ids(None, 1).len(), 200);
        let drawn = ids(Some(20), 1);
        assert_eq!(drawn.len(), 20);
        assert!(drawn.is_sorted());
        assert_eq!(drawn, ids(Some(20), 1));
        assert_ne!(drawn, ids(Some(20), 2));
        std::fs::write(&path, [line(1), line(1)].join("\n")).unwrap();
        let twice = select(
            &[open(&path, None).unwrap()],
            Selection { mode: Mode::Single, count: None, seed: 1 },
        );
        assert_eq!(twice.unwrap_err().to_string(), "rows: duplicate row r001");
    }
}
