//! Turns titles and text that no rule has read into assertions, once all blocks are read.

use std::ops::Range;

use super::ReportReader;
use crate::report::kind::ClaimKind;
use crate::report::rendered::Rendered;
use crate::report::titles::{StatedRecords, Title};
use crate::report::uncovered::uncovered;
use crate::report::{Document, Reason, merged, subtract, visible};
use crate::text::part;

impl ReportReader<'_> {
    pub(super) fn finish(mut self) -> Document {
        self.resolve_titles();
        self.assert_unread_text();
        self.assertions.sort_by_key(|assertion| (assertion.span.start, assertion.is_presupposed));
        let uncovered = uncovered(self.report, &self.assertions, &self.non_claims);
        Document { assertions: self.assertions, uncovered }
    }

    /// Marks titles whose words occur together elsewhere as non-claims; other titles are claims.
    fn resolve_titles(&mut self) {
        let titles = std::mem::take(&mut self.titles);
        let read: Vec<Title> = titles.iter().map(|title| Title::read(title.text())).collect();
        let statements = self.assertions.iter().filter(|a| a.kind == ClaimKind::Statement);
        let statements = statements.map(|assertion| assertion.text.text().to_owned());
        let mut stated = StatedRecords::of(&read, self.evidence, statements, self.budget);
        for (title, read) in titles.into_iter().zip(&read) {
            if read.is_empty() {
                self.mark_non_claim(&title, Reason::Label);
            } else if stated.contains(read, self.budget) {
                self.mark_non_claim(&title, Reason::Title);
            } else {
                if ClaimKind::of(title.text()) == ClaimKind::Statement {
                    stated.add_statement(title.text().to_owned());
                }
                self.assert(title, false);
            }
        }
    }

    /// Asserts text that no rule has read.
    fn assert_unread_text(&mut self) {
        let known = self.assertions.iter().map(|assertion| assertion.span.clone());
        let non_claims = self.non_claims.iter().map(|non_claim| non_claim.span.clone());
        let left = subtract(&visible(self.report), &merged(known.chain(non_claims).collect()));
        let mut open: Option<Range<usize>> = None;
        for piece in left {
            let continues = |open: &Range<usize>| {
                part(self.report, open.end..piece.start)
                    .chars()
                    .all(|c| c.is_whitespace() && c != '\n')
            };
            match &mut open {
                Some(stretch) if continues(stretch) => stretch.end = piece.end,
                _ => {
                    let before = open.replace(piece);
                    self.assert_run(before);
                }
            }
        }
        self.assert_run(open);
    }

    fn assert_run(&mut self, stretch: Option<Range<usize>>) {
        let Some(stretch) = stretch else { return };
        let mut text = Rendered::default();
        text.push_verbatim(self.report, stretch);
        self.assert(text.seen().trimmed(), false);
    }
}
