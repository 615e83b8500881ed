//! A chat model as configured: where it listens, its key, its price, its prompt, and what is hidden from it.

use gsar_chat::{
    Chat, Endpoint, ModelName, Price, Provider, Retry, SecretString, Settings, StructuredOutput,
    Temperature,
};
use gsar_redaction::{Options, Pattern, Redactor};

use crate::config::{self, Judges, Model};
use crate::judge::model::{ModelJudge, ModelOptions, Prompt, Purpose};
use crate::judge::spending::Spending;

/// Waiting calls for each that runs.
const WAITING_FOR_EACH: usize = 4;

/// The judge, and what its answers depend on besides the question.
pub(super) fn model_judge(
    name: ModelName,
    purpose: Purpose,
    wanted: &Model,
    judges: &Judges,
    spending: Option<Spending>,
) -> Result<(ModelJudge, String), String> {
    let key = key(&name, wanted)?;
    let endpoint = Endpoint::new(name, wanted.base_url.as_deref(), key);
    let endpoint = endpoint.map_err(|error| error.to_string())?;
    let hides = wanted.hide.unwrap_or(!endpoint.is_this_machine());
    let redactor = if hides { Some(redactor(judges)?) } else { None };
    let prompt = prompt(purpose, wanted)?;
    let price = price(wanted)?;
    if judges.daily_budget.is_some() && price.is_none() {
        return Err(
            "judges.daily_budget counts what models cost; give input_price and output_price"
                .to_owned(),
        );
    }
    // Limits of time and number change no answer, and a key is not in it.
    let fingerprint = format!(
        "{} {:?} {} {} {} {:?} {hides} {:?} {:?}",
        prompt.digest(),
        wanted.base_url,
        wanted.max_evidence.0,
        wanted.max_output_tokens,
        wanted.temperature,
        wanted.structured_output,
        wanted.ollama_context,
        judges.hidden,
    );
    let options = ModelOptions {
        prompt,
        purpose,
        redactor,
        max_evidence: usize::try_from(wanted.max_evidence.0).unwrap_or(usize::MAX),
        temperature: wanted.temperature.then_some(Temperature::ZERO),
        max_output_tokens: wanted.max_output_tokens,
        price,
        canary: wanted.canary,
        spending,
    };
    let chat = Chat::new(&endpoint, settings(wanted)).map_err(|error| error.to_string())?;
    Ok((ModelJudge::new(chat, options)?, fingerprint))
}

fn prompt(purpose: Purpose, wanted: &Model) -> Result<Prompt, String> {
    let (field, file) = match purpose {
        Purpose::Judge => ("prompt", &wanted.prompt),
        Purpose::Refute => ("refute_prompt", &wanted.refute_prompt),
    };
    match file {
        Some(path) => Prompt::read(path).map_err(|error| format!("{field}: {error}")),
        None => Ok(Prompt::built_in(purpose)),
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
fn key(name: &ModelName, wanted: &Model) -> Result<Option<SecretString>, String> {
    if let Some(path) = &wanted.key_file {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("key_file: {}: {error}", path.display()))?;
        return match text.trim() {
            "" => Err(format!("key_file: {} is empty; write the key into it", path.display())),
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
            Err(format!("{variable} is not set; set it, or name a file with key_file"))
        }
        _ => Ok(None),
    }
}

/// The variable in which a provider's own programs look for the key. None for whoever is compatible with OpenAI: its key
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_key_file_is_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let name: ModelName = "openai:m".parse().unwrap();
        let wanted = Model { key_file: Some(path.clone()), ..Model::default() };
        let refused = |told: &str| key(&name, &wanted).unwrap_err().contains(told);
        assert!(refused("key_file: "));
        std::fs::write(&path, " \n").unwrap();
        assert!(refused("is empty"));
        std::fs::write(&path, "secret\n").unwrap();
        assert!(key(&name, &wanted).unwrap().is_some());
    }
}
