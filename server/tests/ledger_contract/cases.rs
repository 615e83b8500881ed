//! The cases of the ledger contract. Each case uses its own ledger.

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gsar_server::data_owner::Owner;
use gsar_server::ledger::{
    Cursor, Entry, Ledger, LedgerError, PageRequest, Record, Recorded, Reports, Selection, Summary,
};

use crate::ledger_contract::Place;
use crate::ledger_contract::records::{
    digest, event, first_page, grades, list_ids, read_entries, record, record_all, record_with_key,
    start, stored_evaluation, summary, with_contents,
};

pub(crate) async fn records_round_trip(place: &Place) {
    let ledger = place.open().await;
    let unusual = Record {
        report_id: "ré\"port'; DROP TABLE evaluations; --\n\u{feff}".to_owned(),
        investigation_id: String::new(),
        score: Some((u64::MAX, u64::MAX - 1)),
        claims: u32::MAX,
        outcome: i32::MIN,
        tier: i32::MAX,
        evaluated_at_micros: i64::MIN,
        report: (0..=255).collect(),
        response: Vec::new(),
        evidence: vec![0; 3],
        idempotency_key: Some("ключ".to_owned()),
        ..record(1)
    };
    let minimal = Record {
        evaluated_at_micros: i64::MAX - 1,
        score: None,
        report_id: String::new(),
        report: Vec::new(),
        evidence: Vec::new(),
        policy_toml: "".into(),
        ..record(2)
    };
    let records = [unusual, minimal, record(3)];
    for record in &records {
        assert_eq!(ledger.record(record.clone()).await, Ok(Recorded::New));
        let read = ledger.read(&record.evaluation_id).await.unwrap();
        assert_eq!(read, Some(stored_evaluation(record.clone())));
    }
    assert_eq!(ledger.read("none").await, Ok(None));
    assert!(ledger.health().is_working());
    close(ledger).await;
    let ledger = place.open().await;
    let listed = ledger.list(first_page(Cursor::NEWEST, 50)).await.unwrap().evaluations;
    assert_eq!(listed, records.iter().rev().map(summary).collect::<Vec<_>>());
    for record in records {
        let read = ledger.read(&record.evaluation_id).await.unwrap();
        assert_eq!(read, Some(stored_evaluation(record)));
    }
}

pub(crate) async fn only_one_of_several_concurrent_records_with_a_key_is_new(place: &Place) {
    const CALLERS: u32 = 16;
    let ledger = place.open().await;
    for round in 0..5 {
        let key = format!("key-{round}");
        let tasks: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let ledger = Arc::clone(&ledger);
                let record = record_with_key(round * CALLERS + caller, &key, round);
                tokio::spawn(async move { (record.response.clone(), ledger.record(record).await) })
            })
            .collect();
        let (mut new_responses, mut replayed_responses) = (Vec::new(), Vec::new());
        for task in tasks {
            match task.await.unwrap() {
                (response, Ok(Recorded::New)) => new_responses.push(response),
                (_, Ok(Recorded::Replayed { response })) => replayed_responses.push(response),
                (_, Err(error)) => panic!("{error}"),
            }
        }
        assert_eq!((new_responses.len(), replayed_responses.len()), (1, 15));
        assert!(replayed_responses.iter().all(|response| *response == new_responses[0]));
        let found = ledger.find_by_key(&key, digest(&round.to_be_bytes())).await;
        assert_eq!(found, Ok(Some(new_responses[0].clone())));
    }
    assert_eq!(list_ids(&*ledger, &first_page(Cursor::NEWEST, 50)).await.len(), 5);
}

pub(crate) async fn rejects_a_key_of_another_request(place: &Place) {
    let ledger = place.open().await;
    let first = record_with_key(1, "key", 1);
    assert_eq!(ledger.find_by_key("key", first.request_digest).await, Ok(None));
    record_all(&*ledger, [first.clone()]).await;
    let found = ledger.find_by_key("key", first.request_digest).await;
    assert_eq!(found, Ok(Some(first.response.clone())));
    let reused = LedgerError::KeyReused { key: "key".to_owned() };
    assert_eq!(ledger.record(record_with_key(2, "key", 2)).await, Err(reused.clone()));
    assert_eq!(ledger.find_by_key("key", digest(b"2")).await, Err(reused.clone()));
    assert_eq!(ledger.find_by_key("other", digest(b"2")).await, Ok(None));
    assert_eq!(ledger.read(&record(2).evaluation_id).await, Ok(None));
    close(ledger).await;
    let ledger = place.open().await;
    let replayed = Recorded::Replayed { response: first.response };
    assert_eq!(ledger.record(record_with_key(4, "key", 1)).await, Ok(replayed));
    assert_eq!(ledger.record(record_with_key(5, "key", 2)).await, Err(reused));
    assert_eq!(ledger.delete(&record(1).evaluation_id).await, Ok(true));
    assert_eq!(ledger.record(record_with_key(3, "key", 2)).await, Ok(Recorded::New));
}

