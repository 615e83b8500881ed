// Thresholds of a policy file, of which a page needs two.

/** The value of a key of the top level, such as tau_proceed; undefined where it is not there as a number. */
export function threshold(toml: string, key: string): number | undefined {
  const found = new RegExp(`^${key}\\s*=\\s*"?([0-9.]+)"?\\s*(#.*)?$`, "m").exec(toml);
  return found ? Number(found[1]) : undefined;
}
