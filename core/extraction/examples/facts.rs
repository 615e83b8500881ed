//! Prints the records extracted from standard input: `cargo run -p gsar-extraction --example facts -- TOOL < FILE`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the example reads standard input and prints the records"
)]

use std::io::Read;

use gsar_extraction::budget::Budget;
use gsar_extraction::facts::{Facts, Item};

fn main() -> std::io::Result<()> {
    let mut content = String::new();
    std::io::stdin().read_to_string(&mut content)?;
    let argument = std::env::args().nth(1).unwrap_or_default();
    let only_counts = argument == "--count";
    let tool = if only_counts { "" } else { &argument };
    let item = Item { tool, query: "", content: &content, exhaustive: false };
    let facts = Facts::extract([item], &Budget::unlimited());
    if only_counts {
        println!("{} records, {} cells", facts.records().count(), facts.facts().count());
        return Ok(());
    }
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
