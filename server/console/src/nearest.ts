// Finds lines of evidence that share rare words with a claim. It only counts words: a line may state the opposite.
import { ByteText } from "./bytes";
import { type Line, linesOf } from "./lines";

/** The maximum bytes to search. */
export const MAX_BYTES = 2 << 20;
/** The maximum number of lines to search, and of words of a claim to search for. */
const MAX_LINES = 100_000;
const MAX_WORDS = 200;
const MAX_PASSAGES = 3;

export interface ItemText {
  id: string;
  text: ByteText;
}

export interface Passage {
  id: string;
  line: Line;
  /** The line, split at shared words. */
  parts: { text: string; isShared: boolean }[];
}

const WORD = /[\p{L}\p{N}]+/gu;
const COMMON = new Set(
  "a an the of in on at to by for from with as is was are were be been had has have it its this that these those and or but not no than then there which who when while after before during into over under".split(" "),
);

/** Normalizes a word: lower case, without a plural ending. */
function form(word: string): string {
  const small = word.toLowerCase();
  return small.length > 3 && /[^s]s$/.test(small) ? small.slice(0, -1) : small;
}

function wordsOf(text: string): Set<string> {
  return new Set([...text.matchAll(WORD)].map(([word]) => form(word)).filter((word) => !COMMON.has(word)));
}

/** Returns the lines that share the most words with a claim, weighted by rarity, without duplicate lines. */
export function nearest(claim: string, items: ItemText[]): Passage[] {
  const wanted = new Set([...wordsOf(claim)].slice(0, MAX_WORDS));
  const found: { id: string; line: Line; text: string; words: string[] }[] = [];
  const having = new Map<string, number>();
  let [lines, bytes] = [0, 0];
  for (const { id, text } of items) {
    if (bytes + text.length > MAX_BYTES) continue;
    bytes += text.length;
    for (const line of linesOf(text)) {
      if (lines >= MAX_LINES) break;
      lines += 1;
      const said = text.slice(line.start, line.end);
      const words = [...wordsOf(said)].filter((word) => wanted.has(word));
      for (const word of words) having.set(word, (having.get(word) ?? 0) + 1);
      if (words.length > 0) found.push({ id, line, text: said, words });
    }
  }
  const weightOf = (word: string) => Math.log(1 + lines / (having.get(word) ?? 1));
  const ranked = found
    .map((of) => ({ ...of, weight: of.words.reduce((sum, word) => sum + weightOf(word), 0) }))
    .sort((one, other) => other.weight - one.weight);
  const distinct = new Map(ranked.toReversed().map((of) => [of.text.trim(), of]));
  return ranked
    .filter((of) => distinct.get(of.text.trim()) === of)
    .slice(0, MAX_PASSAGES)
    .map(({ id, line, text, words }) => ({ id, line, parts: partsOf(text, new Set(words)) }));
}

function partsOf(text: string, shared: Set<string>): Passage["parts"] {
  const parts: Passage["parts"] = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!shared.has(form(word))) continue;
    if (index > at) parts.push({ text: text.slice(at, index), isShared: false });
    parts.push({ text: word, isShared: true });
    at = index + word.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isShared: false });
  return parts;
}
