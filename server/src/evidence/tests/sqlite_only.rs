//! Tests locked, damaged and leftover files of the SQLite engine.

use super::*;

fn store() -> (TempDir, Evidence) {
    let folder = TempDir::new().unwrap();
    let evidence = Evidence::open(folder.path(), BOUNDS, Embeddings::Off).unwrap();
    (folder, evidence)
}

#[test]
fn rejects_a_second_process() {
    let (folder, evidence) = store();
    let open_again = || Evidence::open(folder.path(), BOUNDS, Embeddings::Off);
    assert!(matches!(open_again(), Err(StoreError::Unavailable { .. })));
    drop(evidence);
    open_again().unwrap();
}

#[test]
fn an_item_of_a_killed_process_is_discarded() {
    let (folder, evidence) = store();
    put(&evidence, "c", vec![text("kept", "kept line\n")]);
    let mut interrupted = evidence.put(name("c"), None).unwrap();
    interrupted.start_item(text("torn", &log(20_000))).unwrap();
    let copy = tempfile::tempdir().unwrap();
    copy_files(folder.path(), copy.path());
    drop(interrupted);
    let reopened = Evidence::open(copy.path(), BOUNDS, Embeddings::Off).unwrap();
    assert_eq!(labels(&reopened, "c", "ORD-11"), Vec::<String>::new());
    assert_eq!(labels(&reopened, "c", "kept"), ["kept#L1-1"]);
    assert_eq!(reopened.summary(&name("c")).unwrap().items, 1);
    let (summary, stored) = put(&reopened, "c", vec![text("torn", &log(20_000))]);
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
fn damaged_vectors_are_rebuilt() {
    let (folder, evidence) = store();
    put(&evidence, "c", vec![text("a", "disk is full")]);
    let corpus = evidence.corpus(&name("c"), false).unwrap();
    let (number, _) = corpus.passages_without_vector(&space(), 0).unwrap().remove(0);
    let vector = Vector::from([1.0_f32, 0.0].as_slice());
    corpus.add_vectors(&space(), vec![(number, vector)]).unwrap();
    corpus.save_vectors(&space()).unwrap();
    corpus.mark_embedded(&space()).unwrap();
    drop((corpus, evidence));
    let vectors = folder.path().join(FOLDER).join("c").join("vectors");
    for file in std::fs::read_dir(&vectors).unwrap() {
        std::fs::write(file.unwrap().path(), "not an index").unwrap();
    }
    let evidence = Evidence::open(folder.path(), BOUNDS, Embeddings::Off).unwrap();
    assert_eq!(evidence.summary(&name("c")).unwrap().embedded_by, Some(space().model));
    let query = Query { text: "disk", vector: None, by_terms: true };
    let corpus = evidence.corpus(&name("c"), false).unwrap();
    let meaning = Some(([1.0, 0.0].as_slice(), Ok(space())));
    let hits = corpus.search(&query, meaning, &Filter::default(), 5).unwrap();
    assert_eq!((hits.hits.len(), hits.method), (1, Method::Lexical));
    assert_eq!(
        evidence.summary(&name("c")).unwrap().embedded_by,
        None,
        "the corpus must be embedded again"
    );
    assert_eq!(corpus.passages_without_vector(&space(), 0).unwrap().len(), 1);
}

#[test]
fn a_damaged_corpus_can_be_deleted() {
    let (folder, evidence) = store();
    put(&evidence, "c", vec![text("x", &log(500))]);
    drop(evidence);
    let file = folder.path().join(FOLDER).join("c").join("corpus.sqlite3");
    for name in ["corpus.sqlite3-wal", "corpus.sqlite3-shm"] {
        let _ = std::fs::remove_file(file.with_file_name(name));
    }
    std::fs::write(&file, "not a SQLite database".repeat(500)).unwrap();
    let evidence = Evidence::open(folder.path(), BOUNDS, Embeddings::Off).unwrap();
    assert!(matches!(evidence.summary(&name("c")), Err(StoreError::Damaged { .. })));
    assert!(evidence.list(None, 9).unwrap().is_empty());
    assert_eq!(evidence.delete(&name("c")).unwrap(), None);
    assert!(matches!(evidence.summary(&name("c")), Err(StoreError::UnknownCorpus { .. })));
}

#[test]
fn bit_flips_never_change_items() {
    let (folder, evidence) = store();
    let pods = r#"{"items": [{"name": "cart-1", "phase": "Running"}]}"#;
    let stored = vec![text("log", &log(60)), item("pods", "t", Content::Json(pods.to_owned()))];
    put(&evidence, "c", stored);
    let contents = |evidence: &Evidence| -> Result<Vec<String>, StoreError> {
        let items = evidence.items(&name("c"))?;
        Ok(items.iter().map(|item| item.content.as_str().to_owned()).collect())
    };
    let expected = contents(&evidence).unwrap();
    drop(evidence);
    let file = folder.path().join(FOLDER).join("c").join("corpus.sqlite3");
    let intact = std::fs::read(&file).unwrap();
    let header = 0..100;
    let body = (100..intact.len()).step_by(intact.len() / 200);
    let mut error_count = 0;
    for index in header.chain(body) {
        let mut damaged = intact.clone();
        damaged[index] ^= 1 << (index % 8);
        std::fs::write(&file, &damaged).unwrap();
        let evidence = Evidence::open(folder.path(), BOUNDS, Embeddings::Off).unwrap();
        match contents(&evidence) {
            Ok(actual) => assert_eq!(actual, expected, "byte {index}"),
            Err(_) => error_count += 1,
        }
        let _ = evidence.search(&name("c"), &lexical("order 7"), &Filter::default(), 5);
        let head = evidence.snapshot(&name("c"), &ItemRef::Id("log".to_owned()), Part::Head);
        let _ = evidence.put(name("c"), None).and_then(|mut put| {
            put.start_item(text("more", "pool size is 20"))?;
            put.finish()
        });
        if head.is_err() {
            // A damaged corpus can be deleted and stored again.
            evidence.delete(&name("c")).unwrap();
            evidence.put(name("c"), None).and_then(Put::finish).unwrap();
        }
        drop(evidence);
        std::fs::remove_dir_all(folder.path().join(FOLDER).join("c")).unwrap();
        std::fs::create_dir(folder.path().join(FOLDER).join("c")).unwrap();
    }
    assert!(error_count > 20, "{error_count}");
}
