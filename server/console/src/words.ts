// Words and symbols for the contract's enums. Classes and tiers differ in symbol and word, not only in colour.
import type { EntityBelief, EvaluationSummary, JudgedClaim, Score } from "./contract";

export interface Display {
  sign: string;
  word: string;
  /** The CSS class. */
  style: string;
}

const CLASSES: Record<string, Display> = {
  CLAIM_CLASS_GROUNDED: { sign: "✓", word: "grounded", style: "good" },
  CLAIM_CLASS_CONTRADICTED: { sign: "✗", word: "contradicted", style: "bad" },
  CLAIM_CLASS_UNGROUNDED: { sign: "?", word: "ungrounded", style: "doubtful" },
  CLAIM_CLASS_COMPLEMENTARY: { sign: "~", word: "complementary", style: "plain" },
};

const TIERS: Record<string, Display> = {
  TIER_PROCEED: { sign: "▶", word: "proceed", style: "good" },
  TIER_REGENERATE: { sign: "↻", word: "regenerate", style: "doubtful" },
  TIER_REPLAN: { sign: "⟲", word: "replan", style: "bad" },
  TIER_ABSTAIN: { sign: "∅", word: "abstain", style: "plain" },
};

const BELIEFS: Record<string, Display> = {
  BELIEF_LABEL_ORIGIN: { sign: "●", word: "origin", style: "bad" },
  BELIEF_LABEL_SYMPTOM: { sign: "◐", word: "symptom", style: "doubtful" },
  BELIEF_LABEL_HEALTHY: { sign: "✓", word: "healthy", style: "good" },
  BELIEF_LABEL_DEFER: { sign: "?", word: "deferred", style: "plain" },
};

const UNSEEN_ENTITY: Display = { sign: "○", word: "unseen", style: "plain" };

const UNDECIDED: Display = { sign: "–", word: "undecided", style: "plain" };

const UNKNOWN: Display = { sign: "", word: "unknown", style: "plain" };

export function classOf(name: JudgedClaim["class"]): Display {
  return CLASSES[name ?? ""] ?? UNKNOWN;
}

/** Returns the class of a claim, or undecided. */
export function verdictOf(claim: JudgedClaim): Display {
  return claim.undecided ? UNDECIDED : classOf(claim.class);
}

/** Returns true if the claim is ungrounded, contradicted or undecided. */
export function isHeld(claim: JudgedClaim): boolean {
  const isAgainst = claim.class === "CLAIM_CLASS_UNGROUNDED" || claim.class === "CLAIM_CLASS_CONTRADICTED";
  return isAgainst || Boolean(claim.undecided);
}

export function tierOf(name: EvaluationSummary["tier"]): Display {
  return TIERS[name ?? ""] ?? UNKNOWN;
}

export function beliefOf(name: EntityBelief["label"]): Display {
  return BELIEFS[name ?? ""] ?? UNSEEN_ENTITY;
}

export const TIER_NAMES = Object.entries(TIERS).map(([value, { word }]) => ({ value, word }));

/**
 * Formats a score with three decimal places, truncated as in reasons, so that a score below a threshold never appears
 * to reach it.
 */
export function scoreOf(score: Score): string {
  const [numerator, denominator] = [BigInt(score.numerator ?? 0), BigInt(score.denominator ?? 1)];
  const thousandths = denominator === 0n ? 0n : (numerator * 1000n) / denominator;
  return `${thousandths / 1000n}.${String(thousandths % 1000n).padStart(3, "0")}`;
}

/** Formats an enum value: `EVIDENCE_LANE_LLM_INFERRED` as `llm inferred`. */
export function plain(name: string | undefined, prefix: string): string {
  return (name ?? "").replace(prefix, "").replaceAll("_", " ").toLowerCase();
}

/** Formats a time as `2026-11-27 08:12:47`, in UTC. */
export function instant(text: string | undefined): string {
  return (text ?? "").replace("T", " ").replace(/(\.\d+)?Z$/, "");
}

// Invisible characters: control characters except tab and line feed, bidi marks and overrides, and zero-width
// characters.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** Replaces the invisible characters in untrusted text with their code points, such as `⟨U+202E⟩`. */
export function visible(text: string | undefined): string {
  const escaped = (sign: string) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  return (text ?? "").replace(INVISIBLE, escaped);
}
