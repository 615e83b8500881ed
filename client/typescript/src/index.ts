/** Client for GSAR, the gRPC sidecar that decides whether an incident report may be sent. */
export { claimsAtFault, classOf, type Decided, describe, mayProceed, type Tier, tier, type Verdict } from "./answers.js";
export { Client, type ListOptions } from "./client.js";
export type { CallOptions, ConnectOptions } from "./connection.js";
export { type CodeName, GsarError, type Violation } from "./error.js";
export { evidenceFrom } from "./folder.js";
export { type InvestigationOutcome, investigate, type InvestigateOptions, type PlanInstruction, type WriteInstruction } from "./investigate.js";
export { type Evidence, file, type Item, type ItemOptions, json, type Kind, type Lane, text } from "./items.js";
export {
  type Claims,
  counts,
  type EvaluateOptions,
  evaluation,
  type EvidenceTypeName,
  type Partition,
  type PolicyOptions,
  type ReportText,
  turn,
} from "./requests.js";
export { errorFrom } from "./status.js";
export type { TlsFiles } from "./tls.js";
export type { TokenSource } from "./token.js";
