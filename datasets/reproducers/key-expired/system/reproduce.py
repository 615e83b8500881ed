"""Checks that each payment is taken exactly once."""

from collections import Counter

from harness import System, at, call, verdict

with System("payments", "wallet"):
    began = at("2026-02-17T18:30:00Z")
    for number in range(1, 9):
        payment = {"key": f"pay-{number}", "amount": 5 * number, "line_is_cut": number % 3 == 0}
        call("wallet", "/spend", began + 200 * number, payment)
    _, answer = call("payments", "/taken", began + 3_600)

twice = [key for key, count in Counter(answer["payments"]).items() if count > 1]
print(f"8 payments, taken more than once: {', '.join(twice) or 'none'}")
verdict(len(set(answer["payments"])) == 8 and not twice)
