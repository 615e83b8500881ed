// The filters of a list of evaluations, stored in the URL so that links show the same list.
import type { EvaluationFilter, EvaluationSummary } from "./contract";

export interface Restriction {
  tier: string;
  policy: string;
  judge: string;
  principal: string;
  investigation: string;
  /** The first day, `2026-11-27`; empty for no limit. */
  from: string;
  /** The last day. */
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
  const given = new URLSearchParams(hash.split("?")[1] ?? "");
  const found = { ...NONE };
  for (const key of Object.keys(NONE) as (keyof Restriction)[]) {
    const value = given.get(key) ?? "";
    if (key === "unproven") found.unproven = value === "true";
    else found[key] = value;
  }
  return found;
}

/** Returns the query of the URL, which is empty without filters. */
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

/** Returns the filter with a first day, by default 30 days before the last one. */
export function withFirstDay(filter: EvaluationFilter): EvaluationFilter {
  if (filter.evaluatedFrom) return filter;
  const last = filter.evaluatedBefore ? Date.parse(filter.evaluatedBefore) : Date.now();
  const first = new Date(last - 30 * DAY).toISOString().slice(0, 10);
  return { ...filter, evaluatedFrom: `${first}T00:00:00Z` };
}
