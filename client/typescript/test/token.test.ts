/** Tests tokens against a real sidecar: every kind of call sends the token, and a token file is read for each call. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { afterEach, before, test } from "node:test";
import { Client, evaluation, mayProceed } from "gsar";
import { ExportKind, GateService } from "gsar/v1";
import { EVIDENCE, PROCEED_REPORT } from "./reports.js";
import { connect, folder, start } from "./server.js";

const TOKEN = "secret-of-the-agent";
let endpoint: string;
let at: string;
let tokenFile: string;

before(async () => {
  at = await folder();
  tokenFile = `${at}/token`;
  await writeFile(tokenFile, `${TOKEN}\n`);
  const digest = createHash("sha256").update(TOKEN).digest("hex");
  const may = '["evaluate", "read", "grade", "store", "search", "delete"]';
  await writeFile(`${at}/principals.toml`, `[agent]\ntokens = ["sha256:${digest}"]\nmay = ${may}\n`);
  ({ endpoint } = await start({ tables: `[security]\nprincipals = "${at}/principals.toml"` }));
});

afterEach(() => {
  delete process.env["GSAR_TOKEN_FILE"];
});

async function callAll(client: Client): Promise<void> {
  assert.ok(mayProceed(await client.evaluate(PROCEED_REPORT, EVIDENCE)));
  for await (const answer of client.evaluateStream([["a", evaluation(PROCEED_REPORT, EVIDENCE)]])) {
    assert.equal(answer.result.case, "evaluation");
  }
  assert.equal((await client.putEvidence("inc-7", EVIDENCE)).items.length, 2);
  let exported = 0;
  for await (const answer of client.exportRecords({ kinds: [ExportKind.PARTITIONS] }))
    exported += answer.records.length;
  assert.ok(exported > 0);
  await client.stubs(GateService).evaluateGate({ gate: {} });
}

test("every kind of call sends the token", async () => {
  await callAll(await connect({ endpoint, tokenFile }));
  await callAll(await connect({ endpoint, token: TOKEN }));
  process.env["GSAR_TOKEN_FILE"] = tokenFile;
  await callAll(await connect(endpoint));
});

test("reads the token file for each call, and uses the last token if the file is missing", async () => {
  const client = await connect({ endpoint, tokenFile });
  await writeFile(tokenFile, "another");
  await assert.rejects(client.evaluate(PROCEED_REPORT, EVIDENCE), {
    code: "UNAUTHENTICATED",
    message: /unknown token/,
  });
  await writeFile(tokenFile, TOKEN);
  await client.evaluate(PROCEED_REPORT, EVIDENCE);
  await rm(tokenFile);
  await client.evaluate(PROCEED_REPORT, EVIDENCE);
});

test("rejects a caller without a token", async () => {
  const client = await connect(endpoint);
  const error = { code: "UNAUTHENTICATED", reason: "UNIDENTIFIED", message: /is not a principal of this server/ };
  await assert.rejects(client.evaluate(PROCEED_REPORT, EVIDENCE), error);
});

test("rejects invalid tokens", async () => {
  await writeFile(`${at}/empty`, " \n");
  const cases: [object, RegExp][] = [
    [{ tokenFile: "/nowhere" }, /^tokenFile: \/nowhere cannot be read \(ENOENT\); expected a file with a token/],
    [{ tokenFile: `${at}/empty` }, /^tokenFile: .* contains no token/],
    [{ token: "" }, /^token: invalid token/],
    [{ token: TOKEN, tokenFile: `${at}/empty` }, /^token: set together with tokenFile/],
  ];
  for (const [options, message] of cases) {
    await assert.rejects(Client.connect({ endpoint, ...options }), { code: "INVALID_ARGUMENT", message });
  }
});
