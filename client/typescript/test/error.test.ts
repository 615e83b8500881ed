/** Errors of calls: details from the server, and errors without one. */
import assert from "node:assert/strict";
import http from "node:http";
import http2 from "node:http2";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { before, test, type TestContext } from "node:test";
import { Client, counts, GsarError, mayProceed, text, tier } from "gsar";
import { EVIDENCE, PROCEEDS } from "./reports.js";
import { connected, folder, freePort, type Running, start } from "./server.js";

let server: Running;
let client: Client;
let admin: number;
let gateway: number;
before(async () => {
  [admin, gateway] = [await freePort(), await freePort()];
  server = await start({ top: `admin = "127.0.0.1:${admin}"`, tables: `[gateway]\naddress = "127.0.0.1:${gateway}"` });
  client = await connected(server.endpoint);
});

async function thrown(call: Promise<unknown>): Promise<GsarError> {
  const error = await call.then(
    () => undefined,
    (each: unknown) => each,
  );
  assert.ok(error instanceof GsarError, String(error));
  return error;
}

test("lists all invalid fields", async () => {
  const items = [text("log", "a"), text("log", "b")];
  const error = await thrown(client.evaluate({ id: "x".repeat(300), synthesis: "Yes." }, items));
  assert.deepEqual([error.method, error.code, error.reason], ["Evaluate", "INVALID_ARGUMENT", "INVALID_FIELDS"]);
  assert.deepEqual(error.violations.map(({ field }) => field).sort(), ["evidence[1].id", "report.id"]);
  assert.match(error.message, /^Evaluate: 2 fields are invalid\n {2}report\.id: /);
  assert.match(error.message, /\n {2}reason INVALID_FIELDS$/);
});

test("rejects an empty report", async () => {
  const error = await thrown(client.evaluate("", EVIDENCE));
  assert.equal(error.reason, "INVALID_FIELDS");
  assert.equal(error.violations.length, 1);
  assert.ok(
    error.message.includes(`${error.violations[0]?.field}: ${error.violations[0]?.description}`),
    error.message,
  );
});

test("names an unknown policy and the known ones", async () => {
  const error = await thrown(client.evaluate(PROCEEDS, EVIDENCE, { policy: "night-shift" }));
  assert.deepEqual([error.code, error.reason], ["NOT_FOUND", "UNKNOWN_RESOURCE"]);
  assert.equal(error.resource?.name, "night-shift");
  assert.match(error.message, /unknown policy `night-shift`; expected one of paper, reference, strict/);
});

test("rejects a step that is not due", async () => {
  await client.startInvestigation({ investigationId: "not-due" });
  const error = await thrown(
    client.submitReport({ investigationId: "not-due", step: 7, report: { synthesis: PROCEEDS } }),
  );
  assert.deepEqual([error.code, error.reason], ["FAILED_PRECONDITION", "NOT_DUE"]);
  assert.ok(error.limits.length > 0);
});