pub(crate) async fn evaluation_ids_are_unique(place: &Place) {
    let ledger = place.open().await;
    record_all(&*ledger, [record(1)]).await;
    let duplicate = LedgerError::DuplicateId { evaluation_id: record(1).evaluation_id };
    let other = Record { report_id: "another".to_owned(), ..record(1) };
    for record in [record(1), other, Record { idempotency_key: Some("k".to_owned()), ..record(1) }]
    {
        assert_eq!(ledger.record(record).await, Err(duplicate.clone()));
    }
    assert_eq!(ledger.read(&record(1).evaluation_id).await, Ok(Some(stored_evaluation(record(1)))));
}

pub(crate) async fn lists_are_filtered_and_paged(place: &Place) {
    let ledger = place.open().await;
    record_all(&*ledger, (0..40).map(record)).await;
    ledger.grade(grades(8, "ada", &[("", 1)])).await.unwrap();
    let name = |text: &str| Some(text.to_owned());
    let first_micros = record(0).evaluated_at_micros;
    for (selection, expected) in [
        (Selection::default(), Box::new(|_: &Summary| true) as Box<dyn Fn(&Summary) -> bool>),
        (Selection { tier: Some(1), ..Selection::default() }, Box::new(|s| s.tier == 1)),
        (
            Selection { report_id: name("report-3"), ..Selection::default() },
            Box::new(|s| s.report_id == "report-3"),
        ),
        (
            Selection {
                investigation_id: name("investigation-2"),
                tier: Some(1),
                ..Selection::default()
            },
            Box::new(|s| s.investigation_id == "investigation-2" && s.tier == 1),
        ),
        (
            Selection { report_id: name("report-3"), tier: Some(4), ..Selection::default() },
            Box::new(|s| s.report_id == "report-3" && s.tier == 4),
        ),
        (
            Selection {
                report_id: name("report-3"),
                investigation_id: name("investigation-1"),
                ..Selection::default()
            },
            Box::new(|s| s.report_id == "report-3" && s.investigation_id == "investigation-1"),
        ),
        (
            Selection {
                report_id: name("report-3"),
                investigation_id: name("investigation-1"),
                tier: Some(4),
                ..Selection::default()
            },
            Box::new(|s| s.evaluation_id == record(31).evaluation_id),
        ),
        (Selection { report_id: name("none"), ..Selection::default() }, Box::new(|_| false)),
        (
            Selection { graded: Some(true), ..Selection::default() },
            Box::new(|s| s.evaluation_id == record(8).evaluation_id),
        ),
        (
            Selection { graded: Some(false), ..Selection::default() },
            Box::new(|s| s.evaluation_id != record(8).evaluation_id),
        ),
        (
            Selection { policy: name("strict"), ..Selection::default() },
            Box::new(|s| s.policy == "strict"),
        ),
        (Selection { judge: name("none"), ..Selection::default() }, Box::new(|_| false)),
        (Selection { judge: name("rules/2"), ..Selection::default() }, Box::new(|_| true)),
        (Selection { principal: name("ada"), ..Selection::default() }, Box::new(|_| false)),
        (
            Selection {
                from_micros: Some(first_micros + 7),
                before_micros: Some(first_micros + 30),
                ..Selection::default()
            },
            Box::new(|s| (first_micros + 7..first_micros + 30).contains(&s.evaluated_at_micros)),
        ),
        (Selection { unproven_only: true, ..Selection::default() }, Box::new(is_unproven)),
        (
            Selection {
                unproven_only: true,
                tier: Some(1),
                policy: name("strict"),
                ..Selection::default()
            },
            Box::new(|s| is_unproven(s) && s.tier == 1 && s.policy == "strict"),
        ),
    ] {
        let expected: Vec<String> = (0..40)
            .rev()
            .map(|number| summary(&record(number)))
            .filter(|summary| expected(summary))
            .map(|summary| summary.evaluation_id)
            .collect();
        for limit in [1, 7, 1_000] {
            let mut request =
                PageRequest { selection: selection.clone(), ..first_page(Cursor::NEWEST, limit) };
            assert_eq!(list_ids(&*ledger, &request).await, expected, "{request:?}");
            assert_eq!(read_entries(&*ledger, &request).await, expected, "{request:?}");
            let oldest_first: Vec<String> = expected.iter().rev().cloned().collect();
            request.cursor = Cursor::OLDEST;
            assert_eq!(list_ids(&*ledger, &request).await, oldest_first, "{request:?}");
            assert_eq!(read_entries(&*ledger, &request).await, oldest_first, "{request:?}");
        }
    }
    let first = ledger.list(first_page(Cursor::NEWEST, 3)).await.unwrap();
    assert_eq!(first.evaluations[0], summary(&record(39)));
    record_all(&*ledger, (50..57).map(record)).await;
    let others: Vec<_> = (0..37).rev().map(|number| record(number).evaluation_id).collect();
    assert_eq!(list_ids(&*ledger, &first_page(first.next.unwrap(), 3)).await, others);
}

