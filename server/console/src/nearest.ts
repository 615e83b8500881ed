// Finds lines of evidence that share rare words with a claim. Only words are counted, so a line may state the opposite
// of the claim.
import { ByteText } from "./bytes";
import { type Line, linesOf } from "./lines";

/** The maximum number of bytes to search. */
export const MAX_BYTES = 2 << 20;
/** The maximum number of lines to search, and the maximum number of a claim's words to search for. */
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

/** Normalizes a word: converts it to lower case and removes a plural ending. */
function normalize(word: string): string {
  const lower = word.toLowerCase();
  return lower.length > 3 && /[^s]s$/.test(lower) ? lower.slice(0, -1) : lower;
}

function wordsOf(text: string): Set<string> {
  return new Set([...text.matchAll(WORD)].map(([word]) => normalize(word)).filter((word) => !COMMON.has(word)));
}

/** Returns the lines that share the most words with a claim, weighted by rarity, without duplicate lines. */
export function nearest(claim: string, items: ItemText[]): Passage[] {
  const wanted = new Set([...wordsOf(claim)].slice(0, MAX_WORDS));
  const matches: { id: string; line: Line; text: string; words: string[] }[] = [];
  const lineCounts = new Map<string, number>();
  let [lines, bytes] = [0, 0];
  for (const { id, text } of items) {
    if (bytes + text.length > MAX_BYTES) continue;
    bytes += text.length;
    for (const line of linesOf(text)) {
      if (lines >= MAX_LINES) break;
      lines += 1;
      const content = text.slice(line.start, line.end);
      const words = [...wordsOf(content)].filter((word) => wanted.has(word));
      for (const word of words) lineCounts.set(word, (lineCounts.get(word) ?? 0) + 1);
      if (words.length > 0) matches.push({ id, line, text: content, words });
    }
  }
  const weightOf = (word: string) => Math.log(1 + lines / (lineCounts.get(word) ?? 1));
  const ranked = matches
    .map((each) => ({ ...each, weight: each.words.reduce((sum, word) => sum + weightOf(word), 0) }))
    .sort((one, other) => other.weight - one.weight);
  const distinct = new Map(ranked.toReversed().map((each) => [each.text.trim(), each]));
  return ranked
    .filter((each) => distinct.get(each.text.trim()) === each)
    .slice(0, MAX_PASSAGES)
    .map(({ id, line, text, words }) => ({ id, line, parts: partsOf(text, new Set(words)) }));
}

function partsOf(text: string, shared: Set<string>): Passage["parts"] {
  const parts: Passage["parts"] = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!shared.has(normalize(word))) continue;
    if (index > at) parts.push({ text: text.slice(at, index), isShared: false });
    parts.push({ text: word, isShared: true });
    at = index + word.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isShared: false });
  return parts;
}
