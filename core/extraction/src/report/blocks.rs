//! Parses Markdown into blocks of visible text: headings, paragraphs, table rows, code lines.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::code::Language;
use super::html;
use super::rendered::Rendered;
use super::{Reason, Uncovered};
use crate::text::part;

#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) text: Rendered,
    pub(super) cells: Vec<Rendered>,
    pub(super) strong: Vec<Range<usize>>,
    pub(super) depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// An ATX, setext or HTML heading at any level.
    Heading,
    /// Prose, including list items, footnotes, captions, comments and attributes.
    Paragraph,
    Term,
    TableHead,
    TableRow,
    Code(Language),
}

#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    pub(super) non_claims: Vec<Uncovered>,
}

pub(super) fn blocks(report: &str) -> Blocks {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let markdown = Parser::new_ext(report, options);
    let mut parser = BlockParser { report, ..BlockParser::default() };
    let definitions: Vec<(String, String, Range<usize>)> = markdown
        .reference_definitions()
        .iter()
        .map(|(_, link)| {
            let title = link.title.as_deref().unwrap_or_default().to_owned();
            (link.dest.to_string(), title, link.span.clone())
        })
        .collect();
    for (event, range) in markdown.into_offset_iter() {
        parser.read(event, range);
    }
    parser.flush();
    for (target, title, span) in definitions {
        parser.link(&target, &title, span.clone());
        let label = part(report, span.clone()).find("]:").map_or(0, |index| index + 1);
        parser.mark_non_claim_word(span.start..span.start + label, Reason::LinkTarget);
    }
    parser.found
}

#[derive(Default)]
struct BlockParser<'a> {
    report: &'a str,
    found: Blocks,
    open: Option<Block>,
    cells: Option<Vec<Rendered>>,
    depth: usize,
    /// Open links: target, title, range, and whether the source contains the target.
    links: Vec<(String, String, Range<usize>, bool)>,
    read_to: usize,
    code: Option<(Language, Rendered)>,
    html: Option<Rendered>,
    metadata: Option<Rendered>,
    hidden_texts: Vec<Block>,
}

