//! Loads a cross-encoder from a folder and tests it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsar_core::fixed_point::Millionths;
use gsar_embedding::{BuiltIn, Fix, ModelError as FileError, ModelFolder, Runtime, catch_panic};
use memchr::memmem;

use crate::error::ModelError;
use crate::examples::{self, Example, enough_are_correct};
use crate::graph::{Graph, GraphError};
use crate::labels::Labels;
use crate::probabilities::Probabilities;
use crate::scorer::Scorer;
use crate::settings::Settings;
use crate::tokens::{Row, Tokens};

const ONNX: &str = "model.onnx";
const TOKENIZER: &str = "tokenizer.json";
const CONFIG: &str = "config.json";
const EXAMPLES: &str = "examples.jsonl";
const FIX: Fix = Fix(
    "put a cross-encoder exported to ONNX there, with the tokenizer.json and config.json saved with it",
);
const FIX_SHIPPED: Fix = Fix("build the server from complete sources");
const SHIPPED: BuiltIn = &[
    (ONNX, include_bytes!("../model/model.onnx")),
    (TOKENIZER, include_bytes!("../model/tokenizer.json")),
    (CONFIG, include_bytes!("../model/config.json")),
    (EXAMPLES, include_bytes!("../model/examples.jsonl")),
];
/// The number of examples that test the runtime with the built-in model.
const BUILT_IN_EXAMPLES: usize = 2;
/// The prefix of operators that compute an integer scale over the whole batch.
const BATCH_SCALED: &[u8] = b"DynamicQuantize";

/// A cross-encoder that has been read and checked, but not yet loaded into ONNX Runtime.
pub struct Model {
    folder: PathBuf,
    onnx: Vec<u8>,
    tokens: Arc<Tokens>,
    labels: Arc<Labels>,
    settings: Settings,
    examples: Vec<Example>,
    /// `true` for the built-in model, whose self-test only has to check the runtime.
    is_built_in: bool,
    digest: [u8; 32],
}

