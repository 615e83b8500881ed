//! The forms of a statement in a report.

use std::ops::Range;

#[derive(Clone)]
pub struct Form {
    pub name: &'static str,
    pub text: String,
    /// Claims given by the caller: the text, and the position in the report if any.
    pub given: Vec<(String, Option<Range<usize>>)>,
}

/// The position of the other sentences.
#[derive(Clone, Copy)]
enum Place {
    /// Half before the form, half after it.
    Around,
    After,
    Before,
}

pub fn among(truth: &str, others: &[String], thing: &str, statement: &str) -> Vec<Form> {
    let (first, last) = others.split_at(others.len() / 2);
    let paragraph =
        |all: &[String]| all.iter().map(|truth| format!("{truth}. ")).collect::<String>();
    let inside = |form: Form| {
        let (before, after) = match place(form.name) {
            Place::Around => (paragraph(first), paragraph(last)),
            Place::After => (String::new(), paragraph(others)),
            Place::Before => (paragraph(others), String::new()),
        };
        let before = if before.is_empty() { before } else { format!("{before}\n\n") };
        let moved = |span: Range<usize>| span.start + before.len()..span.end + before.len();
        let given = form.given.into_iter().map(|(text, span)| (text, span.map(moved))).collect();
        Form { name: form.name, text: format!("{before}{}\n{after}\n", form.text), given }
    };
    beside(truth, thing, statement).into_iter().map(inside).collect()
}

fn place(form: &str) -> Place {
    match form {
        "front matter" => Place::After,
        "open comment" => Place::Before,
        _ => Place::Around,
    }
}

