//! The frame of HTML pages and the escaping of untrusted text.

use std::borrow::Cow;

use gsar_client::text::{lines, one_line};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const BASE_STYLE: &str = include_str!("html.css");
/// Allows only inline styles.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Renders a page with an untrusted title.
pub(super) fn document(title: &str, style: &'static str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(CONTENT_SECURITY_POLICY);
                meta name="referrer" content="no-referrer";
                title { (inline(title)) }
                style { (PreEscaped(BASE_STYLE)) (PreEscaped(style)) }
            }
            body { main { (body) } }
        }
    };
    page.into_string()
}

/// Renders untrusted text on one line, isolated from the direction of the surrounding text.
pub(super) fn isolated(text: &str) -> Markup {
    html! { bdi { (inline(text)) } }
}

/// Returns untrusted text on one line, with invisible characters escaped.
pub(super) fn inline(text: &str) -> String {
    one_line(&escape_invisible(text, char::is_whitespace))
}

/// Returns untrusted text with its line breaks and with invisible characters escaped.
pub(super) fn block(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    lines(&escape_invisible(&text, |character| matches!(character, '\n' | '\t')))
}

/// Escapes untrusted text for an element or a double-quoted attribute, on one line.
pub(super) fn escape(text: &str) -> String {
    html! { (inline(text)) }.into_string()
}

/// Replaces invisible characters with their code points, such as `⟨U+202E⟩`, unless `is_allowed` returns `true`.
fn escape_invisible(text: &str, is_allowed: fn(char) -> bool) -> Cow<'_, str> {
    let is_escaped = |character| is_invisible(character) && !is_allowed(character);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_escaped(character) {
            true => escaped.push_str(&format!("⟨U+{:04X}⟩", u32::from(character))),
            false => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// Returns `true` for characters that are invisible or change the order of text. The console escapes the same
/// characters.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{8}'
            | '\u{b}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the tags of a page with their attributes.
    pub(in crate::human) fn tags(page: &str) -> Vec<&str> {
        page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or(rest)).collect()
    }

    pub(in crate::human) fn invisible_characters(page: &str) -> Vec<char> {
        page.chars().filter(|character| is_invisible(*character)).collect()
    }

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(inline(" a\u{202e}b\r\n c\u{7}\u{200b} "), "a⟨U+202E⟩b c⟨U+0007⟩⟨U+200B⟩");
        assert_eq!(block("a\r\n\tb\rc\u{2028}d\u{e0041}"), "a\n\tb⟨U+000D⟩c⟨U+2028⟩d⟨U+E0041⟩");
        assert_eq!(escape("<a b=\"c\">&\u{61c}"), "&lt;a b=&quot;c&quot;&gt;&amp;⟨U+061C⟩");
        assert_eq!(isolated("אב").into_string(), "<bdi>אב</bdi>");
    }

    #[test]
    fn page_allows_only_inline_styles() {
        let page = document("</title><script>", "p{margin:0}", &html! { p { "x" } });
        assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">"), "{page}");
        assert!(page.contains(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        ));
        assert!(page.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"), "{page}");
        let scripts = tags(&page).iter().filter(|tag| tag.starts_with("script")).count();
        assert_eq!((scripts, page.matches("</style>").count()), (0, 1));
    }

    proptest! {
        #[test]
        fn any_text_is_escaped(text in any::<String>(), marks in "[\u{200b}-\u{202e}\u{2060}-\u{206f}<>\"&\u{0}-\u{1f}]{0,12}") {
            let text = format!("{text}{marks}{text}");
            for rendered in [escape(&text), html! { (block(&text)) }.into_string()] {
                prop_assert_eq!(invisible_characters(&rendered), Vec::<char>::new());
                prop_assert!(!rendered.contains(['<', '>', '"']), "{}", rendered);
            }
            let line = inline(&text);
            prop_assert!(!line.contains(['\n', '\t']));
            prop_assert_eq!(inline(&line), line);
        }
    }
}
