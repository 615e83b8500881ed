/** Small reports whose tiers under the judge `rules/2` are known, and their evidence. */
export const EVIDENCE = {
  log:
    "2026-03-12T14:01:40Z pod checkout-7b84 was OOMKilled with exit code 137\n" +
    "2026-03-12T14:02:10Z pod checkout-7b84 was restarted 3 times\n",
  pod: '{"name": "checkout-7b84", "memory_limit": "512Mi"}',
};
export const PROCEED_REPORT = "Pod checkout-7b84 was OOMKilled with exit code 137.";
export const GUESS = "The memory limit of checkout-7b84 is 1 GiB.";
export const REPLAN_REPORT = `${PROCEED_REPORT} ${GUESS}`;
export const REGENERATE_REPORT = `${PROCEED_REPORT} Pod checkout-7b84 was restarted 3 times. ${GUESS}`;
