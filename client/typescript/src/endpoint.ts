/** Where the sidecar listens: endpoints as people write them, and the one that is taken when none is named. */
import { connect } from "node:net";
import { isAbsolute, join } from "node:path";
import { refused, unreachable } from "./error.js";

const FORMS = "unix:///path/to/socket, grpc://host:port or grpcs://host:port";

/** A socket's path, or a host and port. */
export class Endpoint {
  constructor(
    readonly scheme: "unix" | "grpc" | "grpcs",
    readonly address: string,
  ) {}

  /** The URL that HTTP/2 requests name; that of a Unix socket has an authority which servers take. */
  get baseUrl(): string {
    if (this.scheme === "unix") return "http://localhost";
    return `${this.scheme === "grpcs" ? "https" : "http"}://${this.address}`;
  }

  toString(): string {
    return `${this.scheme}://${this.address}`;
  }
}

/** Reads an endpoint; `name` is where it was given. `http` and `https` stand for `grpc` and `grpcs`. */
export function parseEndpoint(given: string, name = "endpoint"): Endpoint {
  const no = (reason: string) => refused(name, `invalid endpoint \`${given}\`: ${reason}; expected ${FORMS}`);
  const [, scheme, rest] = /^([^:/]*):\/\/(.*)$/s.exec(given) ?? [];
  if (scheme === undefined || rest === undefined) throw no("missing scheme");
  if (scheme === "unix") {
    if (!isAbsolute(rest)) throw no("the socket path is not absolute");
    return new Endpoint("unix", rest);
  }
  if (!["grpc", "grpcs", "http", "https"].includes(scheme)) throw no("unknown scheme");
  const address = rest.replace(/\/$/, "");
  const colon = address.lastIndexOf(":");
  const host = colon < 0 ? address : address.slice(0, colon);
  const port = colon < 0 ? "" : address.slice(colon + 1);
  const bareIpv6 = host.includes(":") && !/^\[.*\]$/.test(host);
  if (!host || bareIpv6 || /[/?#@ ]/.test(host)) throw no("missing or invalid host");
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535) throw no("missing or invalid port");
  return new Endpoint(scheme === "grpc" || scheme === "http" ? "grpc" : "grpcs", address);
}

/** The sockets that are tried where no endpoint is named, in this order. */
function defaultSockets(): string[] {
  const runtime = process.env["XDG_RUNTIME_DIR"] ?? "";
  return [...(isAbsolute(runtime) ? [runtime] : []), "/run"].map((folder) => join(folder, "gsar", "gsar.sock"));
}

/** A socket that a dead server left behind is nobody's; one that may not be opened is somebody's. */
function isListenedOn(path: string): Promise<boolean> {
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

/** The endpoint that is named, else `GSAR_ENDPOINT`, else the first default socket on which somebody listens. */
export async function findEndpoint(given: string, mustRun: boolean): Promise<Endpoint> {
  if (given) return parseEndpoint(given);
  const variable = process.env["GSAR_ENDPOINT"];
  if (variable) return parseEndpoint(variable, "GSAR_ENDPOINT");
  const sockets = defaultSockets();
  for (const path of sockets) if (await isListenedOn(path)) return new Endpoint("unix", path);
  const last = sockets.at(-1);
  if (!mustRun && last) return new Endpoint("unix", last);
  throw unreachable(
    `no sidecar runs here: looked for a socket at ${sockets.join(" and ")}\n` +
      `  start gsar-server, or name a running one with \`endpoint\` or GSAR_ENDPOINT: ${FORMS}`,
  );
}
