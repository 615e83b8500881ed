/** Runs investigations: executes the sidecar's instructions with callbacks. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "./client.js";
import type { Report } from "./gen/gsar/v1/common_pb.js";
import type { Finished, Instruction } from "./gen/gsar/v1/instruction_pb.js";
import type {
  Investigation,
  InvestigationBudgetSchema,
  JudgedReport,
  RecordTurnRequest,
  StartInvestigationRequestSchema,
} from "./gen/gsar/v1/investigation_service_pb.js";
import type { GetEvaluationResponse } from "./gen/gsar/v1/ledger_service_pb.js";
import { type ReportText, reportOf } from "./requests.js";

type Due = Instruction["due"];
/** An instruction to investigate: `synthesize`, `replan` or `gatherEvidence`. */
export type PlanInstruction = Extract<Due, { case: "synthesize" | "replan" | "gatherEvidence" }>;
/** An instruction to write a report. `regenerate` contains the faulty claims. */
export type WriteInstruction = PlanInstruction | Extract<Due, { case: "regenerate" }>;

/** The callbacks and settings of an investigation. */
export interface InvestigateOptions {
  /** Writes the report. It can be called again for the same step after a crash. */
  readonly write: (due: WriteInstruction, state: Investigation) => ReportText | Promise<ReportText>;
  /**
   * Investigates before a report is written, and yields turns (`turn`), each of which is recorded immediately. No turn is
   * requested after the gate has closed.
   */
  readonly plan?: (
    due: PlanInstruction,
    state: Investigation,
  ) => Iterable<RecordTurnRequest> | AsyncIterable<RecordTurnRequest>;
  readonly policy?: string | undefined;
  readonly budget?: MessageInitShape<typeof InvestigationBudgetSchema> | undefined;
  readonly corpusId?: string | undefined;
  /**
   * The onset and its window, the graph, the checks and the options of the evaluations. Unless both `onset` and
   * `onsetWindow` are set, no change is ever cited, so a root cause is at best partially grounded.
   */
  readonly start?: Pick<
    MessageInitShape<typeof StartInvestigationRequestSchema>,
    "onset" | "onsetWindow" | "graph" | "checks" | "options"
  >;
  /** Stops the loop and cancels the current call. The investigation can be resumed. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of an investigation. */
export interface InvestigationOutcome {
  /** `true` if the best report may be sent without a banner. */
  readonly proceeded: boolean;
  /** `PROCEED`, or the cause of a degraded outcome, such as `REPLANS_SPENT` or `JUDGE_FAILED`. */
  readonly cause: string;
  /** The best report, or `undefined` if no report was judged. */
  readonly report: Report | undefined;
  /** The evaluation of the report that proceeds, or else of the report with the highest score. */
  readonly best: GetEvaluationResponse | undefined;
  /** The evaluation of the last report. */
  readonly last: GetEvaluationResponse | undefined;
  /** All judged reports, in order. */
  readonly trajectory: readonly JudgedReport[];
  /** The final state, with the gate and the cost. */
  readonly investigation: Investigation;
}

function dueOf(state: Investigation): WriteInstruction | Extract<Due, { case: "finished" }> | undefined {
  const due = state.instruction?.due;
  return due?.case === undefined ? undefined : due;
}

/** Returns `true` if the agent may take turns. It may not for a rewrite, or after the gate has closed. */
function takesTurns(due: ReturnType<typeof dueOf>): due is PlanInstruction {
  if (due?.case === "synthesize") {
    // If the agent tried to finish without evidence, it may continue to investigate.
    return due.value.reasons.every((reason) => reason.code === "FINISHED_WITHOUT_EVIDENCE");
  }
  return due?.case === "replan" || due?.case === "gatherEvidence";
}

/**
 * Runs an investigation from start to finish, as the sidecar instructs. If it has been started before, resumes it.
 */
export async function investigate(
  client: Client,
  investigationId: string,
  options: InvestigateOptions,
): Promise<InvestigationOutcome> {
  const call = { signal: options.signal };
  let state = await client.startInvestigation(
    {
      ...options.start,
      investigationId,
      policy: options.policy ?? "",
      corpusId: options.corpusId ?? "",
      ...(options.budget && { budget: options.budget }),
    },
    call,
  );
  for (;;) {
    let due = dueOf(state);
    if (options.plan && takesTurns(due)) {
      const kind = due.case;
      for await (const each of options.plan(due, state)) {
        state = await client.recordTurn({ ...each, investigationId, step: state.step }, call);
        due = dueOf(state);
        if (due?.case !== kind || !takesTurns(due)) break;
      }
    }
    if (due === undefined || due.case === "finished") return outcomeOf(client, state, due?.value, call);
    const report = reportOf(await options.write(due, state));
    const answer = await client.submitReport({ investigationId, step: state.step, report }, call);
    state = answer.investigation ?? state;
  }
}

async function outcomeOf(
  client: Client,
  investigation: Investigation,
  finished: Finished | undefined,
  call: { readonly signal: AbortSignal | undefined },
): Promise<InvestigationOutcome> {
  const best = finished?.best ? await client.getEvaluation(finished.best, call) : undefined;
  const lastIsBest = finished?.last === finished?.best;
  const last = lastIsBest ? best : finished?.last ? await client.getEvaluation(finished.last, call) : undefined;
  return {
    proceeded: finished?.cause === "PROCEED" && !finished.degraded,
    cause: finished?.cause ?? "",
    report: best?.report,
    best,
    last,
    trajectory: investigation.trajectory,
    investigation,
  };
}
