// Compares two evaluations claim by claim. Claims are matched by their text.
import type { Evaluation, JudgedClaim } from "./contract";

export interface ComparedClaim {
  text: string;
  one: JudgedClaim | undefined;
  other: JudgedClaim | undefined;
  differs: boolean;
}

/**
 * Returns the claims of both evaluations. Claims that differ come first; otherwise they are in report order. Claims
 * with equal text are paired in order.
 */
export function compareClaims(one: Evaluation, other: Evaluation): ComparedClaim[] {
  const unmatched = [...(other.claims ?? [])];
  const both = (one.claims ?? []).map((claim): ComparedClaim => {
    const at = unmatched.findIndex((each) => each.text === claim.text);
    const match = at < 0 ? undefined : unmatched.splice(at, 1)[0];
    return { text: claim.text ?? "", one: claim, other: match, differs: match?.class !== claim.class };
  });
  const onlyInOther = unmatched.map((claim): ComparedClaim => ({ text: claim.text ?? "", one: undefined, other: claim, differs: true }));
  const all = [...both, ...onlyInOther];
  return [...all.filter((each) => each.differs), ...all.filter((each) => !each.differs)];
}
