//! Compares two ledgers by applying the same random operations to both.

use gsar_server::data_owner::Owner;
use gsar_server::ledger::{Cursor, Ledger, PageRequest, Record, Reports, Selection};

use crate::ledger_contract::records::{
    digest, event, first_page, grades, record, record_with_key, start, with_contents,
};

const OPERATIONS: usize = 150;

pub(crate) async fn compare(first: &dyn Ledger, second: &dyn Ledger, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    for index in 0..OPERATIONS {
        let (kind, number, key, step) =
            (random.u32(..12), random.u32(..12), random.u32(..6), random.u32(1..4));
        let (actual, expected) = (
            apply(first, kind, number, key, step).await,
            apply(second, kind, number, key, step).await,
        );
        assert_eq!(
            actual, expected,
            "seed {seed}, operation {index}: {kind} {number} {key} {step}"
        );
    }
}

pub(crate) async fn fill(ledger: &dyn Ledger) {
    for number in 0..30 {
        let id = format!("investigation-{}", number % 3);
        let _existing = ledger.start_investigation(start(&id)).await.unwrap();
        let event = event(&id, number / 3 + 1, &number.to_string());
        let key = number.is_multiple_of(2).then(|| format!("key-{number}"));
        let contents = with_contents(number, [&["a", "b"][..], &["b"], &[]][number as usize % 3]);
        let record = Record { event: Some(event), idempotency_key: key, ..contents };
        ledger.record(record).await.unwrap();
        if number.is_multiple_of(4) {
            ledger.grade(grades(number, "ada", &[("", 1), ("c", 2)])).await.unwrap();
        }
    }
}

pub(crate) async fn fill_for_an_owner(ledger: &dyn Ledger) {
    let ledger = ledger.for_owner(&Owner::new("ada", false));
    let _existing = ledger.start_investigation(start("investigation-0")).await.unwrap();
    let event = Some(event("investigation-0", 1, "of ada"));
    let record = Record { event, ..record_with_key(30, "key-0", 30) };
    ledger.record(record).await.unwrap();
}

/// Applies an operation and formats the result without sequence numbers, which differ between ledgers.
async fn apply(ledger: &dyn Ledger, kind: u32, number: u32, key: u32, step: u32) -> String {
    let investigation = format!("investigation-{}", number % 3);
    let id = record(number).evaluation_id;
    let key_name = format!("key-{key}");
    let event = event(&investigation, step, &number.to_string());
    match kind {
        0 => format!("{:?}", ledger.record(record(number)).await),
        1 => format!("{:?}", ledger.record(record_with_key(number, &key_name, step)).await),
        2 => {
            let contents = [&["a", "b"][..], &["b"], &["c", "a"]][step as usize - 1];
            format!("{:?}", ledger.record(with_contents(number, contents)).await)
        }
        3 => {
            let record = Record { event: Some(event), ..record_with_key(number, &key_name, step) };
            format!("{:?}", ledger.record(record).await)
        }
        4 => format!("{:?}", ledger.find_by_key(&key_name, digest(&step.to_be_bytes())).await),
        5 => {
            let tier = (step == 1).then_some(i32::try_from(key % 4).unwrap());
            let selection = Selection { tier, ..Selection::default() };
            let request = PageRequest { selection, ..first_page(Cursor::NEWEST, 1_000) };
            let page = ledger.list(request).await;
            format!("{:?}", page.map(|page| page.evaluations))
        }
        6 => format!("{:?}", ledger.read(&id).await),
        7 => {
            let graded = (step == 1).then_some(true);
            let selection = Selection { graded, ..Selection::default() };
            let request = PageRequest { selection, ..first_page(Cursor::OLDEST, 64) };
            let page: Vec<_> = ledger
                .entries(request, Reports::Omit)
                .await
                .unwrap()
                .evaluations
                .into_iter()
                .map(|found| (found.summary, found.policy_toml, found.grades))
                .collect();
            format!("{page:?}")
        }
        8 => {
            let digest = digest(["a", "b", "c"][step as usize - 1].as_bytes());
            format!("{:?}", ledger.content(&id, digest).await)
        }
        9 => {
            let grader = ["ada", "Ben"][key as usize % 2];
            let grades = grades(number, grader, &[("", 1), ("c", 2)][..step as usize % 3]);
            format!("{:?}", ledger.grade(grades).await)
        }
        10 => {
            let started = ledger.start_investigation(start(&investigation)).await;
            let appended = ledger.append_event(event).await;
            format!("{started:?} {appended:?} {:?}", ledger.investigation(&investigation).await)
        }
        _ => format!("{:?}", ledger.delete(&id).await),
    }
}
