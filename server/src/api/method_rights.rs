//! The methods of the API, and the right that each requires.

use crate::identity::Right;

/// The methods with a client stream. Their messages have no timeout.
pub(super) const STREAMS: [&str; 3] = [
    "GroundingService/EvaluateStream",
    "InvestigationService/Drive",
    "EvidenceService/PutEvidence",
];

/// The methods, each with the right that it requires.
pub(super) static METHODS: [(&str, Option<Right>); 33] = [
    ("GroundingService/Evaluate", Some(Right::Evaluate)),
    ("GroundingService/EvaluateStream", Some(Right::Evaluate)),
    ("GroundingService/SelectBest", Some(Right::Evaluate)),
    ("GroundingService/Score", Some(Right::Evaluate)),
    ("GroundingService/TryJudges", Some(Right::Evaluate)),
    ("GroundingService/Rescore", Some(Right::Read)),
    ("GateService/EvaluateGate", None),
    ("GateService/ClassifyVerdict", Some(Right::Evaluate)),
    ("GateService/AssembleChain", None),
    ("GateService/CapConfidence", None),
    ("InvestigationService/StartInvestigation", Some(Right::Evaluate)),
    ("InvestigationService/RecordTurn", Some(Right::Evaluate)),
    ("InvestigationService/SubmitReport", Some(Right::Evaluate)),
    ("InvestigationService/GetInvestigation", Some(Right::Read)),
    ("InvestigationService/CancelInvestigation", Some(Right::Evaluate)),
    ("InvestigationService/LookAtEntity", Some(Right::Evaluate)),
    ("InvestigationService/Drive", Some(Right::Evaluate)),
    ("PolicyService/ListPolicies", None),
    ("PolicyService/GetPolicy", None),
    ("PolicyService/CheckPolicy", Some(Right::Evaluate)),
    ("LedgerService/ListEvaluations", Some(Right::Read)),
    ("LedgerService/CountEvaluations", Some(Right::Read)),
    ("LedgerService/GetEvaluation", Some(Right::Read)),
    ("LedgerService/GetEvaluationEvidence", Some(Right::Read)),
    ("LedgerService/RescoreEvaluations", Some(Right::Read)),
    ("LedgerService/DeleteEvaluation", Some(Right::Delete)),
    ("LedgerService/Grade", Some(Right::Grade)),
    ("LedgerService/Export", Some(Right::Read)),
    ("EvidenceService/PutEvidence", Some(Right::Store)),
    ("EvidenceService/GetSnapshot", Some(Right::Search)),
    ("EvidenceService/Search", Some(Right::Search)),
    ("EvidenceService/ListCorpora", Some(Right::Search)),
    ("EvidenceService/DeleteCorpus", Some(Right::Store)),
];

/// The metric label of unknown methods.
pub(super) const OTHER: &str = "other";

/// Returns a method's label and right, or `None` if the path belongs to another API.
pub(super) fn method(path: &str) -> Option<(&'static str, Option<Right>)> {
    let method = path.strip_prefix("/gsar.v1.")?;
    Some(METHODS.iter().find(|(name, _)| *name == method).copied().unwrap_or((OTHER, None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_label() {
        let pool = prost_reflect::DescriptorPool::decode(gsar_proto::DESCRIPTORS).unwrap();
        for service in pool.services().filter(|service| service.package_name() == "gsar.v1") {
            for descriptor in service.methods() {
                let path = format!("/{}/{}", service.full_name(), descriptor.name());
                assert_ne!(method(&path), Some((OTHER, None)), "{path}");
                let name = format!("{}/{}", service.name(), descriptor.name());
                assert_eq!(STREAMS.contains(&&*name), descriptor.is_client_streaming(), "{path}");
            }
        }
        assert_eq!(method("/grpc.health.v1.Health/Check"), None);
    }
}
