"""Checks that each order is charged only once."""

import sqlite3

from harness import System, at, call, verdict

with System("payments", "inventory", "orders"):
    began = at("2026-03-02T10:00:00Z")
    for number in range(1, 11):
        amount = 40 if number % 2 else 240
        call("orders", "/order", began + 7 * number, {"order": f"A-{number}", "amount": amount})

charges = sqlite3.connect("payments.sqlite3").execute("SELECT order_id, count(*) FROM charges GROUP BY order_id")
twice = sorted(order for order, count in charges if count > 1)
print(f"10 orders, charged more than once: {', '.join(twice) or 'none'}")
verdict(not twice)
