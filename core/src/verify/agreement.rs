//! This module holds the text that a claim cites, and the rule by which the two must agree.
//!
//! | the claim | the cited words | effect |
//! |---|---|---|
//! | any but an absence | none quoted, only whole items | ungrounded |
//! | grounded, no absence | hold one in four of its content words or fewer, none of its names and figures and no series | ungrounded |
//! | names a pod, version, address or code | none of the cited items holds it | ungrounded |
//! | names `checkout` | name `checkout-db` and nowhere `checkout` | ungrounded |
//! | names `node-6` | name `node-7` and nowhere `node-6` | ungrounded |
//! | denies what the quote states, or the reverse | share 0.6 of the words of the shorter side | ungrounded |
//! | says "not" of a figure, a time or half of a clause | state that figure, time or half without denial | ungrounded |
//! | one figure differs from the only quoted one of its unit, everything around it agrees | | contradicted |
//! | a figure differs from quoted ones whose attribute words agree | | ungrounded |
//! | a figure | hold it nowhere and hold nothing to derive it from | ungrounded |
//! | a figure in digits | hold nothing that it rounds, converts, sums, subtracts or divides | ungrounded |
//! | a time to the minute | hold times, and no item mentions this one | ungrounded |
//! | a figure or time | hold it nowhere but hold what it may derive from | at most synthesis |
//! | a time with its date | hold dated times, all of them others | ungrounded |
//!
//! Figures compare only where the unit's kind agrees, at least 0.6 of the words around them, and the words
//! right beside them; names, versions, years, ports and ids are no figures.

use alloc::vec::Vec;
use core::ops::Range;

use super::evidence_set::Sources;
use super::resolve::Source;
use crate::evidence::{Citation, Target};
use crate::text::part;
use crate::text::polarity::{is_blank_answer, is_denied};
use crate::text::tokens::{content_words, words};

/// The words behind the valid citations of one claim.
#[derive(Debug)]
pub(super) struct Cited<'a> {
    /// What is quoted: quotes, texts of cited fields, and cited claims.
    pub(super) quotes: Vec<&'a str>,
    /// For each of these the record that it stands in; the same words where it is none of an item.
    pub(super) records: Vec<&'a str>,
    /// The places of the cited items in the evidence, each once.
    pub(super) items: Vec<usize>,
    /// The JSON pointers of cited fields, whose names say what the values are.
    pub(super) pointers: Vec<&'a str>,
    /// The contents of items that are cited as a whole, without quote or field.
    pub(super) whole: Vec<&'a str>,
}

impl<'a> Cited<'a> {
    /// Gathers them; `citations` and `points_at` run in step, `texts` holds the words of all claims.
    pub(super) fn of<'s: 'a>(
        citations: &'a [Citation],
        points_at: &'a [Source],
        texts: &'a [alloc::string::String],
        sources: &Sources<'s>,
    ) -> Self {
        let mut cited = Self {
            quotes: Vec::new(),
            records: Vec::new(),
            items: Vec::new(),
            pointers: Vec::new(),
            whole: Vec::new(),
        };
        for (citation, source) in citations.iter().zip(points_at) {
            if let Target::Evidence { field_path, .. } = &citation.target {
                cited.pointers.push(field_path);
            }
            let quote = Some(citation.quote.as_str()).filter(|quote| !quote.is_empty());
            match source {
                Source::Claim(place) => {
                    cited.quotes.extend(quote);
                    cited.quotes.extend(texts.get(*place).map(alloc::string::String::as_str));
                    cited
                        .records
                        .extend(cited.quotes.get(cited.records.len()..).unwrap_or_default());
                }
                Source::Item { position, field, .. } => {
                    if !cited.items.contains(position) {
                        cited.items.push(*position);
                    }
                    match quote.or(field.as_deref()) {
                        Some(words) => {
                            let record = citation
                                .bytes
                                .as_ref()
                                .map(|bytes| record_around(sources.content(*position), bytes));
                            cited.quotes.push(words);
                            cited.records.push(record.unwrap_or(words));
                        }
                        None => cited.whole.push(sources.content(*position)),
                    }
                }
            }
        }
        cited
    }

    /// Whether the cited words hold at least 0.6 of the distinct content words of a text.
    pub(super) fn state_most_of(&self, text: &str) -> bool {
        let mut wanted: Vec<u64> = content_words(text)
            .filter(|word| crate::text::polarity::hedge(word.text).is_none())
            .map(|word| word.key())
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut held: Vec<u64> = self
            .quotes
            .iter()
            .chain(&self.whole)
            .flat_map(|words| content_words(words))
            .map(|word| word.key())
            .filter(|word| wanted.binary_search(word).is_ok())
            .collect();
        held.sort_unstable();
        held.dedup();
        !wanted.is_empty() && held.len() * 10 >= wanted.len() * 6
    }

    /// Whether any of the quoted words deny, count zero or are empty.
    pub(super) fn deny(&self) -> bool {
        const SHORT: usize = 200;
        let denies =
            |words: &&str| is_denied(words) || is_blank_answer(words) || names_denial(words);
        let short = |words: &&&str| words.len() <= SHORT;
        self.quotes.iter().any(denies) || self.whole.iter().filter(short).any(denies)
    }
}

/// Whether a name denies: `tags_pushed_without_package`.
fn names_denial(text: &str) -> bool {
    words(text).any(|word| word.text.contains('_') && is_denied(&word.text.replace('_', " ")))
}

/// The line or flat object around a stretch of an item.
fn record_around<'a>(content: &'a str, bytes: &Range<usize>) -> &'a str {
    const MAX_REACH: usize = 400;
    // A line break as JSON writes it.
    const BREAK: &str = "\\n";
    let ends = ['\n', '{', '}'];
    let from = content.floor_char_boundary(bytes.start.saturating_sub(MAX_REACH));
    let to = content.floor_char_boundary((bytes.end + MAX_REACH).min(content.len()));
    let before = part(content, from..bytes.start);
    let after = part(content, bytes.end..to);
    let start = before.rfind(ends).map_or(0, |at| at + 1);
    let start = from + before.rfind(BREAK).map_or(start, |at| start.max(at + BREAK.len()));
    let end = after.find(ends).unwrap_or(after.len());
    let end = bytes.end + after.find(BREAK).map_or(end, |at| end.min(at));
    part(content, start..end)
}
