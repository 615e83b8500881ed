// Sums counts of evaluations by interval, or by judge and policy.
import type { EvaluationCount } from "./contract";

export interface Share {
  /** The key of the share: a time, or a judge with its policy. */
  key: string;
  all: number;
  /** Counts by tier name. */
  tiers: Record<string, number>;
  abstained: number;
  fellBack: number;
}

/** Sums counts by key, in the order in which the keys first occur. */
export function shares(counts: EvaluationCount[], keyOf: (count: EvaluationCount) => string): Share[] {
  const sums = new Map<string, Share>();
  for (const count of counts) {
    const key = keyOf(count);
    const share = sums.get(key) ?? { key, all: 0, tiers: {}, abstained: 0, fellBack: 0 };
    const evaluations = Number(count.evaluations ?? 0);
    const tier = count.tier ?? "TIER_UNSPECIFIED";
    share.all += evaluations;
    share.tiers[tier] = (share.tiers[tier] ?? 0) + evaluations;
    if (tier === "TIER_ABSTAIN") share.abstained += evaluations;
    if (count.fellBack) share.fellBack += evaluations;
    sums.set(key, share);
  }
  return [...sums.values()];
}

/** Formats a share as a whole percentage. It is truncated, so that only a share of everything is 100 %. */
export function percent(part: number, all: number): string {
  return all === 0 ? "0 %" : `${Math.floor((100 * part) / all)} %`;
}
