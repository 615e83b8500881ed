//! This module checks the configured chain (judges that are built in or added, chat models by `provider:model`, panels of
//! both by `panel:name`) and puts judges together from what was checked. It asks nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gsar_chat::ModelName;
use gsar_redaction::Redactor;
use tokio::runtime::Handle;

use super::chat_model::{CheckedModel, redactor};
use crate::config::{self, Judges, Problems};
use crate::evaluate::Reader;
use crate::judge::Judge;
use crate::judge::cached::{CacheLimits, CachedJudge, JudgementCache};
use crate::judge::clock::system;
use crate::judge::facts::FactsJudge;
use crate::judge::local::LocalJudge;
use crate::judge::model::{ModelJudge, Purpose};
use crate::judge::panel::{Member, Panel};
use crate::judge::spending::Spending;
use crate::storage::postgres::Database;

/// How long a question waits for an answer on disk.
const DISK_PATIENCE: Duration = Duration::from_millis(50);

/// What the name of a panel begins with in the chain.
const PANEL: &str = "panel:";

/// The judges of the chain, checked and not yet put together.
pub(super) struct CheckedChain {
    links: Vec<Link>,
    models: BTreeMap<String, CheckedModel>,
    /// The model that looks at entities, by its name in the configuration.
    look: Option<String>,
    reader: CheckedReader,
    redactor: Redactor,
}

/// A judge that needs no configuration, before it is loaded.
pub(super) struct BuiltIn {
    name: String,
    can_take_second_look: bool,
}

impl BuiltIn {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), can_take_second_look: false }
    }

    pub(super) fn of(judge: &Arc<dyn Judge>) -> Self {
        Self { name: judge.name().to_owned(), can_take_second_look: judge.can_take_second_look() }
    }
}

/// Who takes second looks, checked and not yet put together.
enum CheckedReader {
    Off,
    Same,
    Named(Link),
}

/// The judges of a server.
pub(super) struct BuiltChain {
    /// In the order of the chain.
    pub(super) judges: Vec<Arc<dyn Judge>>,
    /// Who looks at entities.
    pub(super) look: Option<Arc<ModelJudge>>,
    /// Who takes second looks.
    pub(super) reader: Reader,
    /// What takes secrets and personal data out of texts.
    pub(super) redactor: Redactor,
}

/// What stands in the chain under a name.
enum Link {
    /// A judge that needs no configuration, by its name.
    BuiltIn(String),
    Voting {
        name: String,
        members: Vec<CheckedMember>,
    },
}

/// A judge with a vote.
struct CheckedMember {
    source: Source,
    weight: u32,
    refutes: bool,
}

/// Where a judge comes from.
enum Source {
    /// A judge that needs no configuration, by its name.
    BuiltIn(String),
    /// A model by its name in the configuration.
    Model(String),
}

/// What all chat models of a server share.
struct Shared {
    judgements: Arc<JudgementCache>,
    spending: Spending,
}

impl CheckedChain {
    /// Checks everything below `judges`. `None` where anything is wrong, which is noted then.
    pub(super) fn check(
        wanted: &Judges,
        known: &[BuiltIn],
        ledger_is_enabled: bool,
        problems: &mut Problems,
    ) -> Option<Self> {
        let redactor = redactor(wanted, problems);
        let mut checking = Checking { wanted, known, problems, models: BTreeMap::new() };
        let links: Vec<Option<Link>> =
            wanted.chain.iter().map(|name| checking.link(name)).collect();
        let look = wanted.look.as_ref().filter(|name| checking.register_look_model(name)).cloned();
        let reader = checking.reader(&wanted.second_look);
        checking.report_unused();
        let Checking { problems, models: names, .. } = checking;
        if !names.is_empty() && !ledger_is_enabled {
            problems.add(
                &["ledger", "enabled"],
                "is false, and chat models need a ledger, beside which their cost is counted; turn it on",
            );
        }
        let mut models = BTreeMap::new();
        let mut sound = true;
        for (written, name) in names {
            match CheckedModel::check(&written, name, wanted, redactor.as_ref(), problems) {
                Some(model) => drop(models.insert(written, model)),
                None => sound = false,
            }
        }
        let links: Option<Vec<Link>> = links.into_iter().collect();
        let links = links.filter(|_| sound)?;
        Some(Self { links, models, look, reader: reader?, redactor: redactor? })
    }

    /// Notes each model whose cost is not known, which the daily budget of that principal could not count.
    pub(super) fn needs_prices(&self, principal: &str, problems: &mut Problems) {
        for (written, _) in self.models.iter().filter(|(_, model)| !model.is_priced()) {
            let description = format!(
                "is missing, and the daily budget of {principal} in security.principals counts what models cost; give input_price and output_price"
            );
            problems.add(&["judges", "models", written, "input_price"], description);
        }
    }

