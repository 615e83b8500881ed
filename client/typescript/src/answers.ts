/** Reads the decision and the claims in a response. */
import { create, isMessage } from "@bufbuild/protobuf";
import { type GsarError, UNREACHABLE } from "./error.js";
import {
  ClaimClass,
  type Decision,
  DecisionSchema,
  type JudgedClaim,
  SecondLookVerdict,
  Tier as TierNumber,
} from "./gen/gsar/v1/common_pb.js";
import {
  type EvaluateResponse,
  EvaluateResponseSchema,
  JudgeStatus,
  Outcome,
} from "./gen/gsar/v1/grounding_service_pb.js";

/** The decision on a report. */
export type Tier = "proceed" | "regenerate" | "replan" | "abstain";
/** The class of a claim, or `undecided` if no judge decided it. */
export type Verdict = "grounded" | "ungrounded" | "contradicted" | "complementary" | "undecided";

const TIERS: Partial<Record<TierNumber, Tier>> = {
  [TierNumber.PROCEED]: "proceed",
  [TierNumber.REGENERATE]: "regenerate",
  [TierNumber.REPLAN]: "replan",
};
const CLASSES: Partial<Record<ClaimClass, Verdict>> = {
  [ClaimClass.GROUNDED]: "grounded",
  [ClaimClass.CONTRADICTED]: "contradicted",
  [ClaimClass.COMPLEMENTARY]: "complementary",
};

/** A decision, or a response from `evaluate`, `score` or `rescore`. */
export type Decided = Decision | { readonly decision?: Decision | undefined };

/** Returns the tier in a response, or `abstain` if the tier is unknown. */
export function tier(answer: Decided): Tier {
  const decision = isMessage(answer, DecisionSchema) ? answer : (answer as { decision?: Decision }).decision;
  return TIERS[decision?.tier ?? TierNumber.UNSPECIFIED] ?? "abstain";
}

/** Returns `true` if the tier is proceed. */
export function mayProceed(answer: Decided): boolean {
  return tier(answer) === "proceed";
}

/** Returns the class of a claim, or `undecided` if no judge decided it. */
export function classOf(claim: JudgedClaim): Verdict {
  return claim.undecided ? "undecided" : (CLASSES[claim.class] ?? "ungrounded");
}

/** Returns the ungrounded and contradicted claims. */
export function claimsAtFault(answer: EvaluateResponse): JudgedClaim[] {
  return answer.claims.filter((claim) => ["ungrounded", "contradicted"].includes(classOf(claim)));
}

/** Returns the reason for a claim's class: the words of a second look that disagrees, or else the judge's note. */
function why({ note, secondLook }: JudgedClaim): string {
  const { NOT_SHOWN, REFUTED } = SecondLookVerdict;
  const disagrees = secondLook && [NOT_SHOWN, REFUTED].includes(secondLook.verdict);
  return (disagrees && secondLook.words) || note;
}

function shorten(text: string, width: number): string {
  const whole = text.trim().replace(/\s+/g, " ");
  if (whole.length <= width) return whole;
  const cut = whole.slice(0, width - 5);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), 0))} [...]`;
}

/** Formats the decision, its reasons, and the faulty and undecided claims as text. */
export function describe(answer: EvaluateResponse): string {
  const score = answer.guardedScore;
  const head = [tier(answer).toUpperCase()];
  if (score) head.push(`score ${score.value.toFixed(3)} (${score.numerator}/${score.denominator})`);
  if (answer.evaluationId) head.push(`evaluation ${answer.evaluationId}`);
  const lines = [head.join("   ")];
  for (const reason of answer.decision?.reasons ?? []) lines.push(`  ${reason.code}: ${reason.sentence}`);
  const claimLine = (state: string, claim: JudgedClaim) =>
    `  ${state.padEnd(13)} ${claim.id.padEnd(4)} ${shorten(claim.text, 160)}`;
  const indented = (line: string) => `  ${" ".repeat(18)} ${line}`;
  for (const claim of claimsAtFault(answer)) {
    lines.push(claimLine(classOf(claim), claim));
    if (why(claim)) lines.push(indented(shorten(why(claim), 200)));
    for (const { evidenceId, quote } of claim.citations) {
      if (quote) lines.push(indented(`${evidenceId}: ${shorten(quote, 160)}`));
    }
  }
  for (const claim of answer.claims) {
    if (classOf(claim) !== "undecided") continue;
    lines.push(claimLine("undecided", claim));
    if (why(claim)) lines.push(indented(shorten(why(claim), 200)));
  }
  if (answer.abstainReason) lines.push(`  no verdict: ${answer.abstainReason}`);
  return lines.join("\n");
}

/** Returns the response for `openIfUnreachable`. */
export function proceedWithoutVerdict(error: GsarError): EvaluateResponse {
  process.emitWarning(
    `the report was not evaluated; it proceeds because openIfUnreachable is set: ${error.message}`,
    "GsarWarning",
  );
  const reason = { code: UNREACHABLE, sentence: "no sidecar responded; the report was not evaluated" };
  return create(EvaluateResponseSchema, {
    outcome: Outcome.FAILED,
    decision: { tier: TierNumber.PROCEED, reasons: [reason] },
    warnings: [reason],
    judgeStatus: JudgeStatus.FAILED,
  });
}
