// Checks the requirements of grading: a server that accepts grades, the right to grade, and something to grade.
import { CallError, grade, listEvaluations } from "./api";

export interface Need {
  /** A sentence that states the requirement. */
  word: string;
  isMet: boolean;
  /** The fix if it is not met. */
  cure: string;
  /** True if another token may meet it. */
  ofToken?: boolean;
}

/** Checks whether the server accepts grades from this token. Stops at the first unmet requirement. */
export async function rightToGrade(): Promise<Need[]> {
  const refusal = await refusalOfGrades();
  if (refusal?.isUnidentified) throw refusal;
  const served: Need = {
    word: "This server accepts grades over the web",
    isMet: !refusal?.isNotServed,
    cure: "It accepts them only from authenticated callers: set security.principals and restart it. Without that, use gsar ledger grade ID on the machine of the server.",
  };
  if (!served.isMet) return [served];
  const allowed: Need = {
    word: "Your token may grade",
    isMet: refusal === undefined,
    cure: `${refusal?.message ?? ""}, and send the server SIGHUP; or use another token.`,
    ofToken: true,
  };
  return [served, allowed];
}

/** Returns why grades are rejected. An empty grade is INVALID_ARGUMENT only if a real one would be accepted. */
async function refusalOfGrades(): Promise<CallError | undefined> {
  try {
    await grade({ evaluationId: "", grader: "", grades: [] });
  } catch (failed) {
    if (!(failed instanceof CallError)) throw failed;
    return failed.code === "INVALID_ARGUMENT" ? undefined : failed;
  }
  return undefined;
}

export async function somethingToGrade(isSecond: boolean): Promise<Need> {
  const { evaluations } = await listEvaluations({
    graded: isSecond ? "GRADED_FILTER_GRADED" : "GRADED_FILTER_NOT_GRADED",
    pageSize: 1,
  });
  return {
    word: isSecond ? "There are graded reports" : "There are ungraded recorded reports",
    isMet: Boolean(evaluations?.length),
    cure: isSecond
      ? "Grade ungraded reports first, or let another person do it."
      : "You see the reports of your own token, or all with the right audit. Each gsar evaluate REPORT --evidence FOLDER records one (ledger.enabled); or grade reports that others graded.",
    ofToken: !isSecond,
  };
}
