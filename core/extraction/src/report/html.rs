//! Extracts the text in HTML between tags, in comments, and in attributes that can be visible. A tag that starts a
//! new line ends a block.

use super::blocks::{Block, BlockKind, paragraph};
use super::rendered::Rendered;
use super::{Reason, Uncovered};
use crate::text::part;

/// The blocks in an HTML fragment, and the ranges that are not claims.
#[derive(Debug, Default)]
pub(super) struct Html {
    pub(super) blocks: Vec<Block>,
    pub(super) non_claims: Vec<Uncovered>,
}

pub(super) fn read(raw: &Rendered) -> Html {
    let mut parser = HtmlParser {
        raw,
        html: Html::default(),
        text: Rendered::default(),
        in_heading: false,
        row: None,
    };
    parser.read();
    parser.html
}

/// Returns `true` if an inline tag separates words.
pub(super) fn breaks_line(tag: &str) -> bool {
    let name = tag_name(tag);
    name.eq_ignore_ascii_case("br") || name.eq_ignore_ascii_case("wbr") && tag.contains(' ')
}

/// Tags that start a new line.
const BLOCK_TAGS: [&str; 34] = [
    "address", "article", "aside", "blockquote", "br", "caption", "dd", "details", "div", "dl",
    "dt", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "li", "main", "ol", "option", "p", "pre", "section", "summary", "table", "tr", "ul", "title",
];

/// Other known tags.
const INLINE_TAGS: [&str; 44] = [
    "a", "abbr", "b", "big", "body", "button", "center", "code", "col", "colgroup", "del", "em",
    "font", "form", "head", "html", "i", "iframe", "img", "input", "ins", "kbd", "label", "link",
    "mark", "meta", "nav", "q", "s", "samp", "script", "select", "small", "source", "span",
    "strike", "strong", "style", "sub", "sup", "svg", "tbody", "td", "th",
];

/// Attributes whose values are markup and not hidden text.
const MARKUP_ATTRIBUTES: [&str; 28] = [
    "align", "bgcolor", "border", "cellpadding", "cellspacing", "charset", "class", "color",
    "cols", "colspan", "dir", "face", "height", "id", "lang", "loading", "media", "name", "rel",
    "role", "rows", "rowspan", "size", "start", "style", "target", "type", "width",
];

struct HtmlParser<'a> {
    raw: &'a Rendered,
    html: Html,
    text: Rendered,
    in_heading: bool,
    row: Option<Row>,
}

struct Row {
    cells: Vec<Rendered>,
    is_head: bool,
}

