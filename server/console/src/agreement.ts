// Measures how far graders agree with each other and with the evaluation.
import type { EvaluationSummary, GetEvaluationResponse, JudgedClaim, RecordedGrade } from "./contract";

type ClaimClass = NonNullable<JudgedClaim["class"]>;

/** An evaluation and its summary. */
export interface GradedEvaluation {
  summary: EvaluationSummary;
  record: GetEvaluationResponse;
}

export const CLASSES = [
  "CLAIM_CLASS_GROUNDED",
  "CLAIM_CLASS_COMPLEMENTARY",
  "CLAIM_CLASS_UNGROUNDED",
  "CLAIM_CLASS_CONTRADICTED",
] as const satisfies ClaimClass[];

/** The name that stands for the evaluation among the graders. A real grader's name is never empty. */
export const EVALUATION = "";

export interface Agreement {
  one: string;
  other: string;
  /** The number of claims that both of them classified. */
  both: number;
  equal: number;
  /**
   * Cohen's kappa (Educational and Psychological Measurement 20, 1960), -1 to 1. Undefined if they would agree on every
   * claim by chance alone.
   */
  kappa: number | undefined;
  /** The number of claims by the class from `one` (rows) and from `other` (columns), in the order of CLASSES. */
  table: number[][];
}

/**
 * Returns the agreement between graders, and between each grader and the evaluation. Omits pairs that have no claim in
 * common.
 */
export function agreements(evaluations: GradedEvaluation[]): Agreement[] {
  const classes = new Map<string, Map<string, string>>();
  const add = (who: string, subject: string, claimClass: string | undefined) => {
    if (!claimClass) return;
    classes.set(who, (classes.get(who) ?? new Map()).set(subject, claimClass));
  };
  for (const { summary, record } of evaluations) {
    const { evaluation, grades } = record;
    const subject = (claimId: string | undefined) => `${summary.evaluationId}\u0000${claimId}`;
    const graded = new Set((grades ?? []).map((each) => each.grade?.claim?.claimId));
    for (const claim of evaluation?.claims ?? []) {
      if (graded.has(claim.id)) add(EVALUATION, subject(claim.id), claim.class);
    }
    for (const { grader, grade } of grades ?? []) add(grader ?? "", subject(grade?.claim?.claimId), grade?.claim?.class);
  }
  const who = [...classes.keys()].sort((one, other) => Number(one === EVALUATION) - Number(other === EVALUATION) || one.localeCompare(other));
  return who.flatMap((one, at) => who.slice(at + 1).map((other) => agreement(one, other, classes))).filter((each) => each.both > 0);
}

function agreement(one: string, other: string, classes: Map<string, Map<string, string>>): Agreement {
  const table = CLASSES.map(() => CLASSES.map(() => 0));
  for (const [subject, claimClass] of classes.get(one) ?? []) {
    const row = table[CLASSES.indexOf(claimClass as (typeof CLASSES)[number])];
    const column = CLASSES.indexOf(classes.get(other)?.get(subject) as (typeof CLASSES)[number]);
    if (row && row[column] !== undefined) row[column] += 1;
  }
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  const both = sum(table.map(sum));
  const equal = sum(table.map((row, at) => row[at] ?? 0));
  // The observed and the expected agreement are multiplied by both², so that only the division is inexact.
  const byChance = sum(table.map((row, at) => sum(row) * sum(table.map((each) => each[at] ?? 0))));
  const kappa = both * both === byChance ? undefined : (equal * both - byChance) / (both * both - byChance);
  return { one, other, both, equal, kappa, table };
}

/**
 * Returns the grades as JSON lines, in the form of `gsar ledger export --kind grades`. Expects the newest evaluation
 * first.
 */
export function gradeRecords(evaluations: GradedEvaluation[]): string {
  const lines = [...evaluations].reverse().flatMap(({ summary, record }) =>
    (record.grades ?? []).map((grade) => JSON.stringify(gradeRecord(summary, record, grade))),
  );
  return lines.map((line) => `${line}\n`).join("");
}

function gradeRecord(summary: EvaluationSummary, { evaluation }: GetEvaluationResponse, grade: RecordedGrade) {
  const claim = evaluation?.claims?.find((each) => each.id === grade.grade?.claim?.claimId);
  return {
    evaluation: {
      evaluationId: summary.evaluationId ?? "",
      evaluatedAt: summary.evaluatedAt,
      reportId: summary.reportId ?? "",
      investigationId: summary.investigationId ?? "",
      policy: evaluation?.provenance?.policy ?? { name: summary.policy ?? "", digest: "", overridden: false },
      judge: summary.judge ?? "",
      tier: summary.tier ?? "TIER_UNSPECIFIED",
    },
    grade,
    claimText: claim?.text ?? "",
    evaluatedClass: claim?.class ?? "CLAIM_CLASS_UNSPECIFIED",
    evaluatedType: claim?.type ?? "EVIDENCE_TYPE_UNSPECIFIED",
  };
}
