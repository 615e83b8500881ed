//! Tests with damaged and foreign files.

use std::ops::Range;

use proptest::prelude::*;

use super::*;

#[tokio::test]
async fn a_foreign_file_is_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    std::fs::write(&file, "another file").unwrap();
    let judge = Scripted::new(9, &[]);
    let cached = on_disk(&judge, folder.path());
    assert_eq!(debug_text(&cached.judge(&question()).await), uncached());
    assert_eq!(debug_text(&cached.judge(&question()).await), from_cache());
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

/// Asks a question with a cache in a folder. Returns the answer and the number of calls to the judge.
fn ask_in(folder: &Path) -> (String, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let judge = Scripted::new(1, &[]);
    let answer = runtime.block_on(async {
        let cached = on_disk(&judge, folder);
        let answer = cached.judge(&question()).await;
        cached.cache.flush().await;
        answer
    });
    (debug_text(&answer), judge.asked())
}

fn expected(asked: usize) -> String {
    if asked == 0 { from_cache() } else { uncached() }
}

#[test]
fn a_truncated_file_is_a_miss() {
    let (file, text) = file_with_a_judgement();
    for length in (0..file.len()).step_by(1_000) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), &file[..length]).unwrap();
        let (answer, asked) = ask_in(folder.path());
        assert_eq!(answer, expected(asked), "cut to {length} bytes");
        assert!(asked == 1 || length >= text.end, "cut to {length} bytes");
    }
}

#[test]
fn detects_damage_at_any_byte() {
    let (file, text) = file_with_a_judgement();
    for at in text.step_by(41) {
        let folder = tempfile::tempdir().unwrap();
        let mut damaged = file.clone();
        damaged[at] ^= 1;
        std::fs::write(folder.path().join(FILE), &damaged).unwrap();
        assert_eq!(ask_in(folder.path()), (uncached(), 1), "byte {at}");
        assert_eq!(ask_in(folder.path()), (from_cache(), 0), "it was replaced");
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
            let at = index.index(file.len());
            file[at] = byte;
        }
        std::fs::write(folder.path().join(FILE), &file).unwrap();
        let (answer, asked) = ask_in(folder.path());
        prop_assert_eq!(answer, expected(asked));
    }
}
