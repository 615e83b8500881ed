/** The errors that the client throws. */

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
  /** The path of the field, such as `report.claims[0].text`. */
  readonly field: string;
  /** The given value, the allowed values and the fix. */
  readonly description: string;
}

/** The details of an error. */
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

/** The reason if no sidecar responds. */
export const UNREACHABLE = "SIDECAR_UNREACHABLE";

/** The reason if the server is not trusted. */
export const NOT_TRUSTED = "SIDECAR_NOT_TRUSTED";

/**
 * A failed call. Treat its report as not evaluated.
 *
 * `message` states the problem and the fix, on several lines if necessary.
 */
export class GsarError extends Error implements Details {
  override readonly name = "GsarError";
  /** The gRPC code, such as `INVALID_ARGUMENT`. */
  readonly code: CodeName;
  /** The name of the method, such as `Evaluate`. Empty if no method was called. */
  readonly method: string;
  /** A summary of the problem, usually on one line. */
  readonly summary: string;
  /**
   * A stable identifier of the cause: an `ErrorReason` from `gsar/v1`, `SIDECAR_UNREACHABLE` or `SIDECAR_NOT_TRUSTED`.
   * Empty if the peer is not a GSAR server.
   */
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

  /** The exceeded limits and failed preconditions, each with its fix. */
  get limits(): readonly string[] {
    return this.#details.limits;
  }

  /** The unknown resource. */
  get resource(): { readonly type: string; readonly name: string } | undefined {
    return this.#details.resource;
  }

  /** The delay before a retry in milliseconds, or `undefined` if retrying does not help. */
  get retryAfterMs(): number | undefined {
    return this.#details.retryAfterMs;
  }

  /** The id of the request in the server's log. */
  get requestId(): string {
    return this.#details.requestId;
  }

  /** Links to documentation. */
  get links(): readonly string[] {
    return this.#details.links;
  }

  /** Additional metadata. */
  get metadata(): Readonly<Record<string, string>> {
    return this.#details.metadata;
  }

  /** `true` if no sidecar is responding at the endpoint. */
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

/** Returns an error for an invalid argument. It has the same form as the server's errors. */
export function invalidArgument(field: string, description: string, cause?: unknown): GsarError {
  const details = { ...NO_DETAILS, reason: "INVALID_FIELDS", violations: [{ field, description }] };
  return new GsarError("INVALID_ARGUMENT", `${field}: ${description}`, { details, cause });
}

export function unreachable(summary: string, method = "", cause?: unknown): GsarError {
  return new GsarError("UNAVAILABLE", summary, { method, details: { ...NO_DETAILS, reason: UNREACHABLE }, cause });
}

export function notTrusted(summary: string, method: string, cause: unknown): GsarError {
  return new GsarError("UNAVAILABLE", summary, { method, details: { ...NO_DETAILS, reason: NOT_TRUSTED }, cause });
}

/** Describes the type of a value for error messages. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a Promise (await it)";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return "bytes";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
