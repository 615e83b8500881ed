/** Reads TLS files. */
import { readFile } from "node:fs/promises";
import type { SecureContextOptions } from "node:tls";
import type { Endpoint } from "./endpoint.js";
import { invalidArgument } from "./error.js";

/** The paths of PEM files. */
export interface TlsFiles {
  /** The trusted authorities. Defaults to `GSAR_TLS_CA`, or else to Node.js's own authorities. */
  readonly tlsCa?: string | undefined;
  /** The client's certificate. Defaults to `GSAR_TLS_CERTIFICATE`. */
  readonly tlsCertificate?: string | undefined;
  /** The key of the certificate. Defaults to `GSAR_TLS_KEY`. */
  readonly tlsKey?: string | undefined;
}

async function read(name: string, path: string | undefined): Promise<Buffer | undefined> {
  if (!path) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw invalidArgument(name, `${path} cannot be read (${(error as NodeJS.ErrnoException).code}); expected a PEM file`, error);
  }
}

/** Returns the TLS options for Node.js. Throws if files are given for an endpoint without TLS. */
export async function tlsOptions(endpoint: Endpoint, files: TlsFiles): Promise<SecureContextOptions> {
  if (endpoint.scheme !== "grpcs") {
    const given = (["tlsCa", "tlsCertificate", "tlsKey"] as const).find((name) => files[name]);
    if (given) {
      throw invalidArgument(
        given,
        `requires TLS, but ${endpoint} does not use it; write grpcs://host:port, or omit it`,
      );
    }
    return {};
  }
  const ca = files.tlsCa || process.env["GSAR_TLS_CA"];
  const certificate = files.tlsCertificate || process.env["GSAR_TLS_CERTIFICATE"];
  const key = files.tlsKey || process.env["GSAR_TLS_KEY"];
  if (!certificate !== !key) {
    throw invalidArgument(
      certificate ? "tlsKey" : "tlsCertificate",
      "missing; a client certificate and its key must be set together",
    );
  }
  return {
    ca: await read("tlsCa", ca),
    cert: await read("tlsCertificate", certificate),
    key: await read("tlsKey", key),
  };
}
