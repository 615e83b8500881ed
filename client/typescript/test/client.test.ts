/** Tests every method of the client against a real sidecar. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  claimsAtFault,
  classOf,
  type Client,
  counts,
  describe,
  errorFrom,
  evaluation,
  GsarError,
  json,
  mayProceed,
  text,
  tier,
} from "gsar";
import { ClaimClass, EvaluateRequestSchema, EvidenceLane, ExportKind, GateService, Tier, Verdict } from "gsar/v1";
import { create } from "@bufbuild/protobuf";
import { EVIDENCE, GUESS, PROCEED_REPORT, REGENERATE_REPORT, REPLAN_REPORT } from "./reports.js";
import { connect, type RunningServer, start } from "./server.js";

let server: RunningServer;
let client: Client;
before(async () => {
  server = await start();
  client = await connect(server.endpoint);
});

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

test("returns a verdict over a Unix socket and over TCP", async () => {
  for (const endpoint of [server.endpoint, `grpc://${server.address}`, `http://${server.address}/`]) {
    const each = await connect(endpoint);
    const answer = await each.evaluate(PROCEED_REPORT, EVIDENCE);
    assert.equal(tier(answer), "proceed", endpoint);
    assert.ok(mayProceed(answer));
    assert.ok(answer.provenance?.recorded);
    assert.deepEqual(answer.claims.map(classOf), ["grounded"]);
  }
});

test("a report with an unsupported claim does not proceed", async () => {
  assert.equal(tier(await client.evaluate(REGENERATE_REPORT, EVIDENCE)), "regenerate");
  const answer = await client.evaluate(REPLAN_REPORT, EVIDENCE);
  assert.equal(tier(answer), "replan");
  assert.ok(!mayProceed(answer));
  const fault = GUESS.slice(0, -1);
  assert.deepEqual(
    claimsAtFault(answer).map((claim) => claim.text),
    [fault],
  );
  const description = describe(answer);
  assert.match(description, /^REPLAN {3}score 0\.\d{3} \(\d+\/\d+\) {3}evaluation \S+\n/);
  assert.ok(description.includes(`contradicted  c2   ${fault}`), description);
});

test("accepts evidence as items or as an object", async () => {
  const pods = json("pods", { name: "checkout-7b84", restarts: 3 }, { tool: "kubectl get pods", exhaustive: true });
  const log = text("log", EVIDENCE.log, {
    lane: "metrics",
    collectedAt: new Date("2026-03-12T14:02:10Z"),
    specialistId: "s",
  });
  const fromItems = await client.evaluate(PROCEED_REPORT, [log, pods, { id: "raw", content: { case: "text", value: "a" } }]);
  const items = (await client.getEvaluation(fromItems.evaluationId)).evidence;
  assert.deepEqual(
    items.map((item) => [item.id, item.isJson]),
    [
      ["log", false],
      ["pods", true],
      ["raw", false],
    ],
  );
  assert.deepEqual([items[0]?.lane, items[0]?.specialistId], [EvidenceLane.METRICS, "s"]);
  assert.equal(items[0]?.collectedAt?.seconds, BigInt(Date.parse("2026-03-12T14:02:10Z") / 1000));
  assert.deepEqual([items[1]?.tool, items[1]?.exhaustive], ["kubectl get pods", true]);
  const fromObject = await client.evaluate(PROCEED_REPORT, { ...EVIDENCE, pods: { name: "checkout-7b84" } });
  const recorded = (await client.getEvaluation(fromObject.evaluationId)).evidence;
  assert.deepEqual(
    recorded.map((item) => [item.id, item.isJson]),
    [
      ["log", false],
      ["pod", false],
      ["pods", true],
    ],
  );
});

test("sends all options", async () => {
  const options = { investigationId: "inc-1", policy: "strict", explain: true };
  const answer = await client.evaluate({ id: "r1", synthesis: PROCEED_REPORT }, EVIDENCE, options);
  assert.ok(answer.decision?.margins);
  assert.equal(answer.provenance?.policy?.name, "strict");
  assert.equal((await client.getEvaluation(answer.evaluationId)).report?.id, "r1");
  const listed = await collect(client.listEvaluations({ investigationId: "inc-1" }));
  assert.deepEqual(
    listed.map((each) => each.evaluationId),
    [answer.evaluationId],
  );
});

test("a repeated idempotency key returns the first response", async () => {
  const key = { idempotencyKey: "once" };
  const first = await client.evaluate(PROCEED_REPORT, EVIDENCE, key);
  assert.equal((await client.evaluate(PROCEED_REPORT, EVIDENCE, key)).evaluationId, first.evaluationId);
  await assert.rejects(client.evaluate(GUESS, EVIDENCE, key), { code: "ABORTED", reason: "IDEMPOTENCY_KEY_REUSED" });
});

test("scores a partition exactly", async () => {
  const partition = counts({
    grounded: ["tool_match", "specific_data"],
    ungrounded: ["inference"],
    contradicted: ["inference"],
    complementary: ["complementary_finding"],
  });
  const answer = await client.score(partition, { policy: "paper" });
  assert.deepEqual([answer.score?.numerator, answer.score?.denominator], [28n, 37n]);
  assert.equal(tier(answer), "regenerate");
});

test("ranks several reports", async () => {
  const { ranking } = await client.selectBest([REPLAN_REPORT, { synthesis: PROCEED_REPORT }], EVIDENCE);
  assert.deepEqual(
    ranking.map((candidate) => candidate.index),
    [1, 0],
  );
});

test("rescores a recorded evaluation", async () => {
  const { evaluationId } = await client.evaluate(REGENERATE_REPORT, EVIDENCE);
  const answer = await client.rescore(evaluationId, { policy: "paper" });
  assert.ok(answer.changed && answer.hypothetical);
  assert.equal(tier(answer), "proceed");
});

test("tries the judges", async () => {
  assert.deepEqual(
    (await client.tryJudges()).trials.map((trial) => trial.link?.judge),
    ["rules/2"],
  );
});

test("lists evaluations page by page, and grades, exports and deletes them", async () => {
  const ids: string[] = [];
  for (const report of [PROCEED_REPORT, REPLAN_REPORT, REGENERATE_REPORT]) {
    ids.unshift((await client.evaluate(report, EVIDENCE, { investigationId: "inc-9" })).evaluationId);
  }
  const listed = await collect(client.listEvaluations({ investigationId: "inc-9", pageSize: 2 }));
  assert.deepEqual(
    listed.map((each) => each.evaluationId),
    ids,
  );
  const replanned = await collect(client.listEvaluations({ investigationId: "inc-9", tier: Tier.REPLAN }));
  assert.deepEqual(
    replanned.map((each) => each.evaluationId),
    [ids[1]],
  );
  assert.deepEqual(await collect(client.listEvaluations({ evaluatedBefore: new Date("2020-01-01") })), []);
  const id = ids[0] ?? "";
  await client.grade(id, "ada", [
    { subject: { case: "report", value: { tier: Tier.REPLAN } } },
    { subject: { case: "claim", value: { claimId: "c1", class: ClaimClass.UNGROUNDED } }, note: "another pod" },
  ]);
  assert.deepEqual(
    (await client.getEvaluation(id)).grades.map((grade) => grade.grader),
    ["ada", "ada"],
  );
  assert.deepEqual((await client.getEvaluationEvidence(id, "log"))?.content, { case: "text", value: EVIDENCE.log });
  const exported = await collect(client.exportRecords({ kinds: [ExportKind.GRADES], investigationId: "inc-9" }));
  assert.equal(exported.flatMap((answer) => answer.records).length, 2);
  await client.deleteEvaluation(id);
  await assert.rejects(client.getEvaluation(id), { code: "NOT_FOUND" });
});

test("stores, searches, reads and deletes evidence", async () => {
  const long = Array.from({ length: 40_000 }, (_, number) => `2026-03-12 line ${number} ä😀\n`).join("");
  const put = await client.putEvidence("inc-9", { ...EVIDENCE, long }, { timeToLiveMs: 90_500 });
  assert.deepEqual(
    put.items.map((item) => item.evidenceId),
    ["log", "pod", "long"],
  );
  assert.equal(put.items[2]?.size, BigInt(Buffer.byteLength(long)));
  const { hits } = await client.search("inc-9", "OOMKilled", { most: 1 });
  assert.deepEqual(
    hits.map((hit) => hit.evidenceId),
    ["log"],
  );
  const item = { case: "evidenceId", value: "long" } as const;
  const range = { case: "lines", value: { first: 40_000n, last: 40_000n } } as const;
  assert.equal(
    (await client.getSnapshot({ corpusId: "inc-9", item, range })).content.trim(),
    "2026-03-12 line 39999 ä😀",
  );
  assert.ok(mayProceed(await client.evaluate(PROCEED_REPORT, [], { corpusId: "inc-9" })));
  assert.deepEqual(
    (await collect(client.listCorpora())).map((corpus) => corpus.corpusId),
    ["inc-9"],
  );
  await client.deleteCorpus("inc-9");
  assert.deepEqual(await collect(client.listCorpora()), []);
});

test("lists and reads policies", async () => {
  assert.ok((await client.listPolicies()).some((policy) => policy.name === "reference"));
  assert.ok((await client.getPolicy()).policy?.isDefault);
});

test("evaluates many reports over one call", async () => {
  const reports = Array.from({ length: 40 }, (_, n) => [`r${n}`, evaluation(PROCEED_REPORT, EVIDENCE)] as const);
  const answers = await collect(client.evaluateStream([...reports, ["empty", create(EvaluateRequestSchema)]]));
  assert.equal(answers.length, 41);
  for (const { correlationId, result } of answers) {
    if (result.case === "evaluation") {
      assert.ok(mayProceed(result.value), correlationId);
      continue;
    }
    assert.ok(result.case === "error" && correlationId === "empty");
    const error = errorFrom(result.value, "EvaluateStream");
    assert.ok(error instanceof GsarError);
    assert.deepEqual([error.code, error.reason], ["INVALID_ARGUMENT", "INVALID_FIELDS"]);
    assert.equal(error.violations[0]?.field, "report");
  }
});

test("leaving the loop over a stream cancels the call", async () => {
  let ended = false;
  const reports = async function* () {
    try {
      for (let n = 0; ; n++) yield [`r${n}`, evaluation(PROCEED_REPORT, EVIDENCE)] as const;
    } finally {
      ended = true;
    }
  };
  for await (const answer of client.evaluateStream(reports())) {
    assert.match(answer.correlationId, /^r\d+$/);
    break;
  }
  assert.ok(await client.isServing());
  assert.ok(ended);
});

test("an aborted signal cancels a stream", async () => {
  const controller = new AbortController();
  const reports = async function* () {
    for (let n = 0; ; n++) yield [`r${n}`, evaluation(PROCEED_REPORT, EVIDENCE)] as const;
  };
  const answers = client.evaluateStream(reports(), { signal: controller.signal });
  assert.ok(!(await answers.next()).done);
  controller.abort();
  await assert.rejects(collect(answers), { name: "GsarError", code: "CANCELLED", method: "EvaluateStream" });
});

test("rethrows errors thrown by the iterable of reports", async () => {
  const failure = Object.assign(new Error("no such report"), { code: "ENOENT" });
  const reports = async function* () {
    yield ["r1", evaluation(PROCEED_REPORT, EVIDENCE)] as const;
    throw failure;
  };
  await assert.rejects(collect(client.evaluateStream(reports())), (error) => error === failure);
});

test("runs calls concurrently", async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.evaluate(PROCEED_REPORT, EVIDENCE)));
  assert.deepEqual(answers.map(tier), Array(8).fill("proceed"));
});

test("generated stubs make calls over the same connection", async () => {
  const gate = client.stubs(GateService);
  assert.equal(
    (await gate.classifyVerdict({ content: { case: "text", value: "OOMKilled, exit code 137" } })).verdict,
    Verdict.SUPPORTS,
  );
});