impl HtmlParser<'_> {
    fn read(&mut self) {
        let raw = self.raw.text();
        let mut offset = 0;
        while offset < raw.len() {
            let rest = part(raw, offset..raw.len());
            if let Some(inner) = rest.strip_prefix("<!--") {
                let length = inner.find("-->").unwrap_or(inner.len());
                self.push_hidden_text(offset + 4..offset + 4 + length);
                offset += 4 + length + if length < inner.len() { 3 } else { 0 };
            } else if let Some(length) = tag_length(rest) {
                self.tag(offset..offset + length);
                offset += length;
            } else {
                offset = self.character(offset, rest);
            }
        }
        self.flush();
    }

    fn character(&mut self, offset: usize, rest: &str) -> usize {
        if let Some((text, length)) = entity(rest) {
            if let Some(source) = self.raw.source(offset..offset + length) {
                self.text.push(text, source);
            }
            return offset + length;
        }
        let length = rest.chars().next().map_or(1, char::len_utf8);
        let piece = self.raw.slice(offset..offset + length);
        if piece.text() == "\n" {
            self.text.push(' ', piece.span().unwrap_or(0..0));
        } else {
            self.text.append(&piece);
        }
        offset + length
    }

    fn tag(&mut self, range: std::ops::Range<usize>) {
        let tag = part(self.raw.text(), range.clone());
        let name = tag_name(tag).to_ascii_lowercase();
        if name == "td" || name == "th" {
            if !tag.starts_with("</") {
                self.cell(name == "th");
            }
        } else if self.row.is_some() && name != "tr" && name != "table" {
            // A line break inside a cell separates words.
            self.text.add(if BLOCK_TAGS.contains(&name.as_str()) { " " } else { "" });
        } else if BLOCK_TAGS.contains(&name.as_str()) {
            self.flush();
            self.in_heading = !tag.starts_with("</")
                && (name == "summary"
                    || name == "title"
                    || name.len() == 2 && name.starts_with('h') && name != "hr");
        }
        let start = range.start + tag.find(tag_name(tag)).unwrap_or(0);
        if BLOCK_TAGS.contains(&name.as_str())
            || INLINE_TAGS.contains(&name.as_str())
            || is_rare_tag(&name)
        {
            self.mark_non_claim(start..start + name.len(), Reason::Markup);
        } else if !name.is_empty() {
            self.push_hidden_text(range);
            return;
        }
        self.attributes(start + name.len()..range.end);
    }

    fn attributes(&mut self, range: std::ops::Range<usize>) {
        let raw = self.raw.text();
        let mut offset = range.start;
        while offset < range.end {
            let rest = part(raw, offset..range.end);
            let skipped =
                rest.len() - rest.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
            offset += skipped;
            let rest = part(raw, offset..range.end);
            let length = rest
                .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | ':' | '_')))
                .unwrap_or(rest.len());
            if length == 0 {
                return;
            }
            let name = part(rest, 0..length).to_ascii_lowercase();
            let following = part(rest, length..rest.len());
            let value = following.trim_start().strip_prefix('=').map(str::trim_start);
            let Some(value) = value else {
                if !["open", "disabled", "hidden", "checked", "br"].contains(&name.as_str()) {
                    self.push_hidden_text(offset..offset + length);
                } else {
                    self.mark_non_claim(offset..offset + length, Reason::Markup);
                }
                offset += length;
                continue;
            };
            let is_known = MARKUP_ATTRIBUTES.contains(&name.as_str())
                || ["alt", "content", "href", "placeholder", "src", "title", "value"]
                    .contains(&name.as_str());
            if is_known {
                self.mark_non_claim(offset..offset + length, Reason::Markup);
            }
            let start = offset + rest.len() - value.len();
            let (open, close) = quoted(value);
            let inner = start + open..start + close;
            offset = start + close + open;
            match name.as_str() {
                "href" | "src" => self.mark_non_claim(inner, Reason::LinkTarget),
                name if MARKUP_ATTRIBUTES.contains(&name) => {
                    self.mark_non_claim(inner, Reason::Markup)
                }
                _ => self.push_hidden_text(inner),
            }
        }
    }

    fn mark_non_claim(&mut self, range: std::ops::Range<usize>, reason: Reason) {
        if let Some(span) = self.raw.source(range) {
            self.html.non_claims.push(Uncovered { span, reason });
        }
    }

    fn push_hidden_text(&mut self, range: std::ops::Range<usize>) {
        let text = self.raw.slice(range);
        let mut start = 0;
        for line in text.text().split('\n') {
            let line_text = text.slice(start..start + line.len()).normalized().trimmed();
            start += line.len() + 1;
            if !line_text.is_blank() {
                self.html.blocks.push(paragraph(line_text));
            }
        }
    }

    fn cell(&mut self, is_head: bool) {
        match &mut self.row {
            Some(row) => {
                row.cells.push(std::mem::take(&mut self.text).normalized().trimmed());
                row.is_head &= is_head;
            }
            None => {
                self.flush();
                self.row = Some(Row { cells: Vec::new(), is_head });
            }
        }
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text).normalized().trimmed();
        if let Some(Row { mut cells, is_head }) = self.row.take() {
            cells.push(text);
            let kind = if is_head { BlockKind::TableHead } else { BlockKind::TableRow };
            self.html.blocks.push(Block { kind, cells, ..paragraph(Rendered::default()) });
        } else if !text.is_blank() {
            let kind = if self.in_heading { BlockKind::Heading } else { BlockKind::Paragraph };
            self.html.blocks.push(Block { kind, ..paragraph(text) });
        }
        self.in_heading = false;
    }
}

fn is_rare_tag(name: &str) -> bool {
    [
        "thead", "tfoot", "template", "text", "tt", "u", "var", "video", "wbr", "dfn", "cite",
        "time", "bdo", "bdi", "progress",
    ]
    .contains(&name)
}

fn tag_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
        return None;
    }
    let mut quote = None;
    for (offset, character) in text.char_indices() {
        match (quote, character) {
            (None, '"' | '\'') => quote = Some(character),
            (Some(opening_quote), _) if opening_quote == character => quote = None,
            (None, '>') => return Some(offset + 1),
            _ => {}
        }
    }
    None
}

fn tag_name(tag: &str) -> &str {
    let inner = tag.trim_start_matches(['<', '/']);
    let end = inner
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | ':')))
        .unwrap_or(inner.len());
    part(inner, 0..end)
}

fn quoted(value: &str) -> (usize, usize) {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote) {
            return (1, 1 + inner.find(quote).unwrap_or(inner.len()));
        }
    }
    (0, value.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(value.len()))
}

/// Decodes an entity. Returns the character and the length in bytes.
fn entity(text: &str) -> Option<(char, usize)> {
    const MAX_BYTES: usize = 12;
    let inner = text.strip_prefix('&')?;
    let end = inner.find(';').filter(|end| *end <= MAX_BYTES)?;
    let name = part(inner, 0..end);
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((character, end + 2))
}
