/** Reads `evidence.toml`, which describes the files in its folder. */
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { isAbsolute } from "node:path";
import { parse } from "smol-toml";
import { refused } from "./error.js";
import { EvidenceKind, EvidenceLane, VerificationResult } from "./gen/gsar/v1/common_pb.js";
import { textOf } from "./texts.js";

export const MANIFEST = "evidence.toml";

/** The description of a file. */
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

type Read<T> = (path: string, key: string, value: unknown) => T;

const parseString: Read<string> = (path, key, value) => {
  if (typeof value === "string") return value;
  throw refused(path, `${key} = ${JSON.stringify(value)} is not a string`);
};

function oneOf<T>(names: Record<string, string | T>): Read<T> {
  const known = Object.entries(names).filter(([name, value]) => Number.isNaN(Number(name)) && value !== 0);
  return (path, key, value) => {
    const found = known.find(([name]) => name.toLowerCase() === value);
    if (found) return found[1] as T;
    const allowed = known.map(([name]) => name.toLowerCase()).join(", ");
    throw refused(path, `${key} = ${JSON.stringify(value)} is not one of ${allowed}`);
  };
}

/** The parsers of an entry's fields. */
const FIELDS: Record<string, (path: string, key: string, value: unknown) => Entry> = {
  file: (path, key, value) => {
    const file = typeof value === "string" ? value : "";
    if (!file || isAbsolute(file) || file.split("/").includes("..")) {
      throw refused(path, `${key} = ${JSON.stringify(value)} is not below this directory`);
    }
    return { file };
  },
  id: (...given) => ({ id: parseString(...given) }),
  kind: (...given) => ({ kind: oneOf<EvidenceKind>(EvidenceKind)(...given) }),
  lane: (...given) => ({ lane: oneOf<EvidenceLane>(EvidenceLane)(...given) }),
  verification_result: (...given) => ({ verificationResult: oneOf<VerificationResult>(VerificationResult)(...given) }),
  tool: (...given) => ({ tool: parseString(...given) }),
  query: (...given) => ({ query: parseString(...given) }),
  step_id: (...given) => ({ stepId: parseString(...given) }),
  specialist_id: (...given) => ({ specialistId: parseString(...given) }),
  collected_at: (path, key, value) => {
    const at = value instanceof Date ? value : new Date(String(value));
    if (Number.isNaN(at.getTime()))
      throw refused(path, `${key} = ${JSON.stringify(value)} is not a time; expected the form 2026-03-12T14:01:40Z`);
    return { collectedAt: timestampFromDate(new Date(at.getTime())) };
  },
  exhaustive: (path, key, value) => {
    if (typeof value === "boolean") return { exhaustive: value };
    throw refused(path, `${key} = ${JSON.stringify(value)} is neither true nor false`);
  },
};

/** Returns the entries of a manifest. */
export async function readManifest(path: string): Promise<Entry[]> {
  const content = await textOf(path);
  let read: Record<string, unknown>;
  try {
    read = parse(content);
  } catch (error) {
    throw refused(path, `invalid TOML: ${(error as Error).message.split("\n")[0]}`, error);
  }
  const { item = [], ...others } = read;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw refused(path, `unknown key \`${unknown}\`; list files as [[item]]`);
  if (!Array.isArray(item)) throw refused(path, "`item` is not a list; list files as [[item]]");
  return item.map((each: unknown) => {
    const entry: Entry = {};
    for (const [key, value] of Object.entries(each as object)) {
      const field = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
      if (!field) throw refused(path, `unknown field \`${key}\`; expected one of ${Object.keys(FIELDS).join(", ")}`);
      Object.assign(entry, field(path, key, value));
    }
    if (entry.file === undefined) throw refused(path, "an item has no `file`");
    return entry;
  });
}
