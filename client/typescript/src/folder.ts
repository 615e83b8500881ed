/** Loads evidence from files and folders, as `gsar evaluate --evidence` does. */
import { create } from "@bufbuild/protobuf";
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { invalidArgument } from "./error.js";
import { type EvidenceItem, EvidenceItemSchema } from "./gen/gsar/v1/common_pb.js";
import { type Entry, MANIFEST, readManifest } from "./manifest.js";
import { isDocument, textOf } from "./texts.js";

interface FoundFile {
  readonly name: string;
  readonly path: string;
  readonly entry: Entry;
}

/**
 * Loads files and folders as items.
 *
 * Folders are read recursively, except for hidden files. Links out of a folder are skipped with a warning. An item's id
 * is its path within the folder. The server detects the kind and lane of an item, unless an `evidence.toml` in the
 * folder states them.
 */
export async function evidenceFrom(...paths: string[]): Promise<EvidenceItem[]> {
  const found: FoundFile[] = [];
  for (const given of paths) {
    if ((await status(given)).isDirectory()) {
      const root = await realpath(given);
      for await (const { path, entry } of folder(root, given)) {
        found.push({ name: relative(given, path).split(sep).join("/"), path, entry });
      }
    } else {
      found.push({ name: basename(given), path: given, entry: {} });
    }
  }
  const names = found.map(({ name, entry }) => entry.id ?? name);
  const items: EvidenceItem[] = [];
  for (const { name, path, entry } of found) {
    const isAmbiguous = entry.id === undefined && names.filter((each) => each === name).length > 1;
    const id = isAmbiguous ? path : (entry.id ?? name);
    if (items.some((item) => item.id === id)) throw invalidArgument(path, `duplicate id \`${id}\``);
    const content = await textOf(path);
    const { file: _, ...fields } = entry;
    items.push(
      create(EvidenceItemSchema, {
        ...fields,
        id,
        content: { case: isDocument(path, content) ? "json" : "text", value: content },
      }),
    );
  }
  return items;
}

async function status(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    throw invalidArgument(path, `cannot be read (${(error as NodeJS.ErrnoException).code}); expected a file or a folder`, error);
  }
}

async function* folder(root: string, path: string): AsyncGenerator<Omit<FoundFile, "name">> {
  const entries = (await readdir(path, { withFileTypes: true }))
    .filter((each) => !each.name.startsWith("."))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  if (entries.some((each) => each.name === MANIFEST)) {
    yield* manifestFiles(root, path, entries);
    return;
  }
  for (const each of entries) {
    const at = join(path, each.name);
    const why = await reasonToSkip(root, at);
    if (why) warn(`${at} ${why} and was skipped`);
    else if ((await stat(at)).isDirectory()) yield* folder(root, at);
    else yield { path: at, entry: {} };
  }
}

/** Returns the reason to skip a folder entry, or an empty string. Links could expose files outside the folder. */
async function reasonToSkip(root: string, path: string): Promise<string> {
  const isLink = (await lstat(path)).isSymbolicLink();
  const target = isLink ? await realpath(path).catch(() => "") : path;
  if (isLink && !`${target}${sep}`.startsWith(`${root}${sep}`)) return "is a link out of the directory";
  const info = await stat(path);
  if (isLink && info.isDirectory()) return "is a link to a directory";
  return info.isFile() || info.isDirectory() ? "" : "is neither a file nor a directory";
}

async function* manifestFiles(root: string, path: string, entries: Dirent[]): AsyncGenerator<Omit<FoundFile, "name">> {
  const manifest = join(path, MANIFEST);
  const files: string[] = [];
  for (const entry of await readManifest(manifest)) {
    const at = join(path, entry.file ?? "");
    const why = (await lstat(at).catch(() => undefined)) && (await reasonToSkip(root, at));
    if (why) throw invalidArgument(at, `${why}; copy the file`);
    files.push(at);
    yield { path: at, entry };
  }
  for (const each of entries) {
    const at = join(path, each.name);
    const isListed = files.some((file) => file === at || file.startsWith(at + sep));
    if (each.name !== MANIFEST && !isListed) {
      warn(`${at} is not listed in ${manifest} and was skipped`);
    }
  }
}

function warn(message: string): void {
  process.emitWarning(message, "GsarWarning");
}