test("rejects arguments of the wrong type before sending", async () => {
  const evaluate = client.evaluate.bind(client) as (...given: unknown[]) => Promise<unknown>;
  const cases: [unknown, unknown, string, RegExp][] = [
    [undefined, {}, "report", /got undefined; expected its text/],
    [null, {}, "report", /got null/],
    [7, {}, "report", /got a number/],
    [["a"], {}, "report", /got an array/],
    [Promise.resolve("a"), {}, "report", /got a Promise \(await it\)/],
    [{ text: "a" }, {}, "report.text", /unknown field of a report; expected its text or \{ synthesis: "\.\.\." \}/],
    [{ synthesis: 7 }, {}, "report.synthesis", /got a number/],
    [PROCEEDS, undefined, "evidence", /got undefined; expected \{ log: "\.\.\." \}, an array/],
    [PROCEEDS, null, "evidence", /got null/],
    [PROCEEDS, "a log", "evidence", /got a string/],
    [PROCEEDS, Buffer.from("a log"), "evidence", /got bytes/],
    [PROCEEDS, Promise.resolve([]), "evidence", /got a Promise/],
    [PROCEEDS, text("log", "a"), "evidence", /got one item or a stream; expected an array/],
    [PROCEEDS, { log: undefined }, 'evidence["log"]', /got undefined; expected a string or a value for JSON\.stringify/],
    [PROCEEDS, { log: null }, 'evidence["log"]', /got null/],
    [PROCEEDS, { log: Buffer.from("a") }, 'evidence["log"]', /got bytes/],
    [PROCEEDS, { log: () => "a" }, 'evidence["log"]', /got a function/],
    [PROCEEDS, { log: { at: 1n } }, 'evidence["log"]', /expected a string or a value for JSON\.stringify/],
    [PROCEEDS, ["a log"], "evidence[0]", /got a string; use text\(id, content\)/],
    [PROCEEDS, [{ text: "a log" }], "evidence[0]", /got an object; use text/],
  ];
  for (const [report, evidence, field, description] of cases) {
    const error = await thrown(evaluate(report, evidence));
    assert.deepEqual([error.code, error.reason, error.method], ["INVALID_ARGUMENT", "INVALID_FIELDS", ""], field);
    assert.deepEqual(
      error.violations.map((each) => each.field),
      [field],
    );
    assert.match(error.message, description);
  }
  const error = await thrown(
    evaluate({ synthesis: PROCEEDS, claims: [{ id: "c1", text: "a", span: { start: "x" } }] }, {}),
  );
  assert.deepEqual([error.code, error.violations[0]?.field], ["INVALID_ARGUMENT", "request"]);
  assert.match(error.message, /gsar\.v1\.ByteRange\.start/);
  assert.throws(
    () => text("log", "a", { lane: "log" as "logs" }),
    /evidence\["log"\]\.lane: unknown value `log`; expected one of traces, logs,/,
  );
  for (const timeoutMs of [-1, Number.NaN, Infinity, "5" as unknown as number]) {
    assert.equal((await thrown(client.isServing({ timeoutMs }))).violations[0]?.field, "timeoutMs");
  }
});

test("a deadline ends a call", async () => {
  const error = await thrown(client.evaluate(PROCEEDS, EVIDENCE, { timeoutMs: 0 }));
  assert.deepEqual([error.code, error.method], ["DEADLINE_EXCEEDED", "Evaluate"]);
  assert.match(error.message, /increase timeoutMs/);
});

/** Starts a server that accepts calls but never answers; returns its endpoint and the first call. */
async function silent(t: TestContext): Promise<{ endpoint: string; arrived: Promise<http2.ServerHttp2Stream> }> {
  const server = http2.createServer().listen(0, "127.0.0.1");
  server.on("session", (session) => session.on("error", () => undefined));
  const arrived = new Promise<http2.ServerHttp2Stream>((resolve) => {
    server.on("stream", (stream) => resolve(stream.on("error", () => undefined)));
  });
  await once(server, "listening");
  t.after(() => server.close());
  return { endpoint: `grpc://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

test("the deadline ends a call to a server that never answers", async (t) => {
  const { endpoint } = await silent(t);
  const mute = await connected({ endpoint, timeoutMs: 20 });
  assert.equal((await thrown(mute.evaluate(PROCEEDS, EVIDENCE))).code, "DEADLINE_EXCEEDED");
});

test("a signal cancels a call, also at the server", async (t) => {
  const { endpoint, arrived } = await silent(t);
  const mute = await connected(endpoint);
  const controller = new AbortController();
  const { signal } = controller;
  const call = thrown(mute.evaluate(PROCEEDS, EVIDENCE, { signal }));
  const stream = await arrived;
  const ended = new Promise((resolve) => stream.once("close", resolve));
  controller.abort(new Error("nobody waits any more"));
  const error = await call;
  assert.deepEqual([error.code, (error.cause as Error).message], ["CANCELLED", "nobody waits any more"]);
  await ended;
  assert.equal((await thrown(mute.evaluate(PROCEEDS, EVIDENCE, { signal }))).code, "CANCELLED");
});

test("closing the client ends its calls", async (t) => {
  const { endpoint, arrived } = await silent(t);
  const mute = await connected(endpoint);
  const call = thrown(mute.evaluate(PROCEEDS, EVIDENCE));
  await arrived;
  mute.close();
  assert.match((await call).message, /the client was closed during the call/);
  assert.match((await thrown(mute.evaluate(PROCEEDS, EVIDENCE))).message, /Evaluate: the client is closed/);
});

test("an unreachable endpoint gives an error with the fix", async () => {
  const port = await freePort();
  const socket = `unix://${await folder()}/gsar.sock`;
  for (const endpoint of [socket, `grpc://127.0.0.1:${port}`]) {
    const error = await thrown((await connected(endpoint)).evaluate(PROCEEDS, EVIDENCE));
    assert.ok(error.unreachable);
    assert.deepEqual([error.code, error.reason], ["UNAVAILABLE", "SIDECAR_UNREACHABLE"]);
    assert.match(error.message, new RegExp(`^Evaluate: no sidecar answers at ${endpoint}: connect E`));
    assert.match(error.message, /start gsar-server there, or set/);
  }
});

