//! Resolves the judge name `embedded` to the judge that this machine can run.

use gsar_embedding::Runtime;

use crate::config::{Config, EMBEDDED, Judges};
use crate::judge::facts::FactsJudge;
use crate::judge::local::LocalJudge;

pub(super) fn resolve(config: &mut Config) {
    if names(&config.judges).any(|name| name == EMBEDDED) {
        let embedded = match Runtime::load(config.evidence.onnxruntime.as_deref()) {
            Ok(_) => LocalJudge::NAME,
            Err(error) => {
                let reason = error.to_string();
                tracing::warn!(
                    reason,
                    "ONNX Runtime is not available, so the judge is {}, which leaves most claims undecided; install the package's ONNX Runtime, set evidence.onnxruntime, or run `make onnxruntime` in the sources",
                    FactsJudge::NAME
                );
                FactsJudge::NAME
            }
        };
        rename(&mut config.judges, embedded);
    }
}

/// Returns the names of judges in the chain and the panels.
pub(super) fn names(judges: &Judges) -> impl Iterator<Item = &str> {
    let members = judges.panels.values().flat_map(|panel| &panel.members);
    judges.chain.iter().chain(members.map(|member| &member.judge)).map(String::as_str)
}

fn rename(judges: &mut Judges, name: &str) {
    let members = judges.panels.values_mut().flat_map(|panel| &mut panel.members);
    let judge_names = judges.chain.iter_mut().chain(members.map(|member| &mut member.judge));
    for old_name in judge_names.filter(|old_name| *old_name == EMBEDDED) {
        name.clone_into(old_name);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::config::{Member, Panel};

    #[test]
    fn resolves_embedded_to_the_facts_judge_without_onnx_runtime() {
        let mut config = Config::default();
        config.evidence.onnxruntime = Some(PathBuf::from("/no/such/library.so"));
        config.judges.chain = vec!["panel:court".to_owned(), EMBEDDED.to_owned()];
        let member = Member { judge: EMBEDDED.to_owned(), weight: 1, refutes: false };
        config.judges.panels.insert("court".to_owned(), Panel { members: vec![member] });
        resolve(&mut config);
        assert_eq!(config.judges.chain, ["panel:court", "rules/2"]);
        assert_eq!(config.judges.panels["court"].members[0].judge, "rules/2");
    }
}
