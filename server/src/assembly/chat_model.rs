//! Checks a chat model's settings and builds judges that use the model. Sends no request.

use std::fmt;

use gsar_chat::{
    Chat, Endpoint, MAX_ATTEMPTS, MAX_CONCURRENT, ModelName, Price, Provider, Retry, SecretString,
    Settings, SettingsError, StructuredOutput, TIMEOUTS, Temperature,
};
use gsar_redaction::{Pattern, Redactor};

use crate::config::{Duration, Judges, Model, Problems};
use crate::judge::Question;
use crate::judge::model::{
    ModelJudge, ModelOptions, Prompt, PromptError, Purpose, lines_prompt_digest,
};
use crate::judge::spending::Spending;

const WAITING_PER_RUNNING: usize = 4;
const MAX_EXAMPLES: usize = 20;
const MIN_OUTLINE: u64 = 1 << 10;

pub(super) struct CheckedModel {
    endpoint: Endpoint,
    config: Model,
    judge_prompt: Prompt,
    refute_prompt: Prompt,
    redactor: Option<Redactor>,
    input_fingerprint: String,
    price: Option<Price>,
}

impl fmt::Debug for CheckedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedModel").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl CheckedModel {
    /// Checks the table `judges.models.NAME`. `redactor` is `None` if `judges.hidden` has an invalid
    /// pattern, which has already been added to `problems`.
    pub(super) fn check(
        name: &str,
        model_name: ModelName,
        judges: &Judges,
        redactor: Option<&Redactor>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let config = judges.models.get(name).cloned().unwrap_or_default();
        let mut problems = ModelProblems { model: name, problems };
        let provider = model_name.provider();
        check_ranges(provider, &config, &mut problems);
        let endpoint = endpoint(model_name, &config, &mut problems);
        let judge_prompt = prompt(Purpose::Judge, &config, &mut problems);
        let refute_prompt = prompt(Purpose::Refute, &config, &mut problems);
        let price = price(&config, judges, &mut problems);
        let endpoint = endpoint?;
        let chat = Chat::new(&endpoint, settings(&config));
        let is_valid = chat.map_err(|error| problems.add_settings_error(&error)).is_ok();
        let should_redact = config.hide.unwrap_or(!endpoint.is_this_machine());
        let redactor = if should_redact { Some(redactor?.clone()) } else { None };
        let (judge_prompt, refute_prompt) = (judge_prompt?, refute_prompt?);
        let mut input_fingerprint =
            format!("{should_redact} {:?} {:?}", config.ollama_context, judges.hidden);
        if let Some(min_size) = config.outline_above {
            input_fingerprint.push_str(&format!(
                " outline above {} {}",
                min_size.0,
                lines_prompt_digest()
            ));
        }
        is_valid.then_some(Self {
            endpoint,
            config,
            judge_prompt,
            refute_prompt,
            redactor,
            input_fingerprint,
            price: price?,
        })
    }

    pub(super) fn is_priced(&self) -> bool {
        self.price.is_some()
    }

    pub(super) fn samples(&self) -> u32 {
        self.config.samples
    }

    /// Builds a judge. Also returns a fingerprint of the settings that affect its answers.
    ///
    /// # Errors
    /// The errors of [`Chat::new`] and [`ModelJudge::new`], which are not expected after a check.
    pub(super) fn judge(
        &self,
        purpose: Purpose,
        spending: Option<Spending>,
    ) -> Result<(ModelJudge, String), String> {
        let config = &self.config;
        let prompt = match purpose {
            Purpose::Judge => &self.judge_prompt,
            Purpose::Refute => &self.refute_prompt,
        };
        // Timeouts, limits and keys do not affect answers.
        let fingerprint = format!(
            "{} {} {:?} {} {} {} {:?} {}",
            prompt.digest(),
            Prompt::second_look().digest(),
            config.base_url,
            config.max_evidence.0,
            config.max_output_tokens,
            config.temperature,
            config.structured_output,
            self.input_fingerprint,
        );
        let options = ModelOptions {
            prompt: prompt.clone(),
            purpose,
            redactor: self.redactor.clone(),
            max_evidence: usize::try_from(config.max_evidence.0).unwrap_or(usize::MAX),
            outline_above: config
                .outline_above
                .map(|min_size| usize::try_from(min_size.0).unwrap_or(usize::MAX)),
            examples: config.examples,
            temperature: config.temperature.then_some(Temperature::ZERO),
            max_output_tokens: config.max_output_tokens,
            price: self.price,
            canary: config.canary,
            spending,
        };
        let chat =
            Chat::new(&self.endpoint, settings(config)).map_err(|error| error.to_string())?;
        Ok((ModelJudge::new(chat, options)?, fingerprint))
    }
}

