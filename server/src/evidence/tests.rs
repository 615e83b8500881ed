use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};

use super::*;

const BOUNDS: Bounds = Bounds {
    max_corpus_size: 64 << 20,
    max_size: 256 << 20,
    time_to_live: None,
    kept_in_memory: 1 << 20,
};

fn store() -> (tempfile::TempDir, Evidence) {
    let folder = tempfile::tempdir().unwrap();
    let evidence = Evidence::open(folder.path(), BOUNDS, Embeddings::Off).unwrap();
    (folder, evidence)
}

fn name(name: &str) -> CorpusName {
    CorpusName::new(name).unwrap()
}

fn item(id: &str, tool: &str, content: Content) -> EvidenceItem {
    EvidenceItem {
        id: EvidenceId::new(id).unwrap(),
        kind: EvidenceKind::ToolOutput,
        lane: Lane::Logs,
        tool: tool.to_owned(),
        query: String::new(),
        content,
        collected_at: None,
        exhaustive: false,
        attested: false,
        step_id: String::new(),
        specialist_id: String::new(),
        verification_result: None,
    }
}

fn text(id: &str, text: &str) -> EvidenceItem {
    item(id, "kubectl logs cart-1", Content::Text(text.to_owned()))
}

fn put(evidence: &Evidence, corpus: &str, items: Vec<EvidenceItem>) -> (Summary, Vec<Stored>) {
    let mut put = evidence.put(name(corpus), None).unwrap();
    items.into_iter().for_each(|item| put.item(item).unwrap());
    put.finish().unwrap()
}

fn said(text: &str) -> Query<'_> {
    Query { text, vector: None, by_terms: true }
}

fn labels(evidence: &Evidence, corpus: &str, query: &str) -> Vec<String> {
    let found = evidence.search(&name(corpus), &said(query), &Filter::default(), 5).unwrap();
    found.hits.iter().map(Hit::label).collect()
}

fn log(lines: u32) -> String {
    (1..=lines)
        .map(|line| {
            format!(
                "2026-03-12T14:{:02}:00Z INFO order ORD-{line} took {} ms\n",
                line % 60,
                line * 7
            )
        })
        .collect()
}

#[test]
fn what_is_put_is_found_and_read_again() {
    let (_folder, evidence) = store();
    let pods: String = (0..60)
        .map(|pod| {
            format!(
                r#"{{"name": "cart-{pod}", "phase": "Running", "note": "{}"}},"#,
                "x".repeat(80)
            )
        })
        .collect();
    let pods = format!("{{\"items\": [{}]}}", pods.trim_end_matches(','));
    let (summary, stored) = put(
        &evidence,
        "inc-7",
        vec![text("log", &log(200)), item("pods", "kubectl get pods", Content::Json(pods.clone()))],
    );
    assert_eq!(summary.items, 2);
    assert_eq!(summary.size, (log(200).len() + pods.len()) as u64);
    assert_eq!((stored[0].lines, stored[0].repeated_lines), (200, 199));
    assert_eq!(
        labels(&evidence, "inc-7", "order ORD-120 took 840 ms").first().unwrap(),
        "log#L97-120"
    );
    assert_eq!(labels(&evidence, "inc-7", "cart-41 is Running").first().unwrap(), "pods#/items/41");

    let whole = evidence.items(&name("inc-7")).unwrap();
    let contents: Vec<&str> = whole.iter().map(|item| item.content.as_str()).collect();
    assert_eq!(contents, [log(200).as_str(), pods.as_str()]);
    let snapshot = |named, part| evidence.snapshot(&name("inc-7"), &named, part).unwrap();
    let lines = snapshot(Named::Id("log".to_owned()), Part::Lines(26, 27));
    assert_eq!(lines.content, log(200).split_inclusive('\n').skip(25).take(2).collect::<String>());
    let head = snapshot(Named::Digest(stored[1].digest), Part::Head);
    assert_eq!(Some(head.content.as_str()), pods.get(..4096));
    assert_eq!(head.size, pods.len() as u64);
    let some = snapshot(Named::Id("log".to_owned()), Part::Bytes(5, 9));
    assert_eq!(Some(some.content.as_str()), log(1).get(5..9));
}

