//! Measures source code: the number of lines without tests, and the imports between folders.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::allow_attributes,
    dead_code,
    reason = "shared by a test and a command-line tool, which fail by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(crate) const MAX_LINES: usize = 400;

pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn lines(&self) -> usize {
        self.text.lines().count()
    }
}

/// Returns the source files in a folder, except those that contain only tests. If `path` is a file, returns that file.
pub(crate) fn files(path: &Path) -> Vec<File> {
    if path.is_file() {
        return vec![File { path: path.to_owned(), text: without_tests(path) }];
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort_unstable();
    let is_source = |path: &PathBuf| {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_test = stem == "tests" || stem.ends_with("_tests");
        !is_test && (path.is_dir() || path.extension().is_some_and(|extension| extension == "rs"))
    };
    entries.into_iter().filter(is_source).flat_map(|path| files(&path)).collect()
}

fn without_tests(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let is_module = |rest: &str| {
        let declaration = rest.trim_start_matches("#[cfg(test)]").trim_start();
        let declaration =
            declaration.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        let line = declaration.lines().next().unwrap_or_default();
        line == "mod tests;" || line.starts_with("mod ") && line.ends_with('{')
    };
    let tests = text.match_indices("#[cfg(test)]").map(|(offset, _)| offset);
    let end = tests.into_iter().find(|offset| text.get(*offset..).is_some_and(is_module));
    text.get(..end.unwrap_or(text.len())).unwrap_or_default().to_owned()
}

/// Returns the imports between the modules in `root`.
pub(crate) fn uses(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let source = root.ancestors().find(|folder| folder.join("lib.rs").is_file());
    let absolute = source.and_then(|source| root.strip_prefix(source).ok()).map(|path| {
        path.iter().fold("crate::".to_owned(), |path, name| path + name.to_str().unwrap() + "::")
    });
    let is_module =
        |name: &str| root.join(name).is_dir() || root.join(format!("{name}.rs")).is_file();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(root) {
        let module = module(file.path.strip_prefix(root).unwrap());
        let Some(this_module) = module.first().filter(|name| is_module(name)) else { continue };
        let to_root = "super::".repeat(module.len());
        let roots = [Some(to_root.as_str()), absolute.as_deref()];
        let imported = roots.into_iter().flatten().flat_map(|path| names_after(&file.text, path));
        let imported = imported.filter(|name| name != this_module && is_module(name));
        uses.entry(this_module.clone()).or_default().extend(imported);
    }
    uses
}

/// Returns the module path of a file: `[facts]` for `facts/mod.rs`, `[facts, xml]` for `facts/xml.rs`,
/// `[]` for `lib.rs`.
fn module(path: &Path) -> Vec<String> {
    let parts = path.with_extension("");
    let parts = parts.iter().map(|part| part.to_string_lossy().into_owned());
    parts.filter(|part| part != "mod" && part != "lib").collect()
}

/// Returns the names after a path: `text` and `claim` in `crate::text::part` and `crate::{claim, text}`.
fn names_after(text: &str, path: &str) -> Vec<String> {
    let code: String = text.lines().filter(|line| !line.trim().starts_with("//")).collect();
    let mut names = Vec::new();
    for (offset, _) in code.match_indices(path) {
        let preceding = code.get(..offset).unwrap_or_default();
        if preceding.ends_with("::") || preceding.ends_with(char::is_alphanumeric) {
            continue;
        }
        let rest = code.get(offset + path.len()..).unwrap_or_default();
        match rest.strip_prefix('{') {
            None => names.extend(name(rest)),
            Some(list) => {
                let list = list.split('}').next().unwrap_or_default();
                names.extend(list.split(',').filter_map(|entry| name(entry.trim())));
            }
        }
    }
    names
}

fn name(rest: &str) -> Option<String> {
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

pub(crate) fn cycles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reachable_from = |start: &str| {
        let mut reachable = BTreeSet::new();
        let mut pending: Vec<&str> = vec![start];
        while let Some(folder) = pending.pop() {
            for imported in uses.get(folder).into_iter().flatten() {
                if reachable.insert(imported.as_str()) {
                    pending.push(imported);
                }
            }
        }
        reachable
    };
    let mut cycles: BTreeSet<Vec<String>> = BTreeSet::new();
    for folder in uses.keys() {
        let reachable = reachable_from(folder);
        if reachable.contains(folder.as_str()) {
            let cycle = reachable
                .into_iter()
                .filter(|other| reachable_from(other).contains(folder.as_str()));
            cycles.insert(cycle.map(str::to_owned).collect());
        }
    }
    cycles.into_iter().collect()
}
