/** Makes calls over a connection, with deadlines and retries. Idempotent calls are retried if the server allows it. */
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
import { GsarError, invalidArgument } from "./error.js";
import { errorOf } from "./status.js";
import { type TlsFiles, tlsOptions } from "./tls.js";
import { tokenInterceptor, type TokenSource } from "./token.js";

const DEFAULT_TIMEOUT_MS = 60_000;
// A gRPC timeout has at most eight digits.
const MAX_TIMEOUT_MS = 99_999_999;
const MAX_ATTEMPTS = 4;

/** The options of a connection. */
export interface ConnectOptions extends TlsFiles, TokenSource {
  /** `unix:///path`, `grpc://host:port` or `grpcs://host:port`. Default: `GSAR_ENDPOINT` or the default socket. */
  readonly endpoint?: string | undefined;
  /** The time limit for a call, including retries. Defaults to 60 s. */
  readonly timeoutMs?: number | undefined;
  /**
   * If this is set and no sidecar responds, `evaluate` emits a warning and returns the tier `proceed`, with the reason
   * `SIDECAR_UNREACHABLE` and no evaluation id, instead of throwing an error.
   */
  readonly openIfUnreachable?: boolean | undefined;
  /** Connect interceptors, for example for tracing. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** The options of a call. */
export interface CallOptions {
  /** The time limit for this call, including retries. */
  readonly timeoutMs?: number | undefined;
  /** Cancels the call on both sides. */
  readonly signal?: AbortSignal | undefined;
}

function checkTimeout(timeoutMs: number | undefined, defaultMs: number): number {
  if (timeoutMs === undefined) return defaultMs;
  if (typeof timeoutMs === "number" && timeoutMs >= 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw invalidArgument("timeoutMs", `${String(timeoutMs)} is not a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}`);
}

/** Returns the milliseconds until a deadline. Throws if none are left, because Connect treats 0 as no deadline. */
function timeLeft(deadline: number): number {
  const left = deadline - performance.now();
  if (left > 0) return Math.ceil(left);
  throw new ConnectError("the deadline has passed", Code.DeadlineExceeded);
}

/** An HTTP/2 connection. It opens with the first call and reopens if it breaks. */
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
    const timeoutMs = checkTimeout(options.timeoutMs, DEFAULT_TIMEOUT_MS);
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

  /** Closes the connection and cancels all calls on it. */
  close(): void {
    this.#closed.abort();
    this.#sessions.abort();
  }

  /** Sends a request and retries it until it succeeds, fails permanently, or exceeds the deadline. */
  async call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    { idempotent, timeoutMs, signal }: CallOptions & { readonly idempotent: boolean },
  ): Promise<MessageShape<O>> {
    const deadline = performance.now() + checkTimeout(timeoutMs, this.#timeoutMs);
    for (let attempt = 1; ; attempt++) {
      let error: GsarError;
      try {
        this.#mustBeOpen(method.name);
        const left = timeLeft(deadline);
        return (await this.transport.unary(method, signal, left, undefined, request)).message;
      } catch (thrown) {
        error = this.#error(thrown, method.name, signal);
      }
      const delay = error.retryAfterMs;
      if (!idempotent || attempt === MAX_ATTEMPTS || delay === undefined || delay >= deadline - performance.now()) throw error;
      try {
        await wait(delay, undefined, signal ? { signal } : {});
      } catch (thrown) {
        throw this.#error(thrown, method.name, signal);
      }
    }
  }

  /** Sends a stream of messages and returns the response. The call is never retried. */
  async send<I extends DescMessage, O extends DescMessage>(
    method: DescMethodClientStreaming<I, O>,
    requests: Iterable<MessageInitShape<I>>,
    { timeoutMs, signal }: CallOptions,
  ): Promise<MessageShape<O>> {
    try {
      this.#mustBeOpen(method.name);
      const left = timeLeft(performance.now() + checkTimeout(timeoutMs, this.#timeoutMs));
      const call = await this.transport.stream(method, signal, left, undefined, toAsync(requests));
      // Reading to the end stops the deadline's timer, which would otherwise keep the program running.
      let answer: MessageShape<O> | undefined;
      for await (const each of call.message) answer ??= each;
      if (answer) return answer;
    } catch (thrown) {
      throw this.#error(thrown, method.name, signal);
    }
    throw new GsarError("INTERNAL", "the server sent no response", { method: method.name });
  }

  /**
   * Yields the responses of a call that has no deadline. Leaving the loop cancels the call. Errors that the caller's
   * requests throw are rethrown unchanged.
   */
  async *stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O> | DescMethodBiDiStreaming<I, O>,
    requests: Iterable<MessageInitShape<I>> | AsyncIterable<MessageInitShape<I>>,
    { signal }: { readonly signal?: AbortSignal | undefined },
  ): AsyncGenerator<MessageShape<O>, void, undefined> {
    const loopLeft = new AbortController();
    const either = signal ? AbortSignal.any([signal, loopLeft.signal]) : loopLeft.signal;
    let requestError: { readonly thrown: unknown } | undefined;
    const asyncRequests = toAsync(requests, (thrown) => (requestError = { thrown }));
    try {
      this.#mustBeOpen(method.name);
      const call = await this.transport.stream(method, either, undefined, undefined, asyncRequests);
      yield* call.message;
    } catch (thrown) {
      if (requestError) throw requestError.thrown;
      throw this.#error(thrown, method.name, signal);
    } finally {
      loopLeft.abort();
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

async function* toAsync<T>(
  values: Iterable<T> | AsyncIterable<T>,
  onError: (thrown: unknown) => void = () => undefined,
): AsyncGenerator<T> {
  let isConsuming = false;
  try {
    for await (const value of values) {
      isConsuming = true;
      yield value;
      isConsuming = false;
    }
  } catch (thrown) {
    if (!isConsuming) onError(thrown);
    throw thrown;
  }
}
