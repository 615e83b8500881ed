/** The loop of an investigation against a real sidecar. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Client, GsarError, investigate, turn, type WriteInstruction } from "gsar";
import { Tier } from "gsar/v1";
import { EVIDENCE, PROCEEDS, REPLANNED } from "./reports.js";
import { connected, start } from "./server.js";

let client: Client;
before(async () => {
  client = await connected((await start()).endpoint);
});

const plan = async function* () {
  yield turn(EVIDENCE);
};

test("reports are written until one proceeds", async () => {
  const dues: WriteInstruction["case"][] = [];
  const ending = await investigate(client, "inc-1", {
    plan,
    write: (due) => {
      dues.push(due.case);
      return due.case === "synthesize" ? REPLANNED : Promise.resolve({ synthesis: PROCEEDS });
    },
  });
  assert.ok(ending.proceeded);
  assert.equal(ending.cause, "PROCEED");
  assert.equal(ending.report?.synthesis, PROCEEDS);
  assert.deepEqual(dues, ["synthesize", "replan"]);
  assert.deepEqual(
    ending.trajectory.map((judged) => judged.tier),
    [Tier.REPLAN, Tier.PROCEED],
  );
  assert.equal(ending.last, ending.best);
  assert.ok(((await client.getInvestigation("inc-1", { withEvents: true })).events.length ?? 0) > 0);
});

test("an investigation that never proceeds ends degraded with its best report", async () => {
  const ending = await investigate(client, "inc-2", {
    plan: () => [turn(EVIDENCE)],
    write: () => REPLANNED,
    start: { graph: { entities: ["checkout"], alerts: ["checkout"] } },
  });
  assert.equal(ending.investigation.graph?.due[0]?.entity, "checkout");
  assert.ok(!ending.proceeded);
  assert.equal(ending.cause, "REPLANS_SPENT");
  assert.equal(ending.report?.synthesis, REPLANNED);
});

test("the planner continues after it tried to finish without evidence", async () => {
  let turns = 0;
  const ending = await investigate(client, "inc-5", {
    plan: async function* () {
      yield { ...turn([]), wantsToFinish: true };
      turns += 1;
      yield turn(EVIDENCE);
      turns += 1;
    },
    write: () => PROCEEDS,
  });
  assert.equal(ending.cause, "PROCEED");
  assert.equal(turns, 2);
});

test("resumes an interrupted investigation", async () => {
  const broken = investigate(client, "inc-3", { plan, write: () => Promise.reject(new Error("the model is away")) });
  await assert.rejects(broken, /the model is away/);
  const ending = await investigate(client, "inc-3", { write: () => PROCEEDS });
  assert.equal(ending.cause, "PROCEED");
});

test("a signal ends the loop, and cancelling ends the investigation", async () => {
  const controller = new AbortController();
  const stopped = investigate(client, "inc-4", {
    write: () => {
      controller.abort();
      return PROCEEDS;
    },
    signal: controller.signal,
  });
  await assert.rejects(stopped, (error) => error instanceof GsarError && error.code === "CANCELLED");
  const { instruction } = await client.cancelInvestigation("inc-4");
  assert.equal(instruction?.due.case, "finished");
});
