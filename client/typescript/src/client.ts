/** The client, which has a method for each common call. */
import { type DescService, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Client as Stubs, type Transport } from "@connectrpc/connect";
import { proceedWithoutVerdict } from "./answers.js";
import { type CallOptions, Connection, type ConnectOptions } from "./connection.js";
import { GsarError } from "./error.js";
import { Health, HealthCheckResponse_ServingStatus } from "./gen/grpc/health/v1/health_pb.js";
import type { EvidenceItem, Tier } from "./gen/gsar/v1/common_pb.js";
import {
  type CorpusSummary,
  EvidenceService,
  type GetSnapshotRequestSchema,
  type GetSnapshotResponse,
  type PutEvidenceResponse,
  type SearchRequestSchema,
  type SearchResponse,
} from "./gen/gsar/v1/evidence_service_pb.js";
import {
  type EvaluateRequest,
  type EvaluateResponse,
  type EvaluateStreamResponse,
  GroundingService,
  type RescoreResponse,
  type ScoreResponse,
  type SelectBestResponse,
  type TryJudgesResponse,
} from "./gen/gsar/v1/grounding_service_pb.js";
import {
  type GetInvestigationResponse,
  type Investigation,
  InvestigationService,
  type RecordTurnRequestSchema,
  type StartInvestigationRequestSchema,
  type SubmitReportRequestSchema,
  type SubmitReportResponse,
} from "./gen/gsar/v1/investigation_service_pb.js";
import {
  type EvaluationSummary,
  type ExportRequestSchema,
  type ExportResponse,
  type GetEvaluationResponse,
  type GradeResponse,
  type GradeSchema,
  LedgerService,
} from "./gen/gsar/v1/ledger_service_pb.js";
import { type GetPolicyResponse, PolicyService, type PolicySummary } from "./gen/gsar/v1/policy_service_pb.js";
import { type Evidence, items } from "./items.js";
import {
  type EvaluateOptions,
  evaluation,
  type Partition,
  type PolicyOptions,
  type ReportText,
  reportOf,
  scoreRequest,
  putEvidenceMessages,
} from "./requests.js";

/** Filters for the list of recorded evaluations. */
export interface ListOptions extends CallOptions {
  readonly tier?: Tier | undefined;
  readonly reportId?: string | undefined;
  readonly investigationId?: string | undefined;
  readonly policy?: string | undefined;
  readonly judge?: string | undefined;
  readonly principal?: string | undefined;
  readonly evaluatedFrom?: Date | undefined;
  readonly evaluatedBefore?: Date | undefined;
  /** Lists only reports that proceeded with claims that are not grounded. */
  readonly unprovenOnly?: boolean | undefined;
  readonly pageSize?: number | undefined;
}

/**
 * A connection to a sidecar, with a method for each common call. Calls can run concurrently.
 *
 * A call that fails throws `GsarError`. If the call was evaluating a report, treat the report as not evaluated.
 */
export class Client {
  readonly #connection: Connection;
  readonly #openIfUnreachable: boolean;

  private constructor(connection: Connection, openIfUnreachable: boolean) {
    this.#connection = connection;
    this.#openIfUnreachable = openIfUnreachable;
  }

  /** Finds the sidecar and reads the files that the options name. The first call opens the connection. */
  static async connect(given: string | ConnectOptions = {}): Promise<Client> {
    const options = typeof given === "string" ? { endpoint: given } : given;
    return new Client(await Connection.open(options), options.openIfUnreachable ?? false);
  }

