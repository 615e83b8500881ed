//! This module says which embedded judge stands behind a name of the configuration: what `embedded` is on this machine,
//! and what names of older versions became.

use gsar_embedding::Runtime;

use crate::config::{Config, EMBEDDED, Judges};
use crate::judge::facts::FactsJudge;
use crate::judge::local::LocalJudge;

/// A judge of older configurations; the judge over facts took its place.
const FORMER: &str = "rules/1";

/// Writes the names of embedded judges in chain and panels as those of this version.
pub(super) fn resolve(config: &mut Config) {
    if rename(&mut config.judges, FORMER, FactsJudge::NAME) {
        tracing::warn!(
            "judge `{FORMER}` is now `{}`; write that into judges.chain",
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
                    "ONNX Runtime is not at hand, so {} judges, which decides little of a report; install it with the package, name it in evidence.onnxruntime, or run `make onnxruntime` in the sources",
                    FactsJudge::NAME
                );
                FactsJudge::NAME
            }
        };
        rename(&mut config.judges, EMBEDDED, embedded);
    }
}

/// The judges that chain and panels name.
pub(super) fn names(judges: &Judges) -> impl Iterator<Item = &str> {
    let members = judges.panels.values().flat_map(|panel| &panel.members);
    judges.chain.iter().chain(members.map(|member| &member.judge)).map(String::as_str)
}

/// Whether there was such a name.
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
    fn the_judge_of_older_configurations_is_the_one_over_facts() {
        let mut config = Config::default();
        config.judges.chain = vec!["panel:court".to_owned(), "rules/1".to_owned()];
        let member = Member { judge: "rules/1".to_owned(), weight: 1, refutes: false };
        config.judges.panels.insert("court".to_owned(), Panel { members: vec![member] });
        resolve(&mut config);
        assert_eq!(config.judges.chain, ["panel:court", "rules/2"]);
        assert_eq!(config.judges.panels["court"].members[0].judge, "rules/2");
    }

    #[test]
    fn without_onnx_runtime_the_embedded_judge_is_the_one_over_facts() {
        let mut config = Config::default();
        config.evidence.onnxruntime = Some(PathBuf::from("/no/such/library.so"));
        resolve(&mut config);
        assert_eq!(config.judges.chain, ["rules/2"]);
    }
}