    /// Puts the judges together, in the order of the chain. `loaded` are those that need no configuration; `storage` is
    /// where answers and costs of chat models are kept.
    ///
    /// # Errors
    /// What cannot be opened there.
    pub(super) fn build(
        self,
        wanted: &Judges,
        loaded: &[Arc<dyn Judge>],
        storage: Option<JudgeStorage<'_>>,
    ) -> Result<BuiltChain, String> {
        let shared = match storage {
            Some(storage) if !self.models.is_empty() => Some(share(wanted, storage)?),
            _ => None,
        };
        let Self { links, models, look, reader, redactor } = self;
        let look = look.and_then(|written| models.get(&written)).map(|model| {
            let spending = shared.as_ref().map(|shared| shared.spending.clone());
            model.judge(Purpose::Judge, spending).map(|(judge, _)| Arc::new(judge))
        });
        let build = |link: Link| match link {
            Link::BuiltIn(name) => find(loaded, &name),
            Link::Voting { name, members } => {
                let members: Result<Vec<Member>, String> = members
                    .into_iter()
                    .map(|member| member.build(&models, loaded, shared.as_ref()))
                    .collect();
                let panel: Arc<dyn Judge> = Arc::new(Panel::new(name, members?));
                Ok(panel)
            }
        };
        let judges: Result<_, String> = links.into_iter().map(&build).collect();
        let reader = match reader {
            CheckedReader::Off => Reader::Off,
            CheckedReader::Same => Reader::Same,
            CheckedReader::Named(link) => Reader::Named(build(link)?),
        };
        Ok(BuiltChain { judges: judges?, look: look.transpose()?, reader, redactor })
    }
}

impl CheckedMember {
    fn build(
        self,
        models: &BTreeMap<String, CheckedModel>,
        loaded: &[Arc<dyn Judge>],
        shared: Option<&Shared>,
    ) -> Result<Member, String> {
        let Self { source, weight, refutes } = self;
        let written = match source {
            Source::BuiltIn(name) => {
                let judge = find(loaded, &name)?;
                return Ok(Member { judge, weight, samples: 1, refutes });
            }
            Source::Model(written) => written,
        };
        let Some(model) = models.get(&written) else {
            return Err(format!(
                "judges.models: `{written}` was not checked, a defect of the server"
            ));
        };
        let purpose = if refutes { Purpose::Refute } else { Purpose::Judge };
        let spending = shared.map(|shared| shared.spending.clone());
        let (judge, fingerprint) = model.judge(purpose, spending)?;
        let judge: Arc<dyn Judge> = Arc::new(judge);
        let judge = match shared {
            Some(Shared { judgements, .. }) => {
                Arc::new(CachedJudge::new(judge, fingerprint, Arc::clone(judgements)))
            }
            None => judge,
        };
        Ok(Member { judge, weight, samples: model.samples(), refutes })
    }
}

fn find(loaded: &[Arc<dyn Judge>], name: &str) -> Result<Arc<dyn Judge>, String> {
    let judge = loaded.iter().find(|judge| judge.name() == name).cloned();
    judge.ok_or_else(|| format!("judges: `{name}` was not loaded, a defect of the server"))
}

/// Where answers and costs of chat models are kept.
pub(super) enum JudgeStorage<'a> {
    /// A folder that this process holds.
    Folder(&'a Path),
    /// A database that servers share.
    Database(&'a Database, &'a Handle),
}

fn share(wanted: &Judges, storage: JudgeStorage<'_>) -> Result<Shared, String> {
    let limits = CacheLimits {
        memory_bytes: wanted.cache_memory.0,
        disk_bytes: wanted.cache_disk.0,
        time_to_live: wanted.cache_time_to_live.0,
        store_timeout: DISK_PATIENCE,
    };
    let budget = wanted.daily_budget;
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
    Ok(Shared { spending, judgements: Arc::new(judgements) })
}

/// A chain while it is checked.
struct Checking<'a> {
    wanted: &'a Judges,
    known: &'a [BuiltIn],
    problems: &'a mut Problems,
    /// The models that are asked, by the name that is written in the configuration.
    models: BTreeMap<String, ModelName>,
}

