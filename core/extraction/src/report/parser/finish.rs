//! Converts titles and remaining text to assertions after all blocks are parsed.

use std::ops::Range;

use super::ReportParser;
use crate::report::kind::ClaimKind;
use crate::report::rendered::Rendered;
use crate::report::titles::{StatedRecords, Title};
use crate::report::uncovered::uncovered;
use crate::report::{Document, Reason, merge_ranges, subtract, visible};
use crate::text::part;

impl ReportParser<'_> {
    pub(super) fn finish(mut self) -> Document {
        self.resolve_titles();
        self.assert_remaining_text();
        self.assertions.sort_by_key(|assertion| (assertion.span.start, assertion.is_presupposed));
        let uncovered = uncovered(self.report, &self.assertions, &self.non_claims);
        Document { assertions: self.assertions, uncovered }
    }

    /// Marks a title as a non-claim if its words occur together elsewhere. Other titles become claims.
    fn resolve_titles(&mut self) {
        let titles = std::mem::take(&mut self.titles);
        let parsed: Vec<Title> = titles.iter().map(|title| Title::parse(title.text())).collect();
        let statements = self.assertions.iter().filter(|a| a.kind == ClaimKind::Statement);
        let statements = statements.map(|assertion| assertion.text.text().to_owned());
        let mut stated = StatedRecords::collect(&parsed, self.evidence, statements, self.budget);
        for (title, parsed) in titles.into_iter().zip(&parsed) {
            if parsed.is_empty() {
                self.mark_non_claim(&title, Reason::Label);
            } else if stated.contains(parsed, self.budget) {
                self.mark_non_claim(&title, Reason::Title);
            } else {
                if ClaimKind::classify(title.text()) == ClaimKind::Statement {
                    stated.add_statement(title.text().to_owned());
                }
                self.assert(title, false);
            }
        }
    }

    fn assert_remaining_text(&mut self) {
        let asserted = self.assertions.iter().map(|assertion| assertion.span.clone());
        let non_claims = self.non_claims.iter().map(|non_claim| non_claim.span.clone());
        let remaining =
            subtract(&visible(self.report), &merge_ranges(asserted.chain(non_claims).collect()));
        let mut open_run: Option<Range<usize>> = None;
        for piece in remaining {
            let continues = |open_run: &Range<usize>| {
                part(self.report, open_run.end..piece.start)
                    .chars()
                    .all(|c| c.is_whitespace() && c != '\n')
            };
            match &mut open_run {
                Some(run) if continues(run) => run.end = piece.end,
                _ => {
                    let finished_run = open_run.replace(piece);
                    self.assert_run(finished_run);
                }
            }
        }
        self.assert_run(open_run);
    }

    fn assert_run(&mut self, run: Option<Range<usize>>) {
        let Some(run) = run else { return };
        let mut text = Rendered::default();
        text.push_verbatim(self.report, run);
        self.assert(text.normalized().trimmed(), false);
    }
}
