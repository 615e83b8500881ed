//! Checks the configured judge chain and builds it. Calls no model.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gsar_chat::ModelName;
use gsar_redaction::Redactor;
use tokio::runtime::Handle;

use super::chat_model::{CheckedModel, redactor};
use crate::config::{self, Judges, Problems};
use crate::evaluate::SecondReader;
use crate::judge::Judge;
use crate::judge::cached::{CacheLimits, CachedJudge, JudgementCache};
use crate::judge::clock::system;
use crate::judge::facts::FactsJudge;
use crate::judge::local::LocalJudge;
use crate::judge::model::{ModelJudge, Purpose};
use crate::judge::panel::{Member, Panel};
use crate::judge::spending::Spending;
use crate::storage::postgres::Database;

const STORE_TIMEOUT: Duration = Duration::from_millis(50);

const PANEL: &str = "panel:";

pub(super) struct CheckedChain {
    links: Vec<Link>,
    models: BTreeMap<String, CheckedModel>,
    look_model: Option<String>,
    second_reader: CheckedSecondReader,
    redactor: Redactor,
}

/// A judge that is available without configuration.
pub(super) struct BuiltIn {
    name: String,
    can_take_second_look: bool,
}

impl BuiltIn {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), can_take_second_look: false }
    }

    pub(super) fn from_judge(judge: &Arc<dyn Judge>) -> Self {
        Self { name: judge.name().to_owned(), can_take_second_look: judge.can_take_second_look() }
    }
}

/// The checked value of `judges.second_look`.
enum CheckedSecondReader {
    Off,
    Same,
    Named(Link),
}

pub(super) struct BuiltChain {
    pub(super) judges: Vec<Arc<dyn Judge>>,
    pub(super) look_model: Option<Arc<ModelJudge>>,
    pub(super) second_reader: SecondReader,
    pub(super) redactor: Redactor,
}

enum Link {
    BuiltIn(String),
    Voting { name: String, members: Vec<CheckedMember> },
}

struct CheckedMember {
    source: Source,
    weight: u32,
    refutes: bool,
}

enum Source {
    BuiltIn(String),
    Model(String),
}

struct SharedStorage {
    judgements: Arc<JudgementCache>,
    spending: Spending,
}

impl CheckedChain {
    pub(super) fn check(
        config: &Judges,
        built_in_judges: &[BuiltIn],
        ledger_is_enabled: bool,
        problems: &mut Problems,
    ) -> Option<Self> {
        let redactor = redactor(config, problems);
        let mut checker =
            ChainChecker { config, built_in_judges, problems, models: BTreeMap::new() };
        let links: Vec<Option<Link>> = config.chain.iter().map(|name| checker.link(name)).collect();
        let look_model =
            config.look.as_ref().filter(|name| checker.register_look_model(name)).cloned();
        let second_reader = checker.second_reader(&config.second_look);
        checker.report_unused();
        let ChainChecker { problems, models: model_names, .. } = checker;
        if !model_names.is_empty() && !ledger_is_enabled {
            problems.add(
                &["ledger", "enabled"],
                "is false, but chat models need a ledger to count their cost; set it to true",
            );
        }
        let mut models = BTreeMap::new();
        let mut is_valid = true;
        for (name, model_name) in model_names {
            match CheckedModel::check(&name, model_name, config, redactor.as_ref(), problems) {
                Some(model) => drop(models.insert(name, model)),
                None => is_valid = false,
            }
        }
        let links: Option<Vec<Link>> = links.into_iter().collect();
        let links = links.filter(|_| is_valid)?;
        Some(Self { links, models, look_model, second_reader: second_reader?, redactor: redactor? })
    }

    pub(super) fn require_prices(&self, principal: &str, problems: &mut Problems) {
        for (name, _) in self.models.iter().filter(|(_, model)| !model.is_priced()) {
            let description = format!(
                "is missing, but the daily budget of {principal} in security.principals needs the cost of models; set input_price and output_price"
            );
            problems.add(&["judges", "models", name, "input_price"], description);
        }
    }

    /// Builds the judges. `loaded_judges` are the judges that need no configuration, and `storage` is the storage
    /// for chat models' answers and costs.
    ///
    /// # Errors
    /// A message if the storage cannot be opened.
    pub(super) fn build(
        self,
        config: &Judges,
        loaded_judges: &[Arc<dyn Judge>],
        storage: Option<JudgeStorage<'_>>,
    ) -> Result<BuiltChain, String> {
        let shared = match storage {
            Some(storage) if !self.models.is_empty() => Some(open_shared(config, storage)?),
            _ => None,
        };
        let Self { links, models, look_model, second_reader, redactor } = self;
        let look_model = look_model.and_then(|name| models.get(&name)).map(|model| {
            let spending = shared.as_ref().map(|shared| shared.spending.clone());
            model.judge(Purpose::Judge, spending).map(|(judge, _)| Arc::new(judge))
        });
        let build = |link: Link| match link {
            Link::BuiltIn(name) => find(loaded_judges, &name),
            Link::Voting { name, members } => {
                let members: Result<Vec<Member>, String> = members
                    .into_iter()
                    .map(|member| member.build(&models, loaded_judges, shared.as_ref()))
                    .collect();
                let panel: Arc<dyn Judge> = Arc::new(Panel::new(name, members?));
                Ok(panel)
            }
        };
        let judges: Result<_, String> = links.into_iter().map(&build).collect();
        let second_reader = match second_reader {
            CheckedSecondReader::Off => SecondReader::Off,
            CheckedSecondReader::Same => SecondReader::Same,
            CheckedSecondReader::Named(link) => SecondReader::Named(build(link)?),
        };
        Ok(BuiltChain {
            judges: judges?,
            look_model: look_model.transpose()?,
            second_reader,
            redactor,
        })
    }
}