struct ModelProblems<'a> {
    model: &'a str,
    problems: &'a mut Problems,
}

impl ModelProblems<'_> {
    fn add(&mut self, key: &str, description: impl fmt::Display) {
        self.problems.add(&["judges", "models", self.model, key], description);
    }

    fn check_range<T: PartialOrd + fmt::Display>(&mut self, key: &str, value: T, min: T, max: T) {
        if value < min || value > max {
            self.add(key, format!("{value} is not allowed; expected {min} to {max}"));
        }
    }

    fn add_settings_error(&mut self, error: &SettingsError) {
        let key = match error {
            SettingsError::NoBaseUrl { .. }
            | SettingsError::KeyInTheClear { .. }
            | SettingsError::Url { .. } => "base_url",
            SettingsError::NoKey { .. } | SettingsError::InvalidKey => "key_file",
            SettingsError::StructuredOutput { .. } => "structured_output",
            SettingsError::Duration { .. } => "timeout",
            SettingsError::Number { .. }
            | SettingsError::Certificates { .. }
            | SettingsError::Client { .. } => {
                let path = ["judges", "models", self.model];
                if !self.problems.has_errors_at(&path) {
                    self.problems.add(&path, error);
                }
                return;
            }
        };
        if !self.problems.has_errors_at(&["judges", "models", self.model, key]) {
            let text = error.to_string();
            let description = text.split_once(": ").map_or(text.as_str(), |(_, rest)| rest);
            self.add(key, description);
        }
    }
}

fn check_ranges(provider: Provider, config: &Model, problems: &mut ModelProblems<'_>) {
    let (min, max) = (Duration(TIMEOUTS.0), Duration(TIMEOUTS.1));
    problems.check_range("timeout", config.timeout, min, max);
    if let Some(delay) = config.hedge_after {
        problems.check_range("hedge_after", delay, min, config.timeout.max(min));
    }
    problems.check_range("attempts", config.attempts, 1, MAX_ATTEMPTS);
    problems.check_range("max_concurrent", config.max_concurrent, 1, MAX_CONCURRENT);
    problems.check_range("max_output_tokens", config.max_output_tokens, 1, u32::MAX);
    problems.check_range("examples", config.examples, 0, MAX_EXAMPLES);
    problems.check_range("samples", config.samples, 1, Question::MAX_SAMPLES);
    if config.max_evidence.0 == 0 {
        problems.add("max_evidence", "0 allows nothing; set it to 1 or more");
    }
    let has_output_modes = matches!(provider, Provider::OpenAiCompatible | Provider::Oci);
    if config.outline_above.is_some_and(|min_size| min_size.0 < MIN_OUTLINE) {
        problems.add(
            "outline_above",
            "is too small; set it to 1KiB or more, or leave it out to send every item whole",
        );
    }
    if config.structured_output != StructuredOutput::JsonSchema && !has_output_modes {
        problems.add(
            "structured_output",
            format!("is not supported for {provider}, which has its own mode; leave it out, or use openai-compatible or oci"),
        );
    }
}

fn endpoint(name: ModelName, config: &Model, problems: &mut ModelProblems<'_>) -> Option<Endpoint> {
    let provider = name.provider();
    let key = match key(&name, config) {
        Ok(key) => key,
        Err((field, description)) => {
            problems.add(field, description);
            // Check the URL even without a key.
            let placeholder = provider.needs_key().then(|| SecretString::from("absent"));
            if let Err(error) = Endpoint::new(name, config.base_url.as_deref(), placeholder) {
                problems.add_settings_error(&error);
            }
            return None;
        }
    };
    Endpoint::new(name, config.base_url.as_deref(), key)
        .map_err(|error| problems.add_settings_error(&error))
        .ok()
}

fn prompt(purpose: Purpose, config: &Model, problems: &mut ModelProblems<'_>) -> Option<Prompt> {
    let (key, file) = match purpose {
        Purpose::Judge => ("prompt", &config.prompt),
        Purpose::Refute => ("refute_prompt", &config.refute_prompt),
    };
    match file {
        Some(path) => Prompt::read(path)
            .map_err(|error| match error {
                PromptError::Unreadable { .. } => {
                    problems.add(
                        key,
                        format!("{error}; name a file that can be read, or leave it out"),
                    );
                }
                PromptError::Incomplete { .. } => problems.add(key, error),
            })
            .ok(),
        None => Some(Prompt::built_in(purpose)),
    }
}

