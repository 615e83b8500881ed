/** Tests retries. The server is a fake that rejects a number of calls, because a real one does so only when busy. */
import assert from "node:assert/strict";
import { once } from "node:events";
import http2 from "node:http2";
import { join } from "node:path";
import { before, beforeEach, test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { type Client, GsarError } from "gsar";
import { GroundingService } from "gsar/v1";
import {
  ErrorInfoSchema,
  HelpSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from "../src/gen/google/rpc/error_details_pb.js";
import { PROCEED_REPORT } from "./reports.js";
import { connect, folder } from "./server.js";

let client: Client;
let calls = 0;
let rejectedCalls = 0;
let delay = { seconds: 0n, nanos: 0 };
let code = Code.ResourceExhausted;

function evaluate() {
  calls += 1;
  if (calls > rejectedCalls) return { evaluationId: String(calls) };
  throw new ConnectError("busy", code, undefined, [
    { desc: ErrorInfoSchema, value: { reason: "TOO_MANY_CALLS", domain: "gsar.dev" } },
    { desc: RetryInfoSchema, value: { retryDelay: delay } },
    { desc: RequestInfoSchema, value: { requestId: "0198" } },
    { desc: HelpSchema, value: { links: [{ description: "limits", url: "docs" }] } },
  ]);
}

before(async () => {
  const path = join(await folder(), "busy.sock");
  const server = http2.createServer(
    connectNodeAdapter({ routes: (router) => router.service(GroundingService, { evaluate }) }),
  );
  server.listen(path).unref();
  await once(server, "listening");
  client = await connect(`unix://${path}`);
});

beforeEach(() => {
  [calls, rejectedCalls, delay, code] = [0, 9, { seconds: 0n, nanos: 1_000_000 }, Code.ResourceExhausted];
});

const failure = (options: object) =>
  client.evaluate(PROCEED_REPORT, [], options).then(
    () => assert.fail("the call succeeded"),
    (error: unknown) => (error instanceof GsarError ? error : assert.fail(String(error))),
  );

test("retries idempotent calls if the server allows it", async () => {
  rejectedCalls = 3;
  assert.equal((await client.evaluate(PROCEED_REPORT, [], { idempotencyKey: "k" })).evaluationId, "4");
  [calls, code] = [0, Code.Unavailable];
  assert.equal((await client.evaluate(PROCEED_REPORT, [], { idempotencyKey: "k" })).evaluationId, "4");
});

test("throws the error after three retries", async () => {
  const error = await failure({ idempotencyKey: "k" });
  assert.equal(calls, 4);
  assert.equal(error.retryAfterMs, 1);
  assert.equal(error.requestId, "0198");
  assert.deepEqual(error.links, ["limits: docs"]);
  assert.equal(
    error.message,
    "Evaluate: busy\n  limits: docs\n  retry in 1 s\n" +
      "  see request 0198 in the server's log\n  reason TOO_MANY_CALLS",
  );
  assert.deepEqual(Object.keys(error).sort(), ["code", "method", "name", "reason", "summary"]);
});

test("does not retry calls that are not idempotent", async () => {
  assert.equal((await failure({})).reason, "TOO_MANY_CALLS");
  assert.equal(calls, 1);
});

test("does not wait beyond the deadline", async () => {
  delay = { seconds: 40n, nanos: 0 };
  assert.equal((await failure({ idempotencyKey: "k", timeoutMs: 30_000 })).code, "RESOURCE_EXHAUSTED");
  assert.equal(calls, 1);
});

test("an aborted signal ends the wait before a retry", async () => {
  delay = { seconds: 40n, nanos: 0 };
  const controller = new AbortController();
  const call = failure({ idempotencyKey: "k", signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  assert.equal((await call).code, "CANCELLED");
  assert.equal(calls, 1);
});
