//! Several JSON documents in one text, one to a line or one after another: each is a record. What stands between
//! them stays lines.

use crate::evidence::documents;
use crate::evidence::layout;
use crate::evidence::observations::{Builder, Place, Record};

/// Whether a text that begins with a JSON document goes on with another on the next line.
pub(crate) fn are_several(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return false };
    first.len() > 1 && first.starts_with('{') && first.ends_with('}') && second.starts_with('{')
}

/// Reads every line; whether all were read.
pub(crate) fn read(builder: &mut Builder<'_>, allowed: usize) -> bool {
    let text = builder.text();
    let mut start = 0;
    while let Some(rest) = text.get(start..allowed).filter(|rest| !rest.is_empty()) {
        if !builder.has_room() {
            return false;
        }
        let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or("");
        let begins = start + line.len() - line.trim_start().len();
        let end = start + length;
        if line.trim().starts_with('{') {
            builder.open(Place::Line, None, Record::Yes);
            documents::read_within(builder, begins..end);
            builder.close();
        } else {
            layout::read(builder, start..end, layout::Breaks::Lines);
        }
        start = end + 1;
    }
    true
}
