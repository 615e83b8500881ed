//! Tests the validation of judge chains.

use super::*;
use crate::config::{Config, Member as ConfigMember, Panel as ConfigPanel};
use crate::judge::facts::FactsCache;

fn member(judge: &str, weight: u32, refutes: bool) -> ConfigMember {
    ConfigMember { judge: judge.to_owned(), weight, refutes }
}

fn build(link: &str, members: Vec<ConfigMember>) -> Result<Vec<String>, String> {
    let rules: Arc<dyn Judge> = Arc::new(FactsJudge::new(FactsCache::new(0)));
    let built_in_judges = [BuiltIn::from_judge(&rules)];
    let mut judges = Config::default().judges;
    judges.chain = vec![link.to_owned()];
    judges.panels.insert("court".to_owned(), ConfigPanel { members });
    let mut problems = Problems::default();
    let chain = CheckedChain::check(&judges, &built_in_judges, false, &mut problems);
    match chain {
        Some(chain) if problems.is_empty() => {
            let chain = chain.build(&judges, &[rules], None)?;
            Ok(chain.judges.iter().map(|judge| judge.name().to_owned()).collect())
        }
        _ => Err(problems.to_string()),
    }
}

#[test]
fn rejects_panels_that_cannot_vote() {
    let rules = || member("rules/2", 1, false);
    for (link, members, expected) in [
        (
            "rules/2",
            vec![rules()],
            "judges.panels.court: is not in judges.chain; add `panel:court`",
        ),
        ("panel:other", vec![rules()], "judges.chain: judges.panels.other does not exist"),
        ("panel:court", vec![], "no member acts as a judge"),
        ("panel:court", vec![member("rules/2", 1, true)], "no member acts as a judge"),
        ("panel:court", vec![member("rules/2", 0, false)], "weight 0 of rules/2"),
        ("panel:court", vec![member("rules/2", 101, false)], "1 to 100"),
        ("panel:court", vec![rules(), rules()], "listed twice"),
        ("panel:court", vec![member("panel:court", 1, false)], "is a panel"),
        ("panel:court", vec![rules(), member("rules/2", 1, true)], "only chat models can"),
        ("panel:court", vec![rules(), member("ollama:m", 1, false)], "chat models need a ledger"),
    ] {
        let problems = build(link, members).unwrap_err();
        assert!(problems.contains(expected), "{expected}: {problems}");
    }
    assert_eq!(build("panel:court", vec![rules()]), Ok(vec!["panel:court".to_owned()]));
}
