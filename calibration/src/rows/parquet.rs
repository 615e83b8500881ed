//! Reads Parquet files of FEVER with gold sentences (copenlu/fever_gold_evidence). The columns are `id`,
//! `claim`, `label`, and `evidence` as a list of `[page, sentence, text]`.

use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result};
use parquet::file::reader::SerializedFileReader;

use super::Row;
use super::claims::ClaimLine;

pub(super) fn rows(path: &Path) -> Result<impl Iterator<Item = Result<Row>> + use<>> {
    let file_name = path.display().to_string();
    let reader = SerializedFileReader::new(File::open(path).with_context(|| file_name.clone())?);
    let rows = reader.with_context(|| file_name.clone())?.into_iter();
    Ok(rows.zip(1..).map(move |(row, number)| {
        let location = || format!("{file_name}: row {number}");
        let value = row.with_context(location)?.to_json_value();
        let line: ClaimLine = serde_json::from_value(value).with_context(location)?;
        Ok(Row::from(line))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Gold;
    use gsar_core::Class;

    #[test]
    fn reads_the_published_columns() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rows/gold_evidence.parquet");
        let rows: Vec<Row> = rows(&path).unwrap().collect::<Result<_>>().unwrap();
        let gold: Vec<Gold> = rows.iter().map(|row| row.claims[0].gold).collect();
        assert_eq!(gold, [Class::Grounded, Class::Contradicted, Class::Ungrounded].map(Gold));
        let texts: Vec<&str> = rows[1].evidence.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(texts, ["Api\napi-1 has 5 replicas.", "Pool\nIt is idle."]);
        assert_eq!(
            (rows[0].id.as_str(), rows[0].evidence[0].text.as_str()),
            ("11", "Api (1)\napi-1 has 5 replicas.")
        );
    }
}
