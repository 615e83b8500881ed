/** Converts errors from connect-node to `GsarError`. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Endpoint } from "./endpoint.js";
import { type CodeName, type Details, GsarError, invalidArgument, NO_DETAILS, notTrusted, unreachable } from "./error.js";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  HelpSchema,
  PreconditionFailureSchema,
  QuotaFailureSchema,
  RequestInfoSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "./gen/google/rpc/error_details_pb.js";
import type { CallError } from "./gen/gsar/v1/common_pb.js";

const NAMES: Record<Code, CodeName> = {
  [Code.Canceled]: "CANCELLED",
  [Code.Unknown]: "UNKNOWN",
  [Code.InvalidArgument]: "INVALID_ARGUMENT",
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.NotFound]: "NOT_FOUND",
  [Code.AlreadyExists]: "ALREADY_EXISTS",
  [Code.PermissionDenied]: "PERMISSION_DENIED",
  [Code.ResourceExhausted]: "RESOURCE_EXHAUSTED",
  [Code.FailedPrecondition]: "FAILED_PRECONDITION",
  [Code.Aborted]: "ABORTED",
  [Code.OutOfRange]: "OUT_OF_RANGE",
  [Code.Unimplemented]: "UNIMPLEMENTED",
  [Code.Internal]: "INTERNAL",
  [Code.Unavailable]: "UNAVAILABLE",
  [Code.DataLoss]: "DATA_LOSS",
  [Code.Unauthenticated]: "UNAUTHENTICATED",
};

const START = "start gsar-server there, or set `endpoint` or GSAR_ENDPOINT";
const NO_GRPC = "without gRPC, such as the gateway or the admin port; use one of the addresses in `listen`";
const CHECK_TLS = "check tlsCa, tlsCertificate and tlsKey (GSAR_TLS_CA, GSAR_TLS_CERTIFICATE, GSAR_TLS_KEY)";

/** Node.js error codes for certificates and the TLS handshake. */
const TLS_CODES = /^(ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$)/;

function detailsOf(error: ConnectError): Details {
  const first = <D extends DescMessage>(schema: D): MessageShape<D> | undefined => error.findDetails(schema)[0];
  const info = first(ErrorInfoSchema);
  const resource = first(ResourceInfoSchema);
  const delay = first(RetryInfoSchema)?.retryDelay;
  const exceeded = [...error.findDetails(QuotaFailureSchema), ...error.findDetails(PreconditionFailureSchema)];
  return {
    reason: info?.reason ?? "",
    violations: (first(BadRequestSchema)?.fieldViolations ?? []).map(({ field, description }) => ({
      field,
      description,
    })),
    limits: exceeded.flatMap(({ violations }) => violations.map((each) => `${each.subject}: ${each.description}`)),
    resource: resource && { type: resource.resourceType, name: resource.resourceName },
    retryAfterMs: delay && durationMs(delay),
    requestId: first(RequestInfoSchema)?.requestId ?? "",
    links: (first(HelpSchema)?.links ?? []).map((link) => `${link.description}: ${link.url}`),
    metadata: info?.metadata ?? {},
  };
}

/** Returns the Node.js error code of a failed connection, or an empty string. */
function causeOf(error: ConnectError): string {
  const cause = error.cause;
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
}

/** Converts an error that a call threw. `signal` is the caller's signal. */
export function errorOf(
  thrown: unknown,
  method: string,
  endpoint: Endpoint,
  signal: AbortSignal | undefined,
): GsarError {
  if (thrown instanceof GsarError) return thrown;
  const error = ConnectError.from(thrown);
  if (signal?.aborted) {
    return new GsarError("CANCELLED", "the caller cancelled the call", { method, cause: signal.reason });
  }
  const fromServer = error.metadata.has("grpc-status");
  const unserializable = /^serialize binary: (.*)/s.exec(error.rawMessage)?.[1];
  if (!fromServer && unserializable) return invalidArgument("request", unserializable, error);
  if (!fromServer) {
    const local = errorWithoutStatus(error, method, endpoint);
    if (local) return local;
  }
  const details = fromServer ? detailsOf(error) : NO_DETAILS;
  const code = NAMES[error.code] ?? "UNKNOWN";
  if (code === "UNAVAILABLE" && !details.reason) {
    return unreachable(`no sidecar is responding at ${endpoint}: ${error.rawMessage}\n  ${START}`, method, error);
  }
  const isLate = code === "DEADLINE_EXCEEDED" && !details.reason;
  const summary = isLate ? "deadline exceeded; increase timeoutMs" : error.rawMessage;
  return new GsarError(code, summary || `the server returned ${code}`, { method, details, cause: error });
}

/** Converts an error that does not contain a status from a gRPC server. */
function errorWithoutStatus(error: ConnectError, method: string, endpoint: Endpoint): GsarError | undefined {
  if (/^HTTP \d+$|^unsupported content type /.test(error.rawMessage)) {
    const summary = `the peer at ${endpoint} is an HTTP server ${NO_GRPC} (${error.rawMessage})`;
    return new GsarError(NAMES[error.code], summary, { method, cause: error });
  }
  const cause = causeOf(error);
  if (cause === "ERR_HTTP2_ERROR") {
    const summary = `the peer at ${endpoint} does not speak HTTP/2: it may be a server ${NO_GRPC}, with grpcs:// for TLS (${error.rawMessage})`;
    return new GsarError("UNAVAILABLE", summary, { method, cause: error });
  }
  // connect-node reports a broken connection as cancelled, and a failed connection as internal or aborted.
  const isBroken = cause !== "" || error.code === Code.Canceled || error.code === Code.Unavailable;
  if (!isBroken || error.code === Code.DeadlineExceeded) return undefined;
  const why = error.code === Code.Canceled ? "the connection broke during the call" : error.rawMessage.trim();
  if (TLS_CODES.test(cause)) return notTrusted(`the server at ${endpoint} is not trusted: ${why}\n  ${CHECK_TLS}`, method, error);
  const networkCodes = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"];
  const fix = endpoint.scheme === "grpcs" && !networkCodes.includes(cause) ? CHECK_TLS : START;
  return unreachable(`no sidecar is responding at ${endpoint}: ${why}\n  ${fix}`, method, error);
}

/** Converts the error for a report in `evaluateStream` or for a candidate in `selectBest`. */
export function errorFrom(error: CallError, method = ""): GsarError {
  const known = Object.values(NAMES).find((name) => name === error.codeName);
  const details: Details = {
    ...NO_DETAILS,
    reason: error.reason,
    violations: error.fieldViolations.map(({ field, description }) => ({ field, description })),
    retryAfterMs: error.retryAfter && durationMs(error.retryAfter),
  };
  return new GsarError(known ?? "UNKNOWN", error.message, { method, details });
}
