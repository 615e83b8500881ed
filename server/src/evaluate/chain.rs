//! The judges of the configured chain: those that are built in or added, chat models by `provider:model`, and panels of
//! both by `panel:name`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gsar_chat::ModelName;

use super::chat_model::model_judge;
use crate::config::{self, Judges};
use crate::judge::clock::system;
use crate::judge::model::Purpose;
use crate::judge::panel::{Member, Panel};
use crate::judge::remembered::{Bounds, Judgements, Remembered};
use crate::judge::spending::Spending;
use crate::judge::{Judge, Question};

/// How long a question waits for an answer on disk.
const DISK_PATIENCE: Duration = Duration::from_millis(50);

/// What the name of a panel begins with in the chain.
const PANEL: &str = "panel:";

/// What judges are made of.
struct Makings<'a> {
    wanted: &'a Judges,
    known: &'a [Arc<dyn Judge>],
    shared: Option<Shared>,
}

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
    let asked = asked(wanted)?;
    for name in wanted.models.keys() {
        if !asked.contains(&name.as_str()) {
            return Err(format!(
                "judges.models: `{name}` is not in judges.chain nor in a panel of it; add it there, or take it out"
            ));
        }
    }
    let is_known = |name: &&str| known.iter().any(|judge| judge.name() == *name);
    let shared = match asked.iter().all(is_known) {
        true => None,
        false => Some(share(wanted, data_dir)?),
    };
    let makings = Makings { wanted, known, shared };
    wanted.chain.iter().map(|name| makings.link(name)).collect()
}

/// The judges that are asked, by themselves or in a panel.
fn asked(wanted: &Judges) -> Result<Vec<&str>, String> {
    for name in wanted.panels.keys() {
        if !wanted.chain.iter().any(|link| link.strip_prefix(PANEL) == Some(name)) {
            return Err(format!(
                "judges.panels: `{name}` is not in judges.chain; add `{PANEL}{name}` there, or take it out"
            ));
        }
    }
    let mut asked = Vec::new();
    for link in &wanted.chain {
        match link.strip_prefix(PANEL) {
            None => asked.push(link.as_str()),
            Some(name) => {
                let members = &members(wanted, name)?.members;
                asked.extend(members.iter().map(|member| member.judge.as_str()));
            }
        }
    }
    Ok(asked)
}

fn members<'a>(wanted: &'a Judges, name: &str) -> Result<&'a config::Panel, String> {
    let panel = wanted.panels.get(name).ok_or_else(|| {
        format!("judges.chain: there is no judges.panels.{name}; say there who votes")
    })?;
    check(panel).map_err(|reason| format!("judges.panels.{name}: {reason}"))?;
    Ok(panel)
}

