/** Tests evidence from files and folders, and compares it with the evidence that the command line reads. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Client, evidenceFrom, file } from "gsar";
import { EvidenceKind, EvidenceLane } from "gsar/v1";
import { BINARY, connect, ENVIRONMENT, folder, type RunningServer, start } from "./server.js";

const INCIDENTS = "../../datasets/incidents";
const REPORT = "The pod was restarted.";

let server: RunningServer;
let client: Client;
before(async () => {
  server = await start();
  client = await connect(server.endpoint);
});

async function recordedItems(evaluationId: string) {
  const { evidence } = await client.getEvaluation(evaluationId);
  return evidence.map(({ head: _, ...item }) => item);
}

/** Returns the output of `gsar`. Ignores its exit status, which is 0 only if the report proceeds. */
function runCommand(...args: string[]): Promise<string> {
  const options = { env: { ...ENVIRONMENT, GSAR_ENDPOINT: server.endpoint } };
  return new Promise((resolve) =>
    execFile(join(dirname(BINARY), "gsar"), args, options, (_, stdout) => resolve(stdout)),
  );
}

for (const incident of ["checkout-oom", "payments-bad-deploy"]) {
  for (const withManifest of [true, false]) {
    test(`reads ${incident} ${withManifest ? "with" : "without"} its manifest as the command line does`, async () => {
      const at = join(await folder(), "evidence");
      await mkdir(at);
      const from = join(INCIDENTS, incident, "evidence");
      for (const name of await readdir(from)) {
        if (withManifest || name !== "evidence.toml") await copyFile(join(from, name), join(at, name));
      }
      await writeFile(`${at}.md`, REPORT);
      const output = await runCommand("evaluate", `${at}.md`, "--evidence", at, "--output", "json");
      const { evaluationId } = JSON.parse(output) as { evaluationId: string };
      const ours = await client.evaluate(REPORT, await evidenceFrom(at));
      const items = await recordedItems(ours.evaluationId);
      assert.ok(items.length > 1);
      assert.deepEqual(items, await recordedItems(evaluationId));
    });
  }
}

test("detects the content type and encoding of files", async () => {
  const at = await folder();
  await mkdir(join(at, "sub"));
  await writeFile(join(at, "a.json"), '{"kind": "PodList"}');
  await writeFile(join(at, "b.jsonl"), '{"a": 1}\n{"b": 2}\n');
  await writeFile(join(at, "c.log.gz"), gzipSync("one\ntwo\n"));
  await writeFile(join(at, "d.txt"), Buffer.from("\ufeffgrün", "utf16le"));
  await writeFile(join(at, "e.json"), '{"a": 1}\n{"b": 2}\n');
  await writeFile(join(at, "sub", "f.log"), "\ufeffthree");
  await writeFile(join(at, ".hidden"), "no");
  await symlink("/etc/hostname", join(at, "out"));
  const warned = once(process, "warning");
  const items = await evidenceFrom(at);
  assert.deepEqual(
    items.map(({ id, content }) => [id, content.case, content.value]),
    [
      ["a.json", "json", '{"kind": "PodList"}'],
      ["b.jsonl", "text", '{"a": 1}\n{"b": 2}\n'],
      ["c.log.gz", "text", "one\ntwo\n"],
      ["d.txt", "text", "grün"],
      ["e.json", "text", '{"a": 1}\n{"b": 2}\n'],
      ["sub/f.log", "text", "three"],
    ],
  );
  assert.equal(((await warned) as [Error])[0].message, `${at}/out is a link out of the directory and was skipped`);
  const other = await folder();
  await writeFile(join(other, "a.json"), "{}");
  const named = await evidenceFrom(join(at, "a.json"), join(other, "a.json"), join(at, "b.jsonl"));
  assert.deepEqual(
    named.map(({ id }) => id),
    [join(at, "a.json"), join(other, "a.json"), "b.jsonl"],
  );
  await assert.rejects(evidenceFrom(join(at, "a.json"), join(at, "a.json")), {
    message: /duplicate id/,
  });
  assert.deepEqual((await file(join(at, "a.json"))).content, { case: "json", value: '{"kind": "PodList"}' });
  assert.equal((await file(join(at, "sub", "f.log"), { id: "x", lane: "metrics" })).lane, EvidenceLane.METRICS);
});

test("applies the fields in a manifest", async () => {
  const at = await folder();
  await writeFile(join(at, "deploy.log"), "deployed");
  await writeFile(
    join(at, "evidence.toml"),
    `[[item]]\nfile = "deploy.log"\nid = "deploy"\nkind = "change"\nlane = "change"\ntool = "argo"\nexhaustive = true\n` +
      `collected_at = 2026-03-12T14:01:40Z\nstep_id = "s1"\n`,
  );
  const [item, ...others] = await evidenceFrom(at);
  assert.ok(item);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [item.id, item.kind, item.lane, item.tool],
    ["deploy", EvidenceKind.CHANGE, EvidenceLane.CHANGE, "argo"],
  );
  assert.deepEqual([item.exhaustive, item.stepId], [true, "s1"]);
  assert.equal(item.collectedAt?.seconds, BigInt(Date.parse("2026-03-12T14:01:40Z") / 1000));
});

test("rejects unreadable files and names the fix", async () => {
  const cases: [string, string | Buffer, RegExp][] = [
    ["a.log", Buffer.from("ok\n\xff", "latin1"), /a\.log:2: not valid UTF-8; convert/],
    ["a.log", "ok\n\0", /a\.log:2: contains a zero byte/],
    ["a.json", '{"a": }', /a\.json: invalid JSON: .*; fix it, or rename the file to \.txt/],
    ["a.gz", Buffer.from([0x1f, 0x8b, 0]), /a\.gz: is not gzip/],
    ["evidence.toml", "[[item", /evidence\.toml: invalid TOML/],
    ["evidence.toml", '[[item]]\nfile = "../x"\n', /is not below this directory/],
    ["evidence.toml", '[[item]]\nfile = "x"\n', /x: cannot be read \(ENOENT\)/],
    ["evidence.toml", '[[item]]\nid = "x"\n', /an item has no `file`/],
    ["evidence.toml", '[[item]]\nfile = "x"\nsort = "y"\n', /unknown field `sort`; expected one of file, id, kind/],
    ["evidence.toml", '[[item]]\nfile = "x"\nkind = "log"\n', /kind = "log" is not one of tool_output, step_output/],
    ["evidence.toml", "[[file]]\n", /unknown key `file`; list files as \[\[item\]\]/],
  ];
  for (const [name, content, message] of cases) {
    const at = await folder();
    await writeFile(join(at, name), content);
    await assert.rejects(evidenceFrom(at), { code: "INVALID_ARGUMENT", message }, name);
  }
  await assert.rejects(evidenceFrom("/nowhere"), {
    message: /\/nowhere: cannot be read \(ENOENT\); expected a file or a folder/,
  });
});

test("the server infers kind and lane", async () => {
  const content = { case: "text", value: "it failed" } as const;
  const answer = await client.evaluate("It failed.", [
    { id: "x", tool: "kubectl logs cart-1", content },
    { id: "alerts", content },
  ]);
  const items = await recordedItems(answer.evaluationId);
  assert.deepEqual(
    items.map(({ kind, lane }) => [kind, lane]),
    [
      [EvidenceKind.TOOL_OUTPUT, EvidenceLane.LOGS],
      [EvidenceKind.SIGNAL, EvidenceLane.METRICS],
    ],
  );
});
