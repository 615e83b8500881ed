// Sums counts of evaluations by interval, or by judge and policy.
import type { EvaluationCount } from "./contract";

export interface Share {
  /** The key: a time, or a judge with its policy. */
  of: string;
  all: number;
  /** Counts by tier name. */
  tiers: Record<string, number>;
  abstained: number;
  fellBack: number;
}

/** Sums counts by a key, in the order of first occurrence. */
export function shares(counts: EvaluationCount[], key: (count: EvaluationCount) => string): Share[] {
  const found = new Map<string, Share>();
  for (const count of counts) {
    const of = key(count);
    const share = found.get(of) ?? { of, all: 0, tiers: {}, abstained: 0, fellBack: 0 };
    const evaluations = Number(count.evaluations ?? 0);
    const tier = count.tier ?? "TIER_UNSPECIFIED";
    share.all += evaluations;
    share.tiers[tier] = (share.tiers[tier] ?? 0) + evaluations;
    if (tier === "TIER_ABSTAIN") share.abstained += evaluations;
    if (count.fellBack) share.fellBack += evaluations;
    found.set(of, share);
  }
  return [...found.values()];
}

/** Formats a share in whole percent, truncated, so that only all is 100 %. */
export function percent(part: number, all: number): string {
  return all === 0 ? "0 %" : `${Math.floor((100 * part) / all)} %`;
}
