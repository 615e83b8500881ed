/** The one error of this package, with everything that the server said about it. */

/** The name of a gRPC code. */
export type CodeName =
  | "CANCELLED"
  | "UNKNOWN"
  | "INVALID_ARGUMENT"
  | "DEADLINE_EXCEEDED"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "FAILED_PRECONDITION"
  | "ABORTED"
  | "OUT_OF_RANGE"
  | "UNIMPLEMENTED"
  | "INTERNAL"
  | "UNAVAILABLE"
  | "DATA_LOSS"
  | "UNAUTHENTICATED";

/** A field that is wrong. */
export interface Violation {
  /** The field as a path, such as `report.claims[0].text`. */
  readonly field: string;
  /** What was given, what is allowed and the fix. */
  readonly description: string;
}

/** What a server says beside code and message. */
export interface Details {
  readonly reason: string;
  readonly violations: readonly Violation[];
  readonly limits: readonly string[];
  readonly resource: { readonly type: string; readonly name: string } | undefined;
  readonly retryAfterMs: number | undefined;
  readonly requestId: string;
  readonly links: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

export const NO_DETAILS: Details = {
  reason: "",
  violations: [],
  limits: [],
  resource: undefined,
  retryAfterMs: undefined,
  requestId: "",
  links: [],
  metadata: {},
};

/** The reason of an error where no sidecar answers. */
export const UNREACHABLE = "SIDECAR_UNREACHABLE";

/** The reason of an error where what answers is not known to be the sidecar. */
export const NOT_TRUSTED = "SIDECAR_NOT_TRUSTED";

/**
 * A call gave no answer: nothing may go out on it.
 *
 * `message` says what is wrong and what to do, with a line for each field, limit or fix.
 */
export class GsarError extends Error implements Details {
  override readonly name = "GsarError";
  /** The gRPC code, such as `INVALID_ARGUMENT`. */
  readonly code: CodeName;
  /** The method that was called, such as `Evaluate`; empty where none was. */
  readonly method: string;
  /** What is wrong, in one line where the server says it in one. */
  readonly summary: string;
  /** The stable reason (`ErrorReason` of `gsar/v1`, or `SIDECAR_UNREACHABLE`); empty where the error is not of GSAR. */
  readonly reason: string;
  readonly #details: Details;

  constructor(
    code: CodeName,
    summary: string,
    { method = "", details = NO_DETAILS, cause }: { method?: string; details?: Details; cause?: unknown } = {},
  ) {
    super(lines(summary, method, details), cause === undefined ? undefined : { cause });
    this.code = code;
    this.method = method;
    this.summary = summary;
    this.reason = details.reason;
    this.#details = details;
  }

  /** Every field that is wrong. */
  get violations(): readonly Violation[] {
    return this.#details.violations;
  }

  /** The limits that were reached and the preconditions that do not hold, each with its fix. */
  get limits(): readonly string[] {
    return this.#details.limits;
  }

  /** The resource that is unknown. */
  get resource(): { readonly type: string; readonly name: string } | undefined {
    return this.#details.resource;
  }

  /** Milliseconds after which the call may be repeated; `undefined` where it should not be. */
  get retryAfterMs(): number | undefined {
    return this.#details.retryAfterMs;
  }

  /** The id under which the server's log has more; empty where there is none. */
  get requestId(): string {
    return this.#details.requestId;
  }

  /** Where to read more. */
  get links(): readonly string[] {
    return this.#details.links;
  }

  /** Further facts by name. */
  get metadata(): Readonly<Record<string, string>> {
    return this.#details.metadata;
  }

  /** Whether nobody answers at the endpoint, so that nothing was decided. */
  get unreachable(): boolean {
    return this.reason === UNREACHABLE;
  }
}

function lines(summary: string, method: string, details: Details): string {
  const { violations, limits, resource, metadata, links, retryAfterMs, requestId, reason } = details;
  const head = violations.length > 1 ? `${violations.length} fields are refused` : summary;
  const fields = violations.map(({ field, description }) => `${field}: ${description}`);
  const said = [method ? `${method}: ${head}` : head, ...[...fields, ...limits].filter((line) => !head.includes(line))];
  if (resource && !head.includes(resource.name)) said.push(`${resource.type} \`${resource.name}\``);
  for (const name of Object.keys(metadata).sort()) said.push(`${name}: ${metadata[name]}`);
  said.push(...links);
  if (retryAfterMs !== undefined) said.push(`retry in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`);
  if (requestId) said.push(`see request ${requestId} in the server's log`);
  if (reason) said.push(`reason ${reason}`);
  return said.join("\n  ");
}

/** The error for an argument that is wrong: the same as the server gives for a field. */
export function refused(field: string, description: string, cause?: unknown): GsarError {
  const details = { ...NO_DETAILS, reason: "INVALID_FIELDS", violations: [{ field, description }] };
  return new GsarError("INVALID_ARGUMENT", `${field}: ${description}`, { details, cause });
}

/** The error where nobody answers. */
export function unreachable(summary: string, method = "", cause?: unknown): GsarError {
  return new GsarError("UNAVAILABLE", summary, { method, details: { ...NO_DETAILS, reason: UNREACHABLE }, cause });
}

/** The error where somebody answers who is not known to be the sidecar. */
export function notTrusted(summary: string, method: string, cause: unknown): GsarError {
  return new GsarError("UNAVAILABLE", summary, { method, details: { ...NO_DETAILS, reason: NOT_TRUSTED }, cause });
}

/** What a value is, for a message that refuses it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a Promise (await it)";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return "bytes";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
