//! Writes rows to a Parquet file, one row group at a time.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// The maximum number of rows per row group.
const MAX_ROWS: usize = 8_192;
/// The amount of text after which a row group is written, in bytes.
const GROUP_BYTES: usize = 32 << 20;

/// The type of a nullable column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Signed,
    Unsigned,
    /// Microseconds since 1970-01-01T00:00:00Z.
    Instant,
}

impl Type {
    /// Returns the declaration of a column in Parquet's schema language.
    fn schema_field(self, name: &str) -> String {
        let (physical, logical) = match self {
            Self::Text => ("binary", " (STRING)"),
            Self::Signed => ("int64", ""),
            Self::Unsigned => ("int64", " (INTEGER(64,false))"),
            Self::Instant => ("int64", " (TIMESTAMP(MICROS,true))"),
        };
        format!("optional {physical} {name}{logical};")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Text(String),
    /// An integer or an instant. Unsigned integers are reinterpreted as signed.
    Number(i64),
    Null,
}

/// A Parquet file being written.
pub(super) struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    /// The columns of the current row group.
    columns: Vec<Vec<Cell>>,
    rows: usize,
    bytes: usize,
}

impl<W: Write + Send> Table<W> {
    pub(super) fn begin(out: W, columns: &[(&str, Type)]) -> io::Result<Self> {
        let fields: String =
            columns.iter().map(|(name, column_type)| column_type.schema_field(name)).collect();
        let schema =
            parse_message_type(&format!("message record {{{fields}}}")).map_err(to_io_error)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties));
        let columns = columns.iter().map(|_| Vec::new()).collect();
        Ok(Self { writer: writer.map_err(to_io_error)?, columns, rows: 0, bytes: 0 })
    }

    /// Adds a row with one value per column.
    pub(super) fn add(&mut self, row: Vec<Cell>) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            if let Cell::Text(text) = &cell {
                self.bytes += text.len();
            }
            column.push(cell);
        }
        self.rows += 1;
        if self.rows >= MAX_ROWS || self.bytes >= GROUP_BYTES {
            self.write_group().map_err(to_io_error)?;
        }
        Ok(())
    }

    /// Writes the last row group and the footer.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.write_group().map_err(to_io_error)?;
        }
        self.writer.into_inner().map_err(to_io_error)?.flush()
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for cells in &mut self.columns {
            let Some(mut column) = group.next_column()? else { break };
            let cells = std::mem::take(cells);
            let levels: Vec<i16> =
                cells.iter().map(|cell| i16::from(*cell != Cell::Null)).collect();
            let levels = Some(levels.as_slice());
            match column.untyped() {
                ColumnWriter::ByteArrayColumnWriter(writer) => {
                    let texts: Vec<ByteArray> = cells.into_iter().filter_map(text).collect();
                    writer.write_batch(&texts, levels, None)?;
                }
                ColumnWriter::Int64ColumnWriter(writer) => {
                    let numbers: Vec<i64> = cells.iter().filter_map(number).collect();
                    writer.write_batch(&numbers, levels, None)?;
                }
                _ => return Err(ParquetError::General("unknown column type".to_owned())),
            }
            column.close()?;
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

fn text(cell: Cell) -> Option<ByteArray> {
    match cell {
        Cell::Text(text) => Some(text.into_bytes().into()),
        Cell::Number(_) | Cell::Null => None,
    }
}

fn number(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Number(number) => Some(*number),
        Cell::Text(_) | Cell::Null => None,
    }
}

fn to_io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => io::Error::other(cause),
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    use super::*;

    #[test]
    fn rows_in_several_groups_round_trip() {
        let columns = [
            ("name", Type::Text),
            ("signed", Type::Signed),
            ("unsigned", Type::Unsigned),
            ("at", Type::Instant),
        ];
        let file = tempfile::tempfile().unwrap();
        let mut table = Table::begin(file.try_clone().unwrap(), &columns).unwrap();
        let rows = MAX_ROWS + 1;
        for number in 0..rows {
            let number = i64::try_from(number).unwrap();
            let row = match number % 3 {
                0 => vec![Cell::Null; 4],
                _ => vec![
                    Cell::Text(format!("é{number}")),
                    Cell::Number(-number),
                    Cell::Number(u64::MAX.cast_signed()),
                    Cell::Number(number),
                ],
            };
            table.add(row).unwrap();
        }
        table.finish().unwrap();

        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let mut row_count = 0;
        for (number, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let row = row.unwrap();
            let fields: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
            let number = i64::try_from(number).unwrap();
            let expected = match number % 3 {
                0 => [const { Field::Null }; 4],
                _ => [
                    Field::Str(format!("é{number}")),
                    Field::Long(-number),
                    Field::ULong(u64::MAX),
                    Field::TimestampMicros(number),
                ],
            };
            assert_eq!(fields, expected.iter().collect::<Vec<_>>(), "row {number}");
            row_count += 1;
        }
        assert_eq!(row_count, rows);
    }
}
