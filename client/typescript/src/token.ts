/** The token with which a caller says who it is. One in a file is read at each call: its issuer replaces it. */
import { readFile } from "node:fs/promises";
import type { Interceptor } from "@connectrpc/connect";
import { refused } from "./error.js";

/** A token, or a file that holds one. */
export interface TokenSource {
  /** The token itself. */
  readonly token?: string | undefined;
  /** A file that holds the token, else `GSAR_TOKEN_FILE`. */
  readonly tokenFile?: string | undefined;
}

const PRINTABLE = /^[\x21-\x7e]+$/;

async function read(path: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(path, "utf8")).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw refused("tokenFile", `${path} cannot be read (${code}); name a file with a token`, error);
  }
  if (!PRINTABLE.test(token)) throw refused("tokenFile", `${path} holds no token; name a file with a token`);
  return token;
}

/** Adds the token to each call; `undefined` where there is none. Where the file has none at the moment, the last one counts. */
export async function tokenInterceptor({ token, tokenFile }: TokenSource): Promise<Interceptor | undefined> {
  if (token !== undefined && tokenFile !== undefined)
    throw refused("token", "is given beside tokenFile; give one of them");
  if (token !== undefined && !PRINTABLE.test(token))
    throw refused("token", "is no token: printable ASCII without spaces");
  const path = token === undefined ? tokenFile || process.env["GSAR_TOKEN_FILE"] : undefined;
  if (token === undefined && !path) return undefined;
  let last = token ?? (await read(path as string));
  return (next) => async (request) => {
    if (path) last = await read(path).catch(() => last);
    request.header.set("authorization", `Bearer ${last}`);
    return next(request);
  };
}