#[test]
fn a_range_says_where_its_first_whole_character_stands() {
    let (_folder, evidence) = store();
    let said = "añb€c\u{1f600}d";
    put(&evidence, "c", vec![text("log", said)]);
    let end = said.len() as u64;
    for (from, to) in (0..=end + 2).flat_map(|from| (from..=end + 2).map(move |to| (from, to))) {
        let named = Named::Id("log".to_owned());
        let part = evidence.snapshot(&name("c"), &named, Part::Bytes(from, to)).unwrap();
        let start = usize::try_from(part.start).unwrap();
        let found = said.as_bytes().get(start..start + part.content.len());
        assert_eq!(found, Some(part.content.as_bytes()), "{from}..{to}");
        let skipped = start - usize::try_from(from.min(end)).unwrap();
        let cut =
            skipped + part.content.len() < usize::try_from(to.min(end) - from.min(end)).unwrap();
        assert!(skipped == 0 || !said.is_char_boundary(usize::try_from(from).unwrap()));
        assert!(!cut || !said.is_char_boundary(usize::try_from(to).unwrap()), "{from}..{to}");
    }
}

#[test]
fn text_that_comes_in_parts_is_the_same_text() {
    let (_folder, evidence) = store();
    let whole = log(3_000).replace("INFO", "INFÖ");
    put(&evidence, "whole", vec![text("log", &whole)]);
    let mut parts = evidence.put(name("parts"), None).unwrap();
    parts.item(text("log", "")).unwrap();
    whole.as_bytes().chunks(997).for_each(|part| parts.more(part).unwrap());
    let (_, stored) = parts.finish().unwrap();
    assert_eq!(stored[0].digest, *blake3::hash(whole.as_bytes()).as_bytes());
    assert_eq!(evidence.items(&name("parts")).unwrap(), evidence.items(&name("whole")).unwrap());
    for query in ["ORD-2741", "took 7 ms", "infö"] {
        assert_eq!(labels(&evidence, "parts", query), labels(&evidence, "whole", query), "{query}");
    }
}

#[test]
fn what_is_put_again_changes_nothing() {
    let (_folder, evidence) = store();
    let items = || {
        vec![
            text("a", "disk is full\n"),
            item("b", "df", Content::Text("disk is full\n".to_owned())),
        ]
    };
    let (before, _) = put(&evidence, "c", items());
    let (after, stored) = put(&evidence, "c", items());
    assert_eq!(after, before);
    assert!(stored.iter().all(|item| item.unchanged));
    let (after, stored) = put(&evidence, "c", vec![text("same", "disk is full\n")]);
    assert_eq!(stored[0].same_as.as_deref(), Some("a"));
    assert_eq!(after, before);
    let (after, _) = put(&evidence, "c", vec![text("a", "disk has room\n")]);
    assert_eq!(after.items, 2);
    assert_eq!(labels(&evidence, "c", "room"), ["a#L1-1"]);
    assert_eq!(labels(&evidence, "c", "full"), ["b#L1-1"]);
}

#[test]
fn what_was_not_completed_is_gone() {
    let (folder, evidence) = store();
    put(&evidence, "c", vec![text("kept", "kept line\n")]);
    let mut broken = evidence.put(name("c"), None).unwrap();
    broken.item(text("torn", &log(20_000))).unwrap();
    assert_ne!(
        labels(&evidence, "c", "ORD-11"),
        Vec::<String>::new(),
        "it is found while it comes"
    );
    drop(broken);
    assert_eq!(labels(&evidence, "c", "ORD-11"), Vec::<String>::new());

    // As a process that is killed leaves it.
    let mut killed = evidence.put(name("c"), None).unwrap();
    killed.item(text("torn", &log(20_000))).unwrap();
    let left = tempfile::tempdir().unwrap();
    copy_files(folder.path(), left.path());
    drop(killed);
    let again = Evidence::open(left.path(), BOUNDS, Embeddings::Off).unwrap();
    assert_eq!(labels(&again, "c", "ORD-11"), Vec::<String>::new());
    assert_eq!(labels(&again, "c", "kept"), ["kept#L1-1"]);
    assert_eq!(again.summary(&name("c")).unwrap().items, 1);
    let (summary, stored) = put(&again, "c", vec![text("torn", &log(20_000))]);
    assert_eq!((summary.items, stored[0].lines), (2, 20_000));
}

