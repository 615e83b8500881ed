/** Builds requests from convenient arguments. */
import { create, isMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { invalidArgument, kindOf } from "./error.js";
import {
  ClaimClass,
  EvidenceType,
  type PolicyOverridesSchema,
  type Report,
  ReportSchema,
} from "./gen/gsar/v1/common_pb.js";
import type { PutEvidenceRequestSchema } from "./gen/gsar/v1/evidence_service_pb.js";
import type { GateInputsSchema } from "./gen/gsar/v1/gate_service_pb.js";
import {
  type EvaluateOptionsSchema,
  type EvaluateRequest,
  EvaluateRequestSchema,
  type JudgedPartition,
  JudgedPartitionSchema,
  type PartitionCounts,
  PartitionCountsSchema,
  type ScoreRequestSchema,
} from "./gen/gsar/v1/grounding_service_pb.js";
import { type RecordTurnRequest, RecordTurnRequestSchema } from "./gen/gsar/v1/investigation_service_pb.js";
import { type Evidence, items } from "./items.js";

/** A report, or just its text. */
export type ReportText = string | MessageInitShape<typeof ReportSchema>;

/** The options of a decision. */
export interface PolicyOptions {
  /** The name of a policy. Defaults to the server's default policy. */
  readonly policy?: string | undefined;
  /** Policy values to override. */
  readonly overrides?: MessageInitShape<typeof PolicyOverridesSchema> | undefined;
  /** Adds the margins and the impact of each claim to the response. */
  readonly explain?: boolean | undefined;
}

/** The options of an evaluation. */
export interface EvaluateOptions extends PolicyOptions {
  /** A corpus whose items are added to the evidence. */
  readonly corpusId?: string | undefined;
  readonly investigationId?: string | undefined;
  /** A repeated request with the same key gets the same response, so the call is safe to retry. */
  readonly idempotencyKey?: string | undefined;
  /** The gate inputs of the investigation. */
  readonly gate?: MessageInitShape<typeof GateInputsSchema> | undefined;
  /** The judge, the number of samples, and the other fields of the `EvaluateOptions` message. */
  readonly options?: MessageInitShape<typeof EvaluateOptionsSchema> | undefined;
}

/** Returns the report as a message. */
export function reportOf(report: ReportText, field = "report"): Report {
  const fix = 'expected its text or { synthesis: "..." }';
  if (typeof report === "string") return create(ReportSchema, { synthesis: report });
  if (kindOf(report) !== "an object") throw invalidArgument(field, `got ${kindOf(report)}; ${fix}`);
  if (isMessage(report, ReportSchema)) return report;
  const unknown = Object.keys(report).find(
    (key) => !ReportSchema.fields.some((each) => each.localName === key) && key !== "$typeName",
  );
  if (unknown !== undefined) throw invalidArgument(`${field}.${unknown}`, `unknown field of a report; ${fix}`);
  if (report.synthesis !== undefined && typeof report.synthesis !== "string") {
    throw invalidArgument(`${field}.synthesis`, `got ${kindOf(report.synthesis)}; expected its text`);
  }
  return create(ReportSchema, report);
}

/** Builds an `EvaluateRequest` for `evaluateStream` and the stubs. */
export function evaluation(report: ReportText, evidence: Evidence, given: EvaluateOptions = {}): EvaluateRequest {
  const options = given.explain ? { ...given.options, explain: true } : given.options;
  return create(EvaluateRequestSchema, {
    report: reportOf(report),
    evidence: items(evidence),
    policy: given.policy ?? "",
    corpusId: given.corpusId ?? "",
    investigationId: given.investigationId ?? "",
    idempotencyKey: given.idempotencyKey ?? "",
    ...(given.gate && { gate: given.gate }),
    ...(given.overrides && { policyOverrides: given.overrides }),
    ...(options && { options }),
  } as MessageInitShape<typeof EvaluateRequestSchema>);
}

const TYPES = {
  tool_match: EvidenceType.TOOL_MATCH,
  specific_data: EvidenceType.SPECIFIC_DATA,
  signal_match: EvidenceType.SIGNAL_MATCH,
  complementary_finding: EvidenceType.COMPLEMENTARY_FINDING,
  synthesis: EvidenceType.SYNTHESIS,
  neg_evidence: EvidenceType.NEG_EVIDENCE,
  inference: EvidenceType.INFERENCE,
  domain: EvidenceType.DOMAIN,
} as const;

/** The evidence type of a claim. */
export type EvidenceTypeName = keyof typeof TYPES;

/** The evidence types of the claims in each class, one per claim. */
export interface Claims {
  readonly grounded?: Iterable<EvidenceTypeName>;
  readonly ungrounded?: Iterable<EvidenceTypeName>;
  readonly contradicted?: Iterable<EvidenceTypeName>;
  readonly complementary?: Iterable<EvidenceTypeName>;
}

/** Builds a partition for `score`. */
export function counts(claims: Claims): PartitionCounts {
  const classes = [
    [ClaimClass.GROUNDED, claims.grounded],
    [ClaimClass.UNGROUNDED, claims.ungrounded],
    [ClaimClass.CONTRADICTED, claims.contradicted],
    [ClaimClass.COMPLEMENTARY, claims.complementary],
  ] as const;
  return create(PartitionCountsSchema, {
    counts: classes.flatMap(([claimClass, names = []]) => {
      const totals = new Map<EvidenceType, number>();
      for (const name of names) totals.set(TYPES[name], (totals.get(TYPES[name]) ?? 0) + 1);
      return [...totals].map(([type, count]) => ({ class: claimClass, type, count }));
    }),
  });
}

/** A partition to score. */
export type Partition = PartitionCounts | JudgedPartition;

/** Builds the request for `score`. */
export function scoreRequest(partition: Partition, options: PolicyOptions & Pick<EvaluateOptions, "gate">) {
  return {
    partition: isMessage(partition, JudgedPartitionSchema)
      ? { case: "judged", value: partition }
      : { case: "counts", value: partition },
    policy: options.policy ?? "",
    explain: options.explain ?? false,
    ...(options.gate && { gate: options.gate }),
    ...(options.overrides && { policyOverrides: options.overrides }),
  } as MessageInitShape<typeof ScoreRequestSchema>;
}

/** Builds an agent's turn. Each item is the result of a call to its `tool`, or else to a tool named after its id. */
export function turn(
  evidence: Evidence,
  more: Omit<MessageInitShape<typeof RecordTurnRequestSchema>, "toolCalls" | "$typeName"> = {},
): RecordTurnRequest {
  const toolCalls = items(evidence).map((result) => ({
    tool: result.tool || result.id || "",
    arguments: result.query || result.id || "",
    result,
  }));
  return create(RecordTurnRequestSchema, { ...more, toolCalls });
}

/** The maximum length of a text in a PutEvidence message, in UTF-16 code units. */
const MAX_MESSAGE_UNITS = 256 * 1024;

/** Yields the messages to send in a PutEvidence call, and splits long texts. */
export function* putEvidenceMessages(
  corpusId: string,
  evidence: Evidence,
  timeToLiveMs: number | undefined,
): Generator<MessageInitShape<typeof PutEvidenceRequestSchema>> {
  const timeToLive = timeToLiveMs === undefined ? {} : { timeToLive: duration(timeToLiveMs) };
  yield { part: { case: "corpus", value: { corpusId, ...timeToLive } } };
  const encoder = new TextEncoder();
  for (const item of items(evidence)) {
    const content = item.content;
    if (content?.case !== "text" || content.value === undefined || content.value.length <= MAX_MESSAGE_UNITS) {
      yield { part: { case: "item", value: item } };
      continue;
    }
    const parts = split(content.value);
    yield {
      part: { case: "item", value: { ...item, content: { case: "text", value: parts[0] ?? "" } } as typeof item },
    };
    for (const part of parts.slice(1)) yield { part: { case: "more", value: encoder.encode(part) } };
  }
}

/** Splits a text into parts of at most `MAX_MESSAGE_UNITS`, at character boundaries. */
function split(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const isHigh = (text.charCodeAt(at + MAX_MESSAGE_UNITS - 1) & 0xfc00) === 0xd800;
    const end = at + MAX_MESSAGE_UNITS - (isHigh ? 1 : 0);
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

function duration(ms: number) {
  const seconds = Math.floor(ms / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((ms - seconds * 1000) * 1e6) };
}
