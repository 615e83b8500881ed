//! The judges of the configured chain: those that are built in or added, and chat models by `provider:model`.

use std::sync::Arc;

use gsar_chat::{
    Chat, Endpoint, ModelName, Price, Provider, Retry, SecretString, Settings, StructuredOutput,
    Temperature,
};
use gsar_redaction::{Options, Pattern, Redactor};

use crate::config::{self, Judges, Model};
use crate::judge::Judge;
use crate::judge::model::{ModelJudge, ModelOptions, Prompt};

/// Waiting calls for each that runs.
const WAITING_FOR_EACH: usize = 4;

/// The judges of the chain, in its order.
pub(super) fn chain(
    wanted: &Judges,
    known: &[Arc<dyn Judge>],
) -> Result<Vec<Arc<dyn Judge>>, String> {
    for name in wanted.models.keys() {
        if !wanted.chain.contains(name) {
            return Err(format!(
                "judges.models: `{name}` is not in judges.chain; add it there, or take it out"
            ));
        }
    }
    wanted.chain.iter().map(|name| judge(name, wanted, known)).collect()
}

fn judge(name: &str, wanted: &Judges, known: &[Arc<dyn Judge>]) -> Result<Arc<dyn Judge>, String> {
    if let Some(judge) = known.iter().find(|judge| judge.name() == name) {
        return Ok(Arc::clone(judge));
    }
    let model: ModelName = name.parse().map_err(|error| {
        let known: Vec<&str> = known.iter().map(|judge| judge.name()).collect();
        format!(
            "judges.chain: judge `{name}` is not known; known are {}, and chat models ({error})",
            known.join(", ")
        )
    })?;
    let settings = wanted.models.get(name).cloned().unwrap_or_default();
    let told = |reason: String| format!("judges.models.\"{name}\": {reason}");
    let judge = model_judge(model, &settings, wanted).map_err(told)?;
    Ok(Arc::new(judge))
}

fn model_judge(name: ModelName, wanted: &Model, judges: &Judges) -> Result<ModelJudge, String> {
    let key = key(&name, wanted)?;
    let endpoint = Endpoint::new(name, wanted.base_url.as_deref(), key);
    let endpoint = endpoint.map_err(|error| error.to_string())?;
    let hides = wanted.hide.unwrap_or(!endpoint.is_this_machine());
    let redactor = if hides { Some(redactor(judges)?) } else { None };
    let prompt = match &wanted.prompt {
        Some(path) => Prompt::read(path).map_err(|error| format!("prompt: {error}"))?,
        None => Prompt::default(),
    };
    let options = ModelOptions {
        prompt,
        redactor,
        max_evidence: usize::try_from(wanted.max_evidence.0).unwrap_or(usize::MAX),
        temperature: wanted.temperature.then_some(Temperature::ZERO),
        price: price(wanted)?,
        canary: wanted.canary,
    };
    let chat = Chat::new(&endpoint, settings(wanted)).map_err(|error| error.to_string())?;
    ModelJudge::new(chat, options)
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
fn key(name: &ModelName, wanted: &Model) -> Result<Option<SecretString>, String> {
    if let Some(path) = &wanted.key_file {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("key_file: {}: {error}", path.display()))?;
        return Ok(Some(SecretString::from(text.trim())));
    }
    let provider = name.provider();
    let variable = wanted.key_env.as_deref().unwrap_or(usual_variable(provider));
    match std::env::var(variable) {
        Ok(key) if !key.trim().is_empty() => Ok(Some(SecretString::from(key.trim()))),
        _ if provider.needs_key() || wanted.key_env.is_some() => {
            Err(format!("{variable} is not set; set it, or name a file with key_file"))
        }
        _ => Ok(None),
    }
}

/// The variable in which a provider's own programs look for the key.
const fn usual_variable(provider: Provider) -> &'static str {
    match provider {
        Provider::OpenAi | Provider::OpenAiCompatible => "OPENAI_API_KEY",
        Provider::Anthropic => "ANTHROPIC_API_KEY",
        Provider::Gemini => "GEMINI_API_KEY",
        Provider::Ollama => "OLLAMA_API_KEY",
        Provider::Oci => "OCI_API_KEY",
    }
}

fn price(wanted: &Model) -> Result<Option<Price>, String> {
    match (wanted.input_price, wanted.output_price) {
        (Some(input), Some(output)) => {
            Ok(Some(Price { input, output, cached: wanted.cached_price.unwrap_or(input) }))
        }
        (None, None) if wanted.cached_price.is_none() => Ok(None),
        _ => Err("input_price and output_price belong together; give both, or none".to_owned()),
    }
}

fn redactor(judges: &Judges) -> Result<Redactor, String> {
    let patterns = judges
        .hidden
        .iter()
        .map(|(name, expression)| Pattern { name: name.clone(), expression: expression.clone() });
    let options = Options { patterns: patterns.collect(), ..Options::default() };
    Redactor::new(&options).map_err(|error| format!("judges.hidden: {error}"))
}