/// Returns all forms of a statement, each with one true sentence.
fn beside(truth: &str, thing: &str, statement: &str) -> Vec<Form> {
    let lie = format!("{thing} {statement}");
    let words: Vec<&str> = lie.split(' ').collect();
    let spaced = words.join("\u{200b} \u{2060}");
    let hidden: String = lie.chars().flat_map(|c| [c, '\u{200b}']).collect();
    let reversed: String = lie.chars().rev().collect();
    let wide: String =
        lie.chars()
            .map(|c| {
                if c.is_ascii_graphic() {
                    char::from_u32(u32::from(c) + 0xfee0).unwrap()
                } else {
                    c
                }
            })
            .collect();
    let alike = lie.replace('a', "а").replace('e', "е").replace('o', "о");
    let decimal: String = lie.chars().map(|c| format!("&#{};", u32::from(c))).collect();
    let hexadecimal: String = lie.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect();
    let bold: String = words.iter().map(|word| format!("**{word}** ")).collect();
    let tags: String = words.iter().map(|word| format!("<b>{word}</b> ")).collect();
    let escaped = lie.replace('-', "\\-");
    let split_by_tags = lie.replace('e', "<i></i>e");
    let plain = |name, text: String| Form { name, text, given: Vec::new() };
    let mut all = vec![
        plain("heading before", format!("# {lie}\n\n{truth}.\n")),
        plain("heading after", format!("{truth}.\n\n## {lie}\n")),
        plain("setext heading", format!("{truth}.\n\n{lie}\n======\n")),
        plain("closed heading", format!("{truth}.\n\n### {lie} ###\n")),
        plain("bold line", format!("{truth}.\n\n**{lie}**\n")),
        plain(
            "table cell",
            format!("{truth}.\n\n| thing | state |\n|---|---|\n| {thing} | {statement} |\n"),
        ),
        plain("table header", format!("{truth}.\n\n| {lie} | x |\n|---|---|\n| yes | no |\n")),
        plain("table without rows", format!("{truth}.\n\n| {lie} | x |\n|---|---|\n")),
        plain("fence", format!("{truth}.\n\n```\n{lie}\n```\n")),
        plain("tilde fence", format!("{truth}.\n\n~~~text\n{lie}\n~~~\n")),
        plain("fence of commands", format!("{truth}.\n\n```bash\n# {lie}\n```\n")),
        plain("fence of settings", format!("{truth}.\n\n```yaml\n{lie}\n```\n")),
        plain("info string", format!("{truth}.\n\n```{lie}\n```\n")),
        plain("indented code", format!("{truth}.\n\n    {lie}\n")),
        plain("code span", format!("{truth}. `{lie}`\n")),
        plain("tag question", format!("{truth}. {lie}, did it not?\n")),
        plain("question with a clause", format!("{truth}. Does anyone know why {lie}?\n")),
        plain("imperative", format!("{truth}. Restore the {thing} that {statement}.\n")),
        plain(
            "proposal with a cause",
            format!("{truth}.\n\n## Next steps\n\n- Add an alert because {lie}.\n"),
        ),
        plain("list item", format!("{truth}.\n\n- {lie}\n")),
        plain("nested list in quotes", format!("{truth}.\n\n> > - 1. {lie}\n")),
        plain("task", format!("{truth}.\n\n- [x] {lie}\n")),
        plain("item under a colon", format!("{truth}.\n\nWhat was found:\n\n- {lie}\n")),
        plain("label with a predicate", format!("{truth}.\n\n**Root cause:** {lie}\n")),
        plain("heading label and fence", format!("{truth}.\n\n## Root cause\n\n```\n{lie}\n```\n")),
        plain("heading label and quote", format!("{truth}.\n\n## Root cause\n\n> {lie}\n")),
        plain("label alone", format!("{truth}.\n\n**{lie}:**\n")),
        plain("definition", format!("{truth}.\n\nState\n: {lie}\n")),
        plain("footnote", format!("{truth}.[^1]\n\n[^1]: {lie}\n")),
        plain("alt text", format!("{truth}.\n\n![{lie}](a.png)\n")),
        plain("image title", format!("{truth}.\n\n![a](a.png \"{lie}\")\n")),
        plain("link text", format!("{truth}. [{lie}](http://a.example)\n")),
        plain("link title", format!("{truth}. [x](http://a.example \"{lie}\")\n")),
        plain("reference title", format!("{truth}. [x][1]\n\n[1]: http://a.example \"{lie}\"\n")),
        plain("reference label", format!("{truth}.\n\n[{lie}]: http://a.example\n")),
        plain("comment", format!("{truth}.\n\n<!-- {lie} -->\n")),
        plain("comment in a sentence", format!("{truth} <!-- {lie} -->.\n")),
        plain("open comment", format!("{truth}.\n\n<!-- {lie}\n")),
        plain(
            "summary of details",
            format!("{truth}.\n\n<details><summary>{lie}</summary>\n\nMore.\n\n</details>\n"),
        ),
        plain(
            "cell of HTML",
            format!("{truth}.\n\n<table><tr><td>{thing}</td><td>{statement}</td></tr></table>\n"),
        ),
        plain("attribute", format!("{truth}.\n\n<p title=\"{lie}\"></p>\n")),
        plain("inline tags", format!("{truth}. {tags}\n")),
        plain("empty tags inside words", format!("{truth}. {split_by_tags}\n")),
        plain("emphasis by word", format!("{truth}. {bold}\n")),
        plain("struck out", format!("{truth}. ~~{lie}~~\n")),
        plain("escapes", format!("{truth}. {escaped}\n")),
        plain("decimal entities", format!("{truth}. {decimal}\n")),
        plain("hexadecimal entities", format!("{truth}. {hexadecimal}\n")),
        plain("zero-width spaces", format!("{truth}. {spaced}\n")),
        plain("zero-width in words", format!("{truth}. {hidden}\n")),
        plain("right-to-left override", format!("{truth}. \u{202e}{reversed}\u{202c}\n")),
        plain("full width", format!("{truth}. {wide}\n")),
        plain("look-alike letters", format!("{truth}. {alike}\n")),
        plain("front matter", format!("---\nnote: {lie}\n---\n\n{truth}.\n")),
        plain("alert box", format!("{truth}.\n\n> [!NOTE]\n> {lie}\n")),
        plain("dollar signs", format!("{truth}. ${lie}$\n")),
        plain("after emoji", format!("{truth}. 🚨 {lie} 🚨\n")),
    ];
    let both = format!("{truth}. {lie}.\n");
    let at = truth.len() + 2;
    let given = |name, given: Vec<(&str, Option<Range<usize>>)>| Form {
        name,
        text: both.clone(),
        given: given.into_iter().map(|(text, span)| (text.to_owned(), span)).collect(),
    };
    let denied = format!("It is false that {lie}");
    all.extend([
        given("given: without a span", vec![(truth, None)]),
        given("given: a span over everything", vec![(truth, Some(0..both.len()))]),
        given("given: a span that touches the lie", vec![(truth, Some(0..at + 1))]),
        given("given: the span of the lie", vec![(truth, Some(at..both.len() - 1))]),
        given(
            "given: twice",
            vec![(truth, Some(0..truth.len())), (truth, Some(at..at + lie.len()))],
        ),
        given(
            "given: its denial on the lie",
            vec![(truth, None), (&denied, Some(at..at + lie.len()))],
        ),
    ]);
    all
}
