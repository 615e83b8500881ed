//! Prints line counts without tests, long files and import cycles:
//! `cargo run -p gsar-extraction --example lines -- PATH ...`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a tool for people"
)]

use std::path::Path;

#[path = "../tests/source/mod.rs"]
mod source;

use source::{MAX_LINES, cycles, files, uses};

fn main() {
    let mut total = (0, 0);
    let mut long = Vec::new();
    println!("| source | files | lines without tests |\n| --- | --: | --: |");
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        let files = files(Path::new(path));
        let lines: usize = files.iter().map(source::File::lines).sum();
        println!("| {path} | {} | {lines} |", files.len());
        total = (total.0 + files.len(), total.1 + lines);
        long.extend(files.into_iter().filter(|file| file.lines() > MAX_LINES));
    }
    println!("| **all** | {} | {} |", total.0, total.1);

    println!("\n{} files of more than {MAX_LINES} lines", long.len());
    long.sort_by_key(|file| std::cmp::Reverse(file.lines()));
    for file in long {
        println!("{:6} {}", file.lines(), file.path.display());
    }
    for path in paths.iter().map(Path::new).filter(|path| path.is_dir()) {
        for cycle in cycles(&uses(path)) {
            println!("\ncycle in {}: {}", path.display(), cycle.join(", "));
        }
    }
}
