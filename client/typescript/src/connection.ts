/** A connection: calls with a deadline, repeated only where the server says when and it does no harm. */
import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Endpoint, findEndpoint } from "./endpoint.js";
import { GsarError, refused } from "./error.js";
import { errorOf } from "./status.js";
import { type TlsFiles, tlsOptions } from "./tls.js";
import { tokenInterceptor, type TokenSource } from "./token.js";

const DEFAULT_TIMEOUT_MS = 60_000;
// gRPC sends at most eight digits, which are whole.
const MAX_TIMEOUT_MS = 99_999_999;
const MAX_ATTEMPTS = 4;

/** How to connect. */
export interface ConnectOptions extends TlsFiles, TokenSource {
  /** `unix:///path`, `grpc://host:port` or `grpcs://host:port`; else `GSAR_ENDPOINT`, else the default socket. */
  readonly endpoint?: string | undefined;
  /** The time of a call, repetitions included; 60 s by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * Where no sidecar answers, `evaluate` warns and answers with a proceed that nobody decided instead of throwing:
   * reason `SIDECAR_UNREACHABLE`, no id.
   */
  readonly openIfUnreachable?: boolean | undefined;
  /** Interceptors of Connect, for tracing and the like. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** What every call takes. */
export interface CallOptions {
  /** The time of this call, repetitions included. */
  readonly timeoutMs?: number | undefined;
  /** Ends the call, in the sidecar as well. */
  readonly signal?: AbortSignal | undefined;
}

function checked(timeoutMs: number | undefined, otherwise: number): number {
  if (timeoutMs === undefined) return otherwise;
  if (typeof timeoutMs === "number" && timeoutMs >= 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw refused("timeoutMs", `${String(timeoutMs)} is not a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}`);
}

/** Whole milliseconds until a deadline. Where none are left Connect would set no deadline at all. */
function timeLeft(ends: number): number {
  const left = ends - performance.now();
  if (left > 0) return Math.ceil(left);
  throw new ConnectError("no time is left", Code.DeadlineExceeded);
}

/** One HTTP/2 connection, opened at the first call and again after it broke. */
export class Connection {
  readonly #sessions: Http2SessionManager;
  readonly #timeoutMs: number;
  readonly #closed = new AbortController();

  private constructor(
    readonly endpoint: Endpoint,
    readonly transport: Transport,
    sessions: Http2SessionManager,
    timeoutMs: number,
  ) {
    this.#sessions = sessions;
    this.#timeoutMs = timeoutMs;
  }

  static async open(options: ConnectOptions): Promise<Connection> {
    const timeoutMs = checked(options.timeoutMs, DEFAULT_TIMEOUT_MS);
    const endpoint = await findEndpoint(options.endpoint ?? "", !options.openIfUnreachable);
    const tls = await tlsOptions(endpoint, options);
    const token = await tokenInterceptor(options);
    const socket = endpoint.scheme === "unix" ? { createConnection: () => connect(endpoint.address) } : {};
    const sessionManager = new Http2SessionManager(endpoint.baseUrl, {}, { ...tls, ...socket });
    const transport = createGrpcTransport({
      baseUrl: endpoint.baseUrl,
      sessionManager,
      interceptors: [...(options.interceptors ?? []), ...(token ? [token] : [])],
    });
    return new Connection(endpoint, transport, sessionManager, timeoutMs);
  }

  /** Ends the connection and every call on it. */
  close(): void {
    this.#closed.abort();
    this.#sessions.abort();
  }

  /** Sends a request until it is answered, refused for good, or the deadline passes. */
  async call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    { repeat, timeoutMs, signal }: CallOptions & { readonly repeat: boolean },
  ): Promise<MessageShape<O>> {
    const ends = performance.now() + checked(timeoutMs, this.#timeoutMs);
    for (let attempt = 1; ; attempt++) {
      let error: GsarError;
      try {
        this.#mustBeOpen(method.name);
        const left = timeLeft(ends);
        return (await this.transport.unary(method, signal, left, undefined, request)).message;
      } catch (thrown) {
        error = this.#error(thrown, method.name, signal);
      }
      const delay = error.retryAfterMs;
      if (!repeat || attempt === MAX_ATTEMPTS || delay === undefined || delay >= ends - performance.now()) throw error;
      try {
        await wait(delay, undefined, signal ? { signal } : {});
      } catch (thrown) {
        throw this.#error(thrown, method.name, signal);
      }
    }
  }

  /** Sends messages that get one answer; never repeated. */
  async send<I extends DescMessage, O extends DescMessage>(
    method: DescMethodClientStreaming<I, O>,
    requests: Iterable<MessageInitShape<I>>,
    { timeoutMs, signal }: CallOptions,
  ): Promise<MessageShape<O>> {
    try {
      this.#mustBeOpen(method.name);
      const left = timeLeft(performance.now() + checked(timeoutMs, this.#timeoutMs));
      const call = await this.transport.stream(method, signal, left, undefined, asynchronous(requests));
      // Read to its end, which stops the timer of the deadline: a program could not exit before it.
      let answer: MessageShape<O> | undefined;
      for await (const each of call.message) answer ??= each;
      if (answer) return answer;
    } catch (thrown) {
      throw this.#error(thrown, method.name, signal);
    }
    throw new GsarError("INTERNAL", "the server gives no answer", { method: method.name });
  }

  /**
   * The answers of a call without a deadline of the client's; leaving them ends the call. What the caller's requests throw
   * is thrown as it is.
   */
  async *stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O> | DescMethodBiDiStreaming<I, O>,
    requests: Iterable<MessageInitShape<I>> | AsyncIterable<MessageInitShape<I>>,
    { signal }: { readonly signal?: AbortSignal | undefined },
  ): AsyncGenerator<MessageShape<O>, void, undefined> {
    const left = new AbortController();
    const either = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
    let failed: { readonly thrown: unknown } | undefined;
    const watched = asynchronous(requests, (thrown) => (failed = { thrown }));
    try {
      this.#mustBeOpen(method.name);
      const call = await this.transport.stream(method, either, undefined, undefined, watched);
      yield* call.message;
    } catch (thrown) {
      if (failed) throw failed.thrown;
      throw this.#error(thrown, method.name, signal);
    } finally {
      left.abort();
    }
  }

  #mustBeOpen(method: string): void {
    if (this.#closed.signal.aborted) throw new GsarError("CANCELLED", "the client is closed", { method });
  }

  #error(thrown: unknown, method: string, signal: AbortSignal | undefined): GsarError {
    if (this.#closed.signal.aborted && !(thrown instanceof GsarError)) {
      return new GsarError("CANCELLED", "the client was closed during the call", { method, cause: thrown });
    }
    return errorOf(thrown, method, this.endpoint, signal);
  }
}

async function* asynchronous<T>(
  values: Iterable<T> | AsyncIterable<T>,
  onError: (thrown: unknown) => void = () => undefined,
): AsyncGenerator<T> {
  let isOurs = false;
  try {
    for await (const value of values) {
      isOurs = true;
      yield value;
      isOurs = false;
    }
  } catch (thrown) {
    if (!isOurs) onError(thrown);
    throw thrown;
  }
}
