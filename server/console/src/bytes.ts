// Texts indexed by bytes: the contract counts UTF-8 bytes, but JavaScript counts UTF-16 code units.
import type { ByteRange } from "./contract";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A text that can be sliced by bytes. */
export class ByteText {
  private readonly bytes: Uint8Array;

  constructor(readonly text: string) {
    this.bytes = encoder.encode(text);
  }

  get length(): number {
    return this.bytes.length;
  }

  slice(start: number, end: number): string {
    return decoder.decode(this.bytes.subarray(start, end));
  }
}

/** Returns the start and the end of a range. In JSON, they are strings, because they are 64-bit numbers. */
export function ends(range: ByteRange): [number, number] {
  return [Number(range.start ?? 0), Number(range.end ?? 0)];
}

/** A part of a text, with its mark if it has one. */
export interface Stretch<Mark> {
  text: string;
  mark: Mark | undefined;
}

/** Splits a text at its marks. If marks overlap, only the first of them is used. */
export function stretches<Mark>(
  text: ByteText,
  marks: { start: number; end: number; mark: Mark }[],
): Stretch<Mark>[] {
  const parts: Stretch<Mark>[] = [];
  let at = 0;
  for (const { start, end, mark } of [...marks].sort((one, other) => one.start - other.start)) {
    if (start < at || end <= start) continue;
    if (start > at) parts.push({ text: text.slice(at, start), mark: undefined });
    parts.push({ text: text.slice(start, end), mark });
    at = end;
  }
  if (at < text.length) parts.push({ text: text.slice(at, text.length), mark: undefined });
  return parts;
}
