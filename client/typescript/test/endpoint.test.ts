/** Tests default endpoints and invalid endpoints. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import net from "node:net";
import { afterEach, test } from "node:test";
import { Client } from "gsar";
import { folder } from "./server.js";

const resolve = async (endpoint = "") => (await Client.connect({ endpoint })).endpoint;

afterEach(() => {
  delete process.env["GSAR_ENDPOINT"];
  delete process.env["XDG_RUNTIME_DIR"];
});

const skip = existsSync("/run/gsar/gsar.sock") && "a sidecar on this machine may be listening on /run/gsar/gsar.sock";

test("finds the endpoint as the command line does", { skip }, async (t) => {
  const runtime = await folder();
  process.env["XDG_RUNTIME_DIR"] = runtime;
  await mkdir(`${runtime}/gsar`);
  const path = `${runtime}/gsar/gsar.sock`;
  const attempt = Client.connect();
  await assert.rejects(attempt, { code: "UNAVAILABLE", reason: "SIDECAR_UNREACHABLE" });
  await assert.rejects(attempt, {
    message: /^no sidecar found; tried .*gsar\.sock and \/run\/gsar/,
  });
  assert.equal((await Client.connect({ openIfUnreachable: true })).endpoint, "unix:///run/gsar/gsar.sock");
  const listener = net.createServer().listen(path);
  t.after(() => listener.close());
  await once(listener, "listening");
  assert.equal(await resolve(), `unix://${path}`);
  process.env["GSAR_ENDPOINT"] = "grpc://gsar:1";
  assert.equal(await resolve(), "grpc://gsar:1");
  assert.equal(await resolve("grpc://[::1]:2/"), "grpc://[::1]:2");
});

test("http and https are aliases of grpc and grpcs", async () => {
  assert.equal(await resolve("http://localhost:1/"), "grpc://localhost:1");
  assert.equal(await resolve("https://localhost:1"), "grpcs://localhost:1");
});

test("explains why an endpoint is invalid", async () => {
  const cases: [string, string][] = [
    ["localhost:50051", "missing scheme"],
    ["/run/gsar.sock", "missing scheme"],
    ["ftp://localhost:50051", "unknown scheme"],
    ["unix://gsar.sock", "the socket path is not absolute"],
    ["grpcs://localhost", "missing or invalid port"],
    ["grpc://localhost:0", "missing or invalid port"],
    ["grpc://localhost:99999", "missing or invalid port"],
    ["grpc://:50051", "missing or invalid host"],
    ["grpc://::1", "missing or invalid host"],
    ["grpc://a/b:1", "missing or invalid host"],
  ];
  for (const [given, reason] of cases) {
    const message = `endpoint: invalid endpoint \`${given}\`: ${reason}; expected unix:///path/to/socket, grpc://host:port or grpcs://host:port\n  reason INVALID_FIELDS`;
    await assert.rejects(Client.connect(given), { code: "INVALID_ARGUMENT", message });
  }
  process.env["GSAR_ENDPOINT"] = "localhost";
  await assert.rejects(Client.connect(), { message: /^GSAR_ENDPOINT: invalid endpoint `localhost`/ });
});
