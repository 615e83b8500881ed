// Reads the texts of the evidence of an evaluation, up to a limit.
import { getEvidence } from "./api";
import { ByteText } from "./bytes";
import type { EvidenceItem, RecordedEvidence } from "./contract";
import { MAX_BYTES, type ItemText } from "./nearest";

const MAX_ITEMS = 64;
const AT_ONCE = 8;

export interface EvidenceTexts {
  texts: ItemText[];
  /** The number of items that were read only in part. */
  cut: number;
}

export function contentOf(item: EvidenceItem): ByteText {
  return new ByteText(item.text ?? item.json ?? "");
}

/** Reads whole items while they fit. For the others, returns the beginning from the evaluation. */
export async function evidenceTexts(evaluationId: string, items: RecordedEvidence[]): Promise<EvidenceTexts> {
  const heads = items.map((item) => new ByteText(item.head ?? ""));
  const isShort = (at: number) => Number(items[at]?.size ?? 0) <= (heads[at]?.length ?? 0);
  let left = heads.reduce((sum, head, at) => sum - (isShort(at) ? head.length : 0), MAX_BYTES);
  const selected: number[] = [];
  items.forEach((item, at) => {
    const size = Number(item.size ?? 0);
    if (isShort(at) || !item.isWhole || size > left || selected.length === MAX_ITEMS) return;
    left -= size;
    selected.push(at);
  });
  const texts = items.map((item, at) => ({ id: item.id ?? "", text: heads[at] ?? new ByteText("") }));
  for (let from = 0; from < selected.length; from += AT_ONCE) {
    await Promise.all(
      selected.slice(from, from + AT_ONCE).map(async (at) => {
        const id = items[at]?.id ?? "";
        texts[at] = { id, text: contentOf(await getEvidence(evaluationId, id)) };
      }),
    );
  }
  return { texts, cut: items.filter((_, at) => !isShort(at) && !selected.includes(at)).length };
}
