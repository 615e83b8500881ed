//! Generates `proto/src/generated` from `proto/gsar/v1/*.proto`. A test fails if the generated code is outdated.
//!
//! This is a separate crate, so that it runs even if the generated code does not compile.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use prost::Message as _;

fn main() -> Result<()> {
    let target = generated_folder();
    std::fs::create_dir_all(&target)?;
    for (name, content) in generate()? {
        std::fs::write(target.join(name), content)?;
    }
    Ok(())
}

fn proto_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn generated_folder() -> PathBuf {
    proto_folder().join("src/generated")
}

fn generate() -> Result<Vec<(&'static str, Vec<u8>)>> {
    let root = proto_folder();
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(root.join("gsar/v1"))? {
        sources.push(entry?.path());
    }
    sources.sort();
    let descriptors =
        protox::compile(&sources, [&root]).context("the .proto files do not compile")?;
    let scratch = tempfile::tempdir()?;
    tonic_prost_build::configure()
        .codec_path("crate::codec::Codec")
        // Boxed because they are much larger than the other variants.
        .boxed(".gsar.v1.EvidenceItem.content.check_run")
        .boxed(".gsar.v1.InvestigationEvent.event.judged")
        .boxed(".gsar.v1.EvaluateStreamResponse.result.evaluation")
        .boxed(".gsar.v1.RankedCandidate.result.evaluation")
        // Boxed because it is much larger than the other messages in a stream.
        .boxed(".gsar.v1.DriveRequest.request.start")
        // Boxed because it is much larger than the other records.
        .boxed(".gsar.v1.ExportRecord.record.preference")
        // Boxed because they are unset in most responses, which are moved many times.
        .boxed(".gsar.v1.ScoreResponse.gate")
        .boxed(".gsar.v1.ScoreResponse.chain")
        .boxed(".gsar.v1.ScoreResponse.cap")
        .boxed(".gsar.v1.ScoreResponse.action")
        .boxed(".gsar.v1.ScoreResponse.shadow")
        .boxed(".gsar.v1.EvaluateResponse.gate")
        .boxed(".gsar.v1.EvaluateResponse.chain")
        .boxed(".gsar.v1.EvaluateResponse.cap")
        .boxed(".gsar.v1.EvaluateResponse.action")
        .boxed(".gsar.v1.EvaluateResponse.shadow")
        .out_dir(scratch.path())
        .compile_fds(descriptors.clone())?;
    Ok(vec![
        ("gsar.v1.rs", std::fs::read(scratch.path().join("gsar.v1.rs"))?),
        ("descriptors.bin", descriptors.encode_to_vec()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_code_is_current() -> Result<()> {
        for (name, fresh) in generate()? {
            let current = std::fs::read(generated_folder().join(name)).unwrap_or_default();
            assert!(current == fresh, "src/generated/{name} is outdated; run `make generate`");
        }
        Ok(())
    }
}
