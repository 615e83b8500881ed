/** Tests `investigate` against a real sidecar. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Client, GsarError, investigate, turn, type WriteInstruction } from "gsar";
import { Tier } from "gsar/v1";
import { EVIDENCE, PROCEED_REPORT, REPLAN_REPORT } from "./reports.js";
import { connect, start } from "./server.js";

let client: Client;
before(async () => {
  client = await connect((await start()).endpoint);
});

const plan = async function* () {
  yield turn(EVIDENCE);
};

test("writes reports until one proceeds", async () => {
  const instructions: WriteInstruction["case"][] = [];
  const outcome = await investigate(client, "inc-1", {
    plan,
    write: (due) => {
      instructions.push(due.case);
      return due.case === "synthesize" ? REPLAN_REPORT : Promise.resolve({ synthesis: PROCEED_REPORT });
    },
  });
  assert.ok(outcome.proceeded);
  assert.equal(outcome.cause, "PROCEED");
  assert.equal(outcome.report?.synthesis, PROCEED_REPORT);
  assert.deepEqual(instructions, ["synthesize", "replan"]);
  assert.deepEqual(
    outcome.trajectory.map((judged) => judged.tier),
    [Tier.REPLAN, Tier.PROCEED],
  );
  assert.equal(outcome.last, outcome.best);
  assert.ok(((await client.getInvestigation("inc-1", { withEvents: true })).events.length ?? 0) > 0);
});

test("an investigation without a report that proceeds ends degraded with its best report", async () => {
  const outcome = await investigate(client, "inc-2", {
    plan: () => [turn(EVIDENCE)],
    write: () => REPLAN_REPORT,
    start: { graph: { entities: ["checkout"], alerts: ["checkout"] } },
  });
  assert.equal(outcome.investigation.graph?.due[0]?.entity, "checkout");
  assert.ok(!outcome.proceeded);
  assert.equal(outcome.cause, "REPLANS_SPENT");
  assert.equal(outcome.report?.synthesis, REPLAN_REPORT);
});

test("the planner continues after it has tried to finish without evidence", async () => {
  let turns = 0;
  const outcome = await investigate(client, "inc-5", {
    plan: async function* () {
      yield { ...turn([]), wantsToFinish: true };
      turns += 1;
      yield turn(EVIDENCE);
      turns += 1;
    },
    write: () => PROCEED_REPORT,
  });
  assert.equal(outcome.cause, "PROCEED");
  assert.equal(turns, 2);
});

test("resumes an interrupted investigation", async () => {
  const interrupted = investigate(client, "inc-3", { plan, write: () => Promise.reject(new Error("the model is unreachable")) });
  await assert.rejects(interrupted, /the model is unreachable/);
  const outcome = await investigate(client, "inc-3", { write: () => PROCEED_REPORT });
  assert.equal(outcome.cause, "PROCEED");
});

test("an aborted signal stops the loop, and cancelling ends the investigation", async () => {
  const controller = new AbortController();
  const aborted = investigate(client, "inc-4", {
    write: () => {
      controller.abort();
      return PROCEED_REPORT;
    },
    signal: controller.signal,
  });
  await assert.rejects(aborted, (error) => error instanceof GsarError && error.code === "CANCELLED");
  const { instruction } = await client.cancelInvestigation("inc-4");
  assert.equal(instruction?.due.case, "finished");
});
