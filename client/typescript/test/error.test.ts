/** Tests the errors that calls throw: details from the server, and errors that occur without a server. */
import assert from "node:assert/strict";
import http from "node:http";
import http2 from "node:http2";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { before, test, type TestContext } from "node:test";
import { Client, counts, GsarError, mayProceed, text, tier } from "gsar";
import { EVIDENCE, PROCEED_REPORT } from "./reports.js";
import { connect, folder, freePort, type RunningServer, start } from "./server.js";

let server: RunningServer;
let client: Client;
let admin: number;
let gateway: number;
before(async () => {
  [admin, gateway] = [await freePort(), await freePort()];
  server = await start({ top: `admin = "127.0.0.1:${admin}"`, tables: `[gateway]\naddress = "127.0.0.1:${gateway}"` });
  client = await connect(server.endpoint);
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

test("names an unknown policy and lists the known ones", async () => {
  const error = await thrown(client.evaluate(PROCEED_REPORT, EVIDENCE, { policy: "night-shift" }));
  assert.deepEqual([error.code, error.reason], ["NOT_FOUND", "UNKNOWN_RESOURCE"]);
  assert.equal(error.resource?.name, "night-shift");
  assert.match(error.message, /unknown policy `night-shift`; expected one of paper, reference, strict/);
});

test("rejects a step that is not due", async () => {
  await client.startInvestigation({ investigationId: "not-due" });
  const error = await thrown(
    client.submitReport({ investigationId: "not-due", step: 7, report: { synthesis: PROCEED_REPORT } }),
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
    [PROCEED_REPORT, undefined, "evidence", /got undefined; expected \{ log: "\.\.\." \}, an array/],
    [PROCEED_REPORT, null, "evidence", /got null/],
    [PROCEED_REPORT, "a log", "evidence", /got a string/],
    [PROCEED_REPORT, Buffer.from("a log"), "evidence", /got bytes/],
    [PROCEED_REPORT, Promise.resolve([]), "evidence", /got a Promise/],
    [PROCEED_REPORT, text("log", "a"), "evidence", /got one item or a stream; expected an array/],
    [PROCEED_REPORT, { log: undefined }, 'evidence["log"]', /got undefined; expected a string or a value for JSON\.stringify/],
    [PROCEED_REPORT, { log: null }, 'evidence["log"]', /got null/],
    [PROCEED_REPORT, { log: Buffer.from("a") }, 'evidence["log"]', /got bytes/],
    [PROCEED_REPORT, { log: () => "a" }, 'evidence["log"]', /got a function/],
    [PROCEED_REPORT, { log: { at: 1n } }, 'evidence["log"]', /expected a string or a value for JSON\.stringify/],
    [PROCEED_REPORT, ["a log"], "evidence[0]", /got a string; use text\(id, content\)/],
    [PROCEED_REPORT, [{ text: "a log" }], "evidence[0]", /got an object; use text/],
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
    evaluate({ synthesis: PROCEED_REPORT, claims: [{ id: "c1", text: "a", span: { start: "x" } }] }, {}),
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

test("a call fails at its deadline", async () => {
  const error = await thrown(client.evaluate(PROCEED_REPORT, EVIDENCE, { timeoutMs: 0 }));
  assert.deepEqual([error.code, error.method], ["DEADLINE_EXCEEDED", "Evaluate"]);
  assert.match(error.message, /increase timeoutMs/);
});

/** Starts a server that accepts calls but never responds. Returns its endpoint and the first call. */
async function startSilentServer(t: TestContext): Promise<{ endpoint: string; firstCall: Promise<http2.ServerHttp2Stream> }> {
  const server = http2.createServer().listen(0, "127.0.0.1");
  server.on("session", (session) => session.on("error", () => undefined));
  const firstCall = new Promise<http2.ServerHttp2Stream>((resolve) => {
    server.on("stream", (stream) => resolve(stream.on("error", () => undefined)));
  });
  await once(server, "listening");
  t.after(() => server.close());
  return { endpoint: `grpc://127.0.0.1:${(server.address() as AddressInfo).port}`, firstCall };
}

test("a call to a server that never responds fails at its deadline", async (t) => {
  const { endpoint } = await startSilentServer(t);
  const silentClient = await connect({ endpoint, timeoutMs: 20 });
  assert.equal((await thrown(silentClient.evaluate(PROCEED_REPORT, EVIDENCE))).code, "DEADLINE_EXCEEDED");
});

test("an aborted signal cancels a call, at the server too", async (t) => {
  const { endpoint, firstCall } = await startSilentServer(t);
  const silentClient = await connect(endpoint);
  const controller = new AbortController();
  const { signal } = controller;
  const call = thrown(silentClient.evaluate(PROCEED_REPORT, EVIDENCE, { signal }));
  const stream = await firstCall;
  const closed = new Promise((resolve) => stream.once("close", resolve));
  controller.abort(new Error("the caller stopped waiting"));
  const error = await call;
  assert.deepEqual([error.code, (error.cause as Error).message], ["CANCELLED", "the caller stopped waiting"]);
  await closed;
  assert.equal((await thrown(silentClient.evaluate(PROCEED_REPORT, EVIDENCE, { signal }))).code, "CANCELLED");
});

test("closing the client cancels its calls", async (t) => {
  const { endpoint, firstCall } = await startSilentServer(t);
  const silentClient = await connect(endpoint);
  const call = thrown(silentClient.evaluate(PROCEED_REPORT, EVIDENCE));
  await firstCall;
  silentClient.close();
  assert.match((await call).message, /the client was closed during the call/);
  assert.match((await thrown(silentClient.evaluate(PROCEED_REPORT, EVIDENCE))).message, /Evaluate: the client is closed/);
});

test("the error for an unreachable endpoint names the fix", async () => {
  const port = await freePort();
  const socket = `unix://${await folder()}/gsar.sock`;
  for (const endpoint of [socket, `grpc://127.0.0.1:${port}`]) {
    const error = await thrown((await connect(endpoint)).evaluate(PROCEED_REPORT, EVIDENCE));
    assert.ok(error.unreachable);
    assert.deepEqual([error.code, error.reason], ["UNAVAILABLE", "SIDECAR_UNREACHABLE"]);
    assert.match(error.message, new RegExp(`^Evaluate: no sidecar is responding at ${endpoint}: connect E`));
    assert.match(error.message, /start gsar-server there, or set/);
  }
});

test("reconnects after the sidecar has died", async () => {
  const sessions = new Set<http2.ServerHttp2Session>();
  const dying = http2.createServer().on("session", (session) => sessions.add(session));
  dying.on("stream", () => sessions.forEach((session) => session.destroy()));
  dying.listen(0, "127.0.0.1");
  await once(dying, "listening");
  const endpoint = `grpc://127.0.0.1:${(dying.address() as AddressInfo).port}`;
  const error = await thrown((await connect(endpoint)).evaluate(PROCEED_REPORT, EVIDENCE));
  assert.ok(error.unreachable, error.message);
  assert.match(error.message, /the connection broke during the call/);
  dying.close();

  const killed = await start();
  const other = await connect(`grpc://${killed.address}`);
  assert.ok(await other.isServing());
  killed.process.kill("SIGKILL");
  await once(killed.process, "close");
  assert.ok((await thrown(other.evaluate(PROCEED_REPORT, EVIDENCE))).unreachable);
  const restarted = await start({ address: killed.address });
  assert.equal(restarted.address, killed.address);
  assert.ok(mayProceed(await other.evaluate(PROCEED_REPORT, EVIDENCE)));
});

test("openIfUnreachable lets the report proceed with a warning", async () => {
  const open = await connect({ endpoint: `unix://${await folder()}/gsar.sock`, openIfUnreachable: true });
  const warned = once(process, "warning");
  const answer = await open.evaluate(PROCEED_REPORT, EVIDENCE);
  assert.equal(tier(answer), "proceed");
  assert.deepEqual(
    answer.decision?.reasons.map(({ code }) => code),
    ["SIDECAR_UNREACHABLE"],
  );
  assert.equal(answer.evaluationId, "");
  const [warning] = (await warned) as [Error];
  assert.equal(warning.name, "GsarWarning");
  assert.match(warning.message, /the report was not evaluated/);
  assert.ok((await thrown(open.score(counts({ grounded: ["tool_match"] })))).unreachable);
});

test("the error for an HTTP port says that the peer does not support gRPC", async (t) => {
  const plain = http.createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
  await once(plain, "listening");
  const closing = net.createServer((socket) => socket.once("data", () => socket.destroy())).listen(0, "127.0.0.1");
  await once(closing, "listening");
  t.after(() => (plain.close(), closing.close()));
  for (const port of [admin, gateway, (plain.address() as AddressInfo).port]) {
    const error = await thrown((await connect(`grpc://127.0.0.1:${port}`)).evaluate(PROCEED_REPORT, EVIDENCE));
    assert.match(error.message, /server without gRPC, such as the gateway or the admin port; use one of the addresses in `listen`/);
    assert.ok(!error.unreachable);
  }
  const port = (closing.address() as AddressInfo).port;
  assert.ok((await thrown((await connect(`grpc://127.0.0.1:${port}`)).isServing())).unreachable);
});
