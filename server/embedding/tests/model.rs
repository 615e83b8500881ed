//! Tests the real model. The tests are skipped if the model or the runtime is not in the user's cache
//! (`make models onnxruntime`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use gsar_embedding::{
    Embedder, MemoryCache, Model, ModelError, Options, Pooling, Priority, Runtime, Session, Vector,
};
use support::real;

const FOX: &str = "The quick brown fox jumps over the lazy dog.";

fn options(workers: usize) -> Options {
    Options { workers, ..Options::default() }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// Copies the model without its manifest, and links to its graph.
fn copy_model(model: &Model, folder: &Path) -> PathBuf {
    let copy = folder.join("copy");
    fs::create_dir_all(copy.join("1_Pooling")).unwrap();
    for name in [
        "1_Pooling/config.json",
        "config.json",
        "sentence_bert_config.json",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
    ] {
        fs::copy(model.folder().join(name), copy.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(model.folder().join("model.onnx"), copy.join("model.onnx")).unwrap();
    copy
}

fn open_error(folder: &Path, runtime: &Runtime) -> ModelError {
    match Model::open(folder) {
        Ok(model) => model.session(runtime).unwrap_err(),
        Err(error) => error,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_text_has_its_known_vector() {
    let Some((runtime, model)) = real() else { return };
    assert_eq!((model.pooling(), model.max_tokens()), (Pooling::Mean, 256));
    let embedder = Embedder::start(&runtime, &model, &options(1), None).unwrap();
    assert_eq!(embedder.dimension(), 384);
    let texts = [
        FOX,
        "A fast auburn fox leaps above a sleepy hound.",
        "The connection pool of the checkout database is exhausted.",
    ];
    let vectors = embedder.embed(texts.map(str::to_owned).into(), Priority::Query).await.unwrap();
    assert!(difference(&vectors[0][..4], &[0.0439, 0.0589, 0.0482, 0.0775]) < 5e-5);
    assert!(cosine(&vectors[0], &vectors[1]) > 0.6);
    assert!(cosine(&vectors[0], &vectors[2]) < 0.2);
    for vector in &vectors {
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-6);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vectors_do_not_depend_on_the_batch() {
    let Some((runtime, model)) = real() else { return };
    let texts: Vec<String> = (0..24)
        .map(|index| {
            let words = ["pool", "timeout", "503", "checkout", "restart", "latency", "of", "the"];
            (0..1 + index * 3)
                .map(|position| words[(position * 5 + index) % 8])
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let large_batches = Options { batch_texts: 64, batch_bytes: 1 << 20, ..options(2) };
    let batched = Embedder::start(&runtime, &model, &large_batches, None).unwrap();
    let batched = batched.embed(texts.clone(), Priority::Background).await.unwrap();
    let mut single = model.session(&runtime).unwrap();
    let padded = single.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    for ((text, batched), padded) in texts.iter().zip(&batched).zip(&padded) {
        let single = single.embed(&[text]).unwrap();
        assert!(difference(batched, &single[0]) < 1e-5, "{text}");
        assert!(difference(padded, &single[0]) < 1e-5, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embeds_unusual_texts() {
    let Some((runtime, model)) = real() else { return };
    let cache = Some(Box::new(MemoryCache::new(1 << 20)) as Box<_>);
    let embedder = Embedder::start(&runtime, &model, &options(2), cache).unwrap();
    let texts = vec![
        String::new(),
        "\0".to_owned(),
        "a\0b".to_owned(),
        "word ".repeat(100_000),
        "x".repeat(500_000),
        "\u{1f525}\u{200d}\u{fe0f}".repeat(1_000),
        "[CLS] [SEP] [MASK] [PAD] [UNK]".to_owned(),
        "\u{202e}\u{feff}\u{fffd}\u{10ffff}".to_owned(),
        "日本語のログ".to_owned(),
        "e\u{301}".repeat(10_000),
    ];
    let vectors = embedder.embed(texts.clone(), Priority::Query).await.unwrap();
    let cached = embedder.embed(texts.clone(), Priority::Background).await.unwrap();
    assert_eq!(vectors, cached);
    assert_eq!(embedder.statistics().computed, texts.len() as u64);
    assert!(vectors.iter().all(|vector| vector.iter().all(|number| number.is_finite())));
    let beginning = vec!["word ".repeat(254)];
    let beginning = embedder.embed(beginning, Priority::Query).await.unwrap();
    assert!(difference(&vectors[3], &beginning[0]) < 1e-5);
    let nothing: Vec<Vector> = embedder.embed(Vec::new(), Priority::Query).await.unwrap();
    assert!(nothing.is_empty());
}

#[test]
fn opens_a_sentence_model_in_any_folder() {
    let Some((runtime, model)) = real() else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = copy_model(&model, folder.path());
    assert_eq!(Model::open(&copy).unwrap().digest(), model.digest());

    fs::create_dir(copy.join("onnx")).unwrap();
    fs::rename(copy.join("model.onnx"), copy.join("onnx/model.onnx")).unwrap();
    fs::remove_file(copy.join("special_tokens_map.json")).unwrap();
    fs::remove_file(copy.join("sentence_bert_config.json")).unwrap();
    let pooling = r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
    fs::write(copy.join("1_Pooling/config.json"), pooling).unwrap();
    let changed_model = Model::open(&copy).unwrap();
    assert_eq!((changed_model.pooling(), changed_model.max_tokens()), (Pooling::Cls, 512));
    assert_ne!(changed_model.digest(), model.digest());
    let first = changed_model.session(&runtime).unwrap().embed(&[FOX]).unwrap();
    let mean = model.session(&runtime).unwrap().embed(&[FOX]).unwrap();
    assert!(difference(&first[0], &mean[0]) > 0.01);
}

#[test]
fn errors_name_missing_and_invalid_files() {
    let Some((runtime, model)) = real() else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = copy_model(&model, folder.path());
    let missing = open_error(&folder.path().join("nowhere"), &runtime);
    assert!(matches!(&missing, ModelError::Missing { files, .. } if files.len() == 5), "{missing}");

    for (file, content, expected) in [
        ("tokenizer.json", "{}", "tokenizer.json cannot be used"),
        ("tokenizer.json", "not json", "it is not valid JSON"),
        ("tokenizer.json", "", "it is not valid JSON"),
        ("tokenizer_config.json", "{}", "tokenizer_config.json cannot be used"),
        (
            "tokenizer_config.json",
            r#"{"model_max_length": 1}"#,
            "a limit of 1 tokens is not supported",
        ),
        ("config.json", "[", "it is not valid JSON"),
        ("config.json", r#"{"vocab_size": 100}"#, "it belongs to another model"),
        ("special_tokens_map.json", "\0", "it is not valid JSON"),
        ("sentence_bert_config.json", r#"{"max_seq_length": 0}"#, "a limit of 0 tokens"),
        (
            "1_Pooling/config.json",
            r#"{"pooling_mode_max_tokens": true}"#,
            "pooling_mode_max_tokens",
        ),
        ("modules.json", r#"[{"type": "sentence_transformers.models.Dense"}]"#, "Dense"),
    ] {
        let path = copy.join(file);
        let original = fs::read(&path).ok();
        fs::write(&path, content).unwrap();
        let error = open_error(&copy, &runtime).to_string();
        assert!(error.contains(expected), "{file} as {content:?}: {error}");
        match original {
            Some(original) => fs::write(&path, original).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
    }
    for file in ["tokenizer.json", "config.json", "1_Pooling/config.json", "model.onnx"] {
        let (path, moved) = (copy.join(file), folder.path().join("away"));
        fs::rename(&path, &moved).unwrap();
        let error = open_error(&copy, &runtime);
        assert!(matches!(&error, ModelError::Missing { files, .. } if files == &[file]), "{error}");
        fs::create_dir(&path).unwrap();
        let error = open_error(&copy, &runtime);
        assert!(matches!(error, ModelError::Unreadable { .. }), "{error}");
        fs::remove_dir(&path).unwrap();
        fs::rename(&moved, &path).unwrap();
    }
    Model::open(&copy).unwrap().session(&runtime).unwrap();
}

#[test]
fn rejects_the_tokenizer_of_another_model() {
    let Some((runtime, model)) = real() else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = copy_model(&model, folder.path());
    let words: Vec<String> = (0..40_000).map(|index| format!("\"w{index}\": {index}")).collect();
    let tokenizer = format!(
        r#"{{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {{"type": "Whitespace"}}, "post_processor": null, "decoder": null,
        "model": {{"type": "WordLevel", "unk_token": "w1", "vocab": {{{}}}}}}}"#,
        words.join(", ")
    );
    fs::write(copy.join("tokenizer.json"), tokenizer).unwrap();
    let error = open_error(&copy, &runtime).to_string();
    assert!(error.contains("it has 40005 tokens, but the model has 30522"), "{error}");
}

#[test]
fn rejects_a_file_changed_since_it_was_fetched() {
    let Some((_, model)) = real() else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = copy_model(&model, folder.path());
    fs::copy(model.folder().join("manifest.json"), copy.join("manifest.json")).unwrap();
    Model::open(&copy).unwrap();
    let mut tokenizer = fs::read_to_string(copy.join("tokenizer.json")).unwrap();
    tokenizer.push(' ');
    fs::write(copy.join("tokenizer.json"), tokenizer).unwrap();
    let error = Model::open(&copy).unwrap_err();
    assert!(
        matches!(&error, ModelError::Changed { file, .. } if file.ends_with("tokenizer.json")),
        "{error}"
    );
    fs::write(copy.join("modules.json"), "[]").unwrap();
    fs::copy(model.folder().join("tokenizer.json"), copy.join("tokenizer.json")).unwrap();
    let error = Model::open(&copy).unwrap_err();
    assert!(error.to_string().contains("the manifest has no entry for it"), "{error}");
    fs::write(copy.join("manifest.json"), "{").unwrap();
    let error = Model::open(&copy).unwrap_err();
    assert!(matches!(error, ModelError::Unreadable { .. }), "{error}");
}

#[test]
fn damaged_graphs_do_not_crash_the_process() {
    let Some((runtime, model)) = real() else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = copy_model(&model, folder.path());
    let path = copy.join("model.onnx");
    let original = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    for length in [0, 1, 2, 7, 16, 100, 4_096, 1 << 20, original.len() / 2, original.len() - 1] {
        fs::write(&path, &original[..length]).unwrap();
        let error = open_error(&copy, &runtime);
        assert!(matches!(error, ModelError::Onnx { .. }), "{length}: {error}");
    }
    let mut error_count = 0;
    for byte in (0..24).step_by(3) {
        let mut damaged = original.clone();
        damaged[byte] ^= 1 << (byte % 8);
        fs::write(&path, damaged).unwrap();
        let session = Model::open(&copy).unwrap().session(&runtime);
        error_count += usize::from(session.is_err());
    }
    assert!(error_count > 0);
    fs::write(&path, "this is text, not a graph").unwrap();
    let error = open_error(&copy, &runtime);
    assert!(matches!(error, ModelError::Onnx { .. }), "{error}");
}