fn check(panel: &config::Panel) -> Result<(), String> {
    let members = &panel.members;
    if members.iter().all(|member| member.refutes) {
        return Err("nobody judges; name a member without `refutes`".to_owned());
    }
    for (place, member) in members.iter().enumerate() {
        let most = Member::MOST_WEIGHT;
        if !(1..=most).contains(&member.weight) {
            return Err(format!(
                "weight {} of {}: allowed is 1 to {most}",
                member.weight, member.judge
            ));
        }
        if member.judge.starts_with(PANEL) {
            return Err(format!("{} is a panel; name its members", member.judge));
        }
        let is_it = |other: &config::Member| {
            (&other.judge, other.refutes) == (&member.judge, member.refutes)
        };
        if members.iter().take(place).any(is_it) {
            return Err(format!(
                "{} is named twice; give it a weight, or its model samples",
                member.judge
            ));
        }
    }
    Ok(())
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

impl Makings<'_> {
    /// What stands in the chain by that name.
    fn link(&self, name: &str) -> Result<Arc<dyn Judge>, String> {
        if let Some(known) = self.known(name) {
            return Ok(known);
        }
        let members = match name.strip_prefix(PANEL) {
            Some(panel) => members(self.wanted, panel)?.members.clone(),
            None => vec![config::Member { judge: name.to_owned(), weight: 1, refutes: false }],
        };
        let members: Result<Vec<Member>, String> =
            members.iter().map(|member| self.member(member)).collect();
        Ok(Arc::new(Panel::new(name.to_owned(), members?)))
    }

    fn member(&self, wanted: &config::Member) -> Result<Member, String> {
        let config::Member { judge: name, weight, refutes } = wanted;
        let (weight, refutes) = (*weight, *refutes);
        match self.known(name) {
            Some(_) if refutes => Err(format!(
                "judges.panels: {name} cannot be asked to disprove; only chat models can"
            )),
            Some(judge) => Ok(Member { judge, weight, samples: 1, refutes }),
            None => {
                let purpose = if refutes { Purpose::Refute } else { Purpose::Judge };
                let (judge, samples) = self.model(name, purpose)?;
                Ok(Member { judge, weight, samples, refutes })
            }
        }
    }

    fn known(&self, name: &str) -> Option<Arc<dyn Judge>> {
        self.known.iter().find(|judge| judge.name() == name).cloned()
    }

    /// A chat model, and how often it is asked.
    fn model(&self, name: &str, purpose: Purpose) -> Result<(Arc<dyn Judge>, u32), String> {
        let model: ModelName = name.parse().map_err(|error| {
            let known: Vec<&str> = self.known.iter().map(|judge| judge.name()).collect();
            format!(
                "judges.chain: judge `{name}` is not known; known are {}, and chat models ({error})",
                known.join(", ")
            )
        })?;
        let settings = self.wanted.models.get(name).cloned().unwrap_or_default();
        let told = |reason: String| format!("judges.models.\"{name}\": {reason}");
        let most = Question::MOST_SAMPLES;
        if !(1..=most).contains(&settings.samples) {
            return Err(told(format!("samples {}: allowed is 1 to {most}", settings.samples)));
        }
        let spending = self.shared.as_ref().map(|shared| shared.spending.clone());
        let (judge, fingerprint) =
            model_judge(model, purpose, &settings, self.wanted, spending).map_err(told)?;
        let judge: Arc<dyn Judge> = Arc::new(judge);
        let judge = match &self.shared {
            Some(Shared { judgements, .. }) => {
                Arc::new(Remembered::new(judge, fingerprint, Arc::clone(judgements)))
            }
            None => judge,
        };
        Ok((judge, settings.samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Member as Wanted, Panel as WantedPanel};
    use crate::judge::rules::Rules;

    fn member(judge: &str, weight: u32, refutes: bool) -> Wanted {
        Wanted { judge: judge.to_owned(), weight, refutes }
    }

    fn made(link: &str, members: Vec<Wanted>) -> Result<Vec<String>, String> {
        let known: Vec<Arc<dyn Judge>> = vec![Arc::new(Rules::keeping(0))];
        let mut judges = Config::default().judges;
        judges.chain = vec![link.to_owned()];
        judges.panels.insert("court".to_owned(), WantedPanel { members });
        let chain = chain(&judges, &known, None)?;
        Ok(chain.iter().map(|judge| judge.name().to_owned()).collect())
    }

    #[test]
    fn what_cannot_vote_is_refused() {
        let rules = || member("rules/1", 1, false);
        for (link, members, told) in [
            ("rules/1", vec![rules()], "`court` is not in judges.chain; add `panel:court`"),
            ("panel:other", vec![rules()], "not in judges.chain"),
            ("panel:court", vec![], "nobody judges"),
            ("panel:court", vec![member("rules/1", 1, true)], "nobody judges"),
            ("panel:court", vec![member("rules/1", 0, false)], "weight 0 of rules/1"),
            ("panel:court", vec![member("rules/1", 101, false)], "1 to 100"),
            ("panel:court", vec![rules(), rules()], "named twice"),
            ("panel:court", vec![member("panel:court", 1, false)], "is a panel"),
            ("panel:court", vec![rules(), member("rules/1", 1, true)], "only chat models can"),
            (
                "panel:court",
                vec![rules(), member("ollama:m", 1, false)],
                "chat models need a ledger",
            ),
        ] {
            let refused = made(link, members).unwrap_err();
            assert!(refused.contains(told), "{told}: {refused}");
        }
        assert_eq!(made("panel:court", vec![rules()]), Ok(vec!["panel:court".to_owned()]));
    }
}
