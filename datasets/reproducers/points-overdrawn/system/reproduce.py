"""Checks that the entries of each cancelled order add up to zero."""

import sqlite3

from harness import System, at, call, verdict

with System("loyalty", "shop"):
    began = at("2026-05-04T09:00:00Z")
    for number in range(1, 6):
        order = {"order": f"L-{number}", "member": f"m-{number}", "amount": 10 * number}
        call("shop", "/buy", began + number, order)
    call("loyalty", "/rate", began + 86_400, {"rate": 3})
    for number in (2, 4):
        call("shop", "/cancel", began + 3 * 86_400 + number, {"order": f"L-{number}"})

entries = sqlite3.connect("loyalty.sqlite3").execute(
    "SELECT order_id, sum(points) FROM entries GROUP BY order_id HAVING count(*) > 1"
)
wrong = [f"{order} by {points}" for order, points in entries if points != 0]
print(f"2 orders cancelled, points left over: {', '.join(wrong) or 'none'}")
verdict(not wrong)