/// Returns `true` if the evaluation proceeded with a claim that is not grounded, or proceeded only in shadow mode.
fn is_unproven(summary: &Summary) -> bool {
    match summary.tier {
        1 => summary.grounded.is_none_or(|grounded| grounded < summary.claims),
        _ => summary.in_shadow,
    }
}

pub(crate) async fn entries_contain_documents_and_grades_on_bounded_pages(place: &Place) {
    let ledger = place.open().await;
    let large_record = |number| Record { response: vec![7; 3 << 20], ..record(number) };
    record_all(&*ledger, [record(1), large_record(2), large_record(3), large_record(4)]).await;
    ledger.grade(grades(1, "ada", &[("", 1), ("c", 2)])).await.unwrap();
    for cursor in [Cursor::NEWEST, Cursor::After(1)] {
        let first = ledger.entries(first_page(cursor, 100), Reports::Omit).await.unwrap();
        assert!((1..3).contains(&first.evaluations.len()), "{}", first.evaluations.len());
        let next = first_page(first.next.unwrap(), 100);
        let next = ledger.entries(next, Reports::Omit).await.unwrap();
        assert!(!next.evaluations.is_empty());
    }
    let page = ledger.entries(first_page(Cursor::OLDEST, 1), Reports::Include).await.unwrap();
    let Record { report, response, policy_toml, .. } = record(1);
    let expected = Entry {
        sequence: page.evaluations[0].sequence,
        summary: summary(&record(1)),
        report: Some(report),
        response,
        policy_toml: policy_toml.to_string(),
        grades: ledger.read(&record(1).evaluation_id).await.unwrap().unwrap().grades,
    };
    assert_eq!(expected.grades.len(), 2);
    assert_eq!(page.evaluations, std::slice::from_ref(&expected));
    let page = ledger.entries(first_page(Cursor::OLDEST, 1), Reports::Omit).await.unwrap();
    assert_eq!(page.evaluations, [Entry { report: None, ..expected }]);
}

