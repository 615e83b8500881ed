// Reads the texts of an evaluation's evidence, up to a limit.
import { getEvidence } from "./api";
import { ByteText } from "./bytes";
import type { EvidenceItem, RecordedEvidence } from "./contract";
import { MAX_BYTES, type ItemText } from "./nearest";

const MAX_ITEMS = 64;
const AT_ONCE = 8;

export interface EvidenceTexts {
  texts: ItemText[];
  /** The number of items of which only a part was read. */
  cut: number;
}

export function contentOf(item: EvidenceItem): ByteText {
  return new ByteText(item.text ?? item.json ?? "");
}

/**
 * Reads whole items as long as they fit into the limit. For the other items, returns the beginning that the evaluation
 * contains.
 */
export async function evidenceTexts(evaluationId: string, items: RecordedEvidence[]): Promise<EvidenceTexts> {
  const heads = items.map((item) => new ByteText(item.head ?? ""));
  const isShort = (at: number) => Number(items[at]?.size ?? 0) <= (heads[at]?.length ?? 0);
  let remaining = heads.reduce((sum, head, at) => sum - (isShort(at) ? head.length : 0), MAX_BYTES);
  const selected: number[] = [];
  items.forEach((item, at) => {
    const size = Number(item.size ?? 0);
    if (isShort(at) || !item.isWhole || size > remaining || selected.length === MAX_ITEMS) return;
    remaining -= size;
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
