/** The caller's token. A token file is read for each call, since issuers replace it. */
import { readFile } from "node:fs/promises";
import type { Interceptor } from "@connectrpc/connect";
import { refused } from "./error.js";

/** The source of the token. */
export interface TokenSource {
  /** The token itself. */
  readonly token?: string | undefined;
  /** A file with the token. Defaults to `GSAR_TOKEN_FILE`. */
  readonly tokenFile?: string | undefined;
}

const PRINTABLE = /^[\x21-\x7e]+$/;

async function read(path: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(path, "utf8")).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw refused("tokenFile", `${path} cannot be read (${code}); expected a file with a token`, error);
  }
  if (!PRINTABLE.test(token)) throw refused("tokenFile", `${path} contains no token; expected a file with a token`);
  return token;
}

/** Returns an interceptor that adds the token to each call. If the file is unreadable, it uses the last token. */
export async function tokenInterceptor({ token, tokenFile }: TokenSource): Promise<Interceptor | undefined> {
  if (token !== undefined && tokenFile !== undefined)
    throw refused("token", "set together with tokenFile; set only one of them");
  if (token !== undefined && !PRINTABLE.test(token))
    throw refused("token", "invalid token; expected printable ASCII without spaces");
  const path = token === undefined ? tokenFile || process.env["GSAR_TOKEN_FILE"] : undefined;
  if (token === undefined && !path) return undefined;
  let last = token ?? (await read(path as string));
  return (next) => async (request) => {
    if (path) last = await read(path).catch(() => last);
    request.header.set("authorization", `Bearer ${last}`);
    return next(request);
  };
}
