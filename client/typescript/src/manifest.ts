/** Reads `evidence.toml`, which describes the files in its folder. */
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { isAbsolute } from "node:path";
import { parse } from "smol-toml";
import { invalidArgument } from "./error.js";
import { EvidenceKind, EvidenceLane, VerificationResult } from "./gen/gsar/v1/common_pb.js";
import { textOf } from "./texts.js";

export const MANIFEST = "evidence.toml";

/** The entry for a file. */
export interface Entry {
  file?: string;
  id?: string;
  kind?: EvidenceKind;
  lane?: EvidenceLane;
  verificationResult?: VerificationResult;
  tool?: string;
  query?: string;
  stepId?: string;
  specialistId?: string;
  collectedAt?: Timestamp;
  exhaustive?: boolean;
}

type Parser<T> = (path: string, key: string, value: unknown) => T;

const parseString: Parser<string> = (path, key, value) => {
  if (typeof value === "string") return value;
  throw invalidArgument(path, `${key} = ${JSON.stringify(value)} is not a string`);
};

function oneOf<T>(names: Record<string, string | T>): Parser<T> {
  const known = Object.entries(names).filter(([name, value]) => Number.isNaN(Number(name)) && value !== 0);
  return (path, key, value) => {
    const found = known.find(([name]) => name.toLowerCase() === value);
    if (found) return found[1] as T;
    const allowed = known.map(([name]) => name.toLowerCase()).join(", ");
    throw invalidArgument(path, `${key} = ${JSON.stringify(value)} is not one of ${allowed}`);
  };
}

/** The parsers of an entry's fields. */
const FIELDS: Record<string, (path: string, key: string, value: unknown) => Entry> = {
  file: (path, key, value) => {
    const file = typeof value === "string" ? value : "";
    if (!file || isAbsolute(file) || file.split("/").includes("..")) {
      throw invalidArgument(path, `${key} = ${JSON.stringify(value)} is not below this directory`);
    }
    return { file };
  },
  id: (...args) => ({ id: parseString(...args) }),
  kind: (...args) => ({ kind: oneOf<EvidenceKind>(EvidenceKind)(...args) }),
  lane: (...args) => ({ lane: oneOf<EvidenceLane>(EvidenceLane)(...args) }),
  verification_result: (...args) => ({ verificationResult: oneOf<VerificationResult>(VerificationResult)(...args) }),
  tool: (...args) => ({ tool: parseString(...args) }),
  query: (...args) => ({ query: parseString(...args) }),
  step_id: (...args) => ({ stepId: parseString(...args) }),
  specialist_id: (...args) => ({ specialistId: parseString(...args) }),
  collected_at: (path, key, value) => {
    const at = value instanceof Date ? value : new Date(String(value));
    if (Number.isNaN(at.getTime()))
      throw invalidArgument(path, `${key} = ${JSON.stringify(value)} is not a time; expected the form 2026-03-12T14:01:40Z`);
    return { collectedAt: timestampFromDate(new Date(at.getTime())) };
  },
  exhaustive: (path, key, value) => {
    if (typeof value === "boolean") return { exhaustive: value };
    throw invalidArgument(path, `${key} = ${JSON.stringify(value)} is neither true nor false`);
  },
};

/** Returns the entries of a manifest. */
export async function readManifest(path: string): Promise<Entry[]> {
  const content = await textOf(path);
  let document: Record<string, unknown>;
  try {
    document = parse(content);
  } catch (error) {
    throw invalidArgument(path, `invalid TOML: ${(error as Error).message.split("\n")[0]}`, error);
  }
  const { item = [], ...others } = document;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw invalidArgument(path, `unknown key \`${unknown}\`; list files as [[item]]`);
  if (!Array.isArray(item)) throw invalidArgument(path, "`item` is not a list; list files as [[item]]");
  return item.map((each: unknown) => {
    const entry: Entry = {};
    for (const [key, value] of Object.entries(each as object)) {
      const field = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
      if (!field) throw invalidArgument(path, `unknown field \`${key}\`; expected one of ${Object.keys(FIELDS).join(", ")}`);
      Object.assign(entry, field(path, key, value));
    }
    if (entry.file === undefined) throw invalidArgument(path, "an item has no `file`");
    return entry;
  });
}
