// Starts a server that has evaluations of an incident's reports.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("../../../", import.meta.url).pathname;
const bin = process.env.BIN ?? join(root, "target/debug");

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function waitUntilReady(url) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const health = await fetch(`${url}/v1/health`).catch(() => undefined);
    if (health?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server at ${url} did not become ready`);
}

const incident = join(root, "datasets/incidents/checkout-oom");

/** Evaluates the incident's reports. `more` contains additional arguments for `gsar evaluate`. */
function evaluate(endpoint, ...more) {
  for (const report of readdirSync(join(incident, "reports")).sort()) {
    const args = ["evaluate", join(incident, "reports", report), "--evidence", join(incident, "evidence")];
    try {
      execFileSync(join(bin, "gsar"), [...args, "--endpoint", endpoint, ...more], { stdio: "pipe" });
    } catch (error) {
      // The exit statuses 10 to 12 are decisions.
      if (![10, 11, 12].includes(error.status)) throw error;
    }
  }
}

/** Evaluates all recorded reports again, with another judge and the default policy. */
async function evaluateAgain(call, judge) {
  const { evaluations } = await call("/v1/evaluations", {});
  for (const { evaluationId } of evaluations) {
    const { report, evidence: items } = await call("/v1/evaluation", { evaluationId });
    const item = ({ id }) => call("/v1/evaluation-evidence", { evaluationId, evidenceId: id });
    const evidence = (await Promise.all(items.map(item))).map((answer) => answer.item);
    await call("/v1/evaluate", { report, evidence, options: { judge } });
  }
}

/** A chat model whose answers were recorded. */
const MODEL = "openai-compatible:recorded";
const JUDGES = [MODEL, "rules/2"];

/** Starts the recorded model, and writes a server configuration that uses it. */
async function startRecordedModel(folder) {
  const address = join(folder, "model");
  const model = spawn("python3", ["-B", join(root, "datasets/recorded_model.py"), address], { stdio: "ignore" });
  for (let attempt = 0; !existsSync(address); attempt += 1) {
    if (attempt === 600) throw new Error("the recorded model did not start");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const config = join(folder, "gsar.toml");
  writeFileSync(config, `[judges.models."${MODEL}"]\nbase_url = "${readFileSync(address, "utf8")}"\ncanary = false\n`);
  return { model, config };
}

/** Writes a principals file. Only the first principal has the right to grade. */
function writePrincipals(folder, token, readerToken) {
  const digest = (secret) => createHash("sha256").update(secret).digest("hex");
  const file = join(folder, "principals.toml");
  writeFileSync(
    file,
    `[lead]\ntokens = ["sha256:${digest(token)}"]\nmay = ["evaluate", "override", "read", "grade", "audit"]\n` +
      `[reader]\ntokens = ["sha256:${digest(readerToken)}"]\nmay = ["read", "audit"]\n`,
  );
  return { GSAR_SECURITY__PRINCIPALS: file };
}

/**
 * Starts a server with evaluations by each judge, and in shadow mode. If `token` is set, the server requires
 * authentication. If `isEmpty` is set, the server has no evaluations and a different default policy.
 */
export async function start({ token, isEmpty = false } = {}) {
  const readerToken = token && `${token}-who-only-reads`;
  const folder = mkdtempSync(join(tmpdir(), "gsar-walks-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(join(folder, "policies"));
  writeFileSync(
    join(folder, "policies/shadowed.toml"),
    'name = "shadowed"\n[rollout]\ndecision = "shadow"\n',
  );
  writeFileSync(join(folder, "policies/night-shift.toml"), 'name = "night-shift"\ntau_proceed = 0.9\n');
  const env = {
    ...process.env,
    GSAR_POLICIES__DIR: join(folder, "policies"),
    GSAR_POLICIES__ALLOWED: '["shadowed"]',
    GSAR_JUDGES__CHAIN: JSON.stringify(JUDGES),
    GSAR_GATEWAY__ADDRESS: `127.0.0.1:${port}`,
    GSAR_GATEWAY__CONSOLE: "true",
    ...(isEmpty ? { GSAR_POLICIES__DEFAULT: "night-shift" } : {}),
    ...(token ? writePrincipals(folder, token, readerToken) : {}),
  };
  const listen = `unix://${folder}/gsar.sock`;
  const { model, config } = await startRecordedModel(folder);
  const server = spawn(join(bin, "gsar-server"), ["--config", config, "--listen", listen, "--data-dir", `${folder}/data`], {
    env,
    stdio: "ignore",
  });
  const stop = () => {
    server.kill();
    model.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  const identity = token ? ["--token-file", join(folder, "token")] : [];
  const call = async (path, request) => {
    const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(request) });
    const answer = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer;
  };
  /** Runs `gsar` and returns its output. */
  const gsar = (...args) => execFileSync(join(bin, "gsar"), [...args, "--endpoint", listen, ...identity], { stdio: ["ignore", "pipe", "pipe"] }).toString();
  try {
    if (token) writeFileSync(join(folder, "token"), token, { mode: 0o600 });
    await waitUntilReady(url);
    if (isEmpty) return { url, call, gsar, stop };
    evaluate(listen, "--policy", "shadowed", ...identity);
    for (const judge of JUDGES.slice(1)) await evaluateAgain(call, judge);
    evaluate(listen, ...identity);
  } catch (error) {
    stop();
    throw error;
  }
  return { url, token, readerToken, call, gsar, stop };
}
