//! Loads files and directories of JSON, logs, tables and text as evidence items.
//!
//! [`classify_item`] detects the kind of each file, unless an `evidence.toml` in its directory states it.

pub(crate) mod command;
mod manifest;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gsar_core::check::CheckRun;
use gsar_core::evidence::{Classification, EvidenceKind, Lane, classify_item};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;

use crate::input::{InputError, read_text, split_position};

/// The name of the file that describes the files in its directory.
pub const MANIFEST: &str = "evidence.toml";

/// Evidence loaded from files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The items, in the order of the given paths, sorted by name within a directory.
    pub items: Vec<v1::EvidenceItem>,
    /// A note for each file or entry that was skipped.
    pub notes: Vec<String>,
}

struct Source {
    path: PathBuf,
    /// The name relative to the given path.
    name: String,
    entry: Option<manifest::Entry>,
}

/// Loads evidence from files and directories. Directories are read recursively, without hidden files. An item's id is
/// its path relative to the given one, unless `evidence.toml` states another.
pub fn load(paths: &[PathBuf]) -> Result<Evidence, InputError> {
    let mut sources = Vec::new();
    let mut notes = Vec::new();
    for path in paths {
        if path.is_dir() {
            let unreadable = |source| InputError::Unreadable { path: path.clone(), source };
            let canonical = fs::canonicalize(path).map_err(unreadable)?;
            let root = Root { path, canonical };
            add_directory(&root, path, &mut sources, &mut notes)?;
        } else {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            sources.push(Source { path: path.clone(), name, entry: None });
        }
    }
    make_names_unique(&mut sources)?;
    let items = sources.iter().map(load_item).collect::<Result<_, _>>()?;
    Ok(Evidence { items, notes })
}

/// A given directory.
struct Root<'a> {
    path: &'a Path,
    canonical: PathBuf,
}

enum EntryKind {
    Directory,
    File,
    /// An entry to skip, with the reason.
    Other(&'static str),
}

impl Root<'_> {
    /// Returns the kind of a directory entry. Links out of the directory are not followed. Otherwise, anyone who can
    /// write to the directory could expose any file.
    fn kind_of(&self, path: &Path) -> io::Result<EntryKind> {
        let is_link = fs::symlink_metadata(path)?.is_symlink();
        if is_link
            && !fs::canonicalize(path).is_ok_and(|target| target.starts_with(&self.canonical))
        {
            return Ok(EntryKind::Other("is a link out of the directory"));
        }
        let metadata = fs::metadata(path)?;
        Ok(match (metadata.is_file(), metadata.is_dir()) {
            (true, _) => EntryKind::File,
            (_, true) if is_link => EntryKind::Other("is a link to a directory"),
            (_, true) => EntryKind::Directory,
            _ => EntryKind::Other("is neither a file nor a directory"),
        })
    }
}