pub(crate) async fn counts_match_the_lists(place: &Place) {
    let ledger = place.open().await;
    let day = 86_400_000_000_i64;
    let record_on_day = |number: u32| Record {
        evaluated_at_micros: i64::from(number % 5) * day + i64::from(number),
        ..record(number)
    };
    record_all(&*ledger, (0..60).map(record_on_day)).await;
    ledger.grade(grades(8, "ada", &[("", 1)])).await.unwrap();
    let interval = NonZeroU64::new(86_400_000_000);
    for selection in [
        Selection::default(),
        Selection { policy: Some("strict".to_owned()), ..Selection::default() },
        Selection { from_micros: Some(day), before_micros: Some(3 * day), ..Selection::default() },
        Selection { unproven_only: true, ..Selection::default() },
        Selection { graded: Some(true), ..Selection::default() },
        Selection { report_id: Some("report-3".to_owned()), tier: Some(2), ..Selection::default() },
        Selection { judge: Some("none".to_owned()), ..Selection::default() },
    ] {
        let every_evaluation =
            PageRequest { selection: selection.clone(), ..first_page(Cursor::NEWEST, 1_000) };
        let list = ledger.list(every_evaluation).await.unwrap().evaluations;
        for interval in [None, interval] {
            let counts = ledger.counts(selection.clone(), interval).await.unwrap();
            assert!(counts.is_sorted_by_key(|count| count.from_micros), "{counts:?}");
            let mut counted = 0;
            for count in &counts {
                let is_counted = |summary: &&Summary| {
                    let interval_start =
                        interval.map_or(0, |_| summary.evaluated_at_micros / day * day);
                    (
                        interval_start,
                        &summary.policy,
                        &summary.judge,
                        summary.outcome,
                        summary.tier,
                        summary.in_shadow,
                        summary.fell_back,
                    ) == (
                        count.from_micros,
                        &count.policy,
                        &count.judge,
                        count.outcome,
                        count.tier,
                        count.in_shadow,
                        count.fell_back,
                    )
                };
                let found = list.iter().filter(is_counted).count();
                assert_eq!(u64::try_from(found).unwrap(), count.evaluations, "{count:?}");
                counted += found;
            }
            assert_eq!(counted, list.len(), "{selection:?}");
        }
    }
}

