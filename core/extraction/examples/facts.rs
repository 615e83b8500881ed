//! Prints the records in a text from standard input: `cargo run -p gsar-extraction --example facts -- TOOL < FILE`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "an example reads its input and prints what it found"
)]

use std::io::Read;

use gsar_extraction::budget::Budget;
use gsar_extraction::facts::{Facts, Item};

fn main() -> std::io::Result<()> {
    let mut content = String::new();
    std::io::stdin().read_to_string(&mut content)?;
    let tool = std::env::args().nth(1).unwrap_or_default();
    if tool == "--count" {
        let facts = Facts::extract(
            [Item { tool: "", query: "", content: &content, exhaustive: false }],
            &Budget::unlimited(),
        );
        println!("{} records, {} cells", facts.records().count(), facts.facts().count());
        return Ok(());
    }
    let facts = Facts::extract(
        [Item { tool: &tool, query: "", content: &content, exhaustive: false }],
        &Budget::unlimited(),
    );
    for (index, group) in facts.groups().iter().enumerate() {
        println!(
            "{:?} {index} {:?}{}",
            group.form,
            group.scope,
            if group.complete { " complete" } else { "" }
        );
        for id in &group.records {
            let Some(record) = facts.record(*id) else { continue };
            let parent = record.parent.map_or_else(String::new, |parent| format!(" <{}", parent.0));
            let time = record
                .time
                .as_ref()
                .map_or("", |time| content.get(time.span.clone()).unwrap_or("?"));
            let cells: Vec<String> = record
                .cells
                .iter()
                .map(|cell| format!("{}={:?}", cell.attribute.join("."), cell.text))
                .collect();
            println!("  {}{parent} /{} @{time} {}", id.0, record.path.join("/"), cells.join(" · "));
        }
    }
    Ok(())
}
