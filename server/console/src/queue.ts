// A grader's tasks, newest evaluation first. The tasks of an evaluation are its claims, and then the report as a whole.
import { CallError, getEvaluation, listEvaluations } from "./api";
import type { GetEvaluationResponse, Grade, JudgedClaim } from "./contract";

export interface Task {
  record: GetEvaluationResponse;
  /** The claim to grade. Undefined for the report as a whole. */
  claim: JudgedClaim | undefined;
  /** The grade given in this session. */
  given?: Grade;
}

/** Returns the remaining tasks of an evaluation for a grader. */
export function tasksOf(record: GetEvaluationResponse, grader: string): Task[] {
  const mine = (record.grades ?? []).filter((each) => each.grader === grader).map((each) => each.grade);
  const claims = (record.evaluation?.claims ?? []).filter((claim) => !mine.some((each) => each?.claim?.claimId === claim.id));
  const isGraded = mine.some((each) => each?.report);
  return [...claims.map((claim) => ({ record, claim })), ...(isGraded ? [] : [{ record, claim: undefined }])];
}

/** Reads evaluations one by one: either ungraded evaluations, or evaluations that others have graded. */
export class Queue {
  private ids: string[] = [];
  private pageToken = "";
  private wasLastPage = false;

  constructor(
    readonly grader: string,
    private readonly isSecond: boolean,
  ) {}

  /**
   * Returns the tasks of the next evaluation that has any, or an empty list if there is none. Can be called again after
   * a failure.
   */
  async next(): Promise<Task[]> {
    for (;;) {
      const id = this.ids[0];
      if (id === undefined) {
        if (this.wasLastPage) return [];
        await this.readPage();
        continue;
      }
      const record = await getEvaluation(id).catch(ignoreDeleted);
      this.ids.shift();
      const tasks = record ? tasksOf(record, this.grader) : [];
      if (tasks.length > 0) return tasks;
    }
  }

  private async readPage(): Promise<void> {
    const page = await listEvaluations({
      graded: this.isSecond ? "GRADED_FILTER_GRADED" : "GRADED_FILTER_NOT_GRADED",
      pageSize: 50,
      pageToken: this.pageToken,
    });
    this.ids = (page.evaluations ?? []).map((each) => each.evaluationId ?? "");
    this.pageToken = page.nextPageToken ?? "";
    this.wasLastPage = this.pageToken === "";
  }
}

function ignoreDeleted(failure: unknown): undefined {
  if (!(failure instanceof CallError) || failure.code !== "NOT_FOUND") throw failure;
}
