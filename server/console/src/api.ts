// Calls to the HTTP gateway that serves this page. A call that fails throws a CallError with the server's message.
import type {
  CountEvaluationsRequest,
  CountEvaluationsResponse,
  EvidenceItem,
  GetEvaluationResponse,
  GetInvestigationRequest,
  GetInvestigationResponse,
  GetPolicyResponse,
  GradeRequest,
  GradeResponse,
  ListEvaluationsRequest,
  ListEvaluationsResponse,
  ListPoliciesResponse,
  RescoreEvaluationsRequest,
  RescoreEvaluationsResponse,
  RescoreRequest,
  RescoreResponse,
} from "./contract";

const TOKEN = "gsar-token";

export class CallError extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** The gRPC code, such as NOT_FOUND. Undefined if the call did not reach a service. */
    readonly code?: string,
  ) {
    super(message);
  }

  /**
   * True if the server does not serve this path. For example, it does not serve grades if callers are not
   * authenticated.
   */
  get isNotServed(): boolean {
    return this.status === 404 && this.code === undefined;
  }

  /** True if the server requires a token. */
  get isUnidentified(): boolean {
    return this.status === 401;
  }
}

/** Stores the caller's token until the tab is closed. */
export function setToken(token: string): void {
  sessionStorage.setItem(TOKEN, token.trim());
}

async function call<Answer>(path: string, request: unknown): Promise<Answer> {
  const token = sessionStorage.getItem(TOKEN);
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token) headers["authorization"] = `Bearer ${token}`;
  let response: Response;
  try {
    response = await fetch(path, { method: "POST", headers, body: JSON.stringify(request) });
  } catch {
    throw new CallError("the server does not respond", 0);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new CallError(answer.detail ?? answer.title ?? response.statusText, response.status, answer.code);
  }
  return answer as Answer;
}

export function listEvaluations(request: ListEvaluationsRequest): Promise<ListEvaluationsResponse> {
  return call("/v1/evaluations", request);
}

export function countEvaluations(request: CountEvaluationsRequest): Promise<CountEvaluationsResponse> {
  return call("/v1/evaluation-counts", request);
}

export function getEvaluation(evaluationId: string): Promise<GetEvaluationResponse> {
  return call("/v1/evaluation", { evaluationId });
}

export async function getEvidence(evaluationId: string, evidenceId: string): Promise<EvidenceItem> {
  const answer = await call<{ item?: EvidenceItem }>("/v1/evaluation-evidence", {
    evaluationId,
    evidenceId,
  });
  return answer.item ?? ({} as EvidenceItem);
}

export function rescore(request: RescoreRequest): Promise<RescoreResponse> {
  return call("/v1/rescore", request);
}

export function rescoreEvaluations(request: RescoreEvaluationsRequest): Promise<RescoreEvaluationsResponse> {
  return call("/v1/rescore-evaluations", request);
}

export function listPolicies(): Promise<ListPoliciesResponse> {
  return call("/v1/policies", {});
}

export function getPolicy(name: string): Promise<GetPolicyResponse> {
  return call("/v1/policy", { name });
}

export function getInvestigation(request: GetInvestigationRequest): Promise<GetInvestigationResponse> {
  return call("/v1/investigation", request);
}

/** The server serves this call only to authenticated callers. */
export function grade(request: GradeRequest): Promise<GradeResponse> {
  return call("/v1/grade", request);
}
