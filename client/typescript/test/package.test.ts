/** Tests the packed package: installs it into an empty folder, and uses it as the README and the example do. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { ENVIRONMENT, folder, type RunningServer, start } from "./server.js";

const PACKAGE = resolve(".");
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  module: "nodenext",
  target: "es2022",
  typeRoots: [join(PACKAGE, "node_modules", "@types")],
  types: ["node"],
};

let at: string;
let server: RunningServer;
let blocks: string[];

async function run(command: string, ...args: string[]): Promise<string> {
  const env = { ...ENVIRONMENT, GSAR_ENDPOINT: server.endpoint };
  const result = await promisify(execFile)(command, args, { cwd: at, env }).catch(
    (error: Error & { stdout: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    },
  );
  return result.stdout + result.stderr;
}

before(async () => {
  at = await folder();
  server = await start();
  const readme = await readFile("README.md", "utf8");
  blocks = Array.from(readme.matchAll(/^```(\w*)\n(.*?)^```/gms), ([, language, content]) => `${language}\n${content}`);
  const programs = blocks.filter((block) => block.startsWith("ts\n")).map((block) => block.slice(3));
  await Promise.all(programs.map((program, index) => writeFile(join(at, `readme${index}.ts`), program)));
  await writeFile(join(at, "example.ts"), await readFile("examples/evaluate.ts"));
  await writeFile(join(at, "package.json"), '{ "private": true, "type": "module" }');
  await writeFile(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions: STRICT }));
  await run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", at, PACKAGE);
  await run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefer-offline", join(at, "gsar-0.2.0.tgz"));
});

const withoutIds = (text: string) => text.replace(/evaluation [0-9a-f-]{36}/g, "evaluation ID");
const outputAfter = (program: number) => {
  const programs = blocks.flatMap((block, index) => (block.startsWith("ts\n") ? [index] : []));
  return (blocks[(programs[program] ?? 0) + 1] ?? "").replace(/^\n/, "");
};

test("contains only the expected files", async () => {
  const installed = await readdir(join(at, "node_modules", "gsar"));
  assert.deepEqual(installed.sort(), ["LICENSE", "README.md", "dist", "package.json"]);
  assert.ok((await readdir(join(at, "node_modules", "gsar", "dist"))).includes("index.d.ts"));
});

test("the declarations type-check the programs and reject wrong calls", async () => {
  const wrong = [
    'import { Client, text } from "gsar";',
    "const client = await Client.connect();",
    "// @ts-expect-error: a string is not evidence",
    'await client.evaluate("a", "b");',
    "// @ts-expect-error: evidence is missing",
    'await client.evaluate("a");',
    "// @ts-expect-error: unknown lane",
    'text("log", "a", { lane: "log" });',
  ];
  await writeFile(join(at, "wrong.ts"), wrong.join("\n"));
  await run(process.execPath, join(PACKAGE, "node_modules", "typescript", "bin", "tsc"));
});

test("the first program in the README prints the documented output", async () => {
  assert.equal(withoutIds(await run(process.execPath, "readme0.js")), withoutIds(outputAfter(0)));
});

test("the other programs in the README work", async () => {
  assert.equal(await run(process.execPath, "readme1.js"), "SUPPORTS\n");
  assert.equal(await run(process.execPath, "readme2.js"), outputAfter(2));
  await assert.rejects(run(process.execPath, "readme3.js"), /tlsCa: \/etc\/gsar\/ca\.pem cannot be read \(ENOENT\)/);
  assert.equal(
    await run(process.execPath, "readme4.js"),
    "Pod checkout-7b84 was OOMKilled with exit code 137.\n",
  );
  assert.equal(blocks.filter((block) => block.startsWith("ts\n")).length, 5);
});

test("the example prints the verdict, or the fix if no sidecar responds", async () => {
  const output = await run(process.execPath, "example.js");
  assert.match(output, /^REPLAN {3}score 0\.500/);
  assert.match(output, /\ncorrect or drop: The memory limit of checkout-7b84 is 1 GiB\n$/);
  const env = { ...ENVIRONMENT, GSAR_ENDPOINT: `unix://${at}/none.sock` };
  const withoutSidecar = promisify(execFile)(process.execPath, ["example.js"], { cwd: at, env });
  await assert.rejects(withoutSidecar, { code: 1, stderr: /^Evaluate: no sidecar is responding at .*\n {2}start gsar-server there/ });
});

test("an idle client does not keep a program running", async () => {
  const program =
    'import { Client } from "gsar";\nconst client = await Client.connect();\nawait client.putEvidence("c", { log: "a" });\n' +
    'await client.isServing();\nfor await (const _ of client.evaluateStream([])) {}\nconsole.log("done");\n';
  await writeFile(join(at, "exits.mjs"), program);
  const { stdout } = await promisify(execFile)(process.execPath, ["exits.mjs"], {
    cwd: at,
    env: { ...ENVIRONMENT, GSAR_ENDPOINT: server.endpoint },
    timeout: 30_000,
  });
  assert.equal(stdout, "done\n");
});
