/** The client: a method for each call that programs make often, answered with its message of the contract. */
import { type DescService, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Client as Stubs, type Transport } from "@connectrpc/connect";
import { undecided } from "./answers.js";
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
  stored,
} from "./requests.js";

/** Which recorded evaluations are listed. */
export interface ListOptions extends CallOptions {
  readonly tier?: Tier | undefined;
  readonly reportId?: string | undefined;
  readonly investigationId?: string | undefined;
  readonly policy?: string | undefined;
  readonly judge?: string | undefined;
  readonly principal?: string | undefined;
  readonly evaluatedFrom?: Date | undefined;
  readonly evaluatedBefore?: Date | undefined;
  /** Only reports that could go out without every claim grounded. */
  readonly unprovenOnly?: boolean | undefined;
  readonly pageSize?: number | undefined;
}

/**
 * A connection to a sidecar. Calls may run side by side.
 *
 * Where a call gives no answer it throws `GsarError`: nothing may go out on it.
 */
export class Client {
  readonly #connection: Connection;
  readonly #openIfUnreachable: boolean;

  private constructor(connection: Connection, openIfUnreachable: boolean) {
    this.#connection = connection;
    this.#openIfUnreachable = openIfUnreachable;
  }

  /** Finds the sidecar and reads the files that are named. The connection opens with the first call. */
  static async connect(given: string | ConnectOptions = {}): Promise<Client> {
    const options = typeof given === "string" ? { endpoint: given } : given;
    return new Client(await Connection.open(options), options.openIfUnreachable ?? false);
  }

