/** TLS with a real sidecar: trusted and untrusted peers. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { afterEach, before, test } from "node:test";
import { Client, GsarError, mayProceed } from "gsar";
import { EVIDENCE, PROCEEDS } from "./reports.js";
import { connected, folder, start } from "./server.js";

let at: string;
let endpoint: string;

function openssl(...given: string[]): void {
  execFileSync("openssl", given, { cwd: at, stdio: ["ignore", "ignore", "pipe"] });
}

/** Creates a certificate NAME.pem with NAME.key, signed by ca.pem. */
function sign(name: string): void {
  writeFileSync(`${at}/${name}.ext`, "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", `${name}.key`];
  openssl("req", ...key, "-subj", `/CN=${name}`, "-out", `${name}.csr`);
  const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", `${name}.ext`];
  openssl("x509", "-req", "-in", `${name}.csr`, ...by, "-out", `${name}.pem`);
  chmodSync(`${at}/${name}.key`, 0o600);
}

before(async () => {
  at = await folder();
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key"];
  openssl("req", "-x509", ...key, "-subj", "/CN=tests", "-days", "2", "-out", "ca.pem");
  sign("server");
  sign("agent");
  const tables = `[tls]\ncertificate = "${at}/server.pem"\nkey = "${at}/server.key"\nclient_ca = "${at}/ca.pem"\n`;
  endpoint = `grpcs://${(await start({ tables, scheme: "grpcs" })).address}`;
});

afterEach(() => {
  for (const name of ["CA", "CERTIFICATE", "KEY"]) delete process.env[`GSAR_TLS_${name}`];
});

test("mutual TLS", async () => {
  const files = { tlsCa: `${at}/ca.pem`, tlsCertificate: `${at}/agent.pem`, tlsKey: `${at}/agent.key` };
  const named = await connected({ endpoint, ...files });
  assert.ok(mayProceed(await named.evaluate(PROCEEDS, EVIDENCE)));
  process.env["GSAR_TLS_CA"] = files.tlsCa;
  process.env["GSAR_TLS_CERTIFICATE"] = files.tlsCertificate;
  process.env["GSAR_TLS_KEY"] = files.tlsKey;
  const fromEnvironment = await connected(endpoint.replace("grpcs", "https"));
  assert.ok(mayProceed(await fromEnvironment.evaluate(PROCEEDS, EVIDENCE)));
});

test("untrusted peers get an error with the fix", async () => {
  for (const files of [{}, { tlsCa: `${at}/ca.pem` }]) {
    const client = await connected({ endpoint, ...files });
    await assert.rejects(client.isServing(), (error) => {
      assert.ok(error instanceof GsarError && error.reason === "SIDECAR_NOT_TRUSTED", String(error));
      assert.ok(!error.unreachable, "a client that opens where nobody answers stays shut");
      assert.match(error.message, /check tlsCa, tlsCertificate and tlsKey/);
      return true;
    });
  }
});

test("names unusable files", async () => {
  const cases: [object, RegExp][] = [
    [{ endpoint, tlsCa: "/nowhere" }, /^tlsCa: \/nowhere cannot be read \(ENOENT\); expected a PEM file/],
    [{ endpoint, tlsCertificate: `${at}/agent.pem` }, /^tlsKey: missing/],
    [{ endpoint, tlsKey: `${at}/agent.key` }, /^tlsCertificate: missing/],
    [
      { endpoint: "grpc://localhost:1", tlsCa: "/nowhere" },
      /^tlsCa: requires TLS, but grpc:\/\/localhost:1 does not use it/,
    ],
  ];
  for (const [options, message] of cases)
    await assert.rejects(Client.connect(options), { code: "INVALID_ARGUMENT", message });
});