fn copy_files(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            copy_files(&from, &to);
        } else {
            std::fs::copy(&from, &to).unwrap();
        }
    }
}

#[test]
fn a_search_is_restricted() {
    let (_folder, evidence) = store();
    let at = |micros| Some(gsar_core::time::Timestamp::from_micros(micros));
    let mut early = text("early", "cart-1 is slow");
    early.collected_at = at(10);
    let mut late = item("late", "promql", Content::Text("cart-2 is slow".to_owned()));
    (late.collected_at, late.lane, late.kind) = (at(20), Lane::Metrics, EvidenceKind::Signal);
    put(&evidence, "c", vec![early, late]);
    let found = |filter: Filter| {
        let found = evidence.search(&name("c"), &said("what is slow"), &filter, 5).unwrap();
        found.hits.iter().map(|hit| hit.head.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(Filter::default()).len(), 2);
    assert_eq!(found(Filter { lanes: vec![Lane::Metrics], ..Default::default() }), ["late"]);
    assert_eq!(
        found(Filter { kinds: vec![EvidenceKind::ToolOutput], ..Default::default() }),
        ["early"]
    );
    assert_eq!(
        found(Filter { entities: vec!["cart-2".to_owned()], ..Default::default() }),
        ["late"]
    );
    let window = at(15).zip(at(30)).and_then(|(from, to)| gsar_core::time::Window::new(from, to));
    assert_eq!(found(Filter { window, ..Default::default() }), ["late"]);
    for query in ["", "the", "\" OR NEAR(", "*", "cart-9 -x:y ^ {}"] {
        evidence.search(&name("c"), &said(query), &Filter::default(), 5).unwrap();
    }
}

#[test]
fn corpora_are_listed_deleted_and_expire() {
    let (folder, evidence) = store();
    for corpus in ["b", "a", "c"] {
        put(&evidence, corpus, vec![text("x", corpus)]);
    }
    let names = |evidence: &Evidence, after: Option<&str>| {
        let after = after.map(name);
        let found = evidence.list(after.as_ref(), 2).unwrap();
        found.into_iter().map(|summary| summary.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&evidence, None), ["a", "b"]);
    assert_eq!(names(&evidence, Some("b")), ["c"]);
    assert_eq!(evidence.delete(&name("b")).unwrap().unwrap().items, 1);
    assert!(matches!(evidence.delete(&name("b")), Err(StoreError::UnknownCorpus { .. })));
    assert!(matches!(evidence.summary(&name("b")), Err(StoreError::UnknownCorpus { .. })));
    drop(evidence.put(name("a"), Some(Duration::ZERO)).unwrap());
    assert_eq!(evidence.delete_expired().unwrap(), 1);
    assert!(matches!(
        Evidence::open(folder.path(), BOUNDS, Embeddings::Off),
        Err(StoreError::Unavailable { .. })
    ));
    drop(evidence);
    assert_eq!(
        names(&Evidence::open(folder.path(), BOUNDS, Embeddings::Off).unwrap(), None),
        ["c"]
    );
}

#[test]
fn bounds_hold() {
    let folder = tempfile::tempdir().unwrap();
    let bounds = Bounds {
        max_corpus_size: 1_000,
        max_size: 1_500,
        time_to_live: None,
        kept_in_memory: 1 << 20,
    };
    let evidence = Evidence::open(folder.path(), bounds, Embeddings::Off).unwrap();
    let refused = |corpus: &str, size: usize| {
        let mut put = evidence.put(name(corpus), None).unwrap();
        put.item(text("x", &"y".repeat(size))).and_then(|()| put.finish().map(|_| ())).err()
    };
    assert_eq!(refused("a", 900), None);
    let full = |limit: &StoreError| matches!(limit, StoreError::Full { .. });
    assert!(refused("b", 1_001).as_ref().is_some_and(full));
    assert!(refused("b", 700).as_ref().is_some_and(full));
    assert_eq!(refused("b", 500), None);
}

#[test]
fn disorder_is_refused_and_costs_only_itself() {
    let (_folder, evidence) = store();
    let begin = || evidence.put(name("c"), None).unwrap();
    assert!(matches!(begin().more(b"x"), Err(StoreError::Disorder(_))));
    let mut put = begin();
    put.item(item("j", "t", Content::Json("{}".to_owned()))).unwrap();
    assert!(matches!(put.more(b"x"), Err(StoreError::Disorder(_))));
    drop(put);
    let mut put = begin();
    put.item(text("t", "")).unwrap();
    assert!(matches!(put.more(b"\xff\xfe"), Err(StoreError::Disorder(_))));
    drop(put);
    let mut put = begin();
    put.item(text("whole", "a whole one")).unwrap();
    put.item(text("t", "")).unwrap();
    put.more("é".as_bytes().get(..1).unwrap()).unwrap();
    assert!(matches!(put.finish(), Err(StoreError::Disorder(_))));
    assert_eq!(evidence.summary(&name("c")).unwrap().items, 1);
}

#[test]
fn a_damaged_corpus_is_named_and_can_be_deleted() {
    let (folder, evidence) = store();
    put(&evidence, "c", vec![text("x", &log(500))]);
    drop(evidence);
    let file = folder.path().join(FOLDER).join("c").join("corpus.sqlite3");
    for name in ["corpus.sqlite3-wal", "corpus.sqlite3-shm"] {
        let _ = std::fs::remove_file(file.with_file_name(name));
    }
    std::fs::write(&file, "nothing that SQLite knows".repeat(500)).unwrap();
    let evidence = Evidence::open(folder.path(), BOUNDS, Embeddings::Off).unwrap();
    assert!(matches!(evidence.summary(&name("c")), Err(StoreError::Damaged { .. })));
    assert!(evidence.list(None, 9).unwrap().is_empty());
    assert_eq!(evidence.delete(&name("c")).unwrap(), None);
    assert!(matches!(evidence.summary(&name("c")), Err(StoreError::UnknownCorpus { .. })));
}

#[test]
fn a_flipped_bit_is_an_error_or_changes_nothing_that_is_given_as_a_whole() {
    let (folder, evidence) = store();
    let pods = r#"{"items": [{"name": "cart-1", "phase": "Running"}]}"#;
    let stored = vec![text("log", &log(60)), item("pods", "t", Content::Json(pods.to_owned()))];
    put(&evidence, "c", stored);
    let contents = |evidence: &Evidence| -> Result<Vec<String>, StoreError> {
        let items = evidence.items(&name("c"))?;
        Ok(items.iter().map(|item| item.content.as_str().to_owned()).collect())
    };
    let right = contents(&evidence).unwrap();
    drop(evidence);
    let file = folder.path().join(FOLDER).join("c").join("corpus.sqlite3");
    let whole = std::fs::read(&file).unwrap();
    let header = 0..100;
    let rest = (100..whole.len()).step_by(whole.len() / 200);
    let mut refused = 0;
    for at in header.chain(rest) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&file, &damaged).unwrap();
        let evidence = Evidence::open(folder.path(), BOUNDS, Embeddings::Off).unwrap();
        match contents(&evidence) {
            Ok(found) => assert_eq!(found, right, "byte {at}"),
            Err(_) => refused += 1,
        }
        let _ = evidence.search(&name("c"), &said("order 7"), &Filter::default(), 5);
        let head = evidence.snapshot(&name("c"), &Named::Id("log".to_owned()), Part::Head);
        let _ = evidence.put(name("c"), None).and_then(|mut put| {
            put.item(text("more", "pool size is 20"))?;
            put.finish()
        });
        if head.is_err() {
            // What is damaged can be deleted and stored again.
            evidence.delete(&name("c")).unwrap();
            evidence.put(name("c"), None).and_then(Put::finish).unwrap();
        }
        drop(evidence);
        std::fs::remove_dir_all(folder.path().join(FOLDER).join("c")).unwrap();
        std::fs::create_dir(folder.path().join(FOLDER).join("c")).unwrap();
    }
    assert!(refused > 20, "{refused}");
}