impl BlockParser<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.text(&text, range),
            Event::Code(code) => self.code_span(&code, range),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text, range),
            Event::Html(text) => {
                if let Some(raw) = &mut self.html {
                    push(self.report, raw, &text, range);
                }
            }
            Event::InlineHtml(text) => {
                let mut raw = Rendered::default();
                push(self.report, &mut raw, &text, range.clone());
                let parsed_html = html::read(&raw);
                self.found.non_claims.extend(parsed_html.non_claims);
                self.hidden_texts.extend(parsed_html.blocks);
                if html::breaks_line(&text) {
                    self.inline().push(' ', range.clone());
                }
                self.read_to = range.end;
            }
            Event::FootnoteReference(_) => {
                self.mark_non_claim_word(range.clone(), Reason::Marker);
                self.read_to = range.end;
            }
            Event::SoftBreak | Event::HardBreak => {
                self.inline().push(' ', range.clone());
                self.read_to = range.end;
            }
            Event::TaskListMarker(_) => {
                self.found.non_claims.push(Uncovered { span: range, reason: Reason::Marker });
            }
            Event::Rule => self.flush(),
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => self.open(BlockKind::Paragraph),
            Tag::Heading { .. } => self.open(BlockKind::Heading),
            Tag::DefinitionListTitle => self.open(BlockKind::Term),
            Tag::TableHead | Tag::TableRow => {
                self.flush();
                self.cells = Some(Vec::new());
            }
            Tag::TableCell => self.open(BlockKind::Paragraph),
            Tag::List(_) => {
                self.flush();
                self.depth += 1;
            }
            Tag::Item => {
                self.flush();
                let marker = item_marker(part(self.report, range.clone()));
                let span = range.start..range.start + marker;
                self.found.non_claims.push(Uncovered { span, reason: Reason::Marker });
            }
            Tag::BlockQuote(kind) => {
                self.flush();
                let text = part(self.report, range.clone());
                if kind.is_some()
                    && let (Some(open), Some(close)) = (text.find("[!"), text.find(']'))
                {
                    let span = range.start + open..range.start + close + 1;
                    self.mark_non_claim_word(span, Reason::Marker);
                }
            }
            Tag::FootnoteDefinition(_) => {
                self.flush();
                let close =
                    part(self.report, range.clone()).find("]:").map_or(0, |position| position + 2);
                self.mark_non_claim_word(range.start..range.start + close, Reason::Marker);
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => Language::from_info(info),
                    CodeBlockKind::Indented => Language::Other,
                };
                if let CodeBlockKind::Fenced(info) = kind
                    && let Some(position) = part(self.report, range.clone()).find(info.as_ref())
                {
                    let span = range.start + position..range.start + position + info.len();
                    self.mark_non_claim_word(span, Reason::Marker);
                }
                self.code = Some((language, Rendered::default()));
            }
            Tag::HtmlBlock => {
                self.flush();
                self.html = Some(Rendered::default());
            }
            Tag::MetadataBlock(_) => {
                self.flush();
                self.metadata = Some(Rendered::default());
            }
            Tag::Strong => {
                self.inline();
                if let Some(open) = &mut self.open {
                    open.strong.push(range);
                }
            }
            Tag::Link { link_type, dest_url, title, .. }
            | Tag::Image { link_type, dest_url, title, .. } => {
                let has_target = !matches!(link_type, LinkType::Autolink | LinkType::Email);
                self.links.push((
                    dest_url.to_string(),
                    title.to_string(),
                    range.clone(),
                    has_target,
                ));
                self.read_to = range.start;
            }
            Tag::DefinitionListDefinition => self.flush(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, _: Range<usize>) {
        match tag {
            TagEnd::TableCell => {
                let cell = self.open.take().map(|block| block.text).unwrap_or_default();
                if let Some(cells) = &mut self.cells {
                    cells.push(cell.normalized().trimmed());
                }
            }
            TagEnd::TableHead => self.row(BlockKind::TableHead),
            TagEnd::TableRow => self.row(BlockKind::TableRow),
            TagEnd::List(_) => {
                self.flush();
                self.depth = self.depth.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    self.lines(&code, BlockKind::Code(language));
                }
            }
            TagEnd::MetadataBlock(_) => {
                if let Some(lines) = self.metadata.take() {
                    self.lines(&lines, BlockKind::Paragraph);
                }
            }
            TagEnd::HtmlBlock => {
                if let Some(raw) = self.html.take() {
                    let parsed_html = html::read(&raw);
                    self.found.non_claims.extend(parsed_html.non_claims);
                    self.found.blocks.extend(parsed_html.blocks);
                }
            }
            TagEnd::Link | TagEnd::Image => {
                if let Some((target, title, range, has_target)) = self.links.pop() {
                    let tail = self.read_to.max(range.start).min(range.end)..range.end;
                    if has_target {
                        self.link(&target, &title, tail.clone());
                        let label = part(self.report, tail.clone()).rfind('[');
                        if let Some(label) = label {
                            self.mark_non_claim_word(
                                tail.start + label..tail.end,
                                Reason::LinkTarget,
                            );
                        }
                    }
                    self.read_to = range.end;
                }
            }
            TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::Item
            | TagEnd::BlockQuote(_)
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition => self.flush(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        let report = self.report;
        if let Some((_, code)) = &mut self.code {
            push(report, code, text, range);
        } else if let Some(metadata) = &mut self.metadata {
            push(report, metadata, text, range);
        } else {
            self.read_to = range.end;
            push(report, self.inline(), text, range);
        }
    }

    fn code_span(&mut self, code: &str, range: Range<usize>) {
        let report = self.report;
        let inner = part(report, range.clone()).find(code).map(|position| range.start + position);
        let text = self.inline();
        match inner {
            Some(start) if !code.is_empty() => {
                text.push('`', range.start..start);
                text.push_verbatim(report, start..start + code.len());
                text.push('`', start + code.len()..range.end);
            }
            _ => text.push_replaced(&format!("`{code}`"), &range),
        }
        self.read_to = range.end;
    }

    fn link(&mut self, target: &str, title: &str, range: Range<usize>) {
        let mut title_start = range.start;
        if !target.is_empty()
            && let Some(position) = part(self.report, range.clone()).find(target)
        {
            let span = range.start + position..range.start + position + target.len();
            title_start = span.end;
            self.found.non_claims.push(Uncovered { span, reason: Reason::LinkTarget });
        }
        if !title.is_empty() {
            let mut text = Rendered::default();
            match part(self.report, title_start..range.end).find(title) {
                Some(position) => text.push_verbatim(
                    self.report,
                    title_start + position..title_start + position + title.len(),
                ),
                None => text.push_replaced(title, &(title_start..range.end)),
            }
            self.hidden_texts.push(paragraph(text));
        }
    }

    /// Marks a range as a non-claim if it contains at most one short word.
    fn mark_non_claim_word(&mut self, span: Range<usize>, reason: Reason) {
        const MAX_BYTES: usize = 24;
        let text = part(self.report, span.clone());
        if text.len() <= MAX_BYTES && !text.trim().contains(char::is_whitespace) {
            self.found.non_claims.push(Uncovered { span, reason });
        }
    }

    fn open(&mut self, kind: BlockKind) {
        self.flush();
        self.open = Some(Block { kind, depth: self.depth, ..paragraph(Rendered::default()) });
    }

    fn inline(&mut self) -> &mut Rendered {
        if self.open.is_none() {
            self.open(BlockKind::Paragraph);
        }
        &mut self.open.get_or_insert_with(|| paragraph(Rendered::default())).text
    }

    fn flush(&mut self) {
        if let Some(mut block) = self.open.take() {
            block.text = block.text.normalized().trimmed();
            self.found.blocks.push(block);
        }
        self.found.blocks.append(&mut self.hidden_texts);
    }

    fn row(&mut self, kind: BlockKind) {
        let cells = self.cells.take().unwrap_or_default();
        self.found.blocks.push(Block { kind, cells, ..paragraph(Rendered::default()) });
        self.found.blocks.append(&mut self.hidden_texts);
    }

    fn lines(&mut self, text: &Rendered, kind: BlockKind) {
        let mut start = 0;
        for line in text.text().split('\n') {
            let cell = text.slice(start..start + line.len()).normalized().trimmed();
            start += line.len() + 1;
            let depth = self.depth;
            self.found.blocks.push(Block { kind, depth, ..paragraph(cell) });
        }
    }
}

pub(super) fn paragraph(text: Rendered) -> Block {
    Block { kind: BlockKind::Paragraph, text, cells: Vec::new(), strong: Vec::new(), depth: 0 }
}

fn push(report: &str, rendered: &mut Rendered, text: &str, range: Range<usize>) {
    if part(report, range.clone()) == text {
        rendered.push_verbatim(report, range);
    } else {
        rendered.push_replaced(text, &range);
    }
}

fn item_marker(item: &str) -> usize {
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let is_closed = item.as_bytes().get(digits).is_some_and(|byte| matches!(byte, b'.' | b')'));
    if digits > 0 && is_closed { digits + 1 } else { usize::from(digits == 0 && !item.is_empty()) }
}
