/** Builds evidence items. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { basename, extname } from "node:path";
import { invalidArgument, kindOf } from "./error.js";
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

/** The kind of an item. */
export type Kind = keyof typeof KINDS;
/** The lane (source) of an item. */
export type Lane = keyof typeof LANES;

/** An item as a message, or its fields. */
export type Item = MessageInitShape<typeof EvidenceItemSchema>;

/** Items, or an object that maps ids to contents. A string is plain text; any other value becomes a JSON document. */
export type Evidence = Iterable<Item> | Readonly<Record<string, unknown>>;

/** The optional fields of an item. */
export interface ItemOptions {
  /** Defaults to `tool_output`. */
  readonly kind?: Kind | undefined;
  /** Defaults to `logs` for text and `static_infra` for JSON. */
  readonly lane?: Lane | undefined;
  /** The tool or command that produced the item. */
  readonly tool?: string | undefined;
  /** The query, if `tool` does not contain it. */
  readonly query?: string | undefined;
  readonly collectedAt?: Date | undefined;
  /** `true` if anything that the item does not list does not exist in its scope. */
  readonly exhaustive?: boolean | undefined;
  readonly stepId?: string | undefined;
  readonly specialistId?: string | undefined;
}

function numberOf<T>(field: string, names: Record<string, T>, name: string): T {
  const number = Object.hasOwn(names, name) ? names[name] : undefined;
  if (number !== undefined) return number;
  throw invalidArgument(field, `unknown value \`${name}\`; expected one of ${Object.keys(names).join(", ")}`);
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

/** Returns a text item, such as a log, a table or command output. */
export function text(id: string, content: string, options: ItemOptions = {}): EvidenceItem {
  if (typeof content !== "string") throw invalidArgument(`evidence[${JSON.stringify(id)}]`, `got ${kindOf(content)}; expected a string`);
  return item(id, { case: "text", value: content }, "logs", options);
}

/** Returns a JSON item. `content` is a document as a string (stored verbatim), or a value for `JSON.stringify`. */
export function json(id: string, content: unknown, options: ItemOptions = {}): EvidenceItem {
  return item(id, { case: "json", value: document(id, content) }, "static_infra", options);
}

function document(id: string, content: unknown): string {
  if (typeof content === "string") return content;
  const invalid = (cause?: unknown) =>
    invalidArgument(`evidence[${JSON.stringify(id)}]`, `got ${kindOf(content)}; expected a string or a value for JSON.stringify`, cause);
  if (content === undefined || content === null || content instanceof Promise || kindOf(content) === "bytes")
    throw invalid();
  try {
    const serialized: string | undefined = JSON.stringify(content);
    if (serialized !== undefined) return serialized;
  } catch (error) {
    throw invalid(error);
  }
  throw invalid();
}

/** Loads a file as an item. By default, the id is its name without the extension. `.json` files become JSON items. */
export async function file(
  path: string,
  { id, ...options }: ItemOptions & { readonly id?: string } = {},
): Promise<EvidenceItem> {
  const content = await textOf(path);
  const make = extname(path) === ".json" ? json : text;
  return make(id ?? basename(path, extname(path)), content, options);
}

/** Converts evidence to items. */
export function items(evidence: Evidence): Item[] {
  const given: unknown = evidence;
  const isPlain = typeof given === "object" && given !== null && kindOf(given) === "an object";
  if (isPlain && !(Symbol.iterator in given)) {
    if (Symbol.asyncIterator in given || "$typeName" in given) {
      throw invalidArgument("evidence", "got one item or a stream; expected an array of items");
    }
    return Object.entries(given).map(([id, content]) => {
      return typeof content === "string" ? text(id, content) : json(id, content);
    });
  }
  if (typeof given !== "object" || given === null || !(Symbol.iterator in given) || kindOf(given) === "bytes") {
    throw invalidArgument("evidence", `got ${kindOf(given)}; expected { log: "..." }, an array of text and json items, or []`);
  }
  return Array.from(given as Iterable<unknown>, (each, index) => {
    if (typeof each === "object" && each !== null && "id" in each) return each as Item;
    throw invalidArgument(`evidence[${index}]`, `got ${kindOf(each)}; use text(id, content) or json(id, content)`);
  });
}
