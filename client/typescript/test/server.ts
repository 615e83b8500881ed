/** A real sidecar for tests: GSAR_SERVER with the judge `rules/2`, in a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { Client, type ConnectOptions } from "gsar";

export const BINARY = resolve(process.env["GSAR_SERVER"] ?? "../../target/debug/gsar-server");
export const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("GSAR_")),
);

const endings: (() => unknown)[] = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});

/** Creates a folder that is deleted after the tests of the file. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "gsar-"));
  endings.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Returns a client that is closed after the tests of the file. */
export async function connected(options: string | ConnectOptions): Promise<Client> {
  const client = await Client.connect(options);
  endings.push(() => client.close());
  return client;
}

export interface Running {
  /** Its Unix socket. */
  readonly endpoint: string;
  /** Its TCP address, as host:port. */
  readonly address: string;
  readonly process: ChildProcess;
}

export interface Settings {
  /** Top-level keys of its configuration. */
  readonly top?: string;
  /** Tables of its configuration. */
  readonly tables?: string;
  readonly scheme?: "grpc" | "grpcs";
  readonly address?: string;
}

/** Starts a sidecar that is stopped after the tests of the file. */
export async function start({ top = "", tables = "", scheme = "grpc", address }: Settings = {}): Promise<Running> {
  const at = await folder();
  address ??= `127.0.0.1:${await freePort()}`;
  const endpoint = `unix://${at}/gsar.sock`;
  await writeFile(join(at, "gsar.toml"), `${top}\n[judges]\nchain = ["rules/2"]\n${tables}\n`);
  const listen = ["--listen", endpoint, "--listen", `${scheme}://${address}`];
  const child = spawn(BINARY, ["--config", join(at, "gsar.toml"), ...listen, "--data-dir", join(at, "data")], {
    env: ENVIRONMENT,
    stdio: ["ignore", "inherit", "pipe"],
  });
  const ended = once(child, "close");
  endings.push(async () => {
    child.kill();
    await ended;
  });
  const output: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    output.push(line);
    if (line.includes('"message":"ready"')) {
      child.stderr.resume();
      return { endpoint, address, process: child };
    }
  }
  throw new Error(`${BINARY} ended\n${output.join("\n")}`);
}
