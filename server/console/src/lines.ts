// Splits a text into lines of limited length, with their positions in bytes.
import type { ByteText } from "./bytes";

/** The maximum length of a displayed line, in bytes. Longer lines are split. */
export const MAX_LINE_BYTES = 400;

export interface Line {
  start: number;
  end: number;
  /** The line number, counted from 1. Undefined for the rest of a split line. */
  number: number | undefined;
}

/** Returns the lines of a text. Long lines are split at character boundaries. */
export function linesOf(text: ByteText): Line[] {
  const lines: Line[] = [];
  let number = 1;
  let start = 0;
  let isRest = false;
  const bytes = new TextEncoder().encode(text.text);
  for (let at = 0; at <= bytes.length; at += 1) {
    const isBreak = at === bytes.length || bytes[at] === 10;
    // UTF-8 continuation bytes are 10xxxxxx.
    const isTooLong = at - start >= MAX_LINE_BYTES && ((bytes[at] ?? 0) & 0xc0) !== 0x80;
    if (!isBreak && !isTooLong) continue;
    if (at === bytes.length && at === start && lines.length > 0 && !isRest) break;
    lines.push({ start, end: at, number: isRest ? undefined : number });
    isRest = !isBreak;
    if (isBreak) number += 1;
    start = isBreak ? at + 1 : at;
  }
  return lines;
}

/** Returns the index of the line that contains a byte. */
export function lineAt(lines: Line[], byte: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.end ?? 0) < byte) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, Math.max(lines.length - 1, 0));
}
