// Reads the values that pages need from a policy file.
import type { RescoreEvaluationsRequest } from "./contract";

type Overrides = NonNullable<RescoreEvaluationsRequest["policyOverrides"]>;
type EvidenceType = NonNullable<NonNullable<Overrides["weights"]>[number]["type"]>;

/** The evidence types, as they are named in the weights of a policy file. */
export const WEIGHTS = [
  "tool_match",
  "specific_data",
  "signal_match",
  "complementary_finding",
  "synthesis",
  "neg_evidence",
  "inference",
  "domain",
] as const;

/** The values that the policies page can change. */
export interface Values {
  tau_proceed: number;
  tau_regenerate: number;
  rho: number;
  ungrounded_floor: number;
  weights: Record<string, number>;
}

/** Returns the value of a top-level key, such as tau_proceed. Returns undefined if it is missing or not a number. */
export function threshold(toml: string, key: string): number | undefined {
  const top = toml.split(/^\[/m)[0] ?? "";
  return number(top, key);
}

/** Returns the name of the policy, or an empty string if it has none. */
export function nameOf(toml: string): string {
  return /^name\s*=\s*"([^"]*)"/m.exec(toml)?.[1] ?? "";
}

export function valuesOf(toml: string): Values {
  const section = /^\[weights\]\s*$([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(toml)?.[1] ?? "";
  return {
    tau_proceed: threshold(toml, "tau_proceed") ?? 0.8,
    tau_regenerate: threshold(toml, "tau_regenerate") ?? 0.65,
    rho: threshold(toml, "rho") ?? 0.5,
    ungrounded_floor: threshold(toml, "ungrounded_floor") ?? 0,
    weights: Object.fromEntries(WEIGHTS.map((key) => [key, number(section, key) ?? 1])),
  };
}

/** Returns the changed values as overrides. */
export function overridesOf(values: Values, policy: Values): Overrides {
  const overrides: Overrides = {};
  if (values.tau_proceed !== policy.tau_proceed) overrides.tauProceed = values.tau_proceed;
  if (values.tau_regenerate !== policy.tau_regenerate) overrides.tauRegenerate = values.tau_regenerate;
  if (values.rho !== policy.rho) overrides.rho = values.rho;
  if (values.ungrounded_floor !== policy.ungrounded_floor) overrides.ungroundedFloor = values.ungrounded_floor;
  const changed = WEIGHTS.filter((key) => values.weights[key] !== policy.weights[key]);
  if (changed.length > 0) {
    overrides.weights = changed.map((key) => ({
      type: `EVIDENCE_TYPE_${key.toUpperCase()}` as EvidenceType,
      weight: values.weights[key],
    }));
  }
  return overrides;
}

/** Returns why the server would reject the values. Returns undefined if it would accept them. */
export function problemOf(values: Omit<Values, "weights"> & { weights?: Values["weights"] }): string | undefined {
  const { tau_proceed, tau_regenerate, rho, ungrounded_floor } = values;
  const weights = Object.values(values.weights ?? {});
  if ([tau_proceed, tau_regenerate, rho, ungrounded_floor, ...weights].some((value) => typeof value !== "number")) {
    return "enter a number";
  }
  if (tau_proceed <= tau_regenerate) return `the threshold for proceed must be above the threshold for regenerate (${tau_regenerate})`;
  if (tau_proceed > 1 || tau_regenerate <= 0) return "thresholds must be above 0 and at most 1";
  if (rho < 0 || rho > 10) return "the factor for contradictions must be between 0 and 10";
  if ([ungrounded_floor, ...weights].some((value) => value < 0 || value > 1)) return "weights must be between 0 and 1";
  return undefined;
}

function number(toml: string, key: string): number | undefined {
  const match = new RegExp(`^${key}\\s*=\\s*"?([0-9.]+)"?\\s*(#.*)?$`, "m").exec(toml);
  return match ? Number(match[1]) : undefined;
}
