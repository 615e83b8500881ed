//! Prints the line counts of source files (without their tests), the files that are too long, and the import cycles:
//! `cargo run -p gsar-extraction --example lines -- PATH ...`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a command-line tool prints its results"
)]

use std::path::Path;

#[path = "../tests/source/mod.rs"]
mod source;

use source::{MAX_LINES, cycles, files, uses};

fn main() {
    let mut totals = (0, 0);
    let mut long_files = Vec::new();
    println!("| source | files | lines without tests |\n| --- | --: | --: |");
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        let files = files(Path::new(path));
        let line_count: usize = files.iter().map(source::File::lines).sum();
        println!("| {path} | {} | {line_count} |", files.len());
        totals = (totals.0 + files.len(), totals.1 + line_count);
        long_files.extend(files.into_iter().filter(|file| file.lines() > MAX_LINES));
    }
    println!("| **all** | {} | {} |", totals.0, totals.1);

    println!("\n{} files with more than {MAX_LINES} lines", long_files.len());
    long_files.sort_by_key(|file| std::cmp::Reverse(file.lines()));
    for file in long_files {
        println!("{:6} {}", file.lines(), file.path.display());
    }
    for path in paths.iter().map(Path::new).filter(|path| path.is_dir()) {
        for cycle in cycles(&uses(path)) {
            println!("\ncycle in {}: {}", path.display(), cycle.join(", "));
        }
    }
}
