/** The files of TLS, as options of Node.js. */
import { readFile } from "node:fs/promises";
import type { SecureContextOptions } from "node:tls";
import type { Endpoint } from "./endpoint.js";
import { refused } from "./error.js";

/** PEM files: authorities that are trusted, and the client's own certificate with its key. */
export interface TlsFiles {
  /** Authorities that are trusted, else `GSAR_TLS_CA`, else those of Node.js. */
  readonly tlsCa?: string | undefined;
  /** The client's certificate, else `GSAR_TLS_CERTIFICATE`. */
  readonly tlsCertificate?: string | undefined;
  /** The key of the certificate, else `GSAR_TLS_KEY`. */
  readonly tlsKey?: string | undefined;
}

async function read(name: string, path: string | undefined): Promise<Buffer | undefined> {
  if (!path) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw refused(name, `${path} cannot be read (${(error as NodeJS.ErrnoException).code}); name a PEM file`, error);
  }
}

/** Options for a `grpcs` endpoint; none for others, where files are refused. */
export async function tlsOptions(endpoint: Endpoint, files: TlsFiles): Promise<SecureContextOptions> {
  if (endpoint.scheme !== "grpcs") {
    const given = (["tlsCa", "tlsCertificate", "tlsKey"] as const).find((name) => files[name]);
    if (given) {
      throw refused(
        given,
        `is for a server with TLS, and ${endpoint} is none; write grpcs://host:port, or leave it out`,
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
      "is missing; a client's certificate and its key go together",
    );
  }
  return {
    ca: await read("tlsCa", ca),
    cert: await read("tlsCertificate", certificate),
    key: await read("tlsKey", key),
  };
}
