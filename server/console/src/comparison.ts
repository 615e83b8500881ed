// Compares two evaluations claim by claim. Claims match by text.
import type { Evaluation, JudgedClaim } from "./contract";

export interface ComparedClaim {
  text: string;
  one: JudgedClaim | undefined;
  other: JudgedClaim | undefined;
  differs: boolean;
}

/** Returns the claims of both, differing ones first, otherwise in report order. Claims with equal text are paired in order. */
export function compared(one: Evaluation, other: Evaluation): ComparedClaim[] {
  const left = [...(other.claims ?? [])];
  const both = (one.claims ?? []).map((claim): ComparedClaim => {
    const at = left.findIndex((of) => of.text === claim.text);
    const match = at < 0 ? undefined : left.splice(at, 1)[0];
    return { text: claim.text ?? "", one: claim, other: match, differs: match?.class !== claim.class };
  });
  const alone = left.map((claim): ComparedClaim => ({ text: claim.text ?? "", one: undefined, other: claim, differs: true }));
  const all = [...both, ...alone];
  return [...all.filter((of) => of.differs), ...all.filter((of) => !of.differs)];
}
