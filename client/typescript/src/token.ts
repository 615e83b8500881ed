/** The caller's token. A token file is read for each call, because issuers replace it. */
import { readFile } from "node:fs/promises";
import type { Interceptor } from "@connectrpc/connect";
import { invalidArgument } from "./error.js";

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
    throw invalidArgument("tokenFile", `${path} cannot be read (${code}); expected a file with a token`, error);
  }
  if (!PRINTABLE.test(token)) throw invalidArgument("tokenFile", `${path} contains no token; expected a file with a token`);
  return token;
}

/** Returns an interceptor that adds the token to each call. If the file is unreadable, uses the last token. */
export async function tokenInterceptor({ token, tokenFile }: TokenSource): Promise<Interceptor | undefined> {
  if (token !== undefined && tokenFile !== undefined)
    throw invalidArgument("token", "set together with tokenFile; set only one of them");
  if (token !== undefined && !PRINTABLE.test(token))
    throw invalidArgument("token", "invalid token; expected printable ASCII without spaces");
  const path = token === undefined ? tokenFile || process.env["GSAR_TOKEN_FILE"] : undefined;
  if (token === undefined && !path) return undefined;
  let last = token ?? (await read(path as string));
  return (next) => async (request) => {
    if (path) last = await read(path).catch(() => last);
    request.header.set("authorization", `Bearer ${last}`);
    return next(request);
  };
}