impl Model {
    /// Reads a model from a folder with the files listed in the crate documentation.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`]. Errors that only ONNX Runtime can detect are reported later, when the pool
    /// starts.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        Self::read(ModelFolder::open(folder, FIX)?)
    }

    /// Returns the model built into this crate, described in `model/MODEL_CARD.md`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Model::open`]. Any error is a bug in this build.
    pub fn shipped() -> Result<Self, ModelError> {
        let shipped = Self::read(ModelFolder::built_in("the shipped model", SHIPPED, FIX_SHIPPED))?;
        Ok(Self { is_built_in: true, ..shipped })
    }

    fn read(mut files: ModelFolder) -> Result<Self, ModelError> {
        let folder = files.path().to_owned();
        let missing: Vec<_> =
            [CONFIG, TOKENIZER, ONNX].into_iter().filter(|name| !files.has(name)).collect();
        if !missing.is_empty() {
            return Err(files.missing(missing).into());
        }
        let content = files.read(CONFIG)?;
        let config = files.json(CONFIG, &content)?;
        let labels = Labels::read(&config)
            .map_err(|found| ModelError::Labels { file: folder.join(CONFIG), found })?;
        let settings = Settings::read(&config)
            .map_err(|error| files.unsupported(CONFIG, error.found, error.allowed))?;
        let content = files.read(TOKENIZER)?;
        files.json(TOKENIZER, &content)?;
        let tokens = catch_panic(|| Tokens::read(&content, settings.max_tokens))
            .unwrap_or_else(Err)
            .map_err(|reason| tokenizer_error(&folder, reason))?;
        let examples = if files.has(EXAMPLES) {
            examples::read(&files.read(EXAMPLES)?, &labels)
                .map_err(|found| ModelError::Examples { file: folder.join(EXAMPLES), found })?
        } else {
            Vec::new()
        };
        let onnx = files.read(ONNX)?;
        Ok(Self {
            folder,
            onnx,
            tokens: Arc::new(tokens),
            labels: Arc::new(labels),
            settings,
            examples,
            is_built_in: false,
            digest: files.digest(),
        })
    }

    /// Returns the minimum probability (0.5 to 1) at which the model may decide that a claim is ungrounded,
    /// or `None` if it must never decide that.
    #[must_use]
    pub fn ungrounded_from(&self) -> Option<Millionths> {
        self.settings.ungrounded_from
    }

    /// Returns a digest of everything that affects scores.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    pub(crate) fn labels(&self) -> &Arc<Labels> {
        &self.labels
    }

    pub(crate) fn tokens(&self) -> &Arc<Tokens> {
        &self.tokens
    }

    pub(crate) fn temperature(&self) -> f64 {
        self.settings.temperature
    }

    /// Creates a session with its own copy of the weights.
    pub(crate) fn scorer(&self, runtime: &Runtime) -> Result<Scorer, ModelError> {
        let graph = catch_panic(|| Graph::open(runtime, &self.onnx, self.tokens.padding()))
            .unwrap_or_else(|message| Err(GraphError::Onnx(message)))
            .map_err(|error| match error {
                GraphError::Onnx(message) => self.onnx_error(message),
                GraphError::Interface(problem) => self.graph_error(problem),
            })?;
        if graph.has_types() && !self.tokens.has_types() {
            let reason = "expected type id 0 for a claim and 1 for a premise".to_owned();
            return Err(tokenizer_error(&self.folder, reason));
        }
        let scorer = Scorer {
            tokens: Arc::clone(&self.tokens),
            graph,
            runs_rows_alone: memmem::find(&self.onnx, BATCH_SCALED).is_some(),
        };
        match scorer.graph.columns() {
            Some(column_count) => self.check_columns(column_count).map(|()| scorer),
            None => Ok(scorer),
        }
    }

    /// Runs the model on the highest token ID, the longest row, several rows at once, and the examples. For
    /// the built-in model, skips the longest row and most examples.
    pub(crate) fn self_test(&self, scorer: &mut Scorer) -> Result<(), ModelError> {
        let highest_token = self.tokens.highest();
        let run = |scorer: &mut Scorer, lengths: &[usize]| {
            let rows: Vec<Row> = lengths
                .iter()
                .map(|length| Row { ids: vec![highest_token; *length], types: vec![1; *length] })
                .collect();
            let rows: Vec<&Row> = rows.iter().collect();
            catch_panic(|| scorer.graph.run(&rows))
                .map_err(|message| message.to_owned())
                .and_then(|result| result.map_err(|error| error.0))
        };
        let logits = run(scorer, &[2]).map_err(|reason| {
            tokenizer_error(
                &self.folder,
                format!("the graph fails on the token {highest_token}: {reason}"),
            )
        })?;
        self.check_columns(logits.first().map_or(0, Vec::len))?;
        run(scorer, &[3, 2]).map_err(|reason| {
            self.graph_error(format!("the graph cannot process two rows at once: {reason}"))
        })?;
        if self.is_built_in {
            let examples = self.examples.get(..BUILT_IN_EXAMPLES).unwrap_or(&self.examples);
            return self.check_examples(scorer, examples);
        }
        let max_tokens = self.settings.max_tokens;
        run(scorer, &[max_tokens]).map_err(|reason| {
            let found =
                format!("gsar.max_tokens = {max_tokens}, for which the graph fails ({reason}),");
            let allowed = "it must not exceed the number of positions";
            FileError::Unsupported { file: self.folder.join(CONFIG), found, allowed }
        })?;
        self.check_examples(scorer, &self.examples)
    }

    fn check_examples(&self, scorer: &mut Scorer, examples: &[Example]) -> Result<(), ModelError> {
        let file = self.folder.join(EXAMPLES);
        let examples_error = |found| ModelError::Examples { file: file.clone(), found };
        let mut rows = Vec::with_capacity(examples.len());
        for example in examples {
            if !self.tokens.has_room_beside(&example.pair.claim) {
                return Err(examples_error(format!(
                    "the claim {:?} is too long",
                    example.pair.claim
                )));
            }
            rows.push(self.tokens.row(&example.pair).map_err(examples_error)?);
        }
        let logits = catch_panic(|| scorer.logits(&rows))
            .unwrap_or_else(|message| Err(gsar_embedding::SessionError(message)))
            .map_err(|error| examples_error(error.0))?;
        let is_correct = |(logits, example): &(&Arc<[f32]>, &Example)| {
            Probabilities::from_logits(logits, &self.labels, self.settings.temperature).likeliest()
                == example.class
        };
        let correct_count = logits.iter().zip(examples).filter(is_correct).count();
        let example_count = examples.len();
        if enough_are_correct(correct_count, example_count) {
            Ok(())
        } else {
            Err(ModelError::ExamplesWrong { file, correct: correct_count, total: example_count })
        }
    }

    fn check_columns(&self, actual: usize) -> Result<(), ModelError> {
        let expected = self.labels.len();
        if actual == expected {
            Ok(())
        } else {
            Err(ModelError::Columns {
                file: self.folder.join(CONFIG),
                labels: expected,
                scores: actual,
            })
        }
    }

    fn onnx_error(&self, reason: String) -> ModelError {
        FileError::Onnx { file: self.folder.join(ONNX), reason, fix: FIX }.into()
    }

    fn graph_error(&self, found: String) -> ModelError {
        ModelError::Graph { file: self.folder.join(ONNX), found }
    }
}

fn tokenizer_error(folder: &Path, reason: String) -> ModelError {
    FileError::Tokenizer { file: folder.join(TOKENIZER), reason, fix: FIX }.into()
}

impl std::fmt::Debug for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Model")
            .field("folder", &self.folder)
            .field("labels", &self.labels)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
