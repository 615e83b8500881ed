/** Evidence as people have it, as items of the contract. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { basename, extname } from "node:path";
import { kindOf, refused } from "./error.js";
import { EvidenceItemSchema, EvidenceKind, EvidenceLane, type EvidenceItem } from "./gen/gsar/v1/common_pb.js";
import { textOf } from "./texts.js";

const KINDS = {
  tool_output: EvidenceKind.TOOL_OUTPUT,
  step_output: EvidenceKind.STEP_OUTPUT,
  signal: EvidenceKind.SIGNAL,
  change: EvidenceKind.CHANGE,
  verification: EvidenceKind.VERIFICATION,
  prior_claim: EvidenceKind.PRIOR_CLAIM,
} as const;

const LANES = {
  traces: EvidenceLane.TRACES,
  logs: EvidenceLane.LOGS,
  metrics: EvidenceLane.METRICS,
  static_infra: EvidenceLane.STATIC_INFRA,
  change: EvidenceLane.CHANGE,
  synthetic: EvidenceLane.SYNTHETIC,
  verification: EvidenceLane.VERIFICATION,
  llm_inferred: EvidenceLane.LLM_INFERRED,
} as const;

/** What an item is. */
export type Kind = keyof typeof KINDS;
/** Where an item comes from. */
export type Lane = keyof typeof LANES;

/** An item as a message of the contract, or what makes one. */
export type Item = MessageInitShape<typeof EvidenceItemSchema>;

/** Items, or contents by id: a text is taken as it is, anything else as a JSON document. */
export type Evidence = Iterable<Item> | Readonly<Record<string, unknown>>;

/** What can be said of an item beside its content. */
export interface ItemOptions {
  /** `tool_output` by default. */
  readonly kind?: Kind | undefined;
  /** `logs` by default for text, `static_infra` for JSON. */
  readonly lane?: Lane | undefined;
  /** The tool or the command line that produced it. */
  readonly tool?: string | undefined;
  /** What was searched for, where `tool` does not say. */
  readonly query?: string | undefined;
  readonly collectedAt?: Date | undefined;
  /** It lists everything in its scope, so that absence from it means something. */
  readonly exhaustive?: boolean | undefined;
  readonly stepId?: string | undefined;
  readonly specialistId?: string | undefined;
}

function numberOf<T>(field: string, names: Record<string, T>, name: string): T {
  const number = Object.hasOwn(names, name) ? names[name] : undefined;
  if (number !== undefined) return number;
  throw refused(field, `\`${name}\` is unknown; expected one of ${Object.keys(names).join(", ")}`);
}

function item(id: string, content: EvidenceItem["content"], lane: Lane, options: ItemOptions): EvidenceItem {
  const field = `evidence[${JSON.stringify(id)}]`;
  return create(EvidenceItemSchema, {
    id,
    kind: numberOf<EvidenceKind>(`${field}.kind`, KINDS, options.kind ?? "tool_output"),
    lane: numberOf<EvidenceLane>(`${field}.lane`, LANES, options.lane ?? lane),
    tool: options.tool ?? "",
    query: options.query ?? "",
    content,
    ...(options.collectedAt && { collectedAt: timestampFromDate(options.collectedAt) }),
    exhaustive: options.exhaustive ?? false,
    stepId: options.stepId ?? "",
    specialistId: options.specialistId ?? "",
  });
}

/** An item of plain text: logs, tables, command output. */
export function text(id: string, content: string, options: ItemOptions = {}): EvidenceItem {
  if (typeof content !== "string") throw refused(`evidence[${JSON.stringify(id)}]`, `is ${kindOf(content)}; give text`);
  return item(id, { case: "text", value: content }, "logs", options);
}

/** An item of JSON: a document as text, which is kept byte for byte, or what `JSON.stringify` takes. */
export function json(id: string, content: unknown, options: ItemOptions = {}): EvidenceItem {
  return item(id, { case: "json", value: document(id, content) }, "static_infra", options);
}

function document(id: string, content: unknown): string {
  if (typeof content === "string") return content;
  const wrong = (cause?: unknown) =>
    refused(`evidence[${JSON.stringify(id)}]`, `is ${kindOf(content)}; give text, or what JSON.stringify takes`, cause);
  if (content === undefined || content === null || content instanceof Promise || kindOf(content) === "bytes")
    throw wrong();
  try {
    const written: string | undefined = JSON.stringify(content);
    if (written !== undefined) return written;
  } catch (error) {
    throw wrong(error);
  }
  throw wrong();
}

/** A file as an item, named after it unless `id` is given; `.json` is JSON. */
export async function file(
  path: string,
  { id, ...options }: ItemOptions & { readonly id?: string } = {},
): Promise<EvidenceItem> {
  const content = await textOf(path);
  const make = extname(path) === ".json" ? json : text;
  return make(id ?? basename(path, extname(path)), content, options);
}

/** Evidence in either form as items. */
export function items(evidence: Evidence): Item[] {
  const given: unknown = evidence;
  const isPlain = typeof given === "object" && given !== null && kindOf(given) === "an object";
  if (isPlain && !(Symbol.iterator in given)) {
    if (Symbol.asyncIterator in given || "$typeName" in given) {
      throw refused("evidence", "is one item or a stream; give an array of items");
    }
    return Object.entries(given).map(([id, content]) => {
      return typeof content === "string" ? text(id, content) : json(id, content);
    });
  }
  if (typeof given !== "object" || given === null || !(Symbol.iterator in given) || kindOf(given) === "bytes") {
    throw refused("evidence", `is ${kindOf(given)}; give { log: "..." }, an array of text and json items, or []`);
  }
  return Array.from(given as Iterable<unknown>, (each, number) => {
    if (typeof each === "object" && each !== null && "id" in each) return each as Item;
    throw refused(`evidence[${number}]`, `is ${kindOf(each)}; give text(id, content) or json(id, content)`);
  });
}
