//! The methods that the gateway serves.

/// A path and the method that it calls.
pub(super) type ServedMethod = (&'static str, &'static str);

/// Methods that write nothing except the record of an evaluation.
pub(super) const METHODS: [ServedMethod; 20] = [
    ("/v1/evaluate", "gsar.v1.GroundingService/Evaluate"),
    ("/v1/select-best", "gsar.v1.GroundingService/SelectBest"),
    ("/v1/score", "gsar.v1.GroundingService/Score"),
    ("/v1/rescore", "gsar.v1.GroundingService/Rescore"),
    ("/v1/gate", "gsar.v1.GateService/EvaluateGate"),
    ("/v1/verdict", "gsar.v1.GateService/ClassifyVerdict"),
    ("/v1/chain", "gsar.v1.GateService/AssembleChain"),
    ("/v1/cap", "gsar.v1.GateService/CapConfidence"),
    ("/v1/search", "gsar.v1.EvidenceService/Search"),
    ("/v1/corpora", "gsar.v1.EvidenceService/ListCorpora"),
    ("/v1/snapshot", "gsar.v1.EvidenceService/GetSnapshot"),
    ("/v1/policies", "gsar.v1.PolicyService/ListPolicies"),
    ("/v1/policy", "gsar.v1.PolicyService/GetPolicy"),
    ("/v1/check-policy", "gsar.v1.PolicyService/CheckPolicy"),
    ("/v1/evaluations", "gsar.v1.LedgerService/ListEvaluations"),
    ("/v1/evaluation-counts", "gsar.v1.LedgerService/CountEvaluations"),
    ("/v1/evaluation", "gsar.v1.LedgerService/GetEvaluation"),
    ("/v1/evaluation-evidence", "gsar.v1.LedgerService/GetEvaluationEvidence"),
    ("/v1/rescore-evaluations", "gsar.v1.LedgerService/RescoreEvaluations"),
    ("/v1/investigation", "gsar.v1.InvestigationService/GetInvestigation"),
];

/// Methods that store, grade or delete. They are served only if principals are configured.
pub(super) const WRITING_METHODS: [ServedMethod; 8] = [
    ("/v1/start-investigation", "gsar.v1.InvestigationService/StartInvestigation"),
    ("/v1/record-turn", "gsar.v1.InvestigationService/RecordTurn"),
    ("/v1/submit-report", "gsar.v1.InvestigationService/SubmitReport"),
    ("/v1/cancel-investigation", "gsar.v1.InvestigationService/CancelInvestigation"),
    ("/v1/look-at-entity", "gsar.v1.InvestigationService/LookAtEntity"),
    ("/v1/grade", "gsar.v1.LedgerService/Grade"),
    ("/v1/delete-evaluation", "gsar.v1.LedgerService/DeleteEvaluation"),
    ("/v1/delete-corpus", "gsar.v1.EvidenceService/DeleteCorpus"),
];
