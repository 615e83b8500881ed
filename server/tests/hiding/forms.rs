//! The forms in which a report can contain a statement.

use std::ops::Range;

#[derive(Clone)]
pub struct Form {
    pub name: &'static str,
    pub text: String,
    /// The claims that the caller passes. Each has a text and, optionally, a position in the report.
    pub claims: Vec<(String, Option<Range<usize>>)>,
}

/// Returns a statement about a thing in all forms, each between paragraphs with other true sentences.
pub fn forms_among(truth: &str, others: &[String], thing: &str, statement: &str) -> Vec<Form> {
    let (first, last) = others.split_at(others.len() / 2);
    let paragraph =
        |all: &[String]| all.iter().map(|truth| format!("{truth}. ")).collect::<String>();
    let with_paragraphs = |form: Form| {
        let (before, after) = match form.name {
            "front matter" => (String::new(), paragraph(others)),
            "open comment" => (paragraph(others), String::new()),
            _ => (paragraph(first), paragraph(last)),
        };
        let before = if before.is_empty() { before } else { format!("{before}\n\n") };
        let shift = |span: Range<usize>| span.start + before.len()..span.end + before.len();
        let claims = form.claims.into_iter().map(|(text, span)| (text, span.map(shift))).collect();
        Form { name: form.name, text: format!("{before}{}\n{after}\n", form.text), claims }
    };
    forms_beside(truth, thing, statement).into_iter().map(with_paragraphs).collect()
}

