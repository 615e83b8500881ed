/** Tests TLS against a real sidecar, with trusted and untrusted peers. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { afterEach, before, test } from "node:test";
import { Client, GsarError, mayProceed } from "gsar";
import { EVIDENCE, PROCEED_REPORT } from "./reports.js";
import { connect, folder, start } from "./server.js";

let at: string;
let endpoint: string;

function openssl(...args: string[]): void {
  execFileSync("openssl", args, { cwd: at, stdio: ["ignore", "ignore", "pipe"] });
}

/** Creates the certificate NAME.pem, signed by ca.pem, and its key NAME.key. */
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

test("connects with mutual TLS", async () => {
  const files = { tlsCa: `${at}/ca.pem`, tlsCertificate: `${at}/agent.pem`, tlsKey: `${at}/agent.key` };
  const fromOptions = await connect({ endpoint, ...files });
  assert.ok(mayProceed(await fromOptions.evaluate(PROCEED_REPORT, EVIDENCE)));
  process.env["GSAR_TLS_CA"] = files.tlsCa;
  process.env["GSAR_TLS_CERTIFICATE"] = files.tlsCertificate;
  process.env["GSAR_TLS_KEY"] = files.tlsKey;
  const fromEnvironment = await connect(endpoint.replace("grpcs", "https"));
  assert.ok(mayProceed(await fromEnvironment.evaluate(PROCEED_REPORT, EVIDENCE)));
});

test("the error for an untrusted peer names the fix", async () => {
  for (const files of [{}, { tlsCa: `${at}/ca.pem` }]) {
    const client = await connect({ endpoint, ...files });
    await assert.rejects(client.isServing(), (error) => {
      assert.ok(error instanceof GsarError && error.reason === "SIDECAR_NOT_TRUSTED", String(error));
      assert.ok(!error.unreachable, "openIfUnreachable must not apply to an untrusted peer");
      assert.match(error.message, /check tlsCa, tlsCertificate and tlsKey/);
      return true;
    });
  }
});

test("rejects unusable files and settings", async () => {
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
