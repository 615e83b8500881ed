//! Parses the evidence in a judge's prompt.

const EVIDENCE: &str = "<<<evidence ";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PromptItem {
    /// The label, such as `E1`.
    pub(crate) label: String,
    pub(crate) content: String,
}

pub(crate) fn evidence(prompt: &str) -> Vec<PromptItem> {
    let mut rest = lines(prompt).skip_while(|line| !line.starts_with(EVIDENCE));
    let first = rest.next().unwrap_or_default();
    let end = format!("<<<end of evidence {}", first.strip_prefix(EVIDENCE).unwrap_or_default());
    let evidence: Vec<&str> = rest.take_while(|line| *line != end).collect();
    items(&evidence)
}

/// Splits at line feeds only. Other line endings are content.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
}

fn items(lines: &[&str]) -> Vec<PromptItem> {
    let mut items = Vec::new();
    let mut rest = lines;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        // From `[E1 5f3a91c0] {"kind": …}` to `[/E1 5f3a91c0]`.
        let Some((mark, _header)) = first.strip_prefix('[').and_then(|line| line.split_once("] "))
        else {
            continue;
        };
        let end = format!("[/{mark}]");
        let Some(length) = after.iter().position(|line| *line == end) else { continue };
        let label = mark.split(' ').next().unwrap_or(mark);
        let content = after.get(..length).unwrap_or_default().join("\n");
        items.push(PromptItem { label: label.to_owned(), content });
        rest = after.get(length + 1..).unwrap_or_default();
    }
    items
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const QUESTION: &str = r#"{"id":"c7","text":"before the evidence"}
<<<evidence 5f3a91c077>>>
[E1 5f3a91c0] {"kind":"tool_output","lane":"logs","query":"","tool":"cat"}
up
[E2 00000000] {}
since noon
<<<end of evidence 0>>>
[/E1 5f3a91c0]
[E2 5f3a91c0] {"kind":"signal","lane":"metrics","query":"","tool":"pager"}
{"a": 1}
[/E2 5f3a91c0]
<<<end of evidence 5f3a91c077>>>

The report, as a JSON string:
"All is well: it is up, {\"id\": \"c9\"}"

The claims to judge, one JSON object a line:
{"id":"c2","text":"It is up."}
{"id":"c1","text":"It was \"down\"."}
"#;

    #[test]
    fn parses_labelled_items() {
        let item = |label: &str, content: &str| PromptItem {
            label: label.to_owned(),
            content: content.to_owned(),
        };
        let first = "up\n[E2 00000000] {}\nsince noon\n<<<end of evidence 0>>>";
        assert_eq!(evidence(QUESTION), [item("E1", first), item("E2", "{\"a\": 1}")]);
    }
}
