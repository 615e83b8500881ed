/** The error of this package, with all details from the server. */

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

/** An invalid field. */
export interface Violation {
  /** The field as a path, such as `report.claims[0].text`. */
  readonly field: string;
  /** The given value, the allowed values and the fix. */
  readonly description: string;
}

/** The details of an error in addition to code and message. */
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

/** The reason of an error if no sidecar answers. */
export const UNREACHABLE = "SIDECAR_UNREACHABLE";

/** The reason of an error if the server is not trusted. */
export const NOT_TRUSTED = "SIDECAR_NOT_TRUSTED";

/**
 * A failed call. Treat its report as not evaluated.
 *
 * `message` states the problem and the fix, with one line per field, limit or fix.
 */
export class GsarError extends Error implements Details {
  override readonly name = "GsarError";
  /** The gRPC code, such as `INVALID_ARGUMENT`. */
  readonly code: CodeName;
  /** The method that was called, such as `Evaluate`; empty if none was. */
  readonly method: string;
  /** A summary of the problem, usually one line. */
  readonly summary: string;
  /** The stable reason (`ErrorReason` of `gsar/v1`, or `SIDECAR_UNREACHABLE`); empty if not from GSAR. */
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

  /** All invalid fields. */
  get violations(): readonly Violation[] {
    return this.#details.violations;
  }

  /** The limits that were exceeded and the preconditions that failed, each with its fix. */
  get limits(): readonly string[] {
    return this.#details.limits;
  }

  /** The unknown resource. */
  get resource(): { readonly type: string; readonly name: string } | undefined {
    return this.#details.resource;
  }

  /** Milliseconds before a retry; `undefined` if a retry does not help. */
  get retryAfterMs(): number | undefined {
    return this.#details.retryAfterMs;
  }

  /** The id of the request in the server's log; empty if there is none. */
  get requestId(): string {
    return this.#details.requestId;
  }

  /** Links to documentation. */
  get links(): readonly string[] {
    return this.#details.links;
  }

  /** Further details by name. */
  get metadata(): Readonly<Record<string, string>> {
    return this.#details.metadata;
  }

  /** `true` if no sidecar answers at the endpoint. */
  get unreachable(): boolean {
    return this.reason === UNREACHABLE;
  }
}

function lines(summary: string, method: string, details: Details): string {
  const { violations, limits, resource, metadata, links, retryAfterMs, requestId, reason } = details;
  const head = violations.length > 1 ? `${violations.length} fields are invalid` : summary;
  const fields = violations.map(({ field, description }) => `${field}: ${description}`);
  const result = [method ? `${method}: ${head}` : head, ...[...fields, ...limits].filter((line) => !head.includes(line))];
  if (resource && !head.includes(resource.name)) result.push(`${resource.type} \`${resource.name}\``);
  for (const name of Object.keys(metadata).sort()) result.push(`${name}: ${metadata[name]}`);
  result.push(...links);
  if (retryAfterMs !== undefined) result.push(`retry in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`);
  if (requestId) result.push(`see request ${requestId} in the server's log`);
  if (reason) result.push(`reason ${reason}`);
  return result.join("\n  ");
}

/** Returns the error for an invalid argument, like the server's for a field. */
export function refused(field: string, description: string, cause?: unknown): GsarError {
  const details = { ...NO_DETAILS, reason: "INVALID_FIELDS", violations: [{ field, description }] };
  return new GsarError("INVALID_ARGUMENT", `${field}: ${description}`, { details, cause });
}

/** Returns the error if no sidecar answers. */
export function unreachable(summary: string, method = "", cause?: unknown): GsarError {
  return new GsarError("UNAVAILABLE", summary, { method, details: { ...NO_DETAILS, reason: UNREACHABLE }, cause });
}

/** Returns the error if the server is not trusted. */
export function notTrusted(summary: string, method: string, cause: unknown): GsarError {
  return new GsarError("UNAVAILABLE", summary, { method, details: { ...NO_DETAILS, reason: NOT_TRUSTED }, cause });
}

/** Returns the kind of a value, for error messages. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a Promise (await it)";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return "bytes";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