/// Even with concurrent writers, no record appears before a position that a reader has passed.
pub(crate) async fn following_reader_misses_no_record(place: &Place) {
    const WRITERS: u32 = 8;
    const RECORDS_PER_WRITER: u32 = 60;
    let ledger = place.open().await;
    let is_done = Arc::new(AtomicBool::new(false));
    let follower = {
        let (ledger, is_done) = (Arc::clone(&ledger), Arc::clone(&is_done));
        tokio::spawn(async move {
            let (mut seen_ids, mut position) = (Vec::new(), 0);
            loop {
                let was_done = is_done.load(Ordering::SeqCst);
                let page = first_page(Cursor::After(position), 64);
                let page = ledger.entries(page, Reports::Omit).await.unwrap();
                match page.evaluations.last() {
                    Some(last) => position = last.sequence,
                    None if was_done => return seen_ids,
                    None => tokio::task::yield_now().await,
                }
                seen_ids
                    .extend(page.evaluations.into_iter().map(|entry| entry.summary.evaluation_id));
            }
        })
    };
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move {
                record_all(
                    &*ledger,
                    (0..RECORDS_PER_WRITER)
                        .map(|number| record(writer * RECORDS_PER_WRITER + number)),
                )
                .await;
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    is_done.store(true, Ordering::SeqCst);
    let seen_ids = follower.await.unwrap();
    let distinct_ids: BTreeSet<&String> = seen_ids.iter().collect();
    assert_eq!((seen_ids.len(), distinct_ids.len()), (480, 480));
}

pub(crate) async fn names_that_cannot_be_stored_match_nothing(place: &Place) {
    let ledger = place.open().await;
    record_all(&*ledger, [record(1)]).await;
    assert_eq!(ledger.read("a\0b").await, Ok(None));
    assert_eq!(ledger.content("a\0b", [0; 32]).await, Ok(None));
    assert_eq!(ledger.find_by_key("a\0b", [0; 32]).await, Ok(None));
    assert_eq!(ledger.investigation("a\0b").await, Ok(None));
    assert_eq!(ledger.delete("a\0b").await, Ok(false));
    let selection = Selection { report_id: Some("a\0b".to_owned()), ..Selection::default() };
    let request = PageRequest { selection: selection.clone(), ..first_page(Cursor::NEWEST, 50) };
    assert_eq!(list_ids(&*ledger, &request).await, Vec::<String>::new());
    assert_eq!(read_entries(&*ledger, &request).await, Vec::<String>::new());
    assert_eq!(ledger.counts(selection, None).await, Ok(Vec::new()));
}

pub(crate) async fn contents_belong_to_their_evaluations(place: &Place) {
    let ledger = place.open().await;
    let long_text = "line\n".repeat(50_000);
    let records = [
        (1, vec!["shared", "a"]),
        (2, vec!["shared", "b"]),
        (3, vec!["b", "b", &long_text]),
        (4, vec![]),
    ];
    record_all(&*ledger, records.iter().map(|(number, contents)| with_contents(*number, contents)))
        .await;
    for (number, contents) in &records {
        for text in ["shared", "a", "b", &long_text, "none"] {
            let id = record(*number).evaluation_id;
            let read = ledger.content(&id, digest(text.as_bytes())).await.unwrap();
            assert_eq!(read.as_deref(), contents.contains(&text).then_some(text), "{number}");
        }
        let mut expected = with_contents(*number, contents).contents;
        expected.sort_by_key(|content| format!("{content:?}"));
        expected.dedup();
        let mut read = ledger.contents(&record(*number).evaluation_id).await.unwrap();
        read.sort_by_key(|content| format!("{content:?}"));
        assert_eq!(read, expected);
    }
}

pub(crate) async fn latest_grades_are_stored(place: &Place) {
    let ledger = place.open().await;
    record_all(&*ledger, (0..2).map(record)).await;
    for (new_grades, is_known) in [
        (grades(0, "ada", &[("", 1), ("c1", 3)]), true),
        (grades(0, "ada", &[("c1", 2)]), true),
        (grades(0, "Ben", &[("c1", 1), ("C1", 4)]), true),
        (grades(9, "ada", &[("", 1)]), false),
    ] {
        assert_eq!(ledger.grade(new_grades).await, Ok(is_known));
    }
    let stored = ledger.read(&record(0).evaluation_id).await.unwrap().unwrap().grades;
    let latest_grades: Vec<_> = stored
        .iter()
        .map(|stored| {
            (stored.grade.claim_id.as_str(), stored.grader.as_str(), stored.grade.verdict)
        })
        .collect();
    assert_eq!(
        latest_grades,
        [("", "ada", 1), ("C1", "Ben", 4), ("c1", "Ben", 1), ("c1", "ada", 2)]
    );
    assert_eq!(ledger.delete(&record(0).evaluation_id).await, Ok(true));
    assert_eq!(ledger.grade(grades(0, "ada", &[("", 1)])).await, Ok(false));
}

pub(crate) async fn investigations_have_one_event_per_step(place: &Place) {
    let ledger = place.open().await;
    assert_eq!(ledger.start_investigation(start("i")).await, Ok(None));
    let step_taken = |step| LedgerError::StepTaken { investigation_id: "i".to_owned(), step };
    assert_eq!(ledger.append_event(event("i", 2, "too early")).await, Err(step_taken(2)));
    assert_eq!(ledger.append_event(event("i", 1, "first")).await, Ok(()));
    assert_eq!(ledger.append_event(event("i", 1, "again")).await, Err(step_taken(1)));
    let callers: Vec<_> = (0..8)
        .map(|caller| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move {
                ledger.append_event(event("i", 2, &format!("by {caller}"))).await
            })
        })
        .collect();
    let mut successes = 0;
    for caller in callers {
        match caller.await.unwrap() {
            Ok(()) => successes += 1,
            Err(error) => assert_eq!(error, step_taken(2)),
        }
    }
    assert_eq!(successes, 1);
    let stored = ledger.start_investigation(start("i")).await.unwrap().unwrap();
    assert_eq!(stored.start, start("i"));
    assert_eq!(stored.events.len(), 2);
    assert_eq!(stored.events[0], (digest(b"first"), b"first".to_vec()));
    assert_eq!(ledger.investigation("i").await, Ok(Some(stored)));
    assert_eq!(ledger.investigation("none").await, Ok(None));
    let recent = ledger.recent_investigations(10, 1 << 10).await.unwrap();
    assert_eq!(recent, [start("i")]);
    let newer =
        gsar_server::ledger::InvestigationStart { started_at_micros: i64::MAX, ..start("newer") };
    ledger.start_investigation(newer.clone()).await.unwrap();
    assert_eq!(ledger.recent_investigations(1, 1 << 10).await, Ok(vec![newer]));
    assert_eq!(ledger.recent_investigations(10, 0).await, Ok(Vec::new()));
    let nowhere = event("none", 1, "nowhere");
    assert!(matches!(ledger.append_event(nowhere).await, Err(LedgerError::StepTaken { .. })));
}

