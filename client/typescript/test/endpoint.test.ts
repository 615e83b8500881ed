/** Where the sidecar is looked for, and what is no endpoint. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import net from "node:net";
import { afterEach, test } from "node:test";
import { Client } from "gsar";
import { folder } from "./server.js";

const found = async (endpoint = "") => (await Client.connect({ endpoint })).endpoint;

afterEach(() => {
  delete process.env["GSAR_ENDPOINT"];
  delete process.env["XDG_RUNTIME_DIR"];
});

const skip = existsSync("/run/gsar/gsar.sock") && "a sidecar of this machine may listen at /run/gsar/gsar.sock";

test("the endpoint is found as the command line finds it", { skip }, async (t) => {
  const runtime = await folder();
  process.env["XDG_RUNTIME_DIR"] = runtime;
  await mkdir(`${runtime}/gsar`);
  const path = `${runtime}/gsar/gsar.sock`;
  const absent = Client.connect();
  await assert.rejects(absent, { code: "UNAVAILABLE", reason: "SIDECAR_UNREACHABLE" });
  await assert.rejects(absent, {
    message: /^no sidecar runs here: looked for a socket at .*gsar\.sock and \/run\/gsar/,
  });
  assert.equal((await Client.connect({ openIfUnreachable: true })).endpoint, "unix:///run/gsar/gsar.sock");
  const listener = net.createServer().listen(path);
  t.after(() => listener.close());
  await once(listener, "listening");
  assert.equal(await found(), `unix://${path}`);
  process.env["GSAR_ENDPOINT"] = "grpc://gsar:1";
  assert.equal(await found(), "grpc://gsar:1");
  assert.equal(await found("grpc://[::1]:2/"), "grpc://[::1]:2");
});

test("http and https stand for grpc and grpcs", async () => {
  assert.equal(await found("http://localhost:1/"), "grpc://localhost:1");
  assert.equal(await found("https://localhost:1"), "grpcs://localhost:1");
});

test("what is no endpoint says why", async () => {
  const cases: [string, string][] = [
    ["localhost:50051", "it has no scheme"],
    ["/run/gsar.sock", "it has no scheme"],
    ["ftp://localhost:50051", "its scheme is none of unix, grpc and grpcs"],
    ["unix://gsar.sock", "the path of the socket is not absolute"],
    ["grpcs://localhost", "it names no port from 1 to 65535"],
    ["grpc://localhost:0", "it names no port from 1 to 65535"],
    ["grpc://localhost:99999", "it names no port from 1 to 65535"],
    ["grpc://:50051", "it names no host"],
    ["grpc://::1", "it names no host"],
    ["grpc://a/b:1", "it names no host"],
  ];
  for (const [given, reason] of cases) {
    const message = `endpoint: \`${given}\` is no endpoint: ${reason}; write unix:///path/to/socket, grpc://host:port or grpcs://host:port\n  reason INVALID_FIELDS`;
    await assert.rejects(Client.connect(given), { code: "INVALID_ARGUMENT", message });
  }
  process.env["GSAR_ENDPOINT"] = "localhost";
  await assert.rejects(Client.connect(), { message: /^GSAR_ENDPOINT: `localhost` is no endpoint/ });
});