  /** The endpoint of the sidecar. */
  get endpoint(): string {
    return String(this.#connection.endpoint);
  }

  /** The Connect transport, which adds the token to calls. */
  get transport(): Transport {
    return this.#connection.transport;
  }

  /** Returns the generated client for a `gsar/v1` service over this connection. Its calls throw `ConnectError`. */
  stubs<S extends DescService>(service: S): Stubs<S> {
    return createClient(service, this.transport);
  }

  /** Closes the connection and cancels all calls on it. */
  close(): void {
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Returns `true` if the sidecar is ready. Throws if no sidecar responds. */
  async isServing(options: CallOptions = {}): Promise<boolean> {
    const answer = await this.#connection.call(Health.method.check, {}, { ...options, idempotent: true });
    return answer.status === HealthCheckResponse_ServingStatus.SERVING;
  }

  // Reports.

  /**
   * Evaluates a report. If the judge fails, the tier is abstain and no error is thrown.
   *
   * `evidence` is an array of items (`text`, `json`, `file`, `evidenceFrom`), or an object that maps ids to contents.
   * The call is retried only if it has an idempotency key and the server allows a retry.
   */
  async evaluate(
    report: ReportText,
    evidence: Evidence,
    options: EvaluateOptions & CallOptions = {},
  ): Promise<EvaluateResponse> {
    const request = evaluation(report, evidence, options);
    const idempotent = request.idempotencyKey !== "";
    try {
      return await this.#connection.call(GroundingService.method.evaluate, request, { ...options, idempotent });
    } catch (error) {
      if (this.#openIfUnreachable && error instanceof GsarError && error.unreachable) return proceedWithoutVerdict(error);
      throw error;
    }
  }

  /**
   * Evaluates many reports in a single call. Yields each response, with the id of its report, as soon as it is complete.
   *
   * Use `evaluation` to build the requests. If the evaluation of a report fails, its response is an error, which
   * `errorFrom` converts to a `GsarError`. The client's deadline does not apply. Leaving the loop cancels the call.
   */
  async *evaluateStream(
    reports: Iterable<readonly [string, EvaluateRequest]> | AsyncIterable<readonly [string, EvaluateRequest]>,
    options: Pick<CallOptions, "signal"> = {},
  ): AsyncGenerator<EvaluateStreamResponse, void, undefined> {
    const correlated = (async function* () {
      for await (const [correlationId, request] of reports) yield { correlationId, request };
    })();
    yield* this.#connection.stream(GroundingService.method.evaluateStream, correlated, options);
  }

  /** Scores claims that the caller has judged, such as `counts({ grounded: ["tool_match"] })`, and decides. */
  async score(
    partition: Partition,
    options: PolicyOptions & Pick<EvaluateOptions, "gate"> & CallOptions = {},
  ): Promise<ScoreResponse> {
    const request = scoreRequest(partition, options);
    return this.#connection.call(GroundingService.method.score, request, { ...options, idempotent: true });
  }

  /** Evaluates 1 to 16 reports against the same evidence and ranks them, best first. The call is never retried. */
  async selectBest(
    candidates: Iterable<ReportText>,
    evidence: Evidence,
    options: Pick<EvaluateOptions, "policy" | "corpusId" | "investigationId"> & CallOptions = {},
  ): Promise<SelectBestResponse> {
    const request = {
      candidates: Array.from(candidates, (each, index) => reportOf(each, `candidates[${index}]`)),
      evidence: items(evidence),
      policy: options.policy ?? "",
      corpusId: options.corpusId ?? "",
      investigationId: options.investigationId ?? "",
    };
    return this.#connection.call(GroundingService.method.selectBest, request, { ...options, idempotent: false });
  }

  /** Applies another policy to a recorded evaluation, without judging or recording anything. */
  async rescore(evaluationId: string, options: PolicyOptions & CallOptions = {}): Promise<RescoreResponse> {
    const request = {
      evaluationId,
      policy: options.policy ?? "",
      explain: options.explain ?? false,
      ...(options.overrides && { policyOverrides: options.overrides }),
    };
    return this.#connection.call(GroundingService.method.rescore, request, { ...options, idempotent: true });
  }

  /** Tests the judges, including chat models, on a small report that should proceed. */
  async tryJudges(judge = "", options: CallOptions = {}): Promise<TryJudgesResponse> {
    return this.#connection.call(GroundingService.method.tryJudges, { judge }, { ...options, idempotent: true });
  }

  // Recorded evaluations.

  /** Lists recorded evaluations, newest first. Fetches pages lazily. */
  async *listEvaluations(options: ListOptions = {}): AsyncGenerator<EvaluationSummary, void, undefined> {
    const { timeoutMs, signal, evaluatedFrom, evaluatedBefore, ...filter } = options;
    const fields = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    const request = {
      ...fields,
      ...(evaluatedFrom && { evaluatedFrom: timestampFromDate(evaluatedFrom) }),
      ...(evaluatedBefore && { evaluatedBefore: timestampFromDate(evaluatedBefore) }),
    };
    for (let pageToken = ""; ;) {
      const method = LedgerService.method.listEvaluations;
      const page = await this.#connection.call(method, { ...request, pageToken }, { timeoutMs, signal, idempotent: true });
      yield* page.evaluations;
      pageToken = page.nextPageToken;
      if (!pageToken) return;
    }
  }

  /** Returns a recorded evaluation with its grades. */
  async getEvaluation(evaluationId: string, options: CallOptions = {}): Promise<GetEvaluationResponse> {
    return this.#connection.call(LedgerService.method.getEvaluation, { evaluationId }, { ...options, idempotent: true });
  }

  /** Returns an evidence item of a recorded evaluation exactly as it was sent. */
  async getEvaluationEvidence(
    evaluationId: string,
    evidenceId: string,
    options: CallOptions = {},
  ): Promise<EvidenceItem | undefined> {
    const method = LedgerService.method.getEvaluationEvidence;
    return (await this.#connection.call(method, { evaluationId, evidenceId }, { ...options, idempotent: true })).item;
  }

  /** Deletes an evaluation, its grades, and the evidence that no other evaluation uses. */
  async deleteEvaluation(evaluationId: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call(LedgerService.method.deleteEvaluation, { evaluationId }, { ...options, idempotent: false });
  }

  /** Records the grades of an evaluation: either all of them or none. */
  async grade(
    evaluationId: string,
    grader: string,
    grades: MessageInitShape<typeof GradeSchema>[],
    options: CallOptions = {},
  ): Promise<GradeResponse> {
    const request = { evaluationId, grader, grades };
    return this.#connection.call(LedgerService.method.grade, request, { ...options, idempotent: true });
  }

  /**
   * Exports records as a stream. To resume an export, pass the `after` value of the last response. The client's
   * deadline does not apply.
   */
  async *exportRecords(
    request: MessageInitShape<typeof ExportRequestSchema>,
    options: Pick<CallOptions, "signal"> = {},
  ): AsyncGenerator<ExportResponse, void, undefined> {
    yield* this.#connection.stream(LedgerService.method.export, [request], options);
  }

  // Stored evidence.

  /** Stores items in a corpus, which is created if necessary. The call is idempotent. */
  async putEvidence(
    corpusId: string,
    evidence: Evidence,
    options: CallOptions & { readonly timeToLiveMs?: number | undefined } = {},
  ): Promise<PutEvidenceResponse> {
    const messages = [...putEvidenceMessages(corpusId, evidence, options.timeToLiveMs)];
    return this.#connection.send(EvidenceService.method.putEvidence, messages, options);
  }

  /** Returns up to `most` (10 by default) passages that are relevant to a query, best first. */
  async search(
    corpusId: string,
    query: string,
    options: Pick<MessageInitShape<typeof SearchRequestSchema>, "most" | "filter" | "method"> & CallOptions = {},
  ): Promise<SearchResponse> {
    const { timeoutMs, signal, ...more } = options;
    const request = { ...more, corpusId, query } as MessageInitShape<typeof SearchRequestSchema>;
    return this.#connection.call(EvidenceService.method.search, request, { timeoutMs, signal, idempotent: true });
  }

  /** Returns a range of a stored item, which is its beginning by default. */
  async getSnapshot(
    request: MessageInitShape<typeof GetSnapshotRequestSchema>,
    options: CallOptions = {},
  ): Promise<GetSnapshotResponse> {
    return this.#connection.call(EvidenceService.method.getSnapshot, request, { ...options, idempotent: true });
  }

  /** Lists the corpora, sorted by name. Fetches pages lazily. */
  async *listCorpora(options: CallOptions = {}): AsyncGenerator<CorpusSummary, void, undefined> {
    for (let pageToken = ""; ;) {
      const page = await this.#connection.call(
        EvidenceService.method.listCorpora,
        { pageToken },
        { ...options, idempotent: true },
      );
      yield* page.corpora;
      pageToken = page.nextPageToken;
      if (!pageToken) return;
    }
  }

  /** Deletes a corpus and everything in it. */
  async deleteCorpus(corpusId: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call(EvidenceService.method.deleteCorpus, { corpusId }, { ...options, idempotent: false });
  }

  // Policies.

  /** Lists the server's policies. */
  async listPolicies(options: CallOptions = {}): Promise<PolicySummary[]> {
    return (await this.#connection.call(PolicyService.method.listPolicies, {}, { ...options, idempotent: true })).policies;
  }

  /** Returns a policy as a policy file. An empty name selects the server's default. */
  async getPolicy(name = "", options: CallOptions = {}): Promise<GetPolicyResponse> {
    return this.#connection.call(PolicyService.method.getPolicy, { name }, { ...options, idempotent: true });
  }

  // The steps of an investigation. `investigate` runs all of them.

  /** Starts or resumes an investigation and returns its state. */
  async startInvestigation(
    request: MessageInitShape<typeof StartInvestigationRequestSchema>,
    options: CallOptions = {},
  ): Promise<Investigation> {
    const method = InvestigationService.method.startInvestigation;
    return investigationOf(await this.#connection.call(method, request, { ...options, idempotent: true }));
  }

  /** Records an agent's turn and returns the state of the investigation. */
  async recordTurn(
    request: MessageInitShape<typeof RecordTurnRequestSchema>,
    options: CallOptions = {},
  ): Promise<Investigation> {
    const method = InvestigationService.method.recordTurn;
    return investigationOf(await this.#connection.call(method, request, { ...options, idempotent: true }));
  }

  /** Submits a report for evaluation. */
  async submitReport(
    request: MessageInitShape<typeof SubmitReportRequestSchema>,
    options: CallOptions = {},
  ): Promise<SubmitReportResponse> {
    return this.#connection.call(InvestigationService.method.submitReport, request, { ...options, idempotent: true });
  }

  /** Returns the state of an investigation, with its events if `withEvents` is set. */
  async getInvestigation(
    investigationId: string,
    options: CallOptions & { readonly withEvents?: boolean | undefined } = {},
  ): Promise<GetInvestigationResponse> {
    const request = { investigationId, withEvents: options.withEvents ?? false };
    return this.#connection.call(InvestigationService.method.getInvestigation, request, { ...options, idempotent: true });
  }

  /** Cancels an investigation. It finishes as degraded, with its best report. */
  async cancelInvestigation(investigationId: string, options: CallOptions = {}): Promise<Investigation> {
    const method = InvestigationService.method.cancelInvestigation;
    return investigationOf(await this.#connection.call(method, { investigationId }, { ...options, idempotent: true }));
  }
}

function investigationOf({ investigation }: { readonly investigation?: Investigation | undefined }): Investigation {
  if (investigation) return investigation;
  throw new GsarError("INTERNAL", "the response has no investigation");
}
