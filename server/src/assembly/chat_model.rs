//! This module checks the settings of a chat model (where it listens, its key, its price, its prompts, what is hidden from
//! it), and makes judges of a model that was checked. It asks nobody.

use std::fmt;

use gsar_chat::{
    Chat, Endpoint, MAX_ATTEMPTS, MAX_CONCURRENT, ModelName, Price, Provider, Retry, SecretString,
    Settings, SettingsError, StructuredOutput, TIMEOUTS, Temperature,
};
use gsar_redaction::{Options, Pattern, Redactor};

use crate::config::{self, Duration, Judges, Model, Problems};
use crate::judge::Question;
use crate::judge::model::{
    ModelJudge, ModelOptions, Prompt, PromptError, Purpose, lines_prompt_digest,
};
use crate::judge::spending::Spending;

/// Waiting calls for each that runs.
const WAITING_FOR_EACH: usize = 4;
/// The most graded claims that are shown as examples.
const MAX_EXAMPLES: usize = 20;
/// The least bytes above which an item may be shown in outline.
const MIN_OUTLINE: u64 = 1 << 10;

/// A chat model whose every setting was checked.
pub(super) struct CheckedModel {
    endpoint: Endpoint,
    wanted: Model,
    judge_prompt: Prompt,
    refute_prompt: Prompt,
    redactor: Option<Redactor>,
    hidden: String,
    price: Option<Price>,
}

impl fmt::Debug for CheckedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedModel").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl CheckedModel {
    /// Checks what is configured of the model `written`, under `judges.models`. `redactor` is `None` where the patterns
    /// of `judges.hidden` cannot be used, which is noted already.
    pub(super) fn check(
        written: &str,
        name: ModelName,
        judges: &Judges,
        redactor: Option<&Redactor>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let wanted = judges.models.get(written).cloned().unwrap_or_default();
        let mut noted = Noted { model: written, problems };
        let provider = name.provider();
        ranges(provider, &wanted, &mut noted);
        let endpoint = endpoint(name, &wanted, &mut noted);
        let judge_prompt = prompt(Purpose::Judge, &wanted, &mut noted);
        let refute_prompt = prompt(Purpose::Refute, &wanted, &mut noted);
        let price = price(&wanted, judges, &mut noted);
        let endpoint = endpoint?;
        let chat = Chat::new(&endpoint, settings(&wanted));
        let fits = chat.map_err(|error| noted.settings(&error)).is_ok();
        let hides = wanted.hide.unwrap_or(!endpoint.is_this_machine());
        let redactor = if hides { Some(redactor?.clone()) } else { None };
        let (judge_prompt, refute_prompt) = (judge_prompt?, refute_prompt?);
        let mut hidden = format!("{hides} {:?} {:?}", wanted.ollama_context, judges.hidden);
        // Left out where it is not set, so that what was cached before is found.
        if let Some(above) = wanted.outline_above {
            hidden.push_str(&format!(" outline above {} {}", above.0, lines_prompt_digest()));
        }
        fits.then_some(Self {
            endpoint,
            wanted,
            judge_prompt,
            refute_prompt,
            redactor,
            hidden,
            price: price?,
        })
    }

    /// Whether it is known what its tokens cost.
    pub(super) fn is_priced(&self) -> bool {
        self.price.is_some()
    }

    /// How often it is asked about each report.
    pub(super) fn samples(&self) -> u32 {
        self.wanted.samples
    }

    /// A judge that asks the model, and what its answers depend on besides the question.
    ///
    /// # Errors
    /// What [`Chat::new`] or [`ModelJudge::new`] say; both accepted the same values before.
    pub(super) fn judge(
        &self,
        purpose: Purpose,
        spending: Option<Spending>,
    ) -> Result<(ModelJudge, String), String> {
        let wanted = &self.wanted;
        let prompt = match purpose {
            Purpose::Judge => &self.judge_prompt,
            Purpose::Refute => &self.refute_prompt,
        };
        // Limits of time and number change no answer, and a key is not in it.
        let fingerprint = format!(
            "{} {} {:?} {} {} {} {:?} {}",
            prompt.digest(),
            Prompt::second_look().digest(),
            wanted.base_url,
            wanted.max_evidence.0,
            wanted.max_output_tokens,
            wanted.temperature,
            wanted.structured_output,
            self.hidden,
        );
        let options = ModelOptions {
            prompt: prompt.clone(),
            purpose,
            redactor: self.redactor.clone(),
            max_evidence: usize::try_from(wanted.max_evidence.0).unwrap_or(usize::MAX),
            outline_above: wanted
                .outline_above
                .map(|above| usize::try_from(above.0).unwrap_or(usize::MAX)),
            examples: wanted.examples,
            temperature: wanted.temperature.then_some(Temperature::ZERO),
            max_output_tokens: wanted.max_output_tokens,
            price: self.price,
            canary: wanted.canary,
            spending,
        };
        let chat =
            Chat::new(&self.endpoint, settings(wanted)).map_err(|error| error.to_string())?;
        Ok((ModelJudge::new(chat, options)?, fingerprint))
    }
}

