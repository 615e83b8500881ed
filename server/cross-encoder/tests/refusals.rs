//! Tests startup errors. The tests that need ONNX Runtime are skipped if it is not installed.

use std::fs;
use std::path::Path;

use gsar_cross_encoder::{CrossEncoder, Model, ModelError, Options, StartError};
use gsar_embedding::{ModelError as FileError, Runtime};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{copy_into, fixture, options, runtime};

fn change_config(folder: &Path, change: impl FnOnce(&mut Value)) {
    let file = folder.join("config.json");
    let mut config: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    change(&mut config);
    fs::write(file, config.to_string()).unwrap();
}

fn change_tokenizer(folder: &Path, change: impl FnOnce(&mut Value)) {
    let file = folder.join("tokenizer.json");
    let mut tokenizer: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    change(&mut tokenizer);
    fs::write(file, tokenizer.to_string()).unwrap();
}

fn open_modified(change: impl FnOnce(&Path)) -> Result<Model, ModelError> {
    let folder = tempfile::tempdir().unwrap();
    let copy = copy_into(folder.path());
    change(&copy);
    Model::open(&copy)
}

/// Returns the error from starting a modified copy of the model.
fn start_error(runtime: &Runtime, change: impl FnOnce(&Path)) -> ModelError {
    let model = open_modified(change).unwrap();
    match CrossEncoder::start(runtime, &model, &options(1)).unwrap_err() {
        StartError::Model(error) => error,
        other => panic!("{other}"),
    }
}

fn assert_contains(error: &impl ToString, parts: &[&str]) {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "expected the message to contain {part:?}: {message}");
    }
}

#[test]
fn names_all_missing_files() {
    let error = Model::open(Path::new("nowhere")).unwrap_err();
    assert_contains(
        &error,
        &["config.json, tokenizer.json, model.onnx not found", "put a cross-encoder"],
    );
    let error =
        open_modified(|copy| fs::remove_file(copy.join("tokenizer.json")).unwrap()).unwrap_err();
    assert_contains(&error, &["tokenizer.json not found;"]);
    open_modified(|copy| fs::remove_file(copy.join("examples.jsonl")).unwrap()).unwrap();
}

#[test]
fn rejects_files_that_differ_from_the_manifest() {
    let manifest = |copy: &Path, digest: &str| {
        let entry = json!({ "sha256": digest });
        fs::write(
            copy.join("manifest.json"),
            json!({"files": {"config.json": entry, "tokenizer.json": entry}}).to_string(),
        )
        .unwrap();
    };
    let error = open_modified(|copy| manifest(copy, "00")).unwrap_err();
    assert!(matches!(&error, ModelError::File(FileError::Changed { .. })), "{error}");
    assert_contains(&error, &["config.json has sha256 ", "the manifest has 00"]);
    let error =
        open_modified(|copy| fs::write(copy.join("manifest.json"), "{").unwrap()).unwrap_err();
    assert_contains(&error, &["manifest.json cannot be read"]);
    // The manifest covers only these files, not the examples.
    let files: serde_json::Map<String, Value> = ["config.json", "tokenizer.json", "model.onnx"]
        .into_iter()
        .map(|name| (name.to_owned(), json!({ "sha256": sha256(&fixture().join(name)) })))
        .collect();
    let manifest_json = json!({ "files": files }).to_string();
    let error =
        open_modified(|copy| fs::write(copy.join("manifest.json"), &manifest_json).unwrap())
            .unwrap_err();
    assert_contains(&error, &["examples.jsonl has sha256 ", "the manifest has no entry for it"]);
    open_modified(|copy| {
        fs::write(copy.join("manifest.json"), &manifest_json).unwrap();
        fs::remove_file(copy.join("examples.jsonl")).unwrap();
    })
    .unwrap();
}

