// The filters of a list of evaluations. They are stored in the URL, so that a link shows the same list.
import type { EvaluationFilter, EvaluationSummary } from "./contract";

export interface Restriction {
  tier: string;
  policy: string;
  judge: string;
  principal: string;
  investigation: string;
  /** The first day, such as `2026-11-27`. Empty if there is no limit. */
  from: string;
  /** The last day. Empty if there is no limit. */
  until: string;
  unproven: boolean;
}

const NONE: Restriction = {
  tier: "",
  policy: "",
  judge: "",
  principal: "",
  investigation: "",
  from: "",
  until: "",
  unproven: false,
};
const DAY = 86_400_000;

/** Parses a URL fragment such as `#/evaluations?tier=TIER_PROCEED&unproven=true`. */
export function restrictionOf(hash: string): Restriction {
  const query = new URLSearchParams(hash.split("?")[1] ?? "");
  const filters = { ...NONE };
  for (const key of Object.keys(NONE) as (keyof Restriction)[]) {
    const value = query.get(key) ?? "";
    if (key === "unproven") filters.unproven = value === "true";
    else filters[key] = value;
  }
  return filters;
}

/** Returns the URL query, which is empty if no filter is set. */
export function queryOf(restriction: Restriction): string {
  const set = Object.entries(restriction).filter(([, value]) => value !== "" && value !== false);
  const query = new URLSearchParams(set.map(([key, value]) => [key, String(value).trim()])).toString();
  return query ? `?${query}` : "";
}

export function filterOf(restriction: Restriction): EvaluationFilter {
  const { tier, policy, judge, principal, investigation, from, until, unproven } = restriction;
  return {
    policy: policy.trim(),
    judge: judge.trim(),
    principal: principal.trim(),
    investigationId: investigation.trim(),
    unprovenOnly: unproven,
    ...(tier ? { tier: tier as EvaluationSummary["tier"] } : {}),
    ...(from ? { evaluatedFrom: `${from}T00:00:00Z` } : {}),
    ...(until ? { evaluatedBefore: new Date(Date.parse(until) + DAY).toISOString() } : {}),
  };
}

/** Returns the filter with a first day. If it has none, the first day is 30 days before the last day. */
export function withFirstDay(filter: EvaluationFilter): EvaluationFilter {
  if (filter.evaluatedFrom) return filter;
  const last = filter.evaluatedBefore ? Date.parse(filter.evaluatedBefore) : Date.now();
  const first = new Date(last - 30 * DAY).toISOString().slice(0, 10);
  return { ...filter, evaluatedFrom: `${first}T00:00:00Z` };
}
