//! Resolves the names of embedded judges: `embedded` to the judge that this machine can run, and names of older versions.

use gsar_embedding::Runtime;

use crate::config::{Config, EMBEDDED, Judges};
use crate::judge::facts::FactsJudge;
use crate::judge::local::LocalJudge;

/// A judge of older versions, replaced by the facts judge.
const FORMER: &str = "rules/1";

/// Replaces the names of embedded judges in chain and panels by those of this version.
pub(super) fn resolve(config: &mut Config) {
    if rename(&mut config.judges, FORMER, FactsJudge::NAME) {
        tracing::warn!(
            "judge `{FORMER}` is now `{}`; use that name in judges.chain",
            FactsJudge::NAME
        );
    }
    if names(&config.judges).any(|name| name == EMBEDDED) {
        let embedded = match Runtime::load(config.evidence.onnxruntime.as_deref()) {
            Ok(_) => LocalJudge::NAME,
            Err(error) => {
                let reason = error.to_string();
                tracing::warn!(
                    reason,
                    "ONNX Runtime is not available, so {} judges, which leaves most claims undecided; install the package's ONNX Runtime, set evidence.onnxruntime, or run `make onnxruntime` in the sources",
                    FactsJudge::NAME
                );
                FactsJudge::NAME
            }
        };
        rename(&mut config.judges, EMBEDDED, embedded);
    }
}

/// Returns the judges named in chain and panels.
pub(super) fn names(judges: &Judges) -> impl Iterator<Item = &str> {
    let members = judges.panels.values().flat_map(|panel| &panel.members);
    judges.chain.iter().chain(members.map(|member| &member.judge)).map(String::as_str)
}

/// Renames a judge in chain and panels. Returns `true` if it was named there.
fn rename(judges: &mut Judges, from: &str, to: &str) -> bool {
    let members = judges.panels.values_mut().flat_map(|panel| &mut panel.members);
    let named = judges.chain.iter_mut().chain(members.map(|member| &mut member.judge));
    let mut found = false;
    for name in named.filter(|name| *name == from) {
        to.clone_into(name);
        found = true;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::config::{Member, Panel};

    #[test]
    fn renames_the_judge_of_older_configurations() {
        let mut config = Config::default();
        config.judges.chain = vec!["panel:court".to_owned(), "rules/1".to_owned()];
        let member = Member { judge: "rules/1".to_owned(), weight: 1, refutes: false };
        config.judges.panels.insert("court".to_owned(), Panel { members: vec![member] });
        resolve(&mut config);
        assert_eq!(config.judges.chain, ["panel:court", "rules/2"]);
        assert_eq!(config.judges.panels["court"].members[0].judge, "rules/2");
    }

    #[test]
    fn embedded_is_the_facts_judge_without_onnx_runtime() {
        let mut config = Config::default();
        config.evidence.onnxruntime = Some(PathBuf::from("/no/such/library.so"));
        resolve(&mut config);
        assert_eq!(config.judges.chain, ["rules/2"]);
    }
}