/// Problems of one model.
struct Noted<'a> {
    model: &'a str,
    problems: &'a mut Problems,
}

impl Noted<'_> {
    fn add(&mut self, key: &str, description: impl fmt::Display) {
        self.problems.add(&["judges", "models", self.model, key], description);
    }

    fn range<T: PartialOrd + fmt::Display>(&mut self, key: &str, given: T, least: T, most: T) {
        if given < least || given > most {
            self.add(key, format!("{given} is not allowed; give {least} to {most}"));
        }
    }

    /// What the client of the model refuses, under the key that it is set by.
    fn settings(&mut self, error: &SettingsError) {
        let key = match error {
            SettingsError::NoBaseUrl { .. } | SettingsError::KeyInTheClear { .. } => "base_url",
            SettingsError::Url { .. } => "base_url",
            SettingsError::NoKey { .. } | SettingsError::HeaderValue { .. } => "key_file",
            SettingsError::StructuredOutput { .. } => "structured_output",
            SettingsError::Duration { .. } => "timeout",
            SettingsError::Number { .. }
            | SettingsError::HeaderName { .. }
            | SettingsError::Certificates { .. }
            | SettingsError::Client { .. } => {
                let path = ["judges", "models", self.model];
                if !self.problems.concern(&path) {
                    self.problems.add(&path, error);
                }
                return;
            }
        };
        if !self.problems.concern(&["judges", "models", self.model, key]) {
            let text = error.to_string();
            let description = text.split_once(": ").map_or(text.as_str(), |(_, rest)| rest);
            self.add(key, description);
        }
    }
}

fn ranges(provider: Provider, wanted: &Model, noted: &mut Noted<'_>) {
    let (least, most) = (Duration(TIMEOUTS.0), Duration(TIMEOUTS.1));
    noted.range("timeout", wanted.timeout, least, most);
    if let Some(after) = wanted.hedge_after {
        noted.range("hedge_after", after, least, wanted.timeout.max(least));
    }
    noted.range("attempts", wanted.attempts, 1, MAX_ATTEMPTS);
    noted.range("max_concurrent", wanted.max_concurrent, 1, MAX_CONCURRENT);
    noted.range("max_output_tokens", wanted.max_output_tokens, 1, u32::MAX);
    noted.range("examples", wanted.examples, 0, MAX_EXAMPLES);
    noted.range("samples", wanted.samples, 1, Question::MAX_SAMPLES);
    if wanted.max_evidence.0 == 0 {
        noted.add("max_evidence", "0 allows nothing; give 1 or more");
    }
    let has_ways = matches!(provider, Provider::OpenAiCompatible | Provider::Oci);
    if wanted.outline_above.is_some_and(|above| above.0 < MIN_OUTLINE) {
        noted.add("outline_above", "give 1KiB or more, or leave it out to show everything");
    }
    if wanted.structured_output != config::StructuredOutput::JsonSchema && !has_ways {
        noted.add(
            "structured_output",
            format!("is not for {provider}, which has a way of its own; leave it out, or use openai-compatible or oci"),
        );
    }
}

fn endpoint(name: ModelName, wanted: &Model, noted: &mut Noted<'_>) -> Option<Endpoint> {
    let provider = name.provider();
    let key = match key(&name, wanted) {
        Ok(key) => key,
        Err((field, description)) => {
            noted.add(field, description);
            // The address is checked all the same; a key of its own changes nothing about it.
            let stand_in = provider.needs_key().then(|| SecretString::from("absent"));
            if let Err(error) = Endpoint::new(name, wanted.base_url.as_deref(), stand_in) {
                noted.settings(&error);
            }
            return None;
        }
    };
    Endpoint::new(name, wanted.base_url.as_deref(), key)
        .map_err(|error| noted.settings(&error))
        .ok()
}

fn prompt(purpose: Purpose, wanted: &Model, noted: &mut Noted<'_>) -> Option<Prompt> {
    let (key, file) = match purpose {
        Purpose::Judge => ("prompt", &wanted.prompt),
        Purpose::Refute => ("refute_prompt", &wanted.refute_prompt),
    };
    match file {
        Some(path) => Prompt::read(path)
            .map_err(|error| match error {
                PromptError::Unreadable { .. } => {
                    noted.add(
                        key,
                        format!("{error}; name a file that can be read, or leave it out"),
                    );
                }
                PromptError::Incomplete { .. } => noted.add(key, error),
            })
            .ok(),
        None => Some(Prompt::built_in(purpose)),
    }
}

