// The tasks of a grader: claims of evaluations, newest evaluation first, then the report as a whole.
import { CallError, getEvaluation, listEvaluations } from "./api";
import type { GetEvaluationResponse, Grade, JudgedClaim } from "./contract";

export interface Task {
  record: GetEvaluationResponse;
  /** The claim to grade; undefined for the report as a whole. */
  claim: JudgedClaim | undefined;
  /** The grade given in this session. */
  given?: Grade;
}

/** Returns the remaining tasks of an evaluation for a grader. */
export function tasksOf(record: GetEvaluationResponse, grader: string): Task[] {
  const mine = (record.grades ?? []).filter((of) => of.grader === grader).map((of) => of.grade);
  const claims = (record.evaluation?.claims ?? []).filter((claim) => !mine.some((of) => of?.claim?.claimId === claim.id));
  const isGraded = mine.some((of) => of?.report);
  return [...claims.map((claim) => ({ record, claim })), ...(isGraded ? [] : [{ record, claim: undefined }])];
}

/** Reads evaluations one by one: ungraded ones, or those graded by others. */
export class Queue {
  private ids: string[] = [];
  private pageToken = "";
  private isRead = false;

  constructor(
    readonly grader: string,
    private readonly isSecond: boolean,
  ) {}

  /** Returns the tasks of the next evaluation with tasks; empty if there is none. Can be called again after a failure. */
  async next(): Promise<Task[]> {
    for (;;) {
      const id = this.ids[0];
      if (id === undefined) {
        if (this.isRead) return [];
        await this.readPage();
        continue;
      }
      const record = await getEvaluation(id).catch(unlessDeleted);
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
    this.ids = (page.evaluations ?? []).map((of) => of.evaluationId ?? "");
    this.pageToken = page.nextPageToken ?? "";
    this.isRead = this.pageToken === "";
  }
}

function unlessDeleted(failed: unknown): undefined {
  if (!(failed instanceof CallError) || failed.code !== "NOT_FOUND") throw failed;
}
