//! Formats scenes like the output of common tools.

mod json;
mod lines;
mod markup;
mod prose;
mod series;
mod tables;

use super::Evidence;
use super::scene::{Limits, Scene};
use crate::Random;

/// A format of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// One log line with clauses separated by semicolons.
    ClausesSemicolon,
    /// One log line with clauses separated by commas.
    ClausesComma,
    /// One log line with clauses joined by "and".
    ClausesAnd,
    /// `name key=value name key=value` on one line.
    KeyValueRun,
    /// One logfmt line per thing.
    Logfmt,
    /// An array of objects.
    JsonArray,
    /// An object keyed by name.
    JsonByName,
    /// JSON at the end of a log line.
    JsonInLog,
    /// One array of names, and one array per attribute.
    ParallelArrays,
    /// A kubectl table.
    KubectlTable,
    /// A psql table.
    PsqlTable,
    /// CSV with a header.
    Csv,
    /// XML on one line.
    XmlLine,
    /// XML with one line per thing.
    XmlLines,
    /// A YAML list.
    YamlList,
    /// A YAML map.
    YamlMap,
    /// A sentence with one verb.
    Sentence,
    /// A Prometheus matrix. Claims are about the last samples.
    Series,
    /// Blocks of `Key: value` lines, separated by empty lines.
    Blocks,
    /// Syslog lines from several hosts.
    Syslog,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Self; 20] = [
        Self::ClausesSemicolon,
        Self::ClausesComma,
        Self::ClausesAnd,
        Self::KeyValueRun,
        Self::Logfmt,
        Self::JsonArray,
        Self::JsonByName,
        Self::JsonInLog,
        Self::ParallelArrays,
        Self::KubectlTable,
        Self::PsqlTable,
        Self::Csv,
        Self::XmlLine,
        Self::XmlLines,
        Self::YamlList,
        Self::YamlMap,
        Self::Sentence,
        Self::Series,
        Self::Blocks,
        Self::Syslog,
    ];

    /// Returns the shape's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClausesSemicolon => "log line, clauses by ;",
            Self::ClausesComma => "log line, clauses by ,",
            Self::ClausesAnd => "log line, clauses by and",
            Self::KeyValueRun => "key=value, several names on a line",
            Self::Logfmt => "logfmt",
            Self::JsonArray => "JSON array",
            Self::JsonByName => "JSON keyed by name",
            Self::JsonInLog => "JSON in a log line",
            Self::ParallelArrays => "parallel arrays",
            Self::KubectlTable => "kubectl table",
            Self::PsqlTable => "psql table",
            Self::Csv => "CSV",
            Self::XmlLine => "XML, one line",
            Self::XmlLines => "XML, several lines",
            Self::YamlList => "YAML list",
            Self::YamlMap => "YAML map",
            Self::Sentence => "sentence",
            Self::Series => "series by labels",
            Self::Blocks => "key: value blocks",
            Self::Syslog => "syslog of several hosts",
        }
    }

    pub(super) const fn limits(self) -> Limits {
        let all = Limits { entities: 6, columns: 3, gauges: false, hosts: false };
        match self {
            Self::ClausesSemicolon | Self::ClausesComma => Limits { columns: 1, ..all },
            Self::ClausesAnd | Self::Sentence => Limits { entities: 3, columns: 1, ..all },
            Self::Series => Limits { columns: 1, gauges: true, ..all },
            Self::Syslog => Limits { hosts: true, ..all },
            _ => all,
        }
    }

    pub(super) fn print(self, scene: &Scene, random: &mut Random) -> Evidence {
        match self {
            Self::ClausesSemicolon => lines::clauses(scene, "; ", random),
            Self::ClausesComma => lines::clauses(scene, ", ", random),
            Self::ClausesAnd => lines::clauses(scene, " and ", random),
            Self::KeyValueRun => lines::key_value_run(scene, random),
            Self::Logfmt => lines::logfmt(scene, random),
            Self::Syslog => lines::syslog(scene, random),
            Self::JsonArray => json::array(scene, random),
            Self::JsonByName => json::by_name(scene, random),
            Self::JsonInLog => json::in_log(scene, random),
            Self::ParallelArrays => json::parallel_arrays(scene, random),
            Self::KubectlTable => tables::kubectl(scene),
            Self::PsqlTable => tables::psql(scene),
            Self::Csv => tables::csv(scene),
            Self::XmlLine => markup::xml(scene, "", random),
            Self::XmlLines => markup::xml(scene, "\n", random),
            Self::YamlList => markup::yaml_list(scene),
            Self::YamlMap => markup::yaml_map(scene),
            Self::Sentence => prose::sentence(scene, random),
            Self::Blocks => prose::blocks(scene),
            Self::Series => series::matrix(scene, random),
        }
    }
}