fn settings(wanted: &Model) -> Settings {
    let first_byte = wanted.timeout.0;
    Settings {
        first_byte_timeout: first_byte,
        total_timeout: first_byte,
        max_output_tokens: wanted.max_output_tokens,
        max_concurrent: wanted.max_concurrent,
        max_waiting: wanted.max_concurrent.saturating_mul(WAITING_FOR_EACH),
        requests_per_minute: wanted.requests_per_minute,
        retry: Retry { attempts: wanted.attempts, ..Retry::default() },
        hedge_after: wanted.hedge_after.map(|after| after.0),
        structured_output: match wanted.structured_output {
            config::StructuredOutput::JsonSchema => StructuredOutput::JsonSchema,
            config::StructuredOutput::GuidedJson => StructuredOutput::GuidedJson,
            config::StructuredOutput::JsonObject => StructuredOutput::JsonObject,
            config::StructuredOutput::Off => StructuredOutput::Off,
        },
        ollama_context: wanted.ollama_context,
        ..Settings::default()
    }
}

/// The key from its file, else from the environment; never from the configuration itself.
///
/// # Errors
/// The key of the configuration that is wrong, and what is wrong with it.
fn key(name: &ModelName, wanted: &Model) -> Result<Option<SecretString>, (&'static str, String)> {
    if let Some(path) = &wanted.key_file {
        let refused = |reason: String| ("key_file", format!("{}: {reason}", path.display()));
        let text = std::fs::read_to_string(path);
        let text =
            text.map_err(|error| refused(format!("{error}; name a file with the key in it")))?;
        return match text.trim() {
            "" => Err(refused("is empty; write the key into it".to_owned())),
            key => Ok(Some(SecretString::from(key))),
        };
    }
    let provider = name.provider();
    let Some(variable) = wanted.key_env.as_deref().or(usual_variable(provider)) else {
        return Ok(None);
    };
    match std::env::var(variable) {
        Ok(key) if !key.trim().is_empty() => Ok(Some(SecretString::from(key.trim()))),
        _ if provider.needs_key() || wanted.key_env.is_some() => {
            let description = format!("{provider} requires an API key: set key_file or {variable}");
            Err(("key_env", description))
        }
        _ => Ok(None),
    }
}

/// The variable in which a provider's own programs look for the key. None for providers compatible with OpenAI: its key
/// is for its own address.
const fn usual_variable(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::OpenAi => Some("OPENAI_API_KEY"),
        Provider::Anthropic => Some("ANTHROPIC_API_KEY"),
        Provider::Gemini => Some("GEMINI_API_KEY"),
        Provider::Ollama | Provider::OpenAiCompatible => None,
        Provider::Oci => Some("OCI_API_KEY"),
    }
}

/// What tokens cost, where that is known.
fn price(wanted: &Model, judges: &Judges, noted: &mut Noted<'_>) -> Option<Option<Price>> {
    match (wanted.input_price, wanted.output_price) {
        (Some(input), Some(output)) => {
            Some(Some(Price { input, output, cached: wanted.cached_price.unwrap_or(input) }))
        }
        (None, None) if wanted.cached_price.is_none() => {
            if judges.daily_budget.is_some() {
                let description = "is missing, and judges.daily_budget counts what models cost; give input_price and output_price";
                noted.add("input_price", description);
            }
            Some(None)
        }
        (given, _) => {
            let missing = if given.is_none() { "input_price" } else { "output_price" };
            noted.add(
                missing,
                "is missing; input_price and output_price belong together, give both or none",
            );
            None
        }
    }
}

/// What hides secrets, personal data and the patterns of `judges.hidden`; `None` where a pattern cannot be used.
pub(super) fn redactor(judges: &Judges, problems: &mut Problems) -> Option<Redactor> {
    let pattern = |(name, expression): (&String, &String)| Pattern {
        name: name.clone(),
        expression: expression.clone(),
    };
    let mut sound = true;
    for hidden in &judges.hidden {
        let options = Options { patterns: vec![pattern(hidden)], ..Options::default() };
        if let Err(error) = Redactor::new(&options) {
            problems.add(&["judges", "hidden", hidden.0], error);
            sound = false;
        }
    }
    if !sound {
        return None;
    }
    let patterns = judges.hidden.iter().map(pattern).collect();
    problems.note(&["judges", "hidden"], Redactor::new(&Options { patterns, ..Options::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_key_file_is_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let name: ModelName = "openai:m".parse().unwrap();
        let wanted = Model { key_file: Some(path.clone()), ..Model::default() };
        let refused = |expected: &str| {
            let (field, description) = key(&name, &wanted).unwrap_err();
            field == "key_file" && description.contains(expected)
        };
        assert!(refused("name a file"));
        std::fs::write(&path, " \n").unwrap();
        assert!(refused("is empty"));
        std::fs::write(&path, "secret\n").unwrap();
        assert!(key(&name, &wanted).unwrap().is_some());
    }
}
