// Checks the requirements for grading: a server that accepts grades, the right to grade, and something to grade.
import { CallError, grade, listEvaluations } from "./api";

export interface Need {
  /** A sentence that states the requirement. */
  statement: string;
  isMet: boolean;
  /** How to meet the requirement. */
  fix: string;
  /** True if another token may meet the requirement. */
  dependsOnToken?: boolean;
}

/** Checks whether the server accepts grades from this token. Stops at the first unmet requirement. */
export async function rightToGrade(): Promise<Need[]> {
  const rejection = await gradeRejection();
  if (rejection?.isUnidentified) throw rejection;
  const served: Need = {
    statement: "This server accepts grades over the web",
    isMet: !rejection?.isNotServed,
    fix: "The server accepts grades only from authenticated callers. Set security.principals and restart the server, or run gsar ledger grade ID on the server's machine.",
  };
  if (!served.isMet) return [served];
  const allowed: Need = {
    statement: "Your token may grade",
    isMet: rejection === undefined,
    fix: `${rejection?.message ?? ""}, and send SIGHUP to the server. Or use another token.`,
    dependsOnToken: true,
  };
  return [served, allowed];
}

/**
 * Returns the error with which the server rejects grades, if it does. A request without grades fails with
 * INVALID_ARGUMENT only if the server would accept a request with grades.
 */
async function gradeRejection(): Promise<CallError | undefined> {
  try {
    await grade({ evaluationId: "", grader: "", grades: [] });
  } catch (failure) {
    if (!(failure instanceof CallError)) throw failure;
    return failure.code === "INVALID_ARGUMENT" ? undefined : failure;
  }
  return undefined;
}

export async function somethingToGrade(isSecond: boolean): Promise<Need> {
  const { evaluations } = await listEvaluations({
    graded: isSecond ? "GRADED_FILTER_GRADED" : "GRADED_FILTER_NOT_GRADED",
    pageSize: 1,
  });
  return {
    statement: isSecond ? "There are graded reports" : "There are ungraded recorded reports",
    isMet: Boolean(evaluations?.length),
    fix: isSecond
      ? "Grade ungraded reports first, or let another person do it."
      : "You see only the reports that were evaluated with your own token, or all reports if you have the right audit. Each run of gsar evaluate REPORT --evidence FOLDER records a report (if ledger.enabled is set). You can also grade reports that others have graded.",
    dependsOnToken: !isSecond,
  };
}
