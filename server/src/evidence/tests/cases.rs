//! Test cases that run on each engine.

use super::*;

pub(super) fn stored_items_are_found_and_read(fixture: &Fixture) {
    let evidence = fixture.open();
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

    let items = evidence.items(&name("inc-7")).unwrap();
    let contents: Vec<&str> = items.iter().map(|item| item.content.as_str()).collect();
    assert_eq!(contents, [log(200).as_str(), pods.as_str()]);
    let snapshot = |item, part| evidence.snapshot(&name("inc-7"), &item, part).unwrap();
    let lines = snapshot(ItemRef::Id("log".to_owned()), Part::Lines(26, 27));
    assert_eq!(lines.content, log(200).split_inclusive('\n').skip(25).take(2).collect::<String>());
    let head = snapshot(ItemRef::Digest(stored[1].digest), Part::Head);
    assert_eq!(Some(head.content.as_str()), pods.get(..4096));
    assert_eq!(head.size, pods.len() as u64);
    let part = snapshot(ItemRef::Id("log".to_owned()), Part::Bytes(5, 9));
    assert_eq!(Some(part.content.as_str()), log(1).get(5..9));
}

pub(super) fn a_range_starts_at_a_whole_character(fixture: &Fixture) {
    let evidence = fixture.open();
    let content = "añb€c\u{1f600}d";
    put(&evidence, "c", vec![text("log", content)]);
    let end = content.len() as u64;
    for (from, to) in (0..=end + 2).flat_map(|from| (from..=end + 2).map(move |to| (from, to))) {
        let item = ItemRef::Id("log".to_owned());
        let part = evidence.snapshot(&name("c"), &item, Part::Bytes(from, to)).unwrap();
        let start = usize::try_from(part.start).unwrap();
        let expected = content.as_bytes().get(start..start + part.content.len());
        assert_eq!(expected, Some(part.content.as_bytes()), "{from}..{to}");
        let skipped = start - usize::try_from(from.min(end)).unwrap();
        let is_cut =
            skipped + part.content.len() < usize::try_from(to.min(end) - from.min(end)).unwrap();
        assert!(skipped == 0 || !content.is_char_boundary(usize::try_from(from).unwrap()));
        assert!(!is_cut || !content.is_char_boundary(usize::try_from(to).unwrap()), "{from}..{to}");
    }
}

pub(super) fn text_received_in_parts_equals_text_received_whole(fixture: &Fixture) {
    let evidence = fixture.open();
    let content = log(3_000).replace("INFO", "INFÖ");
    put(&evidence, "whole", vec![text("log", &content)]);
    let mut upload = evidence.put(name("parts"), None).unwrap();
    upload.start_item(text("log", "")).unwrap();
    content.as_bytes().chunks(997).for_each(|part| upload.append(part).unwrap());
    let (_, stored) = upload.finish().unwrap();
    assert_eq!(stored[0].digest, *blake3::hash(content.as_bytes()).as_bytes());
    assert_eq!(evidence.items(&name("parts")).unwrap(), evidence.items(&name("whole")).unwrap());
    for query in ["ORD-2741", "took 7 ms", "infö"] {
        assert_eq!(labels(&evidence, "parts", query), labels(&evidence, "whole", query), "{query}");
    }
}