fn sha256(file: &Path) -> String {
    let digest = Sha256::digest(fs::read(file).unwrap());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn rejects_unknown_labels_and_settings() {
    let error = open_modified(|copy| {
        change_config(copy, |config| config["id2label"]["2"] = json!("LABEL_2"));
    });
    assert_contains(
        &error.unwrap_err(),
        &["unknown name \"LABEL_2\" for column 2", "assign each label to exactly one column"],
    );
    let error = open_modified(|copy| {
        change_config(copy, |config| drop(config.as_object_mut().unwrap().remove("id2label")));
    });
    assert_contains(
        &error.unwrap_err(),
        &["missing id2label", "assign each label to exactly one column"],
    );
    let error = open_modified(|copy| {
        change_config(copy, |config| config["gsar"]["temperature"] = json!(-1));
    });
    assert_contains(
        &error.unwrap_err(),
        &["gsar.temperature = -1 is not supported; expected 0.01 to 100"],
    );
    let error = open_modified(|copy| fs::write(copy.join("config.json"), "not json").unwrap());
    assert_contains(&error.unwrap_err(), &["config.json cannot be read: it is not valid JSON"]);
}

#[test]
fn rejects_tokenizers_without_pair_support() {
    for (content, expected) in [
        ("", "it is not valid JSON"),
        ("{}", "it is not a known tokenizer"),
        ("[1]", "it is not a known tokenizer"),
    ] {
        let error = open_modified(|copy| fs::write(copy.join("tokenizer.json"), content).unwrap());
        assert_contains(&error.unwrap_err(), &[expected, "put a cross-encoder"]);
    }
    let error = open_modified(|copy| {
        change_tokenizer(copy, |tokenizer| tokenizer["post_processor"] = Value::Null);
    });
    assert_contains(
        &error.unwrap_err(),
        &["it adds no special tokens around the claim and the premise"],
    );
}

#[test]
fn rejects_tokenizers_without_type_ids_if_the_graph_needs_them() {
    let Some(runtime) = runtime() else { return };
    let error = start_error(&runtime, |copy| {
        change_tokenizer(copy, |tokenizer| {
            for part in tokenizer["post_processor"]["pair"].as_array_mut().unwrap() {
                for kind in ["Sequence", "SpecialToken"] {
                    if let Some(part) = part.get_mut(kind) {
                        part["type_id"] = json!(0);
                    }
                }
            }
        });
    });
    assert_contains(&error, &["expected type id 0 for a claim and 1 for a premise"]);
}

#[test]
fn rejects_invalid_examples() {
    for (content, expected) in [
        ("", "it has 0 rows"),
        ("{\"claim\": \"a\"}", "line 1: missing string field `label`"),
        ("{\"claim\": \"a\", \"premise\": \"b\", \"label\": \"true\"}", "unknown label"),
    ] {
        let error = open_modified(|copy| fs::write(copy.join("examples.jsonl"), content).unwrap());
        assert_contains(
            &error.unwrap_err(),
            &["examples.jsonl: ", expected, "expected 1 to 64 lines of the form {\"claim\""],
        );
    }
}

#[test]
fn rejects_damaged_graphs() {
    let Some(runtime) = runtime() else { return };
    let original = fs::read(fixture().join("model.onnx")).unwrap();
    let mut contents: Vec<Vec<u8>> = [0, 1, 7, 100, 4_096, original.len() / 2, original.len() - 1]
        .map(|end| original[..end].to_vec())
        .into();
    contents.push(b"this is text, not a graph".to_vec());
    for content in contents {
        let error = start_error(&runtime, |copy| {
            fs::write(copy.join("model.onnx"), &content).unwrap();
        });
        assert!(matches!(&error, ModelError::File(FileError::Onnx { .. })), "{error}");
        assert_contains(&error, &["model.onnx is not a valid ONNX model", "put a cross-encoder"]);
    }
    for byte in (0..64).step_by(3) {
        let mut damaged = original.clone();
        damaged[byte] ^= 1 << (byte % 8);
        let model =
            open_modified(|copy| fs::write(copy.join("model.onnx"), damaged).unwrap()).unwrap();
        // May be rejected, but must not crash.
        drop(CrossEncoder::start(&runtime, &model, &options(1)));
    }
}

#[test]
fn rejects_unexpected_inputs_or_outputs() {
    let Some(runtime) = runtime() else { return };
    let original = fs::read(fixture().join("model.onnx")).unwrap();
    // Names of equal length keep the rest of the file valid.
    for (old, new, expected) in [
        ("attention_mask", "attention_mass", "the graph has the inputs input_ids, attention_mass"),
        ("logits", "scores", "the graph has the output scores"),
    ] {
        let renamed = replace(&original, old.as_bytes(), new.as_bytes());
        let error =
            start_error(&runtime, |copy| fs::write(copy.join("model.onnx"), renamed).unwrap());
        assert!(matches!(&error, ModelError::Graph { .. }), "{error}");
        assert_contains(
            &error,
            &["model.onnx: ", expected, "export a graph with the inputs input_ids"],
        );
    }
}

fn replace(content: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut replaced = content.to_vec();
    let positions: Vec<usize> = content
        .windows(old.len())
        .enumerate()
        .filter(|(_, part)| *part == old)
        .map(|(position, _)| position)
        .collect();
    assert!(!positions.is_empty());
    for position in positions {
        replaced[position..position + new.len()].copy_from_slice(new);
    }
    replaced
}

#[test]
fn rejects_a_wrong_number_of_labels() {
    let Some(runtime) = runtime() else { return };
    let error = start_error(&runtime, |copy| {
        change_config(copy, |config| drop(config["id2label"].as_object_mut().unwrap().remove("3")));
        fs::remove_file(copy.join("examples.jsonl")).unwrap();
    });
    assert!(matches!(error, ModelError::Columns { labels: 3, scores: 4, .. }), "{error}");
    assert_contains(
        &error,
        &["names 3 labels, but the graph returns 4 scores", "use the config.json"],
    );
}

#[test]
fn rejects_tokens_beyond_the_graph_vocabulary() {
    let Some(runtime) = runtime() else { return };
    let error = start_error(&runtime, |copy| {
        change_tokenizer(copy, |tokenizer| {
            let vocabulary = tokenizer["model"]["vocab"].as_object_mut().unwrap();
            let next_id = vocabulary.len();
            vocabulary.insert("zebra".to_owned(), json!(next_id));
        });
    });
    assert!(matches!(&error, ModelError::File(FileError::Tokenizer { .. })), "{error}");
    assert_contains(&error, &["the graph fails on the token ", "put a cross-encoder"]);
}

#[test]
fn rejects_more_tokens_than_positions() {
    let Some(runtime) = runtime() else { return };
    let error = start_error(&runtime, |copy| {
        change_config(copy, |config| {
            drop(config.as_object_mut().unwrap().remove("max_position_embeddings"));
            config["gsar"]["max_tokens"] = json!(65);
        });
    });
    assert!(matches!(&error, ModelError::File(FileError::Unsupported { .. })), "{error}");
    assert_contains(
        &error,
        &["gsar.max_tokens = 65", "it must not exceed the number of positions"],
    );
}

#[test]
fn examples_reveal_a_wrong_label_order() {
    let Some(runtime) = runtime() else { return };
    let swap_labels = |copy: &Path| {
        change_config(copy, |config| {
            config["id2label"]["0"] = json!("ungrounded");
            config["id2label"]["1"] = json!("grounded");
        });
    };
    let error = start_error(&runtime, swap_labels);
    assert!(matches!(error, ModelError::ExamplesWrong { correct: 6, total: 12, .. }), "{error}");
    assert_contains(
        &error,
        &["6 of 12 rows of ", "id2label in config.json is in a different order"],
    );
    let model = open_modified(|copy| {
        swap_labels(copy);
        fs::remove_file(copy.join("examples.jsonl")).unwrap();
    });
    CrossEncoder::start(&runtime, &model.unwrap(), &options(1)).unwrap();
}

#[test]
fn rejects_out_of_range_options() {
    let Some(runtime) = runtime() else { return };
    let model = Model::open(&fixture()).unwrap();
    for (invalid_options, expected) in [
        (options(0), "option workers: 0 is not allowed; expected 1 to 64"),
        (options(65), "option workers: 65"),
        (Options { queue_bytes: 1, ..options(1) }, "option queue_bytes: 1"),
    ] {
        let error = CrossEncoder::start(&runtime, &model, &invalid_options).unwrap_err();
        assert_contains(&error, &[expected]);
    }
}
