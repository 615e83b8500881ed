//! Tests with damaged and foreign files.

use std::ops::Range;

use proptest::prelude::*;

use super::*;

#[tokio::test]
async fn a_foreign_file_is_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    std::fs::write(&file, "another file").unwrap();
    let judge = ScriptedJudge::new(9, &[]);
    let cached = with_disk_cache(&judge, folder.path());
    assert_eq!(debug_text(&cached.judge(&question()).await), uncached_answer());
    assert_eq!(debug_text(&cached.judge(&question()).await), cached_answer());
    assert_eq!(std::fs::read(&file).unwrap(), b"another file");
}

fn file_with_a_judgement() -> (Vec<u8>, Range<usize>) {
    let folder = tempfile::tempdir().unwrap();
    ask_in(folder.path());
    let file = std::fs::read(folder.path().join(FILE)).unwrap();
    let text = json::to_json(&judgement()).unwrap();
    let start = file.windows(text.len()).position(|window| window == text).unwrap();
    (file, start..start + text.len())
}

/// Asks a question through a cache in the folder. Returns the answer and the number of calls to the judge.
fn ask_in(folder: &Path) -> (String, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let judge = ScriptedJudge::new(1, &[]);
    let answer = runtime.block_on(async {
        let cached = with_disk_cache(&judge, folder);
        let answer = cached.judge(&question()).await;
        cached.cache.flush().await;
        answer
    });
    (debug_text(&answer), judge.call_count())
}

fn expected_answer(call_count: usize) -> String {
    if call_count == 0 { cached_answer() } else { uncached_answer() }
}

#[test]
fn a_truncated_file_is_a_miss() {
    let (file, range) = file_with_a_judgement();
    for length in (0..file.len()).step_by(1_000) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), &file[..length]).unwrap();
        let (answer, call_count) = ask_in(folder.path());
        assert_eq!(answer, expected_answer(call_count), "truncated to {length} bytes");
        assert!(call_count == 1 || length >= range.end, "truncated to {length} bytes");
    }
}

#[test]
fn detects_damage_at_any_byte() {
    let (file, range) = file_with_a_judgement();
    for offset in range.step_by(41) {
        let folder = tempfile::tempdir().unwrap();
        let mut damaged = file.clone();
        damaged[offset] ^= 1;
        std::fs::write(folder.path().join(FILE), &damaged).unwrap();
        assert_eq!(ask_in(folder.path()), (uncached_answer(), 1), "byte {offset}");
        assert_eq!(
            ask_in(folder.path()),
            (cached_answer(), 0),
            "the damaged judgement was replaced"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_damaged_file_never_changes_an_answer(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, _) = file_with_a_judgement();
        for (index, byte) in damage {
            let offset = index.index(file.len());
            file[offset] = byte;
        }
        std::fs::write(folder.path().join(FILE), &file).unwrap();
        let (answer, call_count) = ask_in(folder.path());
        prop_assert_eq!(answer, expected_answer(call_count));
    }
}
