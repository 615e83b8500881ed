"""Checks that each refund is booked."""

import sqlite3

from harness import System, at, call, verdict

REFUNDED = ["T-2", "T-5", "T-6"]

with System("ledger", "desk"):
    began = at("2026-06-11T07:15:00Z")
    for number in range(1, 8):
        ticket = f"T-{number}"
        operations = ["charge", "refund"] if ticket in REFUNDED else ["charge"]
        document = {"ticket": ticket, "account": f"a-{number}", "operations": operations}
        call("desk", "/ticket", began + 60 * number, document)

booked = sqlite3.connect("ledger.sqlite3").execute("SELECT count(*) FROM entries WHERE operation = 'refund'").fetchone()[0]
print(f"{len(REFUNDED)} refunds asked for, booked: {booked}")
verdict(booked == len(REFUNDED))