test("reconnects after the sidecar died during a call", async () => {
  const sessions = new Set<http2.ServerHttp2Session>();
  const dying = http2.createServer().on("session", (session) => sessions.add(session));
  dying.on("stream", () => sessions.forEach((session) => session.destroy()));
  dying.listen(0, "127.0.0.1");
  await once(dying, "listening");
  const endpoint = `grpc://127.0.0.1:${(dying.address() as AddressInfo).port}`;
  const error = await thrown((await connected(endpoint)).evaluate(PROCEEDS, EVIDENCE));
  assert.ok(error.unreachable, error.message);
  assert.match(error.message, /the connection broke during the call/);
  dying.close();

  const mortal = await start();
  const other = await connected(`grpc://${mortal.address}`);
  assert.ok(await other.isServing());
  mortal.process.kill("SIGKILL");
  await once(mortal.process, "close");
  assert.ok((await thrown(other.evaluate(PROCEEDS, EVIDENCE))).unreachable);
  const back = await start({ address: mortal.address });
  assert.equal(back.address, mortal.address);
  assert.ok(mayProceed(await other.evaluate(PROCEEDS, EVIDENCE)));
});

test("openIfUnreachable proceeds with a warning", async () => {
  const open = await connected({ endpoint: `unix://${await folder()}/gsar.sock`, openIfUnreachable: true });
  const warned = once(process, "warning");
  const answer = await open.evaluate(PROCEEDS, EVIDENCE);
  assert.equal(tier(answer), "proceed");
  assert.deepEqual(
    answer.decision?.reasons.map(({ code }) => code),
    ["SIDECAR_UNREACHABLE"],
  );
  assert.equal(answer.evaluationId, "");
  const [warning] = (await warned) as [Error];
  assert.equal(warning.name, "GsarWarning");
  assert.match(warning.message, /report not evaluated/);
  assert.ok((await thrown(open.score(counts({ grounded: ["tool_match"] })))).unreachable);
});

test("names an HTTP port", async (t) => {
  const plain = http.createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
  await once(plain, "listening");
  const closing = net.createServer((socket) => socket.once("data", () => socket.destroy())).listen(0, "127.0.0.1");
  await once(closing, "listening");
  t.after(() => (plain.close(), closing.close()));
  for (const port of [admin, gateway, (plain.address() as AddressInfo).port]) {
    const error = await thrown((await connected(`grpc://127.0.0.1:${port}`)).evaluate(PROCEEDS, EVIDENCE));
    assert.match(error.message, /server without gRPC, such as the gateway or the admin port; use an address of `listen`/);
    assert.ok(!error.unreachable);
  }
  const port = (closing.address() as AddressInfo).port;
  assert.ok((await thrown((await connected(`grpc://127.0.0.1:${port}`)).isServing())).unreachable);
});