/// Returns a statement about a thing in all forms, each next to one true sentence.
fn forms_beside(truth: &str, thing: &str, statement: &str) -> Vec<Form> {
    let lie = format!("{thing} {statement}");
    let words: Vec<&str> = lie.split(' ').collect();
    let with_zero_width_words = words.join("\u{200b} \u{2060}");
    let with_zero_width_letters: String = lie.chars().flat_map(|c| [c, '\u{200b}']).collect();
    let reversed: String = lie.chars().rev().collect();
    let full_width: String =
        lie.chars()
            .map(|c| {
                if c.is_ascii_graphic() {
                    char::from_u32(u32::from(c) + 0xfee0).unwrap()
                } else {
                    c
                }
            })
            .collect();
    let with_look_alikes = lie.replace('a', "а").replace('e', "е").replace('o', "о");
    let decimal: String = lie.chars().map(|c| format!("&#{};", u32::from(c))).collect();
    let hexadecimal: String = lie.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect();
    let in_bold: String = words.iter().map(|word| format!("**{word}** ")).collect();
    let in_tags: String = words.iter().map(|word| format!("<b>{word}</b> ")).collect();
    let escaped = lie.replace('-', "\\-");
    let split_by_tags = lie.replace('e', "<i></i>e");
    let form = |name, text: String| Form { name, text, claims: Vec::new() };
    let mut forms = vec![
        form("heading before", format!("# {lie}\n\n{truth}.\n")),
        form("heading after", format!("{truth}.\n\n## {lie}\n")),
        form("setext heading", format!("{truth}.\n\n{lie}\n======\n")),
        form("closed heading", format!("{truth}.\n\n### {lie} ###\n")),
        form("bold line", format!("{truth}.\n\n**{lie}**\n")),
        form(
            "table cell",
            format!("{truth}.\n\n| thing | state |\n|---|---|\n| {thing} | {statement} |\n"),
        ),
        form("table header", format!("{truth}.\n\n| {lie} | x |\n|---|---|\n| yes | no |\n")),
        form("table without rows", format!("{truth}.\n\n| {lie} | x |\n|---|---|\n")),
        form("fence", format!("{truth}.\n\n```\n{lie}\n```\n")),
        form("tilde fence", format!("{truth}.\n\n~~~text\n{lie}\n~~~\n")),
        form("fence of commands", format!("{truth}.\n\n```bash\n# {lie}\n```\n")),
        form("fence of settings", format!("{truth}.\n\n```yaml\n{lie}\n```\n")),
        form("info string", format!("{truth}.\n\n```{lie}\n```\n")),
        form("indented code", format!("{truth}.\n\n    {lie}\n")),
        form("code span", format!("{truth}. `{lie}`\n")),
        form("tag question", format!("{truth}. {lie}, did it not?\n")),
        form("question with a clause", format!("{truth}. Does anyone know why {lie}?\n")),
        form("imperative", format!("{truth}. Restore the {thing} that {statement}.\n")),
        form(
            "proposal with a cause",
            format!("{truth}.\n\n## Next steps\n\n- Add an alert because {lie}.\n"),
        ),
        form("list item", format!("{truth}.\n\n- {lie}\n")),
        form("nested list in quotes", format!("{truth}.\n\n> > - 1. {lie}\n")),
        form("task", format!("{truth}.\n\n- [x] {lie}\n")),
        form("item under a colon", format!("{truth}.\n\nWhat was found:\n\n- {lie}\n")),
        form("label with a predicate", format!("{truth}.\n\n**Root cause:** {lie}\n")),
        form("heading label and fence", format!("{truth}.\n\n## Root cause\n\n```\n{lie}\n```\n")),
        form("heading label and quote", format!("{truth}.\n\n## Root cause\n\n> {lie}\n")),
        form("label alone", format!("{truth}.\n\n**{lie}:**\n")),
        form("definition", format!("{truth}.\n\nState\n: {lie}\n")),
        form("footnote", format!("{truth}.[^1]\n\n[^1]: {lie}\n")),
        form("alt text", format!("{truth}.\n\n![{lie}](a.png)\n")),
        form("image title", format!("{truth}.\n\n![a](a.png \"{lie}\")\n")),
        form("link text", format!("{truth}. [{lie}](http://a.example)\n")),
        form("link title", format!("{truth}. [x](http://a.example \"{lie}\")\n")),
        form("reference title", format!("{truth}. [x][1]\n\n[1]: http://a.example \"{lie}\"\n")),
        form("reference label", format!("{truth}.\n\n[{lie}]: http://a.example\n")),
        form("comment", format!("{truth}.\n\n<!-- {lie} -->\n")),
        form("comment in a sentence", format!("{truth} <!-- {lie} -->.\n")),
        form("open comment", format!("{truth}.\n\n<!-- {lie}\n")),
        form(
            "summary of details",
            format!("{truth}.\n\n<details><summary>{lie}</summary>\n\nMore.\n\n</details>\n"),
        ),
        form(
            "cell of HTML",
            format!("{truth}.\n\n<table><tr><td>{thing}</td><td>{statement}</td></tr></table>\n"),
        ),
        form("attribute", format!("{truth}.\n\n<p title=\"{lie}\"></p>\n")),
        form("inline tags", format!("{truth}. {in_tags}\n")),
        form("empty tags inside words", format!("{truth}. {split_by_tags}\n")),
        form("emphasis by word", format!("{truth}. {in_bold}\n")),
        form("struck out", format!("{truth}. ~~{lie}~~\n")),
        form("escapes", format!("{truth}. {escaped}\n")),
        form("decimal entities", format!("{truth}. {decimal}\n")),
        form("hexadecimal entities", format!("{truth}. {hexadecimal}\n")),
        form("zero-width spaces", format!("{truth}. {with_zero_width_words}\n")),
        form("zero-width in words", format!("{truth}. {with_zero_width_letters}\n")),
        form("right-to-left override", format!("{truth}. \u{202e}{reversed}\u{202c}\n")),
        form("full width", format!("{truth}. {full_width}\n")),
        form("look-alike letters", format!("{truth}. {with_look_alikes}\n")),
        form("front matter", format!("---\nnote: {lie}\n---\n\n{truth}.\n")),
        form("alert box", format!("{truth}.\n\n> [!NOTE]\n> {lie}\n")),
        form("dollar signs", format!("{truth}. ${lie}$\n")),
        form("after emoji", format!("{truth}. 🚨 {lie} 🚨\n")),
    ];
    let with_lie = format!("{truth}. {lie}.\n");
    let lie_start = truth.len() + 2;
    let claims = |name, claims: Vec<(&str, Option<Range<usize>>)>| Form {
        name,
        text: with_lie.clone(),
        claims: claims.into_iter().map(|(text, span)| (text.to_owned(), span)).collect(),
    };
    let denial = format!("It is false that {lie}");
    forms.extend([
        claims("given: without a span", vec![(truth, None)]),
        claims("given: a span over everything", vec![(truth, Some(0..with_lie.len()))]),
        claims("given: a span that touches the lie", vec![(truth, Some(0..lie_start + 1))]),
        claims("given: the span of the lie", vec![(truth, Some(lie_start..with_lie.len() - 1))]),
        claims(
            "given: twice",
            vec![(truth, Some(0..truth.len())), (truth, Some(lie_start..lie_start + lie.len()))],
        ),
        claims(
            "given: its denial on the lie",
            vec![(truth, None), (&denial, Some(lie_start..lie_start + lie.len()))],
        ),
    ]);
    forms
}