pub(crate) async fn event_and_evaluation_are_recorded_together(place: &Place) {
    let ledger = place.open().await;
    ledger.start_investigation(start("i")).await.unwrap();
    let record_of_step = |number, step, key: &str| Record {
        investigation_id: "i".to_owned(),
        event: Some(event("i", step, &format!("step {step} by {number}"))),
        ..record_with_key(number, key, step)
    };
    assert_eq!(ledger.record(record_of_step(1, 1, "one")).await, Ok(Recorded::New));
    let step_taken = LedgerError::StepTaken { investigation_id: "i".to_owned(), step: 1 };
    assert_eq!(ledger.record(record_of_step(2, 1, "two")).await, Err(step_taken));
    assert_eq!(ledger.read(&record(2).evaluation_id).await, Ok(None));
    assert!(matches!(
        ledger.record(record_of_step(3, 1, "one")).await,
        Ok(Recorded::Replayed { .. })
    ));
    let duplicate =
        Record { evaluation_id: record(1).evaluation_id, ..record_of_step(4, 2, "three") };
    assert!(matches!(ledger.record(duplicate).await, Err(LedgerError::DuplicateId { .. })));
    assert_eq!(ledger.record(record_of_step(5, 2, "two")).await, Ok(Recorded::New));
    let events = ledger.investigation("i").await.unwrap().unwrap().events;
    let events_read: Vec<&[u8]> = events.iter().map(|(_, event)| event.as_slice()).collect();
    assert_eq!(events_read, [b"step 1 by 1", b"step 2 by 5"]);
}

pub(crate) async fn deletion_removes_only_unshared_rows(place: &Place) {
    let ledger = place.open().await;
    ledger.start_investigation(start("i")).await.unwrap();
    ledger.append_event(event("i", 1, "first")).await.unwrap();
    let record_in_investigation =
        |number| Record { investigation_id: "i".to_owned(), ..with_contents(number, &["shared"]) };
    record_all(&*ledger, [record_in_investigation(1), record_in_investigation(2)]).await;
    let has_content = async |number| {
        ledger.content(&record(number).evaluation_id, digest(b"shared")).await.unwrap().is_some()
    };
    assert_eq!(ledger.delete(&record(1).evaluation_id).await, Ok(true));
    assert_eq!(ledger.delete(&record(1).evaluation_id).await, Ok(false));
    assert!(!has_content(1).await && has_content(2).await);
    assert!(ledger.investigation("i").await.unwrap().is_some());
    assert_eq!(ledger.delete(&record(2).evaluation_id).await, Ok(true));
    assert_eq!(ledger.investigation("i").await, Ok(None));
    record_all(&*ledger, [record_in_investigation(1)]).await;
    assert!(has_content(1).await);
}

pub(crate) async fn acknowledged_records_survive_closing(place: &Place) {
    for round in 0..3 {
        let ledger = place.open().await;
        record_all(
            &*ledger,
            (0..20).map(|number| {
                record_with_key(round * 20 + number, &format!("{round}-{number}"), number)
            }),
        )
        .await;
        let page = first_page(Cursor::NEWEST, 50);
        assert_eq!(list_ids(&*ledger, &page).await.len() as u32, (round + 1) * 20);
        let repeated = ledger.record(record_with_key(9_000, "0-7", 7)).await;
        assert!(matches!(repeated, Ok(Recorded::Replayed { .. })), "{repeated:?}");
        close(ledger).await;
    }
}

pub(crate) async fn closed_ledger_returns_the_closed_error(place: &Place) {
    let ledger = place.open().await;
    record_all(&*ledger, [record(1)]).await;
    close(Arc::clone(&ledger)).await;
    assert_eq!(ledger.record(record(2)).await, Err(LedgerError::Closed));
    assert_eq!(ledger.read("e").await, Err(LedgerError::Closed));
    assert_eq!(ledger.list(first_page(Cursor::NEWEST, 50)).await, Err(LedgerError::Closed));
    assert_eq!(ledger.append_event(event("i", 1, "x")).await, Err(LedgerError::Closed));
}

async fn close(ledger: Arc<dyn Ledger>) {
    tokio::task::spawn_blocking(move || ledger.close()).await.unwrap();
}

