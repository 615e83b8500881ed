/** Starts real sidecars for tests: GSAR_SERVER with the judge `rules/2`, in a temporary folder. */
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

const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Creates a folder that is deleted after the tests in the file. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "gsar-"));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
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

/** Returns a client that is closed after the tests in the file. */
export async function connect(options: string | ConnectOptions): Promise<Client> {
  const client = await Client.connect(options);
  cleanups.push(() => client.close());
  return client;
}

export interface RunningServer {
  /** The endpoint of the server's Unix socket. */
  readonly endpoint: string;
  /** The server's TCP address, as host:port. */
  readonly address: string;
  readonly process: ChildProcess;
}

export interface Settings {
  /** Top-level keys of the configuration. */
  readonly top?: string;
  /** Tables of the configuration. */
  readonly tables?: string;
  readonly scheme?: "grpc" | "grpcs";
  readonly address?: string;
}

/** Starts a sidecar that is stopped after the tests in the file. */
export async function start({ top = "", tables = "", scheme = "grpc", address }: Settings = {}): Promise<RunningServer> {
  const path = await folder();
  address ??= `127.0.0.1:${await freePort()}`;
  const endpoint = `unix://${path}/gsar.sock`;
  await writeFile(join(path, "gsar.toml"), `${top}\n[judges]\nchain = ["rules/2"]\n${tables}\n`);
  const listen = ["--listen", endpoint, "--listen", `${scheme}://${address}`];
  const child = spawn(BINARY, ["--config", join(path, "gsar.toml"), ...listen, "--data-dir", join(path, "data")], {
    env: ENVIRONMENT,
    stdio: ["ignore", "inherit", "pipe"],
  });
  const closed = once(child, "close");
  cleanups.push(async () => {
    child.kill();
    await closed;
  });
  const output: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    output.push(line);
    if (line.includes('"message":"ready"')) {
      child.stderr.resume();
      return { endpoint, address, process: child };
    }
  }
  throw new Error(`${BINARY} exited\n${output.join("\n")}`);
}
