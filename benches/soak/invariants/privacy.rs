//! Checks that no caller sees another caller's data or exceeds its permissions.

use gsar_client::{Refusal, v1};
use tonic::Code;

use super::Violation;

pub(crate) fn refused<T>(
    what: &str,
    answer: &Result<T, Box<Refusal>>,
    expected: Code,
) -> Result<(), Violation> {
    let got = match answer {
        Err(refusal) if refusal.code == expected => return Ok(()),
        Err(refusal) => format!("{:?} {}", refusal.code, refusal.reason),
        Ok(_) => "an answer".to_owned(),
    };
    Err(Violation::new("privacy", format!("{what} got {got} instead of {expected:?}")))
}

pub(crate) fn evaluations(
    reader: &str,
    page: &v1::ListEvaluationsResponse,
) -> Result<(), Violation> {
    match page.evaluations.iter().find(|found| found.principal != reader) {
        None => Ok(()),
        Some(found) => {
            let found = format!(
                "{reader} can list evaluation {} of {}",
                found.evaluation_id, found.principal
            );
            Err(Violation::new("privacy", found))
        }
    }
}

/// Checks that a list contains no other principal's corpora. Corpus names are unique within a run.
pub(crate) fn corpora<'o>(
    reader: &str,
    page: &v1::ListCorporaResponse,
    mut of_others: impl Iterator<Item = &'o str>,
) -> Result<(), Violation> {
    let listed = |name: &&str| {
        page.corpora.iter().any(|corpus| {
            corpus.corpus_id == *name || corpus.corpus_id.ends_with(&format!("@{name}"))
        })
    };
    match of_others.find(listed) {
        None => Ok(()),
        Some(name) => {
            let found = format!("{reader} can list another principal's corpus {name}");
            Err(Violation::new("privacy", found))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Status;

    #[test]
    fn finds_answers_and_unexpected_refusals() {
        let got = |code| Err(Box::new(Refusal::from_status("Search", &Status::new(code, ""))));
        let checked = |answer: Result<(), _>| refused("a search", &answer, Code::NotFound);
        checked(got(Code::NotFound)).unwrap();
        assert!(checked(got(Code::PermissionDenied)).is_err());
        assert!(checked(Ok(())).unwrap_err().found.contains("got an answer"));
    }

    #[test]
    fn finds_data_of_other_principals_in_lists() {
        let page = |principal: &str| v1::ListEvaluationsResponse {
            evaluations: vec![v1::EvaluationSummary {
                principal: principal.to_owned(),
                ..Default::default()
            }],
            ..Default::default()
        };
        evaluations("ada", &page("ada")).unwrap();
        assert!(evaluations("ada", &page("ben")).is_err());
        let page = |name: &str| v1::ListCorporaResponse {
            corpora: vec![v1::CorpusSummary { corpus_id: name.to_owned(), ..Default::default() }],
            ..Default::default()
        };
        let of_others = ["corpus-1", "corpus-2"];
        corpora("ada", &page("corpus-3"), of_others.into_iter()).unwrap();
        for seen in ["corpus-2", "ben@corpus-2"] {
            assert!(corpora("ada", &page(seen), of_others.into_iter()).is_err(), "{seen}");
        }
    }
}
