// Values of a policy file, of which pages need a few.
import type { RescoreEvaluationsRequest } from "./contract";

type Overrides = NonNullable<RescoreEvaluationsRequest["policyOverrides"]>;
type EvidenceType = NonNullable<NonNullable<Overrides["weights"]>[number]["type"]>;

/** The types of evidence as a policy file names their weights. */
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

/** What the page of policies changes. */
export interface Values {
  tau_proceed: number;
  tau_regenerate: number;
  rho: number;
  ungrounded_floor: number;
  weights: Record<string, number>;
}

/** The value of a key of the top level, such as tau_proceed; undefined where it is not there as a number. */
export function threshold(toml: string, key: string): number | undefined {
  const top = toml.split(/^\[/m)[0] ?? "";
  return number(top, key);
}

/** The name of the policy; empty where it has none. */
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

/** What differs from the policy, as overrides. */
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

/** What the server would refuse, said while it is written; undefined where nothing is. */
export function problemOf(values: Omit<Values, "weights"> & { weights?: Values["weights"] }): string | undefined {
  const { tau_proceed, tau_regenerate, rho, ungrounded_floor } = values;
  const weights = Object.values(values.weights ?? {});
  if ([tau_proceed, tau_regenerate, rho, ungrounded_floor, ...weights].some((value) => typeof value !== "number")) {
    return "give a number";
  }
  if (tau_proceed <= tau_regenerate) return `proceed from more than ${tau_regenerate}, from where it is regenerate`;
  if (tau_proceed > 1 || tau_regenerate <= 0) return "thresholds are above 0 and at most 1";
  if (rho < 0 || rho > 10) return "a contradiction counts 0 to 10 times";
  if ([ungrounded_floor, ...weights].some((value) => value < 0 || value > 1)) return "weights are 0 to 1";
  return undefined;
}

function number(toml: string, key: string): number | undefined {
  const found = new RegExp(`^${key}\\s*=\\s*"?([0-9.]+)"?\\s*(#.*)?$`, "m").exec(toml);
  return found ? Number(found[1]) : undefined;
}
