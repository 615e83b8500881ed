//! Tests that files other than ONNX Runtime are rejected without a crash.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

#[path = "../../tests/support/skip.rs"]
mod skip;

use std::fs;
use std::path::Path;
use std::process::Command;

use gsar_embedding::{Origin, Runtime, RuntimeError};

/// Compiles a shared library. If there is no C compiler, prints a message and returns `None`.
fn library(folder: &Path, name: &str, source: &str) -> Option<std::path::PathBuf> {
    let (code, library) = (folder.join("code.c"), folder.join(name));
    fs::write(&code, source).unwrap();
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &code]).status();
    if compiled.is_ok_and(|status| status.success()) {
        return Some(library);
    }
    println!("skipped the library {name}: there is no C compiler");
    None
}

fn load_error(file: &Path) -> RuntimeError {
    Runtime::load(Some(file)).unwrap_err()
}

#[test]
fn loads_only_onnx_runtime_of_a_supported_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);

    let missing = load_error(&path("missing.so"));
    assert_eq!(missing, RuntimeError::Missing { file: path("missing.so"), origin: Origin::Given });
    assert!(missing.to_string().contains("make onnxruntime"), "{missing}");

    fs::write(path("text.so"), "this is text").unwrap();
    fs::write(path("empty.so"), "").unwrap();
    for file in [path("text.so"), path("empty.so"), folder.path().to_owned(), "/dev/null".into()] {
        let error = load_error(&file);
        assert!(matches!(error, RuntimeError::NotALibrary { .. }), "{error}");
        assert!(error.to_string().contains(&file.display().to_string()), "{error}");
    }

    let other = library(folder.path(), "other.so", "int answer(void) { return 42; }");
    if let Some(file) = other {
        let error = load_error(&file);
        assert!(error.to_string().contains("does not export OrtGetApiBase"), "{error}");
        let original = fs::read(&file).unwrap();
        for length in [1, 20, 64, 1_000, original.len() / 2, original.len() - 1] {
            fs::write(path("short.so"), &original[..length]).unwrap();
            let error = load_error(&path("short.so"));
            assert!(matches!(error, RuntimeError::NotALibrary { .. }), "{length}: {error}");
        }
    }
    let old = library(
        folder.path(),
        "old.so",
        "static const char *version(void) { return \"1.23.2\"; }\n\
         static const void *api(unsigned number) { return 0; }\n\
         static const struct { const void *(*api)(unsigned); const char *(*version)(void); } base = {api, version};\n\
         const void *OrtGetApiBase(void) { return &base; }\n",
    );
    if let Some(file) = old {
        let error = load_error(&file);
        assert!(
            matches!(&error, RuntimeError::TooOld { found, .. } if found == "1.23.2"),
            "{error}"
        );
        assert!(error.to_string().contains("1.24 or later"), "{error}");
    }

    // Load the real library once, if available.
    let runtime = match Runtime::load(None) {
        Ok(runtime) => runtime,
        Err(error) => {
            skip::report_skip("onnxruntime", error);
            return;
        }
    };
    assert_eq!(Runtime::load(Some(runtime.library())).unwrap().library(), runtime.library());
    let reloaded = load_error(&path("text.so"));
    assert!(matches!(reloaded, RuntimeError::OtherLoaded { .. }), "{reloaded}");

    let copy = path("libonnxruntime.so");
    fs::copy(runtime.library(), &copy).unwrap();
    assert!(matches!(load_error(&copy), RuntimeError::OtherLoaded { .. }));
}

#[test]
fn rejects_a_library_changed_since_it_was_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("libonnxruntime.so");
    fs::write(&file, "another library").unwrap();
    let manifest = r#"{"files": {"libonnxruntime.so": {"sha256": "00"}}}"#;
    fs::write(folder.path().join("manifest.json"), manifest).unwrap();
    let error = load_error(&file);
    // The other test in this process may have loaded the real library.
    assert!(
        matches!(error, RuntimeError::Changed { .. } | RuntimeError::OtherLoaded { .. }),
        "{error}"
    );
}
