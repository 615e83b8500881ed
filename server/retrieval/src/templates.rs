//! Groups log lines that differ only in words with digits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hasher};

/// The maximum number of templates per text. Once it is reached, lines that match no template only add to
/// the line count.
pub const MAX_TEMPLATES: usize = 20_000;

/// A group of lines that differ only in their figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The first line.
    pub sample: String,
    /// The number of lines.
    pub count: u64,
    /// The number of the first line, from 1.
    pub first: u64,
    /// The number of the last line, from 1.
    pub last: u64,
}

/// Collects the templates of a text, line by line.
#[derive(Debug, Default)]
pub struct Templates {
    templates: HashMap<u64, Template>,
    lines: u64,
}

impl Templates {
    /// Adds the next line.
    pub fn push(&mut self, line: &str) {
        self.lines += 1;
        let number = self.lines;
        if line.trim().is_empty() {
            return;
        }
        let hash = template_hash(line);
        let is_full = self.templates.len() >= MAX_TEMPLATES;
        match self.templates.entry(hash) {
            Entry::Occupied(mut known) => {
                let template = known.get_mut();
                template.count += 1;
                template.last = number;
            }
            Entry::Vacant(_) if is_full => {}
            Entry::Vacant(vacant) => {
                let sample = line.to_owned();
                vacant.insert(Template { sample, count: 1, first: number, last: number });
            }
        }
    }

    /// Returns the number of lines pushed.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns the number of lines that repeat an earlier line, except for its figures.
    #[must_use]
    pub fn repeated(&self) -> u64 {
        self.templates.values().map(|template| template.count - 1).sum()
    }

    /// Returns the templates in order of their first lines.
    #[must_use]
    pub fn finish(self) -> Vec<Template> {
        let mut templates: Vec<Template> = self.templates.into_values().collect();
        templates.sort_unstable_by_key(|template| template.first);
        templates
    }
}

fn template_hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in words(line) {
        hasher.write(word.as_bytes());
        hasher.write_u8(b' ');
    }
    hasher.finish()
}

/// Returns the words of a line, with `#` for each word that has a digit.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '=' | ',' | '[' | ']' | '(' | ')'))
        .map(|word| if word.bytes().any(|byte| byte.is_ascii_digit()) { "#" } else { word })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_differing_in_figures_share_a_template() {
        let mut templates = Templates::default();
        for line in [
            "2026-03-12T14:02:17Z INFO order ORD-771 took 35 ms",
            "2026-03-12T14:02:18Z INFO order ORD-772 took 4210 ms",
            "2026-03-12T14:02:18Z ERROR order ORD-772 failed",
            "",
            "2026-03-12T14:02:19Z INFO order ORD-773 took 31 ms",
        ] {
            templates.push(line);
        }
        assert_eq!((templates.lines(), templates.repeated()), (5, 2));
        let list = templates.finish();
        let counts_and_lines: Vec<(u64, u64, u64)> =
            list.iter().map(|template| (template.count, template.first, template.last)).collect();
        assert_eq!(counts_and_lines, [(3, 1, 5), (1, 3, 3)]);
    }

    #[test]
    fn the_number_of_templates_is_limited() {
        let mut templates = Templates::default();
        for number in 0..MAX_TEMPLATES + 10 {
            let word: String =
                number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
            templates.push(&word);
        }
        assert_eq!(templates.finish().len(), MAX_TEMPLATES);
    }
}
