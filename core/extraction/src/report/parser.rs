//! Converts blocks to assertions. Joins labels with their text and rows with their headers, and adds the
//! presuppositions of questions and proposals.

mod finish;

use super::blocks::{Block, BlockKind, blocks};
use super::code::{self, CodeLine, EvidenceLines, Language};
use super::fragments::{
    bold_label, bold_start, is_address, is_cause, is_label, is_short_or_verbless, join_label,
    section_number, split_at_colon, without_colon, without_remark,
};
use super::kind::ClaimKind;
use super::rendered::Rendered;
use super::words::{has_past_verb, has_predicate, is_negation};
use super::{Assertion, Document, Reason, UNITS_PER_BYTE, Uncovered, labels, presupposed};
use crate::budget::Budget;
use crate::text::sentences::{is_recommendation, sentences};
use crate::text::tokens::words;

pub(super) fn parse(report: &str, evidence: &[&str], budget: &Budget) -> Document {
    let found = blocks(report);
    let has =
        |predicate: fn(BlockKind) -> bool| found.blocks.iter().any(|block| predicate(block.kind));
    let has_code = has(|kind| matches!(kind, BlockKind::Code(_)));
    let mut parser = ReportParser {
        report,
        evidence,
        budget,
        evidence_lines: if has_code {
            EvidenceLines::read(evidence, budget)
        } else {
            EvidenceLines::default()
        },
        assertions: Vec::new(),
        non_claims: found.non_claims,
        titles: Vec::new(),
        in_proposals: false,
        heading: None,
        question: None,
        label: None,
        headers: Vec::new(),
    };
    for block in found.blocks {
        if !budget.spend(block.text.text().len()) {
            break;
        }
        parser.block(block);
    }
    parser.close_label();
    parser.close_table();
    parser.finish()
}

struct Label {
    text: Rendered,
    is_settled: bool,
    proposes: bool,
    depth: usize,
    /// `true` if the label was followed by text.
    is_used: bool,
}

struct Heading {
    text: Rendered,
    /// `true` if the heading starts the report and is a claim. The fields below it are then about the report.
    is_title: bool,
}

struct ReportParser<'a> {
    report: &'a str,
    evidence: &'a [&'a str],
    budget: &'a Budget,
    evidence_lines: EvidenceLines,
    assertions: Vec<Assertion>,
    non_claims: Vec<Uncovered>,
    titles: Vec<Rendered>,
    in_proposals: bool,
    heading: Option<Heading>,
    /// A question in the open block that the next sentence may answer.
    question: Option<Rendered>,
    label: Option<Label>,
    headers: Vec<(Rendered, bool)>,
}

