//! Chains that are refused, and what is said of each.

use super::*;
use crate::config::{Config, Member as Wanted, Panel as WantedPanel};
use crate::judge::facts::FactsCache;

fn member(judge: &str, weight: u32, refutes: bool) -> Wanted {
    Wanted { judge: judge.to_owned(), weight, refutes }
}

fn made(link: &str, members: Vec<Wanted>) -> Result<Vec<String>, String> {
    let rules: Arc<dyn Judge> = Arc::new(FactsJudge::new(FactsCache::new(0)));
    let known = [BuiltIn::of(&rules)];
    let mut judges = Config::default().judges;
    judges.chain = vec![link.to_owned()];
    judges.panels.insert("court".to_owned(), WantedPanel { members });
    let mut problems = Problems::default();
    let chain = CheckedChain::check(&judges, &known, false, &mut problems);
    match chain {
        Some(chain) if problems.is_empty() => {
            let chain = chain.build(&judges, &[rules], None)?;
            Ok(chain.judges.iter().map(|judge| judge.name().to_owned()).collect())
        }
        _ => Err(problems.to_string()),
    }
}

#[test]
fn what_cannot_vote_is_refused() {
    let rules = || member("rules/2", 1, false);
    for (link, members, expected) in [
        (
            "rules/2",
            vec![rules()],
            "judges.panels.court: is not in judges.chain; add `panel:court`",
        ),
        ("panel:other", vec![rules()], "judges.chain: there is no judges.panels.other"),
        ("panel:court", vec![], "nobody judges"),
        ("panel:court", vec![member("rules/2", 1, true)], "nobody judges"),
        ("panel:court", vec![member("rules/2", 0, false)], "weight 0 of rules/2"),
        ("panel:court", vec![member("rules/2", 101, false)], "1 to 100"),
        ("panel:court", vec![rules(), rules()], "named twice"),
        ("panel:court", vec![member("panel:court", 1, false)], "is a panel"),
        ("panel:court", vec![rules(), member("rules/2", 1, true)], "only chat models can"),
        ("panel:court", vec![rules(), member("ollama:m", 1, false)], "chat models need a ledger"),
    ] {
        let refused = made(link, members).unwrap_err();
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
    assert_eq!(made("panel:court", vec![rules()]), Ok(vec!["panel:court".to_owned()]));
}
