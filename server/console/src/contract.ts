// The messages of the contract that pages use, by their names in it. They are generated from proto/openapi.json.
import type { components } from "./contract.gen";

type Schemas = components["schemas"];

export type ByteRange = Schemas["ByteRange"];
export type Citation = Schemas["Citation"];
export type Evaluation = Schemas["EvaluateResponse"];
export type EvaluationSummary = Schemas["EvaluationSummary"];
export type EvidenceItem = Schemas["EvidenceItem"];
export type GetEvaluationResponse = Schemas["GetEvaluationResponse"];
export type JudgedClaim = Schemas["JudgedClaim"];
export type ListEvaluationsRequest = Schemas["ListEvaluationsRequest"];
export type ListEvaluationsResponse = Schemas["ListEvaluationsResponse"];
export type Reason = Schemas["Reason"];
export type RecordedEvidence = Schemas["RecordedEvidence"];
export type RescoreRequest = Schemas["RescoreRequest"];
export type RescoreResponse = Schemas["RescoreResponse"];
export type Score = Schemas["Score"];
export type ScoreTerms = Schemas["ScoreTerms"];
