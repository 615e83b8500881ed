"""Checks that both services agree on each order."""

from harness import System, at, call, verdict

with System("orders", "shipping"):
    began = at("2026-03-23T11:00:00Z")
    for number in range(1, 7):
        now = began + 300 * number
        call("orders", "/order", now, {"order": f"S-{number}"})
        if number % 2 == 0:
            call("orders", "/cancel", now + 20, {"order": f"S-{number}"})
        call("orders", "/deliver", now + 200)
    _, said = call("orders", "/states", began + 4_000)
    _, done = call("shipping", "/states", began + 4_000)

apart = sorted(order for order, state in said.items() if (state == "cancelled") == (done.get(order) == "shipped"))
print(f"6 orders, cancelled and shipped: {', '.join(apart) or 'none'}")
verdict(not apart)
