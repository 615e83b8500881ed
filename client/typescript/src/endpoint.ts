/** Parses endpoints and finds the default one. */
import { connect } from "node:net";
import { isAbsolute, join } from "node:path";
import { invalidArgument, unreachable } from "./error.js";

const FORMS = "unix:///path/to/socket, grpc://host:port or grpcs://host:port";

/** The path of a socket, or a host and port. */
export class Endpoint {
  constructor(
    readonly scheme: "unix" | "grpc" | "grpcs",
    readonly address: string,
  ) {}

  /** The base URL for HTTP/2 requests. For a Unix socket, the authority is a placeholder. */
  get baseUrl(): string {
    if (this.scheme === "unix") return "http://localhost";
    return `${this.scheme === "grpcs" ? "https" : "http"}://${this.address}`;
  }

  toString(): string {
    return `${this.scheme}://${this.address}`;
  }
}

/** Parses an endpoint. Errors start with `name`, the setting's name. `http` and `https` mean `grpc` and `grpcs`. */
export function parseEndpoint(given: string, name = "endpoint"): Endpoint {
  const invalid = (reason: string) => invalidArgument(name, `invalid endpoint \`${given}\`: ${reason}; expected ${FORMS}`);
  const [, scheme, rest] = /^([^:/]*):\/\/(.*)$/s.exec(given) ?? [];
  if (scheme === undefined || rest === undefined) throw invalid("missing scheme");
  if (scheme === "unix") {
    if (!isAbsolute(rest)) throw invalid("the socket path is not absolute");
    return new Endpoint("unix", rest);
  }
  if (!["grpc", "grpcs", "http", "https"].includes(scheme)) throw invalid("unknown scheme");
  const address = rest.replace(/\/$/, "");
  const colon = address.lastIndexOf(":");
  const host = colon < 0 ? address : address.slice(0, colon);
  const port = colon < 0 ? "" : address.slice(colon + 1);
  const bareIpv6 = host.includes(":") && !/^\[.*\]$/.test(host);
  if (!host || bareIpv6 || /[/?#@ ]/.test(host)) throw invalid("missing or invalid host");
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535) throw invalid("missing or invalid port");
  return new Endpoint(scheme === "grpc" || scheme === "http" ? "grpc" : "grpcs", address);
}

/** Returns the sockets to try, in order. */
function defaultSockets(): string[] {
  const runtime = process.env["XDG_RUNTIME_DIR"] ?? "";
  return [...(isAbsolute(runtime) ? [runtime] : []), "/run"].map((folder) => join(folder, "gsar", "gsar.sock"));
}

/** Resolves to `true` if a server listens on the socket, even if this user may not connect to it. */
function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", (error: NodeJS.ErrnoException) => {
      resolve(!["ENOENT", "ECONNREFUSED", "ENOTDIR"].includes(error.code ?? ""));
    });
  });
}

/** Returns the given endpoint, or else `GSAR_ENDPOINT`, or else the first default socket that has a listener. */
export async function findEndpoint(given: string, mustRun: boolean): Promise<Endpoint> {
  if (given) return parseEndpoint(given);
  const variable = process.env["GSAR_ENDPOINT"];
  if (variable) return parseEndpoint(variable, "GSAR_ENDPOINT");
  const sockets = defaultSockets();
  for (const path of sockets) if (await hasListener(path)) return new Endpoint("unix", path);
  const last = sockets.at(-1);
  if (!mustRun && last) return new Endpoint("unix", last);
  throw unreachable(
    `no sidecar found; tried ${sockets.join(" and ")}\n` +
      `  start gsar-server, or set \`endpoint\` or GSAR_ENDPOINT: ${FORMS}`,
  );
}
