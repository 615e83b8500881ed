// The texts of the evidence of an evaluation, within a bound.
import { getEvidence } from "./api";
import { ByteText } from "./bytes";
import type { EvidenceItem, RecordedEvidence } from "./contract";
import { MAX_BYTES, type ItemText } from "./nearest";

const MAX_ITEMS = 64;
const AT_ONCE = 8;

export interface EvidenceTexts {
  texts: ItemText[];
  /** How many items were read only as far as the list of evidence shows them. */
  cut: number;
}

export function contentOf(item: EvidenceItem): ByteText {
  return new ByteText(item.text ?? item.json ?? "");
}

/** Reads whole items as long as they fit; of the others the beginning, which the evaluation has with it. */
export async function evidenceTexts(evaluationId: string, items: RecordedEvidence[]): Promise<EvidenceTexts> {
  const heads = items.map((item) => new ByteText(item.head ?? ""));
  const isShort = (at: number) => Number(items[at]?.size ?? 0) <= (heads[at]?.length ?? 0);
  let left = heads.reduce((sum, head, at) => sum - (isShort(at) ? head.length : 0), MAX_BYTES);
  const wanted: number[] = [];
  items.forEach((item, at) => {
    const size = Number(item.size ?? 0);
    if (isShort(at) || !item.isWhole || size > left || wanted.length === MAX_ITEMS) return;
    left -= size;
    wanted.push(at);
  });
  const texts = items.map((item, at) => ({ id: item.id ?? "", text: heads[at] ?? new ByteText("") }));
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    await Promise.all(
      wanted.slice(from, from + AT_ONCE).map(async (at) => {
        const id = items[at]?.id ?? "";
        texts[at] = { id, text: contentOf(await getEvidence(evaluationId, id)) };
      }),
    );
  }
  return { texts, cut: items.filter((_, at) => !isShort(at) && !wanted.includes(at)).length };
}