/// Each owner has its own idempotency keys and investigation ids.
pub(crate) async fn owners_have_their_own_keys_and_investigation_ids(place: &Place) {
    let ledger = place.open().await;
    let [ada, ben] = ["ada", "ben"].map(|name| ledger.for_owner(&Owner::new(name, false)));
    for (owner_ledger, numbers) in [(&ledger, 0..2), (&ada, 2..4), (&ben, 4..6)] {
        assert_eq!(owner_ledger.start_investigation(start("investigation-1")).await, Ok(None));
        for (step, number) in (1..).zip(numbers) {
            let new_record = Record {
                investigation_id: "investigation-1".to_owned(),
                event: Some(event("investigation-1", step, &number.to_string())),
                ..record_with_key(number, &format!("key-{step}"), number)
            };
            assert_eq!(owner_ledger.record(new_record.clone()).await, Ok(Recorded::New));
            let with_another_id =
                Record { evaluation_id: "another".to_owned(), ..new_record.clone() };
            assert!(matches!(
                owner_ledger.record(with_another_id).await,
                Ok(Recorded::Replayed { .. })
            ));
        }
        assert_eq!(
            owner_ledger.investigation("investigation-1").await.unwrap().unwrap().events.len(),
            2
        );
    }
    let reused = LedgerError::KeyReused { key: "key-1".to_owned() };
    assert_eq!(ben.find_by_key("key-1", digest(&2_u32.to_be_bytes())).await, Err(reused));
    // Evaluation ids are global.
    let duplicate = LedgerError::DuplicateId { evaluation_id: record(2).evaluation_id };
    assert_eq!(ben.record(record(2)).await, Err(duplicate));
    // Deleting the last evaluation that an owner has in an investigation deletes the owner's investigation.
    for number in 2..4 {
        assert_eq!(ada.delete(&record(number).evaluation_id).await, Ok(true));
    }
    assert_eq!(ada.investigation("investigation-1").await, Ok(None));
    for owner_ledger in [&ledger, &ben] {
        assert!(owner_ledger.investigation("investigation-1").await.unwrap().is_some());
    }
}

pub(crate) async fn owners_see_only_their_own_evaluations_unless_they_may_see_all(place: &Place) {
    let ledger = place.open().await;
    let owner = |name, sees_all| ledger.for_owner(&Owner::new(name, sees_all));
    let [ada, ben, auditor] = [owner("ada", false), owner("ben", false), owner("auditor", true)];
    record_all(&*ledger, [record(0)]).await;
    record_all(&*ada, [with_contents(1, &["of ada"]), with_contents(2, &["of both"])]).await;
    record_all(&*ben, [with_contents(3, &["of both"])]).await;
    record_all(&*auditor, [record(4)]).await;
    let id = |number| record(number).evaluation_id;
    let text_digest = |text: &str| digest(text.as_bytes());
    for (ledger, visible_numbers) in [
        (&ledger, vec![4, 3, 2, 1, 0]),
        (&auditor, vec![4, 3, 2, 1, 0]),
        (&ada, vec![2, 1]),
        (&ben, vec![3]),
        (&owner("nobody", false), vec![]),
        (&owner("", false), vec![4, 3, 2, 1, 0]),
    ] {
        let ids: Vec<String> = visible_numbers.iter().map(|number| id(*number)).collect();
        let newest_first = first_page(Cursor::NEWEST, 50);
        assert_eq!(list_ids(&**ledger, &newest_first).await, ids);
        assert_eq!(read_entries(&**ledger, &newest_first).await, ids);
    }
    assert_eq!(auditor.read(&id(1)).await.unwrap().unwrap().summary.owner, "ada");
    assert_eq!(ben.read(&id(1)).await, Ok(None));
    assert_eq!(ben.content(&id(1), text_digest("of ada")).await, Ok(None));
    assert_eq!(ben.content(&id(1), text_digest("of both")).await, Ok(None));
    assert_eq!(ben.contents(&id(2)).await, Ok(Vec::new()));
    assert_eq!(ben.grade(grades(1, "ben", &[("", 1)])).await, Ok(false));
    assert_eq!(ben.delete(&id(1)).await, Ok(false));
    assert_eq!(ada.content(&id(1), text_digest("of ada")).await, Ok(Some("of ada".to_owned())));
    assert_eq!(auditor.grade(grades(1, "auditor", &[("", 1)])).await, Ok(true));
    assert_eq!(ada.read(&id(1)).await.unwrap().unwrap().grades.len(), 1);
    assert_eq!(ada.delete(&id(2)).await, Ok(true));
    assert_eq!(ben.content(&id(3), text_digest("of both")).await, Ok(Some("of both".to_owned())));
}