impl CheckedMember {
    fn build(
        self,
        models: &BTreeMap<String, CheckedModel>,
        loaded_judges: &[Arc<dyn Judge>],
        shared: Option<&SharedStorage>,
    ) -> Result<Member, String> {
        let Self { source, weight, refutes } = self;
        let name = match source {
            Source::BuiltIn(name) => {
                let judge = find(loaded_judges, &name)?;
                return Ok(Member { judge, weight, samples: 1, refutes });
            }
            Source::Model(name) => name,
        };
        let Some(model) = models.get(&name) else {
            return Err(format!("judges.models: `{name}` was not checked; this is a bug"));
        };
        let purpose = if refutes { Purpose::Refute } else { Purpose::Judge };
        let spending = shared.map(|shared| shared.spending.clone());
        let (judge, fingerprint) = model.judge(purpose, spending)?;
        let judge: Arc<dyn Judge> = Arc::new(judge);
        let judge = match shared {
            Some(SharedStorage { judgements, .. }) => {
                Arc::new(CachedJudge::new(judge, fingerprint, Arc::clone(judgements)))
            }
            None => judge,
        };
        Ok(Member { judge, weight, samples: model.samples(), refutes })
    }
}

fn find(loaded_judges: &[Arc<dyn Judge>], name: &str) -> Result<Arc<dyn Judge>, String> {
    let judge = loaded_judges.iter().find(|judge| judge.name() == name).cloned();
    judge.ok_or_else(|| format!("judges: `{name}` was not loaded; this is a bug"))
}

pub(super) enum JudgeStorage<'a> {
    Folder(&'a Path),
    Database(&'a Database, &'a Handle),
}

fn open_shared(config: &Judges, storage: JudgeStorage<'_>) -> Result<SharedStorage, String> {
    let limits = CacheLimits {
        memory_bytes: config.cache_memory.0,
        disk_bytes: config.cache_disk.0,
        time_to_live: config.cache_time_to_live.0,
        store_timeout: STORE_TIMEOUT,
    };
    let budget = config.daily_budget;
    let (spending, judgements) = match storage {
        JudgeStorage::Folder(folder) => {
            let spending = Spending::open(folder, budget, system());
            let spending = spending.map_err(|error| format!("judges.daily_budget: {error}"))?;
            (spending, JudgementCache::open(folder, limits, system()))
        }
        JudgeStorage::Database(database, runtime) => (
            Spending::shared(database.clone(), budget, system(), runtime.clone()),
            JudgementCache::shared(database.clone(), limits, system()),
        ),
    };
    Ok(SharedStorage { spending, judgements: Arc::new(judgements) })
}

struct ChainChecker<'a> {
    config: &'a Judges,
    built_in_judges: &'a [BuiltIn],
    problems: &'a mut Problems,
    models: BTreeMap<String, ModelName>,
}

