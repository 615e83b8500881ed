/** The loop of an investigation: the sidecar says what is due, callbacks do it. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "./client.js";
import type { Report } from "./gen/gsar/v1/common_pb.js";
import type { Finished, Instruction } from "./gen/gsar/v1/instruction_pb.js";
import type {
  Investigation,
  InvestigationBudgetSchema,
  JudgedReport,
  RecordTurnRequest,
} from "./gen/gsar/v1/investigation_service_pb.js";
import type { GetEvaluationResponse } from "./gen/gsar/v1/ledger_service_pb.js";
import { type ReportText, reportOf } from "./requests.js";

type Due = Instruction["due"];
/** An instruction to investigate: `synthesize`, `replan` or `gatherEvidence`. */
export type Plan = Extract<Due, { case: "synthesize" | "replan" | "gatherEvidence" }>;
/** An instruction to write a report; `regenerate` has the claims at fault. */
export type Write = Plan | Extract<Due, { case: "regenerate" }>;

/** What an investigation is driven with. */
export interface InvestigateOptions {
  /** Writes the report that is due. It may be asked again for the same step after a crash. */
  readonly write: (due: Write, standing: Investigation) => ReportText | Promise<ReportText>;
  /**
   * Investigates before a report is written, in turns (`turn`). Each is recorded as it is given; none is asked for once
   * the gate has closed.
   */
  readonly plan?: (
    due: Plan,
    standing: Investigation,
  ) => Iterable<RecordTurnRequest> | AsyncIterable<RecordTurnRequest>;
  readonly policy?: string | undefined;
  readonly budget?: MessageInitShape<typeof InvestigationBudgetSchema> | undefined;
  readonly corpusId?: string | undefined;
  /** Ends the loop and the call that is under way; the investigation stands where it stood. */
  readonly signal?: AbortSignal | undefined;
}

/** How an investigation ended. */
export interface Ending {
  /** Whether the best report may go out. One that is degraded may, under a banner that says so. */
  readonly proceeded: boolean;
  /** `PROCEED`, or why it is degraded: `REPLANS_SPENT`, `JUDGE_FAILED`, `TIME_SPENT` and others of `Finished`. */
  readonly cause: string;
  /** The best report; `undefined` where none was judged. */
  readonly report: Report | undefined;
  /** The report that proceeds, else the best-scoring one, with its evaluation. */
  readonly best: GetEvaluationResponse | undefined;
  /** The last judged report with its evaluation. */
  readonly last: GetEvaluationResponse | undefined;
  /** Every judged report, in order. */
  readonly trajectory: readonly JudgedReport[];
  /** Where it stands: the gate, what was spent. */
  readonly investigation: Investigation;
}

function dueOf(standing: Investigation): Write | Extract<Due, { case: "finished" }> | undefined {
  const due = standing.instruction?.due;
  return due?.case === undefined ? undefined : due;
}

/** Whether turns may go on: not once the gate has closed, nor for a rewrite. */
function takesTurns(due: ReturnType<typeof dueOf>): due is Plan {
  if (due?.case === "synthesize") return due.value.reasons.length === 0;
  return due?.case === "replan" || due?.case === "gatherEvidence";
}

/**
 * Investigates, writes, has the report judged, rewrites or investigates again, until the sidecar says it is over.
 * An investigation that was begun before goes on where it stood.
 */
export async function investigate(
  client: Client,
  investigationId: string,
  options: InvestigateOptions,
): Promise<Ending> {
  const call = { signal: options.signal };
  let standing = await client.startInvestigation(
    {
      investigationId,
      policy: options.policy ?? "",
      corpusId: options.corpusId ?? "",
      ...(options.budget && { budget: options.budget }),
    },
    call,
  );
  for (;;) {
    let due = dueOf(standing);
    if (options.plan && takesTurns(due)) {
      const kind = due.case;
      for await (const each of options.plan(due, standing)) {
        standing = await client.recordTurn({ ...each, investigationId, step: standing.step }, call);
        due = dueOf(standing);
        if (due?.case !== kind || !takesTurns(due)) break;
      }
    }
    if (due === undefined || due.case === "finished") return ending(client, standing, due?.value, call);
    const report = reportOf(await options.write(due, standing));
    const answer = await client.submitReport({ investigationId, step: standing.step, report }, call);
    standing = answer.investigation ?? standing;
  }
}

async function ending(
  client: Client,
  investigation: Investigation,
  finished: Finished | undefined,
  call: { readonly signal: AbortSignal | undefined },
): Promise<Ending> {
  const best = finished?.best ? await client.getEvaluation(finished.best, call) : undefined;
  const isSame = finished?.last === finished?.best;
  const last = isSame ? best : finished?.last ? await client.getEvaluation(finished.last, call) : undefined;
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