pub(super) fn stores_unchanged_items_once(fixture: &Fixture) {
    let evidence = fixture.open();
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

pub(super) fn incomplete_items_are_discarded(fixture: &Fixture) {
    let evidence = fixture.open();
    put(&evidence, "c", vec![text("kept", "kept line\n")]);
    let mut interrupted = evidence.put(name("c"), None).unwrap();
    interrupted.start_item(text("torn", &log(20_000))).unwrap();
    assert_ne!(
        labels(&evidence, "c", "ORD-11"),
        Vec::<String>::new(),
        "a search must find an incomplete item"
    );
    drop(interrupted);
    wait_until(|| labels(&evidence, "c", "ORD-11").is_empty());
    assert_eq!(labels(&evidence, "c", "kept"), ["kept#L1-1"]);
    assert_eq!(evidence.summary(&name("c")).unwrap().items, 1);
    let (summary, stored) = put(&evidence, "c", vec![text("torn", &log(20_000))]);
    assert_eq!((summary.items, stored[0].lines), (2, 20_000));
}

pub(super) fn a_filter_restricts_a_search(fixture: &Fixture) {
    let evidence = fixture.open();
    let time = |micros| Some(gsar_core::time::Timestamp::from_micros(micros));
    let mut early = text("early", "cart-1 is slow");
    early.collected_at = time(10);
    let mut late = item("late", "promql", Content::Text("cart-2 is slow".to_owned()));
    (late.collected_at, late.lane, late.kind) = (time(20), Lane::Metrics, EvidenceKind::Signal);
    put(&evidence, "c", vec![early, late]);
    let search_ids = |filter: Filter| {
        let result = evidence.search(&name("c"), &lexical("what is slow"), &filter, 5).unwrap();
        result.hits.iter().map(|hit| hit.head.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(search_ids(Filter::default()).len(), 2);
    assert_eq!(search_ids(Filter { lanes: vec![Lane::Metrics], ..Default::default() }), ["late"]);
    assert_eq!(
        search_ids(Filter { kinds: vec![EvidenceKind::ToolOutput], ..Default::default() }),
        ["early"]
    );
    assert_eq!(
        search_ids(Filter { entities: vec!["cart-2".to_owned()], ..Default::default() }),
        ["late"]
    );
    let window =
        time(15).zip(time(30)).and_then(|(from, to)| gsar_core::time::Window::new(from, to));
    assert_eq!(search_ids(Filter { window, ..Default::default() }), ["late"]);
    for query in ["", "the", "\" OR NEAR(", "*", "cart-9 -x:y ^ {}"] {
        evidence.search(&name("c"), &lexical(query), &Filter::default(), 5).unwrap();
    }
}

pub(super) fn corpora_are_listed_deleted_and_expired(fixture: &Fixture) {
    let evidence = fixture.open();
    for corpus in ["b", "a", "c"] {
        put(&evidence, corpus, vec![text("x", corpus)]);
    }
    let names = |evidence: &Evidence, after: Option<&str>| {
        let after = after.map(name);
        let summaries = evidence.list(after.as_ref(), 2).unwrap();
        summaries.into_iter().map(|summary| summary.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&evidence, None), ["a", "b"]);
    assert_eq!(names(&evidence, Some("b")), ["c"]);
    assert_eq!(evidence.delete(&name("b")).unwrap().unwrap().items, 1);
    assert!(matches!(evidence.delete(&name("b")), Err(StoreError::UnknownCorpus { .. })));
    assert!(matches!(evidence.summary(&name("b")), Err(StoreError::UnknownCorpus { .. })));
    drop(evidence.put(name("a"), Some(Duration::ZERO)).unwrap());
    assert_eq!(evidence.delete_expired().unwrap(), 1);
    drop(evidence);
    assert_eq!(names(&fixture.open(), None), ["c"]);
}

pub(super) fn limits_are_enforced(fixture: &Fixture) {
    let bounds = Bounds {
        max_corpus_size: 1_000,
        max_size: 1_500,
        time_to_live: None,
        max_cached_size: 1 << 20,
    };
    let evidence = fixture.open_within(bounds);
    let put_error = |corpus: &str, size: usize| {
        let mut put = evidence.put(name(corpus), None).unwrap();
        put.start_item(text("x", &"y".repeat(size))).and_then(|()| put.finish().map(|_| ())).err()
    };
    assert_eq!(put_error("a", 900), None);
    let is_full = |limit: &StoreError| matches!(limit, StoreError::Full { .. });
    assert!(put_error("b", 1_001).as_ref().is_some_and(is_full));
    assert!(put_error("b", 700).as_ref().is_some_and(is_full));
    assert_eq!(put_error("b", 500), None);
}

pub(super) fn invalid_messages_affect_only_their_item(fixture: &Fixture) {
    let evidence = fixture.open();
    let begin = || evidence.put(name("c"), None).unwrap();
    assert!(matches!(begin().append(b"x"), Err(StoreError::InvalidMessage(_))));
    let mut put = begin();
    put.start_item(item("j", "t", Content::Json("{}".to_owned()))).unwrap();
    assert!(matches!(put.append(b"x"), Err(StoreError::InvalidMessage(_))));
    drop(put);
    let mut put = begin();
    put.start_item(text("t", "")).unwrap();
    assert!(matches!(put.append(b"\xff\xfe"), Err(StoreError::InvalidMessage(_))));
    drop(put);
    let mut put = begin();
    put.start_item(text("whole", "a whole one")).unwrap();
    put.start_item(text("t", "")).unwrap();
    put.append("é".as_bytes().get(..1).unwrap()).unwrap();
    assert!(matches!(put.finish(), Err(StoreError::InvalidMessage(_))));
    assert_eq!(evidence.summary(&name("c")).unwrap().items, 1);
}

pub(super) fn semantic_search_finds_the_nearest_passages(fixture: &Fixture) {
    let Some(evidence) = fixture.open_with_vectors() else { return };
    let mut metrics = text("b", "cpu is high");
    metrics.lane = Lane::Metrics;
    put(&evidence, "c", vec![text("a", "disk is full"), metrics, text("d", "memory is low")]);
    put(&evidence, "other", vec![text("x", "of another corpus")]);
    let corpus = embed(&evidence, "c", &[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]);
    embed(&evidence, "other", &[[0.8, 0.6]]);
    let search_ids = |vector: [f32; 2], by_terms: bool, filter: &Filter| {
        let query = Query { text: "memory", vector: None, by_terms };
        let result = corpus.search(&query, Some((&vector, Ok(space()))), filter, 5).unwrap();
        let ids: Vec<String> = result.hits.iter().map(|hit| hit.head.id.to_string()).collect();
        (ids, result.method)
    };
    let no_filter = Filter::default();
    let (ids, method) = search_ids([0.8, 0.6], false, &no_filter);
    assert_eq!((ids.join(" ").as_str(), method), ("b a d", Method::Vector));
    let (ids, method) = search_ids([1.0, 0.0], true, &no_filter);
    assert_eq!(
        (ids[0].as_str(), method),
        ("d", Method::Hybrid),
        "terms have four times the weight"
    );
    let lane = Filter { lanes: vec![Lane::Metrics], ..Filter::default() };
    assert_eq!(search_ids([1.0, 0.0], false, &lane).0, ["b"]);
    let entity = Filter { entities: vec!["disk".to_owned()], ..Filter::default() };
    assert_eq!(search_ids([0.0, 1.0], false, &entity).0, ["a"]);
    // The replaced item is not found.
    put(&evidence, "c", vec![text("a", "disk has room")]);
    assert_eq!(search_ids([1.0, 0.0], false, &no_filter).0, ["b", "d"]);
    assert_eq!(corpus.passages_without_vector(&space(), 0).unwrap().len(), 1);
}

pub(super) fn adding_items_resets_embedded_by(fixture: &Fixture) {
    let Some(evidence) = fixture.open_with_vectors() else { return };
    put(&evidence, "c", vec![text("a", "disk is full")]);
    let corpus = embed(&evidence, "c", &[[1.0, 0.0]]);
    let embedded_by = || evidence.summary(&name("c")).unwrap().embedded_by;
    assert_eq!(embedded_by(), None);
    corpus.mark_embedded(&space()).unwrap();
    assert_eq!(embedded_by(), Some(space().model));
    put(&evidence, "c", vec![text("a", "disk is full")]);
    assert_eq!(embedded_by(), Some(space().model), "no item was added");
    put(&evidence, "c", vec![text("b", "cpu is high")]);
    assert_eq!(embedded_by(), None);
}

pub(super) fn only_new_lines_of_long_texts_are_embedded(fixture: &Fixture) {
    let Some(evidence) = fixture.open_with_vectors() else { return };
    let mut long_text = log(4_000);
    long_text.push_str("cart-1 was OOMKilled\n");
    let (summary, _) = put(&evidence, "c", vec![text("log", &long_text)]);
    let corpus = evidence.corpus(&name("c"), false).unwrap();
    let passages = corpus.passages_without_vector(&space(), 0).unwrap();
    assert!(summary.passages > 64 && passages.len() < 5, "{summary:?} {}", passages.len());
    assert!(passages.iter().any(|(_, text)| text.contains("OOMKilled")));
}

pub(super) fn unusual_names_and_contents_round_trip(fixture: &Fixture) {
    let evidence = fixture.open();
    let unusual = "a \0 b ' \\ \" \u{1f600} \u{202e} % _\n";
    let document = r#"{"a\u0000b": {"it's": ["x\\y", "pool size is 20"]}}"#;
    let mut full_item =
        item("o'neil \\ %_", "kubectl 'get' \\ pods", Content::Text(unusual.to_owned()));
    full_item.query = "what's \"up\"?".to_owned();
    full_item.step_id = "s".to_owned();
    full_item.specialist_id = "p".to_owned();
    full_item.exhaustive = true;
    full_item.attested = true;
    full_item.verification_result = Some(gsar_core::evidence::VerificationResult::Passed);
    let json = item("z", "t", Content::Json(document.to_owned()));
    put(&evidence, "c", vec![full_item.clone(), json.clone()]);
    assert_eq!(*evidence.items(&name("c")).unwrap(), [full_item, json]);
    assert!(!labels(&evidence, "c", "pool size is 20").is_empty());
    let unknown_id = ItemRef::Id("no\0thing".to_owned());
    let result = evidence.snapshot(&name("c"), &unknown_id, Part::Head);
    assert!(matches!(result, Err(StoreError::UnknownItem { .. })));
}

pub(super) fn owners_have_separate_corpora(fixture: &Fixture) {
    let evidence = fixture.open();
    let [ada, ben] = ["ada", "ben"].map(|owner| evidence.for_owner(&Owner::new(owner, false)));
    put(&ada, "c", vec![text("x", "of ada")]);
    put(&ben, "c", vec![text("x", "of ben")]);
    assert_eq!(ada.items(&name("c")).unwrap()[0].content.as_str(), "of ada");
    assert_eq!(labels(&ben, "c", "ada"), Vec::<String>::new());
    let names = |evidence: &Evidence| -> Vec<String> {
        let summaries = evidence.list(None, 9).unwrap();
        summaries.into_iter().map(|summary| summary.name.to_string()).collect()
    };
    assert_eq!((names(&ada), names(&ben)), (vec!["c".to_owned()], vec!["c".to_owned()]));
    assert_eq!(names(&evidence), ["ada@c", "ben@c"]);
    ada.delete(&name("c")).unwrap();
    assert_eq!((names(&ada).len(), names(&ben).len()), (0, 1));
    assert!(matches!(ada.summary(&name("ben@c")), Err(StoreError::UnknownCorpus { .. })));
}

/// Adds vectors for the passages that lack one, in order.
fn embed(evidence: &Evidence, corpus: &str, vectors: &[[f32; 2]]) -> Arc<dyn Corpus> {
    let corpus = evidence.corpus(&name(corpus), false).unwrap();
    let passages = corpus.passages_without_vector(&space(), 0).unwrap();
    assert_eq!(passages.len(), vectors.len());
    let numbers = passages.iter().map(|(number, _)| *number);
    let vectors = vectors.iter().map(|vector| Vector::from(vector.as_slice()));
    corpus.add_vectors(&space(), numbers.zip(vectors).collect()).unwrap();
    corpus
}