  /** Where the sidecar listens. */
  get endpoint(): string {
    return String(this.#connection.endpoint);
  }

  /** The transport of Connect that calls go over, token included. */
  get transport(): Transport {
    return this.#connection.transport;
  }

  /** The generated client of a service of `gsar/v1`, over this connection. Its errors are those of Connect. */
  stubs<S extends DescService>(service: S): Stubs<S> {
    return createClient(service, this.transport);
  }

  /** Ends the connection and every call on it. */
  close(): void {
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Whether the sidecar is ready; throws where there is none. */
  async isServing(options: CallOptions = {}): Promise<boolean> {
    const answer = await this.#connection.call(Health.method.check, {}, { ...options, repeat: true });
    return answer.status === HealthCheckResponse_ServingStatus.SERVING;
  }

  // Reports.

  /**
   * Has a judge partition the report's claims, and decides. A judge that failed is an answer: abstain.
   *
   * Evidence is an array of items (`text`, `json`, `file`, `evidenceFrom`) or contents by id. The call is repeated on the
   * server's word only with an idempotency key.
   */
  async evaluate(
    report: ReportText,
    evidence: Evidence,
    options: EvaluateOptions & CallOptions = {},
  ): Promise<EvaluateResponse> {
    const request = evaluation(report, evidence, options);
    const repeat = request.idempotencyKey !== "";
    try {
      return await this.#connection.call(GroundingService.method.evaluate, request, { ...options, repeat });
    } catch (error) {
      if (this.#openIfUnreachable && error instanceof GsarError && error.unreachable) return undecided(error);
      throw error;
    }
  }

  /**
   * Evaluates many reports over one call; answers come as they are ready, each with the name given to its report.
   *
   * `evaluation` makes requests. An answer may be an error of its report alone (`errorOfPart`). No deadline of the client
   * applies; leaving the loop ends the call.
   */
  async *evaluateStream(
    reports: Iterable<readonly [string, EvaluateRequest]> | AsyncIterable<readonly [string, EvaluateRequest]>,
    options: Pick<CallOptions, "signal"> = {},
  ): AsyncGenerator<EvaluateStreamResponse, void, undefined> {
    const named = (async function* () {
      for await (const [correlationId, request] of reports) yield { correlationId, request };
    })();
    yield* this.#connection.stream(GroundingService.method.evaluateStream, named, options);
  }

  /** Decides a partition that the caller gives, such as `counts({ grounded: ["tool_match"] })`; no judge. */
  async score(
    partition: Partition,
    options: PolicyOptions & Pick<EvaluateOptions, "gate"> & CallOptions = {},
  ): Promise<ScoreResponse> {
    const request = scoreRequest(partition, options);
    return this.#connection.call(GroundingService.method.score, request, { ...options, repeat: true });
  }

  /** Evaluates 1 to 16 reports over the same evidence and ranks them, the best first. Never repeated. */
  async selectBest(
    candidates: Iterable<ReportText>,
    evidence: Evidence,
    options: Pick<EvaluateOptions, "policy" | "corpusId" | "investigationId"> & CallOptions = {},
  ): Promise<SelectBestResponse> {
    const request = {
      candidates: Array.from(candidates, (each, number) => reportOf(each, `candidates[${number}]`)),
      evidence: items(evidence),
      policy: options.policy ?? "",
      corpusId: options.corpusId ?? "",
      investigationId: options.investigationId ?? "",
    };
    return this.#connection.call(GroundingService.method.selectBest, request, { ...options, repeat: false });
  }

  /** Decides a recorded evaluation under another policy; no judge is asked and nothing is recorded. */
  async rescore(evaluationId: string, options: PolicyOptions & CallOptions = {}): Promise<RescoreResponse> {
    const request = {
      evaluationId,
      policy: options.policy ?? "",
      explain: options.explain ?? false,
      ...(options.overrides && { policyOverrides: options.overrides }),
    };
    return this.#connection.call(GroundingService.method.rescore, request, { ...options, repeat: true });
  }

  /** Has judges judge a small report that must proceed. Chat models are really asked, and paid for. */
  async tryJudges(judge = "", options: CallOptions = {}): Promise<TryJudgesResponse> {
    return this.#connection.call(GroundingService.method.tryJudges, { judge }, { ...options, repeat: true });
  }

  // The record.

  /** Lists recorded evaluations, newest first, as far as they are read. */
  async *listEvaluations(options: ListOptions = {}): AsyncGenerator<EvaluationSummary, void, undefined> {
    const { timeoutMs, signal, evaluatedFrom, evaluatedBefore, ...filter } = options;
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    const request = {
      ...given,
      ...(evaluatedFrom && { evaluatedFrom: timestampFromDate(evaluatedFrom) }),
      ...(evaluatedBefore && { evaluatedBefore: timestampFromDate(evaluatedBefore) }),
    };
    for (let pageToken = ""; ;) {
      const method = LedgerService.method.listEvaluations;
      const page = await this.#connection.call(method, { ...request, pageToken }, { timeoutMs, signal, repeat: true });
      yield* page.evaluations;
      pageToken = page.nextPageToken;
      if (!pageToken) return;
    }
  }

  /** Returns one recorded evaluation in full, with its grades. */
  async getEvaluation(evaluationId: string, options: CallOptions = {}): Promise<GetEvaluationResponse> {
    return this.#connection.call(LedgerService.method.getEvaluation, { evaluationId }, { ...options, repeat: true });
  }

  /** Returns an evidence item of a recorded evaluation as it came with the request. */
  async getEvaluationEvidence(
    evaluationId: string,
    evidenceId: string,
    options: CallOptions = {},
  ): Promise<EvidenceItem | undefined> {
    const method = LedgerService.method.getEvaluationEvidence;
    return (await this.#connection.call(method, { evaluationId, evidenceId }, { ...options, repeat: true })).item;
  }

  /** Deletes one evaluation, with its grades and the contents of evidence that no other evaluation has. */
  async deleteEvaluation(evaluationId: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call(LedgerService.method.deleteEvaluation, { evaluationId }, { ...options, repeat: false });
  }

  /** Keeps what a person says of an evaluation; all grades or none. */
  async grade(
    evaluationId: string,
    grader: string,
    grades: MessageInitShape<typeof GradeSchema>[],
    options: CallOptions = {},
  ): Promise<GradeResponse> {
    const request = { evaluationId, grader, grades };
    return this.#connection.call(LedgerService.method.grade, request, { ...options, repeat: true });
  }

  /** Streams records of evaluations; `after` of the last answer goes on behind it. The client sets no deadline. */
  async *exportRecords(
    request: MessageInitShape<typeof ExportRequestSchema>,
    options: Pick<CallOptions, "signal"> = {},
  ): AsyncGenerator<ExportResponse, void, undefined> {
    yield* this.#connection.stream(LedgerService.method.export, [request], options);
  }

  // Stored evidence.

  /** Stores items in a corpus, which is made where there is none; the same call again changes nothing. */
  async putEvidence(
    corpusId: string,
    evidence: Evidence,
    options: CallOptions & { readonly timeToLiveMs?: number | undefined } = {},
  ): Promise<PutEvidenceResponse> {
    const messages = [...stored(corpusId, evidence, options.timeToLiveMs)];
    return this.#connection.send(EvidenceService.method.putEvidence, messages, options);
  }

  /** Finds the passages of a corpus that bear on a query, the best first; at most `most`, 10 by default. */
  async search(
    corpusId: string,
    query: string,
    options: Pick<MessageInitShape<typeof SearchRequestSchema>, "most" | "filter" | "method"> & CallOptions = {},
  ): Promise<SearchResponse> {
    const { timeoutMs, signal, ...more } = options;
    const request = { ...more, corpusId, query } as MessageInitShape<typeof SearchRequestSchema>;
    return this.#connection.call(EvidenceService.method.search, request, { timeoutMs, signal, repeat: true });
  }

  /** Returns the head of a stored item, or a range of it. */
  async getSnapshot(
    request: MessageInitShape<typeof GetSnapshotRequestSchema>,
    options: CallOptions = {},
  ): Promise<GetSnapshotResponse> {
    return this.#connection.call(EvidenceService.method.getSnapshot, request, { ...options, repeat: true });
  }

  /** Lists corpora by name, as far as they are read. */
  async *listCorpora(options: CallOptions = {}): AsyncGenerator<CorpusSummary, void, undefined> {
    for (let pageToken = ""; ;) {
      const page = await this.#connection.call(
        EvidenceService.method.listCorpora,
        { pageToken },
        { ...options, repeat: true },
      );
      yield* page.corpora;
      pageToken = page.nextPageToken;
      if (!pageToken) return;
    }
  }

  /** Deletes a corpus and everything in it. */
  async deleteCorpus(corpusId: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call(EvidenceService.method.deleteCorpus, { corpusId }, { ...options, repeat: false });
  }

  // Policies.

  /** Lists every policy that a request may name. */
  async listPolicies(options: CallOptions = {}): Promise<PolicySummary[]> {
    return (await this.#connection.call(PolicyService.method.listPolicies, {}, { ...options, repeat: true })).policies;
  }

  /** Returns one policy as a file; without a name the server's default. */
  async getPolicy(name = "", options: CallOptions = {}): Promise<GetPolicyResponse> {
    return this.#connection.call(PolicyService.method.getPolicy, { name }, { ...options, repeat: true });
  }

  // Investigations, step by step; `investigate` is the loop around them.

  /** Begins an investigation, or says where it stands. */
  async startInvestigation(
    request: MessageInitShape<typeof StartInvestigationRequestSchema>,
    options: CallOptions = {},
  ): Promise<Investigation> {
    const method = InvestigationService.method.startInvestigation;
    return standing(await this.#connection.call(method, request, { ...options, repeat: true }));
  }

  /** Hands over one turn of the agent; says where the investigation stands then. */
  async recordTurn(
    request: MessageInitShape<typeof RecordTurnRequestSchema>,
    options: CallOptions = {},
  ): Promise<Investigation> {
    const method = InvestigationService.method.recordTurn;
    return standing(await this.#connection.call(method, request, { ...options, repeat: true }));
  }

  /** Has a report judged that an instruction asked for. */
  async submitReport(
    request: MessageInitShape<typeof SubmitReportRequestSchema>,
    options: CallOptions = {},
  ): Promise<SubmitReportResponse> {
    return this.#connection.call(InvestigationService.method.submitReport, request, { ...options, repeat: true });
  }

  /** Says where an investigation stands, and with `withEvents` how it came there. */
  async getInvestigation(
    investigationId: string,
    options: CallOptions & { readonly withEvents?: boolean | undefined } = {},
  ): Promise<GetInvestigationResponse> {
    const request = { investigationId, withEvents: options.withEvents ?? false };
    return this.#connection.call(InvestigationService.method.getInvestigation, request, { ...options, repeat: true });
  }

  /** Ends an investigation degraded, with its best report. */
  async cancelInvestigation(investigationId: string, options: CallOptions = {}): Promise<Investigation> {
    const method = InvestigationService.method.cancelInvestigation;
    return standing(await this.#connection.call(method, { investigationId }, { ...options, repeat: true }));
  }
}

function standing({ investigation }: { readonly investigation?: Investigation | undefined }): Investigation {
  if (investigation) return investigation;
  throw new GsarError("INTERNAL", "the server does not say where the investigation stands");
}
