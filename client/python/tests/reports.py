"""Small reports whose tiers the judge `rules/2` is sure of, and their evidence."""

EVIDENCE = {
    "log": "2026-03-12T14:01:40Z pod checkout-7b84 was OOMKilled with exit code 137\n"
    "2026-03-12T14:02:10Z pod checkout-7b84 was restarted 3 times\n"
}
PROCEEDS = "Pod checkout-7b84 was OOMKilled with exit code 137."
GUESS = "A nightly batch job took the memory of node wk-4."
REPLANNED = f"{PROCEEDS} {GUESS}"
REGENERATED = f"{PROCEEDS} Pod checkout-7b84 was restarted 3 times. {GUESS}"