impl Checking<'_> {
    /// What stands in the chain under that name; `None` where it is wrong.
    fn link(&mut self, name: &str) -> Option<Link> {
        if self.built_in(name).is_some() {
            return Some(Link::BuiltIn(name.to_owned()));
        }
        let members = match name.strip_prefix(PANEL) {
            Some(panel) => self.members(panel)?,
            None => vec![self.member(&["judges", "chain"], name, 1, false)?],
        };
        Some(Link::Voting { name: name.to_owned(), members })
    }

    /// Who takes second looks, under that name; `None` where it is wrong.
    fn reader(&mut self, name: &str) -> Option<CheckedReader> {
        let path = ["judges", "second_look"];
        match name {
            config::NO_READER => return Some(CheckedReader::Off),
            config::SAME_READER => return Some(CheckedReader::Same),
            _ => {}
        }
        if let Some(known) = self.built_in(name) {
            if known.can_take_second_look {
                return Some(CheckedReader::Named(Link::BuiltIn(name.to_owned())));
            }
            let description = format!(
                "{name} cannot read statements; give \"same\", \"off\", a chat model or a panel of chat models"
            );
            self.problems.add(&path, description);
            return None;
        }
        let members = match name.strip_prefix(PANEL) {
            Some(panel) => self.members(panel)?,
            None => vec![self.member(&path, name, 1, false)?],
        };
        Some(CheckedReader::Named(Link::Voting { name: name.to_owned(), members }))
    }

    /// The members of a panel.
    fn members(&mut self, name: &str) -> Option<Vec<CheckedMember>> {
        let Some(panel) = self.wanted.panels.get(name) else {
            if !self.problems.concern(&["judges", "panels"]) {
                let description = format!(
                    "there is no judges.panels.{name}; name its members there, or take `{PANEL}{name}` out"
                );
                self.problems.add(&["judges", "chain"], description);
            }
            return None;
        };
        let path = ["judges", "panels", name, "members"];
        let count = self.check_votes(&path, panel);
        let members: Vec<Option<CheckedMember>> = panel
            .members
            .iter()
            .map(|config::Member { judge, weight, refutes }| {
                self.member(&path, judge, *weight, *refutes)
            })
            .collect();
        let members: Option<Vec<CheckedMember>> = members.into_iter().collect();
        members.filter(|_| count == 0)
    }

    /// Notes what keeps a panel from voting; how much that is.
    fn check_votes(&mut self, path: &[&str], panel: &config::Panel) -> usize {
        let members = &panel.members;
        let mut found = Vec::new();
        if members.iter().all(|member| member.refutes) {
            found.push("nobody judges; name a member without `refutes`".to_owned());
        }
        for (place, member) in members.iter().enumerate() {
            let most = Member::MAX_WEIGHT;
            if !(1..=most).contains(&member.weight) {
                found.push(format!(
                    "weight {} of {} is not allowed; give 1 to {most}",
                    member.weight, member.judge
                ));
            }
            let is_it = |other: &config::Member| {
                (&other.judge, other.refutes) == (&member.judge, member.refutes)
            };
            if members.iter().take(place).any(is_it) {
                found.push(format!(
                    "{} is named twice; give it a weight, or its model samples",
                    member.judge
                ));
            }
        }
        found.iter().for_each(|description| self.problems.add(path, description));
        found.len()
    }

    fn member(
        &mut self,
        path: &[&str],
        name: &str,
        weight: u32,
        refutes: bool,
    ) -> Option<CheckedMember> {
        if name.starts_with(PANEL) {
            self.problems.add(path, format!("{name} is a panel; name its members"));
            return None;
        }
        let source = match self.built_in(name) {
            Some(_) if refutes => {
                let description =
                    format!("{name} cannot be asked to disprove; only chat models can");
                self.problems.add(path, description);
                return None;
            }
            Some(_) => Source::BuiltIn(name.to_owned()),
            None if name == LocalJudge::NAME && self.problems.concern(&["judges", "local"]) => {
                return None;
            }
            None => {
                let parsed: Result<ModelName, _> = name.parse();
                let known: BTreeSet<&str> = self
                    .known
                    .iter()
                    .map(|judge| judge.name.as_str())
                    .chain([LocalJudge::NAME, FactsJudge::NAME])
                    .collect();
                let known: Vec<&str> = known.into_iter().collect();
                let parsed = parsed.map_err(|error| {
                    format!(
                        "judge `{name}` is not known; known are {}, and chat models such as openai:gpt-4o-mini ({error})",
                        known.join(", ")
                    )
                });
                let parsed = self.problems.note(path, parsed)?;
                self.models.insert(name.to_owned(), parsed);
                Source::Model(name.to_owned())
            }
        };
        Some(CheckedMember { source, weight, refutes })
    }

    /// Whether a chat model of that name can look at entities.
    fn register_look_model(&mut self, name: &str) -> bool {
        let parsed: Result<ModelName, _> = name.parse();
        let path = ["judges", "look"];
        let parsed = self.problems.note(&path, parsed);
        parsed.map(|parsed| self.models.insert(name.to_owned(), parsed)).is_some()
    }

    fn built_in(&self, name: &str) -> Option<&BuiltIn> {
        self.known.iter().find(|judge| judge.name == name)
    }

    /// Notes panels and models that the chain does not ask.
    fn report_unused(&mut self) {
        let unreadable = [&["judges", "chain"][..], &["judges", "panels"]];
        if unreadable.iter().any(|path| self.problems.concern(path)) {
            return;
        }
        for name in self.wanted.panels.keys() {
            let mut links = self.wanted.chain.iter().chain([&self.wanted.second_look]);
            if !links.any(|link| link.strip_prefix(PANEL) == Some(name)) {
                let description = format!(
                    "is not in judges.chain; add `{PANEL}{name}` there, or take the panel out"
                );
                self.problems.add(&["judges", "panels", name], description);
            }
        }
        for name in self.wanted.models.keys() {
            if !self.models.contains_key(name) {
                let description = "is not in judges.chain, nor in a panel of it, nor judges.second_look or judges.look; add it there, or take it out";
                self.problems.add(&["judges", "models", name], description);
            }
        }
    }
}

#[cfg(test)]
mod tests;
