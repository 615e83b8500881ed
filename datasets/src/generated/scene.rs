//! Draws similar things and their attributes.

use std::collections::BTreeSet;

use super::attributes::Attribute;
use super::kinds::{KINDS, Kind};
use super::values::Value;
use crate::Random;

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) entities: usize,
    pub(super) columns: usize,
    /// Allows only attributes that can form a time series.
    pub(super) gauges: bool,
    /// Allows only kinds that can write syslog lines.
    pub(super) hosts: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) attribute: &'static Attribute,
    /// `true` for bare numbers under a key that includes the unit.
    pub(super) is_number: bool,
    pub(super) values: Vec<Value>,
}

#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) kind: &'static Kind,
    pub(super) names: Vec<&'static str>,
    pub(super) columns: Vec<Column>,
    pub(super) claimed: usize,
    pub(super) subject: usize,
    pub(super) neighbour: usize,
}

pub(super) struct Row<'a> {
    pub(super) name: &'static str,
    pub(super) index: usize,
    pub(super) columns: &'a [Column],
}

impl Column {
    pub(super) fn key(&self) -> &'static str {
        let (key, key_of_number) = self.attribute.keys;
        if self.is_number { key_of_number } else { key }
    }

    /// Returns a field of a thing in tool notation.
    pub(super) fn cell(&self, index: usize) -> &str {
        let value = self.values.get(index);
        let text = value.map_or("", |value| value.text.as_str());
        let number = value.and_then(|value| value.number.as_deref());
        if self.is_number { number.unwrap_or(text) } else { text }
    }

    /// Returns a field of a thing in prose.
    pub(super) fn prose(&self, index: usize) -> &str {
        self.values.get(index).map_or("", |value| value.prose.as_str())
    }
}

impl Row<'_> {
    pub(super) fn fields(&self) -> impl Iterator<Item = (&Column, &str)> {
        self.columns.iter().map(|column| (column, column.cell(self.index)))
    }
}

impl Scene {
    /// Draws a scene. Returns `None` if the limits leave no attribute.
    pub(super) fn draw(limits: Limits, random: &mut Random) -> Option<Self> {
        let fits = |attribute: &&Attribute| !limits.gauges || attribute.is_gauge;
        let kinds: Vec<&'static Kind> = KINDS
            .iter()
            .filter(|kind| !limits.hosts || kind.is_host)
            .filter(|kind| kind.attributes.iter().any(|attribute| fits(&attribute)))
            .collect();
        let kind = *random.pick(&kinds)?;
        let mut names = random.pick(kind.names)?.to_vec();
        random.shuffle(&mut names);
        names.truncate(random.between(2, limits.entities));

        let mut attributes: Vec<&'static Attribute> = kind.attributes.iter().filter(fits).collect();
        random.shuffle(&mut attributes);
        let max_columns = random.between(1, limits.columns);
        let mut chosen: Vec<&'static Attribute> = Vec::new();
        for attribute in attributes {
            if chosen.len() < max_columns
                && !chosen.iter().any(|other| attribute.can_contradict(other))
            {
                chosen.push(attribute);
            }
        }
        let mut used = BTreeSet::new();
        let mut columns = Vec::with_capacity(chosen.len());
        for attribute in chosen {
            let (key, key_of_number) = attribute.keys;
            let is_count = key == key_of_number;
            let can_be_number = !key_of_number.is_empty();
            columns.push(Column {
                attribute,
                is_number: is_count || limits.gauges || (can_be_number && random.percent(50)),
                values: attribute.values.distinct(names.len(), &mut used, random)?,
            });
        }
        let claimed = random.below(columns.len());
        let subject = random.below(names.len());
        let neighbour = (subject + random.between(1, names.len() - 1)) % names.len();
        Some(Self { kind, names, columns, claimed, subject, neighbour })
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let names = self.names.iter().enumerate();
        names.map(|(index, name)| Row { name, index, columns: &self.columns })
    }
}
