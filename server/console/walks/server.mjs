// A real server with evaluations of a real-looking incident in it, for walks.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
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

async function isReady(url) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const health = await fetch(`${url}/v1/health`).catch(() => undefined);
    if (health?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} is not ready`);
}

/** Evaluates the reports of an incident. */
function evaluate(endpoint) {
  const incident = join(root, "datasets/incidents/checkout-oom");
  for (const report of readdirSync(join(incident, "reports")).sort()) {
    const args = ["evaluate", join(incident, "reports", report), "--evidence", join(incident, "evidence")];
    try {
      execFileSync(join(bin, "gsar"), [...args, "--endpoint", endpoint], { stdio: "pipe" });
    } catch (failed) {
      // 10 to 12 are verdicts.
      if (![10, 11, 12].includes(failed.status)) throw failed;
    }
  }
}

/** Starts a server with the reports of an incident evaluated in it. */
export async function start() {
  const folder = mkdtempSync(join(tmpdir(), "gsar-walks-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    GSAR_POLICIES__DEFAULT: "local",
    GSAR_GATEWAY__ADDRESS: `127.0.0.1:${port}`,
    GSAR_GATEWAY__CONSOLE: "true",
  };
  const listen = `unix://${folder}/gsar.sock`;
  const server = spawn(join(bin, "gsar-server"), ["--listen", listen, "--data-dir", `${folder}/data`], {
    env,
    stdio: "ignore",
  });
  const stop = () => {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await isReady(url);
    evaluate(listen);
  } catch (failed) {
    stop();
    throw failed;
  }
  return {
    url,
    async call(path, request) {
      const response = await fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(request),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer;
    },
    stop,
  };
}
