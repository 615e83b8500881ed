// What grading needs, asked before it begins: a server that takes grades, the right to grade, and something to grade.
import { CallError, grade, listEvaluations } from "./api";

export interface Need {
  /** What it is, as a sentence that is true where it is met. */
  word: string;
  isMet: boolean;
  /** What to do where it is not. */
  cure: string;
  /** Whether another token may meet it. */
  ofToken?: boolean;
}

/** Whether grades are taken here, and from this token. What follows from a need that is not met is not asked. */
export async function rightToGrade(): Promise<Need[]> {
  const refusal = await refusalOfGrades();
  if (refusal?.isUnidentified) throw refusal;
  const served: Need = {
    word: "This server takes grades over the web",
    isMet: !refusal?.isNotServed,
    cure: "It takes them only where callers say who they are: set security.principals and start it again. Without that, gsar ledger grade ID works on the machine of the server.",
  };
  if (!served.isMet) return [served];
  const allowed: Need = {
    word: "Your token may grade",
    isMet: refusal === undefined,
    cure: `${refusal?.message ?? ""}, and send the server SIGHUP; or give another token.`,
    ofToken: true,
  };
  return [served, allowed];
}

/** Why grades are refused. A grade of nothing is refused for what it lacks, and only where a real one would be taken. */
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
    word: isSecond ? "There are reports that somebody graded" : "There are recorded reports that nobody graded",
    isMet: Boolean(evaluations?.length),
    cure: isSecond
      ? "Grade reports that nobody graded first, or have somebody do it."
      : "You see the reports of your own token, and all with the right audit. Each gsar evaluate REPORT --evidence FOLDER records one (ledger.enabled); or grade those that somebody graded.",
    ofToken: !isSecond,
  };
}