fn settings(config: &Model) -> Settings {
    let first_byte = config.timeout.0;
    Settings {
        first_byte_timeout: first_byte,
        total_timeout: first_byte,
        max_output_tokens: config.max_output_tokens,
        max_concurrent: config.max_concurrent,
        max_waiting: config.max_concurrent.saturating_mul(WAITING_PER_RUNNING),
        requests_per_minute: config.requests_per_minute,
        retry: Retry { attempts: config.attempts, ..Retry::default() },
        hedge_after: config.hedge_after.map(|delay| delay.0),
        structured_output: config.structured_output,
        ollama_context: config.ollama_context,
        ..Settings::default()
    }
}

/// Reads the API key from its file or the environment.
///
/// # Errors
/// The configuration key at fault, and a description of the problem.
fn key(name: &ModelName, config: &Model) -> Result<Option<SecretString>, (&'static str, String)> {
    if let Some(path) = &config.key_file {
        let problem = |reason: String| ("key_file", format!("{}: {reason}", path.display()));
        let text = std::fs::read_to_string(path);
        let text =
            text.map_err(|error| problem(format!("{error}; name a file that contains the key")))?;
        return match text.trim() {
            "" => Err(problem("is empty; write the key into it".to_owned())),
            key => Ok(Some(SecretString::from(key))),
        };
    }
    let provider = name.provider();
    let Some(variable) = config.key_env.as_deref().or(default_variable(provider)) else {
        return Ok(None);
    };
    match std::env::var(variable) {
        Ok(key) if !key.trim().is_empty() => Ok(Some(SecretString::from(key.trim()))),
        _ if provider.needs_key() || config.key_env.is_some() => {
            let description = format!("{provider} requires an API key: set key_file or {variable}");
            Err(("key_env", description))
        }
        _ => Ok(None),
    }
}

/// Returns the environment variable that the provider's own tools read. Providers compatible with OpenAI
/// have none, since they must not receive OPENAI_API_KEY.
const fn default_variable(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::OpenAi => Some("OPENAI_API_KEY"),
        Provider::Anthropic => Some("ANTHROPIC_API_KEY"),
        Provider::Gemini => Some("GEMINI_API_KEY"),
        Provider::Ollama | Provider::OpenAiCompatible => None,
        Provider::Oci => Some("OCI_API_KEY"),
    }
}

/// Checks the prices. Returns `None` if they are invalid, and `Some(None)` if there are none.
fn price(
    config: &Model,
    judges: &Judges,
    problems: &mut ModelProblems<'_>,
) -> Option<Option<Price>> {
    match (config.input_price, config.output_price) {
        (Some(input), Some(output)) => {
            Some(Some(Price { input, output, cached: config.cached_price.unwrap_or(input) }))
        }
        (None, None) if config.cached_price.is_none() => {
            if judges.daily_budget.is_some() {
                let description = "is missing, but judges.daily_budget needs the cost of models; set input_price and output_price";
                problems.add("input_price", description);
            }
            Some(None)
        }
        (input, _) => {
            let missing = if input.is_none() { "input_price" } else { "output_price" };
            problems.add(missing, "is missing; set both input_price and output_price, or neither");
            None
        }
    }
}

/// Builds a redactor with the patterns in `judges.hidden`. Returns `None` if one is invalid.
pub(super) fn redactor(judges: &Judges, problems: &mut Problems) -> Option<Redactor> {
    let pattern = |(name, expression): (&String, &String)| Pattern {
        name: name.clone(),
        expression: expression.clone(),
    };
    let mut is_valid = true;
    for entry in &judges.hidden {
        if let Err(error) = Redactor::new(&[pattern(entry)]) {
            problems.add(&["judges", "hidden", entry.0], error);
            is_valid = false;
        }
    }
    if !is_valid {
        return None;
    }
    let patterns: Vec<Pattern> = judges.hidden.iter().map(pattern).collect();
    problems.note(&["judges", "hidden"], Redactor::new(&patterns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_missing_or_empty_key_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let name: ModelName = "openai:m".parse().unwrap();
        let config = Model { key_file: Some(path.clone()), ..Model::default() };
        let is_rejected = |expected: &str| {
            let (field, description) = key(&name, &config).unwrap_err();
            field == "key_file" && description.contains(expected)
        };
        assert!(is_rejected("name a file"));
        std::fs::write(&path, " \n").unwrap();
        assert!(is_rejected("is empty"));
        std::fs::write(&path, "secret\n").unwrap();
        assert!(key(&name, &config).unwrap().is_some());
    }
}
