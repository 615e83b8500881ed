//! The judges of the configured chain: those that are built in or added, and chat models by `provider:model`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gsar_chat::{
    Chat, Endpoint, ModelName, Price, Provider, Retry, SecretString, Settings, StructuredOutput,
    Temperature,
};
use gsar_redaction::{Options, Pattern, Redactor};

use crate::config::{self, Judges, Model};
use crate::judge::Judge;
use crate::judge::clock::system;
use crate::judge::model::{ModelJudge, ModelOptions, Prompt};
use crate::judge::remembered::{Bounds, Judgements, Remembered};
use crate::judge::spending::Spending;

/// Waiting calls for each that runs.
const WAITING_FOR_EACH: usize = 4;

/// How long a question waits for an answer on disk.
const DISK_PATIENCE: Duration = Duration::from_millis(50);

/// What all chat models of a server share.
struct Shared {
    judgements: Arc<Judgements>,
    spending: Spending,
}

/// The judges of the chain, in its order. `data_dir` is where answers and costs are kept, for which it must be ours.
pub(super) fn chain(
    wanted: &Judges,
    known: &[Arc<dyn Judge>],
    data_dir: Option<&Path>,
) -> Result<Vec<Arc<dyn Judge>>, String> {
    for name in wanted.models.keys() {
        if !wanted.chain.contains(name) {
            return Err(format!(
                "judges.models: `{name}` is not in judges.chain; add it there, or take it out"
            ));
        }
    }
    let is_model = |name: &String| known.iter().all(|judge| judge.name() != name);
    let shared = match wanted.chain.iter().any(is_model) {
        true => Some(share(wanted, data_dir)?),
        false => None,
    };
    wanted.chain.iter().map(|name| judge(name, wanted, known, shared.as_ref())).collect()
}

fn share(wanted: &Judges, data_dir: Option<&Path>) -> Result<Shared, String> {
    let bounds = Bounds {
        memory_bytes: wanted.cache_memory.0,
        disk_bytes: wanted.cache_disk.0,
        time_to_live: wanted.cache_time_to_live.0,
        disk_patience: DISK_PATIENCE,
    };
    let Some(data_dir) = data_dir else {
        return Err("judges.chain: chat models need a ledger, beside which their cost is counted; have ledger.enabled turned on".to_owned());
    };
    let spending = Spending::open(data_dir, wanted.daily_budget, system());
    Ok(Shared {
        spending: spending.map_err(|error| format!("judges.daily_budget: {error}"))?,
        judgements: Arc::new(Judgements::open(data_dir, bounds, system())),
    })
}

fn judge(
    name: &str,
    wanted: &Judges,
    known: &[Arc<dyn Judge>],
    shared: Option<&Shared>,
) -> Result<Arc<dyn Judge>, String> {
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
    let spending = shared.map(|shared| shared.spending.clone());
    let (judge, fingerprint) = model_judge(model, &settings, wanted, spending).map_err(told)?;
    let judge: Arc<dyn Judge> = Arc::new(judge);
    Ok(match shared {
        Some(Shared { judgements, .. }) => {
            Arc::new(Remembered::new(judge, fingerprint, Arc::clone(judgements)))
        }
        None => judge,
    })
}

/// The judge, and what its answers depend on besides the question.
fn model_judge(
    name: ModelName,
    wanted: &Model,
    judges: &Judges,
    spending: Option<Spending>,
) -> Result<(ModelJudge, String), String> {
    let key = key(&name, wanted)?;
    let endpoint = Endpoint::new(name, wanted.base_url.as_deref(), key);
    let endpoint = endpoint.map_err(|error| error.to_string())?;
    let hides = wanted.hide.unwrap_or(!endpoint.is_this_machine());
    let redactor = if hides { Some(redactor(judges)?) } else { None };
    let prompt = match &wanted.prompt {
        Some(path) => Prompt::read(path).map_err(|error| format!("prompt: {error}"))?,
        None => Prompt::default(),
    };
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
