/** TLS files as options of Node.js. */
import { readFile } from "node:fs/promises";
import type { SecureContextOptions } from "node:tls";
import type { Endpoint } from "./endpoint.js";
import { refused } from "./error.js";

/** PEM files: trusted authorities, and the client's certificate with its key. */
export interface TlsFiles {
  /** Trusted authorities; by default `GSAR_TLS_CA` or those of Node.js. */
  readonly tlsCa?: string | undefined;
  /** The client's certificate; by default `GSAR_TLS_CERTIFICATE`. */
  readonly tlsCertificate?: string | undefined;
  /** The key of the certificate; by default `GSAR_TLS_KEY`. */
  readonly tlsKey?: string | undefined;
}

async function read(name: string, path: string | undefined): Promise<Buffer | undefined> {
  if (!path) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw refused(name, `${path} cannot be read (${(error as NodeJS.ErrnoException).code}); expected a PEM file`, error);
  }
}

/** Returns options for a `grpcs` endpoint. Throws if files are given for another endpoint. */
export async function tlsOptions(endpoint: Endpoint, files: TlsFiles): Promise<SecureContextOptions> {
  if (endpoint.scheme !== "grpcs") {
    const given = (["tlsCa", "tlsCertificate", "tlsKey"] as const).find((name) => files[name]);
    if (given) {
      throw refused(
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
    throw refused(
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