impl ChainChecker<'_> {
    fn link(&mut self, name: &str) -> Option<Link> {
        if self.built_in(name).is_some() {
            return Some(Link::BuiltIn(name.to_owned()));
        }
        self.voting_link(&["judges", "chain"], name)
    }

    /// Returns the link of a panel, or of a chat model as a panel of one.
    fn voting_link(&mut self, path: &[&str], name: &str) -> Option<Link> {
        let members = match name.strip_prefix(PANEL) {
            Some(panel) => self.members(panel)?,
            None => vec![self.member(path, name, 1, false)?],
        };
        Some(Link::Voting { name: name.to_owned(), members })
    }

    fn second_reader(&mut self, name: &str) -> Option<CheckedSecondReader> {
        let path = ["judges", "second_look"];
        match name {
            config::NO_READER => return Some(CheckedSecondReader::Off),
            config::SAME_READER => return Some(CheckedSecondReader::Same),
            _ => {}
        }
        if let Some(built_in) = self.built_in(name) {
            if built_in.can_take_second_look {
                return Some(CheckedSecondReader::Named(Link::BuiltIn(name.to_owned())));
            }
            let description = format!(
                "{name} cannot take second looks; use \"same\", \"off\", a chat model or a panel of chat models"
            );
            self.problems.add(&path, description);
            return None;
        }
        self.voting_link(&path, name).map(CheckedSecondReader::Named)
    }

    fn members(&mut self, name: &str) -> Option<Vec<CheckedMember>> {
        let Some(panel) = self.config.panels.get(name) else {
            if !self.problems.has_errors_at(&["judges", "panels"]) {
                let description = format!(
                    "judges.panels.{name} does not exist; add it with its members, or remove `{PANEL}{name}`"
                );
                self.problems.add(&["judges", "chain"], description);
            }
            return None;
        };
        let path = ["judges", "panels", name, "members"];
        let problems = self.check_votes(&path, panel);
        let members: Vec<Option<CheckedMember>> = panel
            .members
            .iter()
            .map(|config::Member { judge, weight, refutes }| {
                self.member(&path, judge, *weight, *refutes)
            })
            .collect();
        let members: Option<Vec<CheckedMember>> = members.into_iter().collect();
        members.filter(|_| problems == 0)
    }

    /// Checks that a panel can vote, and returns the number of problems added.
    fn check_votes(&mut self, path: &[&str], panel: &config::Panel) -> usize {
        let members = &panel.members;
        let mut problems = Vec::new();
        if members.iter().all(|member| member.refutes) {
            problems.push("no member acts as a judge; add a member without `refutes`".to_owned());
        }
        for (index, member) in members.iter().enumerate() {
            let max = Member::MAX_WEIGHT;
            if !(1..=max).contains(&member.weight) {
                problems.push(format!(
                    "weight {} of {} is not allowed; expected 1 to {max}",
                    member.weight, member.judge
                ));
            }
            let is_duplicate = |other: &config::Member| {
                (&other.judge, other.refutes) == (&member.judge, member.refutes)
            };
            if members.iter().take(index).any(is_duplicate) {
                problems.push(format!(
                    "{} is listed twice; list it once with a higher weight, or set `samples` for its model",
                    member.judge
                ));
            }
        }
        problems.iter().for_each(|description| self.problems.add(path, description));
        problems.len()
    }

    fn member(
        &mut self,
        path: &[&str],
        name: &str,
        weight: u32,
        refutes: bool,
    ) -> Option<CheckedMember> {
        if name.starts_with(PANEL) {
            self.problems
                .add(path, format!("{name} is a panel; list the members of that panel instead"));
            return None;
        }
        let source = match self.built_in(name) {
            Some(_) if refutes => {
                let description = format!("{name} cannot refute; only chat models can");
                self.problems.add(path, description);
                return None;
            }
            Some(_) => Source::BuiltIn(name.to_owned()),
            None if name == LocalJudge::NAME
                && self.problems.has_errors_at(&["judges", "local"]) =>
            {
                return None;
            }
            None => {
                let model_name: Result<ModelName, _> = name.parse();
                let judges: BTreeSet<&str> = self
                    .built_in_judges
                    .iter()
                    .map(|judge| judge.name.as_str())
                    .chain([LocalJudge::NAME, FactsJudge::NAME])
                    .collect();
                let judges: Vec<&str> = judges.into_iter().collect();
                let model_name = model_name.map_err(|error| {
                    format!(
                        "unknown judge `{name}`; expected one of {}, or a chat model such as openai:gpt-4o-mini ({error})",
                        judges.join(", ")
                    )
                });
                let model_name = self.problems.note(path, model_name)?;
                self.models.insert(name.to_owned(), model_name);
                Source::Model(name.to_owned())
            }
        };
        Some(CheckedMember { source, weight, refutes })
    }

    fn register_look_model(&mut self, name: &str) -> bool {
        let model_name: Result<ModelName, _> = name.parse();
        let path = ["judges", "look"];
        let model_name = self.problems.note(&path, model_name);
        model_name.map(|model_name| self.models.insert(name.to_owned(), model_name)).is_some()
    }

    fn built_in(&self, name: &str) -> Option<&BuiltIn> {
        self.built_in_judges.iter().find(|judge| judge.name == name)
    }

    fn report_unused(&mut self) {
        let paths = [&["judges", "chain"][..], &["judges", "panels"]];
        if paths.iter().any(|path| self.problems.has_errors_at(path)) {
            return;
        }
        for name in self.config.panels.keys() {
            let mut links = self.config.chain.iter().chain([&self.config.second_look]);
            if !links.any(|link| link.strip_prefix(PANEL) == Some(name)) {
                let description = format!(
                    "is not in judges.chain; add `{PANEL}{name}` there, or remove the panel"
                );
                self.problems.add(&["judges", "panels", name], description);
            }
        }
        for name in self.config.models.keys() {
            if !self.models.contains_key(name) {
                let description = "is not in judges.chain, its panels, judges.second_look or judges.look; add it to one of these, or remove it";
                self.problems.add(&["judges", "models", name], description);
            }
        }
    }
}

#[cfg(test)]
mod tests;
