/** Reads text files. */
import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { invalidArgument } from "./error.js";

const MAX_BYTES = 128 * 2 ** 20;
const tooLarge = (path: string) => invalidArgument(path, `larger than ${MAX_BYTES / 2 ** 20} MiB; use only part of it`);

async function bytesOf(path: string): Promise<Buffer> {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw tooLarge(path);
    return await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    throw /^E[A-Z]+$/.test(code) ? invalidArgument(path, `cannot be read (${code})`, error) : error;
  }
}

async function unzip(path: string, zipped: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(zipped, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? tooLarge(path) : invalidArgument(path, `is not gzip: ${(error as Error).message}`, error);
  }
}

function lineWhere(bytes: Buffer, matches: (line: Buffer) => boolean): number {
  let line = 1;
  for (let at = 0; ; line++) {
    const end = bytes.indexOf(0x0a, at);
    if (end < 0 || matches(bytes.subarray(at, end))) return line;
    at = end + 1;
  }
}

/** Reads a text file. Decodes UTF-8, UTF-16 with a byte order mark, and gzip. */
export async function textOf(path: string): Promise<string> {
  let bytes = await bytesOf(path);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = await unzip(path, bytes);
  const mark = bytes.subarray(0, 2).toString("hex");
  const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8";
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    const at = encoding === "utf-8" ? `:${lineWhere(bytes, (line) => !isUtf8(line))}` : "";
    throw invalidArgument(`${path}${at}`, `not valid ${encoding.slice(0, 6).toUpperCase()}; convert the file to UTF-8`, error);
  }
  const zero = text.indexOf("\0");
  if (zero >= 0) {
    const line = text.slice(0, zero).split("\n").length;
    throw invalidArgument(`${path}:${line}`, "contains a zero byte; binary files are not supported, export it as text");
  }
  return text;
}

/** Returns `true` if the text is a single JSON document. Throws if a `.json` file is not JSON. */
export function isDocument(path: string, text: string): boolean {
  const suffix = extname(basename(path).replace(/\.gz$/, "")).toLowerCase();
  if (suffix === ".jsonl" || suffix === ".ndjson") return false;
  if (suffix !== ".json" && !/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    // A file with several documents is text.
    if (suffix === ".json" && !message.includes("after JSON")) {
      throw invalidArgument(path, `invalid JSON: ${message}; fix it, or rename the file to .txt`, error);
    }
    return false;
  }
}