impl ReportParser<'_> {
    fn block(&mut self, block: Block) {
        if !matches!(block.kind, BlockKind::TableHead | BlockKind::TableRow) {
            self.close_table();
        }
        let stays_open = |label: &Label| {
            block.depth > label.depth
                || !label.is_used
                || matches!(block.kind, BlockKind::Code(_) | BlockKind::TableRow)
        };
        let closes_label = block.kind == BlockKind::Heading
            || self.label.as_ref().is_some_and(|label| !stays_open(label));
        if closes_label {
            self.close_label();
        }
        match block.kind {
            BlockKind::TableHead => {
                self.close_table();
                self.headers = block.cells.into_iter().map(|cell| (cell, false)).collect();
            }
            BlockKind::TableRow => self.row(&block.cells),
            _ if block.text.is_blank() => {}
            BlockKind::Heading => self.heading(&block.text),
            BlockKind::Term => self.open_label(block.text, block.depth),
            BlockKind::Paragraph => self.paragraph(&block),
            BlockKind::Code(language) => self.code_line(block.text, language),
        }
    }

    fn heading(&mut self, heading: &Rendered) {
        let number_length = section_number(heading.text());
        let text = heading.slice(number_length..heading.text().len()).trimmed();
        let text = without_colon(&text);
        self.in_proposals = labels::announces_proposals(text.text());
        let is_title = self.heading.is_none() && self.assertions.is_empty();
        self.heading = Some(Heading { text: text.clone(), is_title: false });
        if labels::states_nothing(text.text()) {
            self.mark_non_claim(heading, Reason::Label);
            return;
        }
        let is_report_title =
            split_at_colon(&text).is_none_or(|(label, _)| labels::is_title(label.text()));
        let has_negation = words(text.text()).any(|word| is_negation(&word));
        let is_statement = ClaimKind::classify(text.text()) != ClaimKind::Statement
            || has_predicate(text.text())
            || has_negation;
        if is_report_title && !is_statement {
            self.titles.push(heading.clone());
        } else {
            self.heading = Some(Heading { text, is_title });
            self.assert(heading.clone(), false);
        }
    }

    fn paragraph(&mut self, block: &Block) {
        let text = &block.text;
        if is_address(text.text()) {
            self.mark_non_claim(text, Reason::LinkTarget);
            self.use_label();
            return;
        }
        let bold = bold_start(block);
        if bold == text.text().len()
            && !text.text().ends_with(['.', ':', '!', '?'])
            && block.depth == 0
        {
            self.heading(text);
            return;
        }
        if let Some((label, rest)) = bold_label(text, bold) {
            self.parse_bold_label(label, &rest, block.depth);
            return;
        }
        self.question = None;
        let ranges = sentences(text.text());
        let last = ranges.len().saturating_sub(1);
        for (index, range) in ranges.into_iter().enumerate() {
            if !self.budget.spend(range.len() * UNITS_PER_BYTE) {
                return;
            }
            let sentence = text.slice(range);
            let introduces = index == last && sentence.text().ends_with([':', '：']);
            if introduces && is_label(sentence.text()) {
                self.use_label();
                self.open_label(sentence, block.depth);
            } else {
                self.sentence(sentence.clone());
                if introduces {
                    self.close_label();
                    self.label = Some(Label {
                        text: without_colon(&sentence),
                        is_settled: true,
                        proposes: false,
                        depth: block.depth,
                        is_used: false,
                    });
                }
            }
        }
    }

    fn parse_bold_label(&mut self, label: Rendered, rest: &Rendered, depth: usize) {
        if rest.is_blank() {
            self.use_label();
            self.open_label(label, depth);
            return;
        }
        self.close_label();
        let proposes =
            labels::announces_proposals(label.text()) && labels::states_nothing(label.text());
        let mut open = Label { text: label, is_settled: false, proposes, depth, is_used: false };
        if labels::states_nothing(open.text.text()) {
            self.mark_non_claim(&open.text, Reason::Label);
            open.is_settled = true;
        }
        self.label = Some(open);
        for range in sentences(rest.text()) {
            if !self.budget.spend(range.len() * UNITS_PER_BYTE) {
                return;
            }
            self.sentence(rest.slice(range));
        }
        self.label = None;
    }

    fn open_label(&mut self, text: Rendered, depth: usize) {
        self.close_label();
        let text = without_colon(&text);
        let is_settled = labels::states_nothing(text.text());
        if is_settled {
            self.mark_non_claim(&text, Reason::Label);
        }
        let proposes = labels::announces_proposals(text.text());
        self.label = Some(Label { text, is_settled, proposes, depth, is_used: false });
    }

    fn use_label(&mut self) {
        if let Some(label) = &mut self.label {
            label.is_used = true;
        }
    }

    /// Closes the label. An unused label becomes a claim.
    fn close_label(&mut self) {
        if let Some(label) = self.label.take()
            && !label.is_settled
        {
            self.assert(label.text, false);
        }
    }

    fn sentence(&mut self, sentence: Rendered) {
        if sentence.is_blank() {
            self.use_label();
            return;
        }
        let is_question = ClaimKind::classify(sentence.text()) == ClaimKind::Question;
        let question = std::mem::replace(&mut self.question, is_question.then(|| sentence.clone()));
        let text = match question.filter(|_| !is_question && is_short_or_verbless(sentence.text()))
        {
            Some(question) => join_label(&question, &sentence, false),
            None => self.join_context(sentence, true),
        };
        self.assert_among_proposals(text, true);
    }

    /// Joins a text with the label or heading that makes it a statement.
    fn join_context(&mut self, text: Rendered, is_prose: bool) -> Rendered {
        let is_verbless = is_short_or_verbless(text.text());
        let is_question = ClaimKind::classify(text.text()) == ClaimKind::Question;
        if let Some(label) = &mut self.label {
            label.is_used = true;
            let is_required = !std::mem::replace(&mut label.is_settled, true);
            let names_cause = is_prose && is_cause(label.text.text());
            let forms_statement =
                labels::is_predicate(label.text.text()) && (is_verbless || names_cause);
            if is_required || forms_statement && !is_question {
                return join_label(&label.text, &text, is_required);
            }
        } else if let Some(heading) = &self.heading
            && !has_predicate(text.text())
            && !is_question
            && labels::is_predicate(without_remark(heading.text.text()))
            && !self.in_proposals
            && !(heading.is_title && split_at_colon(&text).is_some())
        {
            return join_label(&heading.text, &text, false);
        }
        text
    }

    fn code_line(&mut self, text: Rendered, language: Language) {
        let is_labelled = match (&self.label, &self.heading) {
            (Some(label), _) => labels::is_predicate(label.text.text()),
            (None, Some(heading)) => {
                let heading = heading.text.text();
                labels::is_predicate(heading) && labels::states_nothing(heading)
            }
            (None, None) => false,
        };
        if !is_labelled && self.evidence_lines.has_line(text.text()) {
            self.mark_non_claim(&text, Reason::EvidenceLine);
            return;
        }
        let prefix = match code::line(text.text(), language) {
            CodeLine::Command if ClaimKind::classify(text.text()) == ClaimKind::Proposal => "",
            CodeLine::Command => "Command: ",
            CodeLine::Setting => "Configuration: ",
            CodeLine::Statement => {
                let text = self.join_context(text, false);
                self.assert(text, false);
                return;
            }
        };
        self.use_label();
        let mut proposal = Rendered::default();
        proposal.add(prefix);
        proposal.append(&text);
        self.assert(proposal, false);
    }

    fn row(&mut self, cells: &[Rendered]) {
        let mut row = Rendered::default();
        let mut proposes = self.in_proposals;
        for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_blank()) {
            if !row.is_blank() {
                row.add("; ");
            }
            if let Some((header, is_used)) = self.headers.get_mut(column)
                && !header.is_blank()
            {
                *is_used = true;
                proposes |= ["action", "assignee", "due", "owner", "task"]
                    .iter()
                    .any(|name| header.text().eq_ignore_ascii_case(name));
                row.add(header.text());
                row.add(": ");
            }
            row.append(cell);
        }
        if row.is_blank() {
            return;
        }
        let was_in_proposals = std::mem::replace(&mut self.in_proposals, proposes);
        self.use_label();
        self.assert_among_proposals(row, false);
        self.in_proposals = was_in_proposals;
    }

    /// Closes the table. Headers that a row used become non-claims. Unused headers become claims unless they state
    /// nothing.
    fn close_table(&mut self) {
        for (header, is_used) in std::mem::take(&mut self.headers) {
            if is_used {
                self.mark_non_claim(&header, Reason::ColumnHeader);
            } else if labels::states_nothing(header.text()) {
                self.mark_non_claim(&header, Reason::Label);
            } else {
                self.assert(header, false);
            }
        }
    }

    /// Asserts a text. In a section of proposals, a text without a past verb becomes a proposal.
    fn assert_among_proposals(&mut self, text: Rendered, is_prose: bool) {
        let in_proposals =
            self.in_proposals || self.label.as_ref().is_some_and(|label| label.proposes);
        let proposes = || {
            let text = text.text();
            let inner = text.split_once(": ").map_or(text, |(_, rest)| rest);
            is_recommendation(inner, true) || is_recommendation(text, true) || !has_past_verb(text)
        };
        if in_proposals && ClaimKind::classify(text.text()) == ClaimKind::Statement && proposes() {
            let mut proposal = Rendered::default();
            proposal.add("Action: ");
            proposal.append(&text);
            if ClaimKind::classify(proposal.text()) == ClaimKind::Proposal {
                self.assert(proposal, false);
                return;
            }
        }
        self.assert(text, is_prose);
    }

    fn assert(&mut self, text: Rendered, is_prose: bool) {
        let Some(span) = text.span().filter(|_| !text.is_blank()) else { return };
        let kind = ClaimKind::classify(text.text());
        let presuppositions = match kind {
            ClaimKind::Statement => Vec::new(),
            ClaimKind::Question => presupposed::question_presuppositions(&text),
            ClaimKind::Proposal => presupposed::proposal_presuppositions(&text),
        };
        let is_prose = is_prose && kind == ClaimKind::Statement;
        self.assertions.push(Assertion { text, span, kind, is_prose, is_presupposed: false });
        for text in presuppositions {
            if let Some(span) = text.span().filter(|_| !text.is_blank()) {
                let kind = ClaimKind::classify(text.text());
                self.assertions.push(Assertion {
                    text,
                    span,
                    kind,
                    is_prose: false,
                    is_presupposed: true,
                });
            }
        }
    }

    fn mark_non_claim(&mut self, text: &Rendered, reason: Reason) {
        self.non_claims.extend(text.span().map(|span| Uncovered { span, reason }));
    }
}