fn add_directory(
    root: &Root<'_>,
    folder: &Path,
    sources: &mut Vec<Source>,
    notes: &mut Vec<String>,
) -> Result<(), InputError> {
    let unreadable = |source| InputError::Unreadable { path: folder.to_owned(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_hidden =
            path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !is_hidden {
            entries.push(path);
        }
    }
    entries.sort();
    let manifest_path = folder.join(MANIFEST);
    if entries.contains(&manifest_path) {
        return add_manifest_entries(root, folder, &manifest_path, &entries, sources, notes);
    }
    for path in entries {
        let unreadable = |source| InputError::Unreadable { path: path.clone(), source };
        match root.kind_of(&path).map_err(unreadable)? {
            EntryKind::Directory => add_directory(root, &path, sources, notes)?,
            EntryKind::File => {
                sources.push(Source { name: name_within(root.path, &path), path, entry: None });
            }
            EntryKind::Other(reason) => {
                notes.push(format!("{} {reason} and was skipped", path.display()))
            }
        }
    }
    Ok(())
}

fn add_manifest_entries(
    root: &Root<'_>,
    folder: &Path,
    manifest_path: &Path,
    entries: &[PathBuf],
    sources: &mut Vec<Source>,
    notes: &mut Vec<String>,
) -> Result<(), InputError> {
    let manifest_entries = manifest::read(manifest_path, &read_text(manifest_path)?)?;
    for path in entries.iter().filter(|path| *path != manifest_path) {
        if !manifest_entries.iter().any(|entry| folder.join(&entry.file).starts_with(path)) {
            let (path, manifest) = (path.display(), manifest_path.display());
            notes.push(format!("{path} is not listed in {manifest} and was skipped"));
        }
    }
    for entry in manifest_entries {
        let path = folder.join(&entry.file);
        // If the file does not exist, reading it reports this.
        if let Ok(EntryKind::Other(reason)) = root.kind_of(&path) {
            return Err(InputError::Unusable { path, message: format!("{reason}; copy the file") });
        }
        sources.push(Source { name: name_within(root.path, &path), path, entry: Some(entry) });
    }
    Ok(())
}

fn name_within(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Identifies files with the same name by their full path, and rejects duplicate ids.
fn make_names_unique(sources: &mut [Source]) -> Result<(), InputError> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for source in sources.iter() {
        *counts.entry(id_of(source)).or_default() += 1;
    }
    let is_shared = |name: &str| counts.get(name).is_some_and(|count| *count > 1);
    for source in sources.iter_mut().filter(|source| is_shared(&source.name)) {
        if source.entry.as_ref().is_none_or(|entry| entry.id.is_none()) {
            source.name = source.path.to_string_lossy().into_owned();
        }
    }
    let mut ids = std::collections::HashSet::new();
    for source in sources.iter() {
        if !ids.insert(id_of(source)) {
            let message = format!("duplicate id `{}`", id_of(source));
            return Err(InputError::Unusable { path: source.path.clone(), message });
        }
    }
    Ok(())
}

fn id_of(source: &Source) -> String {
    let id = source.entry.as_ref().and_then(|entry| entry.id.clone());
    id.unwrap_or_else(|| source.name.clone())
}

fn load_item(source: &Source) -> Result<v1::EvidenceItem, InputError> {
    let text = read_text(&source.path)?;
    let is_document = is_json_document(&source.path, without_gz(&source.name), &text)?;
    let entry = source.entry.as_ref();
    let detected = classify_item(without_gz(&source.name), &text);
    let is_check_run = is_document && matches!(CheckRun::from_json(&text), Ok(Some(_)));
    let classification = match is_check_run {
        true => Classification { kind: EvidenceKind::Verification, lane: Lane::Verification },
        false => Classification {
            kind: entry.and_then(|entry| entry.kind).unwrap_or(detected.kind),
            lane: entry.and_then(|entry| entry.lane).unwrap_or(detected.lane),
        },
    };
    let content = if is_document {
        v1::evidence_item::Content::Json(text)
    } else {
        v1::evidence_item::Content::Text(text)
    };
    let field = |value: fn(&manifest::Entry) -> &Option<String>| {
        entry.and_then(|entry| value(entry).clone()).unwrap_or_default()
    };
    Ok(v1::EvidenceItem {
        id: id_of(source),
        kind: classification.kind.number(),
        lane: classification.lane.number(),
        tool: field(|entry| &entry.tool),
        query: field(|entry| &entry.query),
        content: Some(content),
        collected_at: entry.and_then(|entry| entry.collected_at),
        exhaustive: entry.is_some_and(|entry| entry.exhaustive),
        step_id: field(|entry| &entry.step_id),
        specialist_id: field(|entry| &entry.specialist_id),
        verification_result: entry
            .and_then(|entry| entry.verification_result)
            .map_or(0, |result| result.number()),
    })
}

fn without_gz(name: &str) -> &str {
    name.strip_suffix(".gz").unwrap_or(name)
}

/// Returns `true` if the text is a single JSON document. Fails if a file with a JSON extension is not JSON.
fn is_json_document(path: &Path, name: &str, text: &str) -> Result<bool, InputError> {
    let extension = Path::new(name).extension();
    let extension = extension.and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    let has_json_extension = matches!(extension.as_str(), "json" | "jsonl" | "ndjson");
    if !has_json_extension && !text.trim_start().starts_with(['{', '[']) {
        return Ok(false);
    }
    let mut documents = 0;
    for document in serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>() {
        match document {
            Ok(_) => documents += 1,
            Err(_) if !has_json_extension => return Ok(false),
            Err(error) => {
                let (line, message) = split_position(&error.to_string());
                let message =
                    format!("invalid JSON: {message}; fix it, or rename the file to .txt");
                return Err(InputError::Content { path: path.to_owned(), line, message });
            }
        }
    }
    Ok(documents == 1 && !matches!(extension.as_str(), "jsonl" | "ndjson"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        folder
    }

    fn ids(evidence: &Evidence) -> Vec<&str> {
        evidence.items.iter().map(|item| item.id.as_str()).collect()
    }

    fn is_json(item: &v1::EvidenceItem) -> bool {
        matches!(item.content, Some(v1::evidence_item::Content::Json(_)))
    }

    #[test]
    fn follows_links_only_within_the_directory() {
        use std::os::unix::fs::symlink;
        let outside = folder(&[("secret.txt", b"key"), ("more/a.txt", b"a")]);
        let folder = folder(&[("a.log", b"a"), ("sub/b.log", b"b"), ("of_list/x.txt", b"x")]);
        let path = |name: &str| folder.path().join(name);
        symlink("a.log", path("c.log")).unwrap();
        symlink(outside.path().join("secret.txt"), path("secret.txt")).unwrap();
        symlink(outside.path().join("more"), path("more")).unwrap();
        symlink("..", path("sub/up")).unwrap();
        symlink("/dev/zero", path("zero")).unwrap();
        let socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();

        let evidence = load(&[folder.path().to_owned()]).unwrap();
        assert_eq!(ids(&evidence), ["a.log", "c.log", "of_list/x.txt", "sub/b.log"]);
        assert_eq!(evidence.notes.len(), 5, "{:?}", evidence.notes);
        for (name, reason) in [
            ("secret.txt", "is a link out of the directory"),
            ("more", "is a link out of the directory"),
            ("sub/up", "is a link to a directory"),
            ("zero", "is a link out of the directory"),
            ("socket", "is neither a file nor a directory"),
        ] {
            let note = format!("{} {reason} and was skipped", path(name).display());
            assert!(evidence.notes.contains(&note), "{note}: {:?}", evidence.notes);
        }
        drop(socket);

        symlink(outside.path().join("secret.txt"), path("of_list/y.txt")).unwrap();
        fs::write(path("of_list/evidence.toml"), "[[item]]\nfile = \"y.txt\"\n").unwrap();
        let error = load(&[path("of_list")]).unwrap_err().to_string();
        assert!(error.ends_with("is a link out of the directory; copy the file"), "{error}");
    }

    #[test]
    fn rejects_an_endless_file() {
        let error = load(&[PathBuf::from("/dev/zero")]).unwrap_err().to_string();
        assert_eq!(error, "/dev/zero: larger than 128 MiB; split it");
    }

    #[test]
    fn directories_are_sorted_and_hidden_files_skipped() {
        let folder = folder(&[
            ("b.log", b"2026-03-12T14:02:11Z error"),
            ("a/pods.json", b"{\"kind\":\"PodList\",\"items\":[]}\n"),
            (".git/HEAD", b"ref"),
            (".hidden", b"\xff"),
            ("c.jsonl", b"{\"a\":1}\n"),
            ("d.txt", b"{\"a\":1}"),
            ("e.txt", b"{not json"),
        ]);
        let evidence = load(&[folder.path().to_owned()]).unwrap();
        assert_eq!(ids(&evidence), ["a/pods.json", "b.log", "c.jsonl", "d.txt", "e.txt"]);
        let json: Vec<_> = evidence.items.iter().map(is_json).collect();
        assert_eq!(json, [true, false, false, true, false]);
        assert_eq!(
            evidence.items[0].content,
            Some(v1::evidence_item::Content::Json(
                "{\"kind\":\"PodList\",\"items\":[]}\n".to_owned()
            ))
        );
    }

    #[test]
    fn invalid_text_and_json_are_reported_with_their_line() {
        for (name, content, expected) in [
            ("a.log", &b"ok\n\xff"[..], "a.log:2: not valid UTF-8; convert the file to UTF-8"),
            (
                "a.json",
                b"{\n \"a\": }",
                "a.json:2: invalid JSON: column 7: expected value; fix it, or rename the file to .txt",
            ),
            (
                "a.jsonl",
                b"{}\n{}\n{",
                "a.jsonl:3: invalid JSON: column 1: EOF while parsing an object; fix it, or rename the file to .txt",
            ),
        ] {
            let folder = folder(&[(name, content)]);
            let error = load(&[folder.path().to_owned()]).unwrap_err().to_string();
            assert_eq!(error, folder.path().join(expected).to_string_lossy(), "{name}");
        }
    }

    #[test]
    fn compressed_files_are_decompressed() {
        use std::io::Write as _;
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(b"{\"kind\":\"PodList\",\"items\":[]}\n").unwrap();
        let packed = packer.finish().unwrap();
        let utf16: Vec<u8> = b"\xff\xfe"
            .iter()
            .copied()
            .chain("{}".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        let folder = folder(&[("pods.json.gz", &packed), ("windows.json", &utf16)]);
        let evidence = load(&[folder.path().to_owned()]).unwrap();
        assert_eq!(ids(&evidence), ["pods.json.gz", "windows.json"]);
        assert!(evidence.items.iter().all(is_json), "{evidence:?}");
        let broken = folder.path().join("broken.json.gz");
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(b"{").unwrap();
        fs::write(&broken, packer.finish().unwrap()).unwrap();
        assert!(
            load(&[broken]).unwrap_err().to_string().contains("broken.json.gz:1: invalid JSON")
        );
    }

    #[test]
    fn files_with_the_same_name_are_identified_by_path() {
        let folder = folder(&[("one/pods.txt", b"a"), ("two/pods.txt", b"b")]);
        let (one, two) = (folder.path().join("one"), folder.path().join("two/pods.txt"));
        let evidence = load(&[one.clone(), two.clone()]).unwrap();
        let expected = [one.join("pods.txt"), two.clone()];
        let expected: Vec<_> = expected.iter().map(|path| path.to_string_lossy()).collect();
        assert_eq!(ids(&evidence), expected);
        let error = load(&[two.clone(), two]).unwrap_err().to_string();
        assert!(error.contains("duplicate id"), "{error}");
    }

    #[test]
    fn a_manifest_describes_the_files() {
        let manifest = br#"
            [[item]]
            file = "b.txt"
            id = "deploy-4711"
            kind = "change"
            lane = "change"
            tool = "kubectl rollout history"
            query = "checkout"
            collected_at = "2026-03-12T14:20:00Z"
            exhaustive = true

            [[item]]
            file = "a.txt"
        "#;
        let folder = folder(&[
            (MANIFEST, manifest),
            ("a.txt", b"NAME READY STATUS RESTARTS AGE\n"),
            ("b.txt", b"REVISION"),
            ("notes.txt", b"not evidence"),
        ]);
        std::fs::create_dir(folder.path().join("k8s")).unwrap();
        std::fs::write(folder.path().join("k8s/pods.txt"), "skipped with its directory").unwrap();
        let evidence = load(&[folder.path().to_owned()]).unwrap();
        assert_eq!(ids(&evidence), ["deploy-4711", "a.txt"]);
        let [deploy, pods] = &evidence.items[..] else { panic!("expected two items") };
        assert_eq!(deploy.kind(), v1::EvidenceKind::Change);
        assert_eq!(deploy.lane(), v1::EvidenceLane::Change);
        assert_eq!(deploy.tool, "kubectl rollout history");
        assert_eq!(deploy.query, "checkout");
        assert!(deploy.exhaustive);
        assert_eq!(deploy.collected_at.map(|instant| instant.seconds), Some(1_773_325_200));
        assert_eq!(pods.lane(), v1::EvidenceLane::StaticInfra);
        assert!(!pods.exhaustive);
        assert_eq!(evidence.notes.len(), 2);
        assert!(evidence.notes[0].contains("k8s is not listed"), "{:?}", evidence.notes);
        assert!(evidence.notes[1].contains("notes.txt is not listed"), "{:?}", evidence.notes);
    }

    #[test]
    fn classification_agrees_with_most_incident_manifests() {
        let incidents =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/incidents");
        let (mut compared, mut agreed) = (0, 0);
        for incident in fs::read_dir(incidents).unwrap() {
            let folder = incident.unwrap().path().join("evidence");
            let Ok(manifest) = fs::read_to_string(folder.join(MANIFEST)) else {
                continue;
            };
            for entry in manifest::read(&folder, &manifest).unwrap() {
                let text = fs::read_to_string(folder.join(&entry.file)).unwrap();
                let detected = classify_item(&entry.file, &text);
                let expected =
                    Classification { kind: entry.kind.unwrap(), lane: entry.lane.unwrap() };
                agreed += usize::from(detected == expected);
                let is_demo = ["checkout-oom", "payments-bad-deploy"]
                    .iter()
                    .any(|demo| folder.to_string_lossy().contains(demo));
                assert!(!is_demo || detected == expected, "{}: {detected:?}", entry.file);
                compared += 1;
            }
        }
        // Some manifests state what cannot be detected from the files.
        assert!(agreed * 100 >= compared * 85, "{agreed} of {compared}");
        assert!(compared > 100, "too few items were compared: {compared}");
    }
}
