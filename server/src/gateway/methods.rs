//! The methods that the gateway serves.

#[derive(Clone, Copy, Debug)]
pub(super) struct ServedMethod {
    pub(super) path: &'static str,
    pub(super) rpc: &'static str,
}

const fn method(path: &'static str, rpc: &'static str) -> ServedMethod {
    ServedMethod { path, rpc }
}

/// Methods that write nothing except the record of an evaluation.
pub(super) const METHODS: [ServedMethod; 20] = [
    method("/v1/evaluate", "gsar.v1.GroundingService/Evaluate"),
    method("/v1/select-best", "gsar.v1.GroundingService/SelectBest"),
    method("/v1/score", "gsar.v1.GroundingService/Score"),
    method("/v1/rescore", "gsar.v1.GroundingService/Rescore"),
    method("/v1/gate", "gsar.v1.GateService/EvaluateGate"),
    method("/v1/verdict", "gsar.v1.GateService/ClassifyVerdict"),
    method("/v1/chain", "gsar.v1.GateService/AssembleChain"),
    method("/v1/cap", "gsar.v1.GateService/CapConfidence"),
    method("/v1/search", "gsar.v1.EvidenceService/Search"),
    method("/v1/corpora", "gsar.v1.EvidenceService/ListCorpora"),
    method("/v1/snapshot", "gsar.v1.EvidenceService/GetSnapshot"),
    method("/v1/policies", "gsar.v1.PolicyService/ListPolicies"),
    method("/v1/policy", "gsar.v1.PolicyService/GetPolicy"),
    method("/v1/check-policy", "gsar.v1.PolicyService/CheckPolicy"),
    method("/v1/evaluations", "gsar.v1.LedgerService/ListEvaluations"),
    method("/v1/evaluation-counts", "gsar.v1.LedgerService/CountEvaluations"),
    method("/v1/evaluation", "gsar.v1.LedgerService/GetEvaluation"),
    method("/v1/evaluation-evidence", "gsar.v1.LedgerService/GetEvaluationEvidence"),
    method("/v1/rescore-evaluations", "gsar.v1.LedgerService/RescoreEvaluations"),
    method("/v1/investigation", "gsar.v1.InvestigationService/GetInvestigation"),
];

/// Methods that store, grade or delete. They are served only if principals are configured.
pub(super) const WRITING_METHODS: [ServedMethod; 8] = [
    method("/v1/start-investigation", "gsar.v1.InvestigationService/StartInvestigation"),
    method("/v1/record-turn", "gsar.v1.InvestigationService/RecordTurn"),
    method("/v1/submit-report", "gsar.v1.InvestigationService/SubmitReport"),
    method("/v1/cancel-investigation", "gsar.v1.InvestigationService/CancelInvestigation"),
    method("/v1/look-at-entity", "gsar.v1.InvestigationService/LookAtEntity"),
    method("/v1/grade", "gsar.v1.LedgerService/Grade"),
    method("/v1/delete-evaluation", "gsar.v1.LedgerService/DeleteEvaluation"),
    method("/v1/delete-corpus", "gsar.v1.EvidenceService/DeleteCorpus"),
];
